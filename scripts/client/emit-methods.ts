/** The methods of the client's classes: what they take, send and give. */
import {
  type ClientOperation,
  camelCase,
  mustMatch,
} from "../../src/features/reference/client-operations.ts";
import { type Description, follow, type Parameter, type Schema } from "./description.ts";
import { comment, typeOf } from "./schema-types.ts";

/** Names in the module of the types. */
const PREFIX = "T.";

/** What the methods of one class have in common: its name, and the types that they need declared. */
interface Surroundings {
  description: Description;
  className: string;
  types: string[];
}

export function methodOf(operation: ClientOperation, around: Surroundings): string {
  const said = comment(
    [operation.summary && `${operation.summary}.`, operation.description],
    "",
    operation.deprecated,
  );
  return said + (operation.form === "list" ? listMethod : callMethod)(operation, around);
}

function listMethod(operation: ClientOperation, around: Surroundings): string {
  const { params, query, method, answers } = operation;
  const { description, types } = around;
  const own = ownName(operation, around);
  const { properties, required } = follow<Schema>(description, answers[0]);
  const { data, next_cursor: _, ...beside } = properties;
  const item = named(`${own}Item`, data.items, types);
  const page = named(`${own}Page`, objectOf(beside, required), types);
  const pageType = Object.keys(beside).length > 0 ? `, Page<${item}> & ${page}` : "";
  const taken = [...idsOf(params), ...queryOf(query, own, types), "options?: RequestOptions"];
  return `${method}(${taken.join(", ")}): List<${item}${pageType}> {
    return this.#core.list(${urlOf(operation)}, query, ${mostOf(query)}, options);
  }`;
}

function callMethod(operation: ClientOperation, around: Surroundings): string {
  const { verb, params, query, form, method, fileTypes, body, read } = operation;
  const { description, types } = around;
  const own = ownName(operation, around);
  const answer = answerType(operation, around);
  const { isKeyed, isMatched, isRequired, type } = optionsOf(operation);
  const bodyType = body && named(`${own}Body`, body, types);
  const isLone = query.length === 0 && !isRequired && !read;
  const isEmptyMeant = isLone && bodyType && isAllOptional(description, body);
  const ids = idsOf(params);
  const taken = [
    ...ids,
    ...(fileTypes ? ["file: Upload"] : []),
    ...(bodyType ? [`body: ${bodyType}${isEmptyMeant ? " = {}" : ""}`] : []),
    ...queryOf(query, own, types),
    `options${isRequired ? "" : "?"}: ${type}`,
  ];
  const sent = [
    `answer: ${JSON.stringify(form)}`,
    ...(query.length > 0 ? ["query"] : []),
    ...(isKeyed ? ["keyed: true"] : []),
    ...(isMatched ? ["matched: true"] : []),
    ...(fileTypes ? ["file"] : []),
    ...(bodyType ? ["body"] : []),
  ];
  const call = `${urlOf(operation)}, { ${sent.join(", ")} }, options`;
  const head = `${method}(${taken.join(", ")}): Promise<${answer}>`;
  if (!read) {
    return `${head} {\nreturn this.#core.request(${JSON.stringify(verb.toUpperCase())}, ${call});\n}`;
  }
  const record = answerType(read, around);
  const either = `Promise<${unite([answer, record])}>`;
  const change = `change: (record: ${record}) => Made<${bodyType}>`;
  return `${head};
    /** Reads the record, and writes what \`change\` makes of it, from the start if others changed it meanwhile; \`undefined\` leaves it as it is. */
    ${method}(${[...ids, change, "options?: RequestOptions"].join(", ")}): ${either};
    ${method}(${[...ids, "body: object", "options?: RequestOptions"].join(", ")}): ${either} {
      return this.#core.update(${call});
    }`;
}

/** What types of a method are called after. */
function ownName({ method }: ClientOperation, { className }: Surroundings): string {
  return className + pascalCase([method]);
}

function urlOf({ path, params }: ClientOperation): string {
  const parts = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const param = params.find((given) => given.name === name);
    return param ? `\${${parameterName(param)}}` : "";
  });
  return `path\`${parts}\``;
}

function idsOf(params: Parameter[]): string[] {
  return params.map((param) => `${parameterName(param)}: string`);
}

/** `linkId` for an id: no word of the language is called that, and none of a method's own. */
function parameterName({ name, schema }: Parameter): string {
  return camelCase(schema.format === "uuid" && !/^id$/i.test(name) ? `${name}_id` : name);
}

function queryOf(query: Parameter[], own: string, types: string[]): string[] {
  if (query.length === 0) return [];
  const type = named(`${own}Query`, querySchema(query), types);
  return [`query${query.some(({ required }) => required) ? "" : "?"}: ${type}`];
}

function optionsOf(operation: ClientOperation) {
  const { headers, fileTypes } = operation;
  const header = (name: string) =>
    headers.find((given) => given.name.toLowerCase() === name.toLowerCase());
  const isKeyed = header("Idempotency-Key") !== undefined;
  const ifMatch = header("If-Match");
  const isRequired = mustMatch(operation);
  const parts = [
    ...(fileTypes ? ["UploadOptions"] : isKeyed ? ["KeyedOptions"] : []),
    ...(isRequired ? ["ChangeOptions"] : ifMatch ? ["MatchOptions"] : []),
  ];
  const isMatched = ifMatch?.required === true && !isRequired;
  return { isKeyed, isMatched, isRequired, type: parts.join(" & ") || "RequestOptions" };
}

/** What the caller gets, by the form of the answer. */
function answerType(operation: ClientOperation, around: Surroundings): string {
  const { form, answers } = operation;
  const { description, types } = around;
  if (form === "nothing") return "void";
  if (form === "blob") return "Blob";
  const each = answers.map((answer, at) => {
    const name = `${ownName(operation, around)}Answer${at || ""}`;
    if (form === "body") return named(name, answer, types);
    const { properties, required } = follow<Schema>(description, answer);
    const { data, ...beside } = properties;
    const main = named(name, data, types);
    return form === "data" ? main : `${main} & ${typeOf(objectOf(beside, required), PREFIX)}`;
  });
  return unite(each);
}

/** A type by its name, where it would be too long in a method's head. */
function named(name: string, schema: Schema, types: string[]): string {
  const type = typeOf(schema, PREFIX);
  if (!type.includes("{")) return type;
  const declared = `export type ${name} = ${type};\n`;
  if (!types.includes(declared)) types.push(declared);
  return name;
}

function querySchema(query: Parameter[]): Schema {
  const properties = query.map(({ name, description, schema }) => [
    name,
    { ...schema, ...(description && { description }) },
  ]);
  const required = query.filter((given) => given.required).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), required };
}

function objectOf(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: "object", properties, required: required.filter((name) => name in properties) };
}

/** The largest page that a list gives. */
function mostOf(query: Parameter[]): number | undefined {
  const { schema } = query.find(({ name }) => name === "limit") ?? {};
  return [schema, ...(schema?.anyOf ?? [])].find(({ maximum } = {}) => maximum)?.maximum;
}

function isAllOptional(description: Description, body: Schema): boolean {
  const schema = follow<Schema>(description, body);
  return schema.type === "object" && (schema.required ?? []).length === 0;
}

function unite(types: string[]): string {
  return [...new Set(types)].join(" | ");
}

export function pascalCase(words: string[]): string {
  return words.map((word) => (word[0] ?? "").toUpperCase() + word.slice(1)).join("");
}
