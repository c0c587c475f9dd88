import { z } from "@hono/zod-openapi";

/** What Zalando's guidelines call a list that may grow. */
const KNOWN = "x-extensible-enum";

/**
 * A text of a list that may grow: the description names what there is today, and clients made of it
 * take what comes later. `values` of none: they are told with {@link openLists}.
 */
export function openList(name: string, values: readonly string[], description: string) {
  return z.string().openapi(name, { description, [KNOWN]: [...values] });
}

interface Schema {
  type?: unknown;
  anyOf?: unknown;
  [KNOWN]?: readonly string[];
}

/**
 * Writes the lists of a description as what every generator understands: one of these, or any text.
 * `later`: the values of those that nobody knows before all features are there, by their names.
 */
export function openLists(
  schemas: object = {},
  later: Record<string, readonly string[]> = {},
): void {
  for (const [name, schema] of Object.entries(schemas as Record<string, Schema>)) {
    const values = later[name] ?? schema[KNOWN];
    if (!values) continue;
    delete schema[KNOWN];
    delete schema.type;
    schema.anyOf = [{ type: "string", enum: [...values] }, { type: "string" }];
  }
}
