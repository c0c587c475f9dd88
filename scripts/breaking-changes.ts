/** What of a newer API description would break programs that were made for an older one. */

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  [limit: string]: unknown;
}

type Contents = Record<string, { schema?: Schema }>;

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Contents };
  responses: Record<string, { content?: Contents; headers?: Record<string, unknown> }>;
}

/** As much of an OpenAPI document as is compared. */
export interface Description {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** What is sent to us may become wider, what we answer narrower; never the other way round. */
type Way = "sent" | "answered";

const UPPER = ["maxLength", "maximum", "maxItems", "maxProperties"];
const LOWER = ["minLength", "minimum", "minItems", "minProperties"];

/** Where and how the newer description breaks the older. */
export function breakingChanges(older: Description, newer: Description): string[] {
  return [
    ...operationChanges(older, newer, older.paths, newer.paths, "sent"),
    ...operationChanges(older, newer, older.webhooks ?? {}, newer.webhooks ?? {}, "answered"),
  ];
}

function operationChanges(
  older: Description,
  newer: Description,
  olderPaths: Description["paths"],
  newerPaths: Description["paths"],
  body: Way,
): string[] {
  const comparison = new Comparison(older, newer);
  // What a parameter of a path is called is no matter of who asks.
  const bare = (path: string) => path.replaceAll(/\{\w+\}/g, "{}");
  const byPath = new Map(Object.entries(newerPaths).map(([path, item]) => [bare(path), item]));
  return Object.entries(olderPaths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, before]) => {
      const after = byPath.get(bare(path))?.[method];
      const name = before.operationId;
      if (!after) return [`${name}: ${method.toUpperCase()} ${path} is gone`];
      const renamed = after.operationId === name ? [] : [`${name}: is ${after.operationId} now`];
      return [
        ...renamed,
        ...parameterChanges(comparison, before, after),
        ...contentChanges(before.requestBody?.content, after.requestBody?.content).map(
          (change) => `${name} body: ${change}`,
        ),
        ...comparison.contents(name, before.requestBody?.content, after.requestBody?.content, body),
        ...answerChanges(comparison, before, after),
      ];
    }),
  );
}

function parameterChanges(comparison: Comparison, before: Operation, after: Operation): string[] {
  const named = (operation: Operation) =>
    (operation.parameters ?? []).filter((parameter) => parameter.in !== "path");
  const find = (operation: Operation, wanted: { name: string; in: string }) =>
    named(operation).find((one) => one.name === wanted.name && one.in === wanted.in);
  const kept = named(before).flatMap((parameter) => {
    const now = find(after, parameter);
    const place = `${before.operationId} ${parameter.name}`;
    if (!now) return [`${place}: the parameter is gone`];
    const demanded = now.required && !parameter.required ? [`${place}: must be sent now`] : [];
    return [...demanded, ...comparison.changes(place, parameter.schema, now.schema, "sent")];
  });
  const demanded = named(after)
    .filter((parameter) => parameter.required && !find(before, parameter))
    .map(({ name }) => `${before.operationId} ${name}: a new parameter must be sent`);
  return [...kept, ...demanded];
}

function answerChanges(comparison: Comparison, before: Operation, after: Operation): string[] {
  return Object.entries(before.responses).flatMap(([status, answer]) => {
    const now = after.responses[status];
    const place = `${before.operationId} ${status}`;
    if (!now) return status < "300" ? [`${place}: is not answered any more`] : [];
    return [
      ...contentChanges(answer.content, now.content).map((change) => `${place}: ${change}`),
      ...Object.keys(answer.headers ?? {})
        .filter((name) => !now.headers?.[name])
        .map((name) => `${place}: the header ${name} is gone`),
      ...comparison.contents(place, answer.content, now.content, "answered"),
    ];
  });
}

function contentChanges(before: Contents = {}, after: Contents = {}): string[] {
  return Object.keys(before)
    .filter((mediaType) => !after[mediaType])
    .map((mediaType) => `${mediaType} is gone`);
}

class Comparison {
  readonly #older: Description;
  readonly #newer: Description;
  /** Pairs that are being compared: a schema may hold itself. */
  readonly #open = new Set<string>();

  constructor(older: Description, newer: Description) {
    this.#older = older;
    this.#newer = newer;
  }

  contents(place: string, before: Contents = {}, after: Contents = {}, way: Way): string[] {
    return Object.entries(before).flatMap(([mediaType, { schema }]) => {
      const now = after[mediaType]?.schema;
      return schema && now ? this.changes(place, schema, now, way) : [];
    });
  }

