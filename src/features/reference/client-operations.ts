/**
 * The operations of a description, with the names that the client calls them by. The rule, for
 * whatever there is or will be: the path says where (`/pages/{page}/blocks` is `pages.blocks`), the
 * verb says what (`create`, `list`, `get`, `update`, `replace`, `delete`), and a last segment that
 * only one verb is for, and nothing is below, is the method itself (`pages.publish`).
 */
import {
  type Content,
  type DescribedResponse,
  type Description,
  type Operation,
  type Parameter,
  resolve,
  type Schema,
} from "./document.ts";

const JSON_TYPE = "application/json";
const VERBS: Record<string, string> = {
  post: "create",
  get: "get",
  patch: "update",
  put: "replace",
  delete: "delete",
};
/** First segments that say which product it is, and what the client has for them. */
const PRODUCTS: Record<string, string[]> = { biolinks: [], "workspace-webhooks": ["webhooks"] };

/** How an answer is given to the caller: see `Call` in the client's core. */
export type AnswerForm = "list" | "data" | "merged" | "body" | "blob" | "nothing";

type Described = Pick<Description, "paths" | "components">;
type ShapedParameter = Parameter & { schema: Schema };

export interface ClientOperation extends Operation {
  verb: string;
  path: string;
  /** Where the client has it: `["pages", "blocks"]`. */
  place: string[];
  method: string;
  params: ShapedParameter[];
  /** Names in the path that no parameter is described for. */
  undescribed: string[];
  query: ShapedParameter[];
  headers: ShapedParameter[];
  /** The JSON that it takes, or the media types of a file. */
  body?: Schema;
  fileTypes?: string[];
  form: AnswerForm;
  /** The schemas of what it answers when it succeeds. */
  answers: Schema[];
  /** Of a file that it answers: the first that it may be of. */
  answeredType?: string | undefined;
  hasEtag: boolean;
  isOperators: boolean;
  /** What reads the record that this changes, with its ETag. */
  read?: ClientOperation;
}

/** Every operation of the API, named. Whether each can be called by its name is not judged here. */
export function clientOperations(description: Described): ClientOperation[] {
  const found = Object.entries(description.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([verb]) => verb in VERBS)
      .map(([verb, operation]) =>
        read(description, { verb, path, ...(operation as Operation) }, item.parameters),
      ),
  );
  for (const operation of found) {
    name(operation, found);
    const read = operation.verb === "patch" && hasIfMatch(operation) && readerOf(operation, found);
    if (read) operation.read = read;
  }
  return found;
}

/** Whether a call cannot be made without saying which revision of the record is meant. */
export function mustMatch({ headers, verb }: ClientOperation): boolean {
  const isRequired = headers.some(({ name, required }) => name === "If-Match" && required);
  return isRequired && (verb === "patch" || verb === "put");
}

function read(
  description: Described,
  operation: Operation & { verb: string; path: string },
  shared: unknown,
): ClientOperation {
  const { path } = operation;
  const shaped = (given: Parameter): ShapedParameter => {
    const found = resolve(description, given);
    return { ...found, schema: found.schema ?? {} };
  };
  const own = (operation.parameters ?? []).map(shaped);
  const inherited = Array.isArray(shared) ? shared.map(shaped) : [];
  const isOwn = ({ name, in: place }: Parameter) =>
    own.some((given) => given.name === name && given.in === place);
  const all = [...own, ...inherited.filter((given) => !isOwn(given))];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const inPath = all.filter((given) => given.in === "path");
  const params = names.flatMap((name) => inPath.find((given) => given.name === name) ?? []);
  const undescribed = names.filter((name) => !params.some((given) => given.name === name));
  const query = all.filter((given) => given.in === "query");
  return {
    ...operation,
    ...{ params, undescribed, query, place: [], method: "" },
    headers: all.filter((given) => given.in === "header"),
    ...readBody(description, operation),
    ...readAnswers(description, operation, query),
    isOperators: operation.security?.some((way) => "operator" in way) ?? false,
  };
}

function readBody(description: Described, { requestBody }: Operation) {
  if (!requestBody) return {};
  const content = resolve(description, requestBody).content ?? {};
  const json = content[JSON_TYPE];
  if (json) return { body: json.schema ?? {} };
  return { fileTypes: Object.keys(content).filter((type) => !type.startsWith("multipart/")) };
}

function readAnswers(description: Described, { responses = {} }: Operation, query: Parameter[]) {
  const successes = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, answer]): DescribedResponse => resolve(description, answer));
  const contents = successes.flatMap(({ content }) => (content ? [content] : []));
  const hasEtag = successes.some(({ headers }) => headers && "ETag" in headers);
  if (contents.length === 0) return { answers: [], form: "nothing" as const, hasEtag };
  const isFile = contents.some((content) => Object.keys(content).join() !== JSON_TYPE);
  const [answeredType] = Object.keys(contents[0] ?? {});
  if (isFile) return { answers: [], form: "blob" as const, hasEtag, answeredType };
  const answers = contents.map(
    (content: Record<string, Content>) => content[JSON_TYPE]?.schema ?? {},
  );
  const forms = answers.map((schema) => formOf(resolve(description, schema), query, description));
  const [form = "body", ...others] = new Set(forms);
  return { answers, form: others.length > 0 ? ("body" as const) : form, hasEtag };
}

function formOf(schema: Schema, query: Parameter[], description: Described): AnswerForm {
  const { data, ...beside } = schema.properties ?? {};
  if (!data) return "body";
  const isMany = resolve(description, data).type === "array";
  const isPaged = isMany && "next_cursor" in beside;
  if (isPaged && query.some(({ name }) => name === "cursor")) return "list";
  if (Object.keys(beside).length === 0) return "data";
  return isMany ? "body" : "merged";
}

/** The path's segments without the API's root and the product. */
function segmentsOf(path: string): string[] {
  const segments = path
    .replace(/^\/(?:api|admin)\/v\d+/, "")
    .split("/")
    .filter(Boolean);
  const [first = "", ...rest] = segments;
  return [...(PRODUCTS[first] ?? [first]), ...rest];
}

function name(operation: ClientOperation, all: ClientOperation[]): void {
  const { path, verb, form } = operation;
  const words = segmentsOf(path)
    .filter((segment) => !segment.startsWith("{"))
    .map(camelCase);
  const isOfOne = path.endsWith("}");
  const hasMore = all.some(
    (other) => other !== operation && (other.path === path || other.path.startsWith(`${path}/`)),
  );
  const isList = form === "list" || (verb === "get" && isArray(operation));
  const isMethod = !isOfOne && !hasMore && !isList && words.length > 1;
  operation.place = isMethod ? words.slice(0, -1) : words;
  const ofVerb = verb === "get" && isList ? "list" : (VERBS[verb] ?? verb);
  operation.method = isMethod ? (words.at(-1) ?? ofVerb) : ofVerb;
}

function hasIfMatch({ headers }: ClientOperation): boolean {
  return headers.some((given) => given.name === "If-Match");
}

function readerOf(
  { path, form }: ClientOperation,
  all: ClientOperation[],
): ClientOperation | undefined {
  return all.find(
    (other) => other.verb === "get" && other.path === path && other.hasEtag && other.form === form,
  );
}

function isArray({ form, answers }: ClientOperation): boolean {
  return form === "data" && answers[0]?.properties?.data?.type === "array";
}

export function camelCase(words: string): string {
  return words.replaceAll(/[-_\s]+(\w)/g, (_, letter: string) => letter.toUpperCase());
}
