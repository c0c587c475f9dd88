import { type Content, type Description, givenExample, resolve, type Schema } from "./document.ts";

const MAX_DEPTH = 8;
const ANY_ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const BY_FORMAT: Record<string, string> = {
  uuid: ANY_ID,
  uri: "https://example.com/",
  url: "https://example.com/",
  email: "ada@example.com",
  "date-time": "2026-11-23T09:00:00.000Z",
  date: "2026-11-23",
};

/** A value to begin with: the description's example, or else one made from the schema. */
export function sampleOf(description: Description, content: Content): unknown {
  const given = givenExample(content);
  if (given !== undefined) return given;
  return content.schema === undefined ? undefined : make(description, content.schema, 0);
}

function make(description: Description, reference: Schema, depth: number): unknown {
  const schema = resolve(description, reference);
  const given = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.default;
  if (given !== undefined) return given;
  if (schema.enum) return schema.enum[0];
  if (depth > MAX_DEPTH) return null;
  const either = (schema.oneOf ?? schema.anyOf)?.find((one) => typeOf(one) !== "null");
  if (either) return make(description, either, depth + 1);
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => make(description, part, depth + 1));
    return Object.assign({}, ...parts.filter((part) => typeof part === "object"));
  }
  return makeByType(description, schema, depth);
}

function makeByType(description: Description, schema: Schema, depth: number): unknown {
  switch (typeOf(schema)) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          make(description, schema.properties?.[name] ?? {}, depth + 1),
        ]),
      );
    case "array": {
      const item = schema.items ?? {};
      return Array.from({ length: schema.minItems ?? 0 }, () => make(description, item, depth + 1));
    }
    case "string":
      return BY_FORMAT[schema.format ?? ""] ?? "Example".padEnd(schema.minLength ?? 0, "e");
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    default:
      return null;
  }
}

/** The type that is not null. */
export function typeOf(schema: Schema): string {
  if (schema.properties) return "object";
  const types = [schema.type ?? []].flat();
  return types.find((type) => type !== "null") ?? types[0] ?? "";
}
