import { dereference, type Schema, validate } from "@cfworker/json-schema";

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
const BASE = "https://description.example/";
/** What the validator says of everything around a value that does not fit. */
const LED_THERE = /subschema had errors|does not match schema|^Items did not match/;

/**
 * The description's schemas as the checker takes them: an object has the properties that are
 * described and no others, unless the description says `additionalProperties`.
 */
export class ClosedSchemas {
  readonly #lookup: ReturnType<typeof dereference>;
  readonly #closed = new Map<Schema, Schema>();

  constructor(components: Record<string, Schema>) {
    const definitions = Object.entries(components).flatMap(([name, schema]) => [
      [name, rewrite(schema, false)],
      [OPEN + name, rewrite(schema, true)],
    ]);
    this.#lookup = dereference({ $id: BASE, $defs: Object.fromEntries(definitions) });
  }

  /** Where a value does not fit a schema, and why. */
  misfits(schema: Schema, value: unknown): string[] {
    return validate(value, this.#close(schema), "2020-12", this.#lookup)
      .errors.filter(({ error }) => !LED_THERE.test(error))
      .map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
  }

  #close(schema: Schema): Schema {
    const known = this.#closed.get(schema);
    if (known) return known;
    const closed = rewrite(schema, false);
    dereference(closed, this.#lookup, new URL(`${this.#closed.size}`, BASE));
    this.#closed.set(schema, closed);
    return closed;
  }
}

/** `isPart`: of an `allOf`, whose outermost schema says which properties there may be. */
function rewrite(schema: Schema, isPart: boolean): Schema {
  const rewritten: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "example" || keyword === "examples") continue;
    if (keyword === "$ref") {
      const name = String(value).slice(COMPONENT.length);
      rewritten.$ref = `${BASE}#/$defs/${isPart ? OPEN : ""}${name}`;
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
