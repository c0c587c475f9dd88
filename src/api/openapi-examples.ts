/**
 * Gives each request's body and each success an example, put together of those that stand beside
 * the schemas: a record's own, and those of single fields.
 */
export function tellExamples({ paths = {}, webhooks = {}, components = {} }: Document): void {
  const schemas = components.schemas ?? {};
  for (const operations of [...Object.values(paths), ...Object.values(webhooks)]) {
    for (const { requestBody, responses } of Object.values(operations)) {
      const successes = Object.entries(responses ?? {}).filter(([status]) => status < "300");
      const bodies = [requestBody, ...successes.map(([, answer]) => answer)];
      for (const body of bodies) tellExample(body?.content?.["application/json"], schemas);
    }
  }
  for (const schema of Object.values(schemas)) completeExamples(schema, schemas);
}

/** A schema that extends another came by the other's example, which lacks what it adds. */
function completeExamples(schema: Schema, schemas: Record<string, Schema>): void {
  const { allOf = [], properties = {}, items } = schema;
  const inner = [...allOf, ...Object.values(properties), ...(items ? [items] : [])];
  for (const one of inner) completeExamples(one, schemas);
  if (schema.allOf && schema.example !== undefined) schema.example = exampleOf(schema, schemas);
}

function tellExample(content: Content | undefined, schemas: Record<string, Schema>): void {
  if (!content?.schema) return;
  completeExamples(content.schema, schemas);
  if (content.example !== undefined) return;
  const example = exampleOf(content.schema, schemas);
  if (example !== undefined) content.example = example;
}

/** The example of what a schema describes; undefined where nobody gave one. */
function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  const { $ref, allOf, properties, items, example } = schema;
  if ($ref) {
    const named = schemas[$ref.split("/").at(-1) ?? ""];
    return named && exampleOf(named, schemas);
  }
  if (allOf) {
    const parts = allOf.map((part) => exampleOf(part, schemas));
    return Object.assign({}, ...[...parts, example].filter(isObject));
  }
  if (example !== undefined) return example;
  if (properties) {
    const fields = Object.entries(properties).map(([name, field]) => [
      name,
      exampleOf(field, schemas),
    ]);
    const told = fields.filter(([, value]) => value !== undefined);
    return told.length > 0 ? Object.fromEntries(told) : undefined;
  }
  const item = items && exampleOf(items, schemas);
  return item === undefined ? undefined : [item];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  example?: unknown;
}

interface Content {
  schema?: Schema;
  example?: unknown;
}

interface Body {
  content?: Record<string, Content>;
}

type Paths = Record<
  string,
  Record<string, { requestBody?: Body; responses?: Record<string, Body> }>
>;

/** As much of an OpenAPI document as is read here. */
interface Document {
  paths?: Paths;
  webhooks?: Paths;
  components?: { schemas?: Record<string, Schema> };
}
