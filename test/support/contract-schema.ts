import type { Schema } from "@cfworker/json-schema";

/** What an example shows is no schema, though it may look like one. */
const NOT_SCHEMAS = new Set([
  "example",
  "examples",
  "default",
  "enum",
  "const",
  "required",
  "type",
]);
const OPEN = "open:";
const COMPONENT = "#/components/schemas/";

/**
 * A schema of the description as the checker takes it: an object has the properties that are
 * described and no others, unless the description says `additionalProperties`.
 */
export function closed(schema: Schema): Schema {
  return rewrite(schema, false);
}

/** All components, to be `$defs` beside a schema; each also as a part of an `allOf`. */
export function definitions(components: Record<string, Schema>): Record<string, Schema> {
  const entries = Object.entries(components).flatMap(([name, schema]) => [
    [name, rewrite(schema, false)],
    [OPEN + name, rewrite(schema, true)],
  ]);
  return Object.fromEntries(entries);
}

/** `isPart`: of an `allOf`, whose outermost schema says which properties there may be. */
function rewrite(schema: Schema, isPart: boolean): Schema {
  const rewritten: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "example" || keyword === "examples") continue;
    if (keyword === "$ref") {
      const name = String(value).slice(COMPONENT.length);
      rewritten.$ref = `#/$defs/${isPart ? OPEN : ""}${name}`;
    } else if (keyword === "properties") {
      const properties = Object.entries(value as Record<string, Schema>);
      rewritten[keyword] = Object.fromEntries(
        properties.map(([name, property]) => [name, rewrite(property, false)]),
      );
    } else if (Array.isArray(value) && !NOT_SCHEMAS.has(keyword)) {
      const areParts = keyword === "allOf" || isPart;
      rewritten[keyword] = value.map((part: Schema) => rewrite(part, areParts));
    } else if (typeof value === "object" && value !== null && !NOT_SCHEMAS.has(keyword)) {
      rewritten[keyword] = rewrite(value as Schema, false);
    } else rewritten[keyword] = value;
  }
  const isObject = "properties" in schema || "allOf" in schema;
  if (isObject && !isPart && !("additionalProperties" in schema)) {
    rewritten.unevaluatedProperties = false;
  }
  return rewritten;
}