  changes(place: string, before: Schema, after: Schema, way: Way): string[] {
    const pair = `${before.$ref} ${after.$ref} ${way}`;
    if (before.$ref && after.$ref) {
      if (this.#open.has(pair)) return [];
      this.#open.add(pair);
    }
    const olds = formsOf(before, this.#older);
    const news = formsOf(after, this.#newer);
    // Whatever one side may send, the other must know.
    const [given, known] = way === "sent" ? [olds, news] : [news, olds];
    const found = given.flatMap((form) => {
      const tried = known
        .filter((other) => typeOf(other) === typeOf(form) || typeOf(other) === "any")
        .map((other) =>
          way === "sent"
            ? this.#formChanges(place, form, other, way)
            : this.#formChanges(place, other, form, way),
        );
      if (tried.length === 0)
        return [
          `${place}: ${typeOf(form)} is ${way === "sent" ? "not taken any more" : "new in answers"}`,
        ];
      return tried.sort((a, b) => a.length - b.length)[0] ?? [];
    });
    if (before.$ref && after.$ref) this.#open.delete(pair);
    return [...new Set(found)];
  }

  #formChanges(place: string, before: Schema, after: Schema, way: Way): string[] {
    return [
      ...valueChanges(place, before, after, way),
      ...formatChanges(place, before, after, way),
      ...(way === "sent" ? limitChanges(place, before, after) : []),
      ...this.#fieldChanges(place, before, after, way),
      ...(before.items && after.items
        ? this.changes(`${place}[]`, before.items, after.items, way)
        : []),
    ];
  }

  #fieldChanges(place: string, before: Schema, after: Schema, way: Way): string[] {
    const { properties: olds = {}, required: wasRequired = [] } = before;
    const { properties: news = {}, required: isRequired = [] } = after;
    const kept = Object.entries(olds).flatMap(([name, field]) => {
      const now = news[name];
      const at = `${place}.${name}`;
      if (!now) return after.additionalProperties && way === "sent" ? [] : [`${at}: is gone`];
      return this.changes(at, field, now, way);
    });
    const changed =
      way === "sent"
        ? isRequired.filter((name) => !wasRequired.includes(name))
        : wasRequired.filter((name) => news[name] && !isRequired.includes(name));
    const what = way === "sent" ? "must be sent now" : "may be missing now";
    return [...kept, ...changed.map((name) => `${place}.${name}: ${what}`)];
  }
}

/** The forms that a value may have, each with all that its parts say. */
function formsOf(schema: Schema, description: Description): Schema[] {
  if (schema.$ref) {
    const named = description.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
    return named ? formsOf(named, description) : [];
  }
  const { anyOf, oneOf, allOf, ...own } = schema;
  const choices = anyOf ?? oneOf;
  if (choices) return choices.flatMap((choice) => formsOf(choice, description));
  if (allOf) {
    const parts = [own, ...allOf.flatMap((part) => formsOf(part, description))];
    const properties = Object.assign({}, ...parts.map((part) => part.properties));
    const required = parts.flatMap((part) => part.required ?? []);
    return [{ ...Object.assign({}, ...parts), properties, required }];
  }
  return Array.isArray(own.type) ? own.type.map((type) => ({ ...own, type })) : [own];
}

function typeOf({ type, properties }: Schema): string {
  return String(type ?? (properties ? "object" : "any"));
}

function valueChanges(place: string, before: Schema, after: Schema, way: Way): string[] {
  const [olds, news] = [valuesOf(before), valuesOf(after)];
  const [given, known] = way === "sent" ? [olds, news] : [news, olds];
  if (!known) return [];
  if (!given)
    return [`${place}: ${way === "sent" ? "takes only" : "is not only"} ${known} any more`];
  return given
    .filter((value) => !known.includes(value))
    .map(
      (value) =>
        `${place}: ${value} is ${way === "sent" ? "not taken any more" : "new in answers"}`,
    );
}

function valuesOf(schema: Schema): unknown[] | undefined {
  return "const" in schema ? [schema.const] : schema.enum;
}

function limitChanges(place: string, before: Schema, after: Schema): string[] {
  const is = (schema: Schema, name: string, none: number) => Number(schema[name] ?? none);
  const lower = UPPER.filter((name) => is(after, name, Infinity) < is(before, name, Infinity));
  const higher = LOWER.filter((name) => is(after, name, -Infinity) > is(before, name, -Infinity));
  const narrowed = [...lower, ...higher];
  if (after.pattern && after.pattern !== before.pattern) narrowed.push("pattern");
  if (after.additionalProperties === false && before.additionalProperties !== false) {
    narrowed.push("additionalProperties");
  }
  return narrowed.map((name) => `${place}: ${name} is ${after[name]} now`);
}

/** What is sent may lose its format, what is answered may get one. */
function formatChanges(place: string, before: Schema, after: Schema, way: Way): string[] {
  const [promised, kept] = way === "sent" ? [after, before] : [before, after];
  if (!promised.format || promised.format === kept.format) return [];
  return [`${place}: format is ${after.format ?? "any"} now`];
}
