import type { z } from "zod";
import { ApiError, type FieldErrors } from "./errors.ts";
import { validate } from "./validation.ts";

/** Parameters by name, each with its different values; undefined where one is no UTF-8. */
function parametersOf(search: string): Map<string, Set<string | undefined>> {
  const parameters = new Map<string, Set<string | undefined>>();
  for (const pair of search.slice(1).split("&")) {
    const [name = "", ...rest] = pair.split("=");
    const known = decode(name);
    if (!known) continue;
    const values = parameters.get(known) ?? new Set();
    parameters.set(known, values.add(decode(rest.join("="))));
  }
  return parameters;
}

/** Percent-decodes; undefined for what is no percent-encoded UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** Whether every character of a path can be read. */
export function isDecodable(path: string): boolean {
  return decode(path) !== undefined;
}

/** Validates a query. What no schema names is ignored, be it readable or not. @throws 422 */
export function validateQuery<Schema extends z.ZodObject>(
  schema: Schema,
  search: string,
): z.output<Schema> {
  const parameters = parametersOf(search);
  const errors: FieldErrors = {};
  for (const name of Object.keys(schema.shape)) {
    const values = parameters.get(name);
    if (values?.has(undefined)) errors[name] = ["Must be percent-encoded UTF-8."];
    // Some clients write a list so: to take one of its values would answer something else.
    else if (values && values.size > 1)
      errors[name] = ["Was given more than once, with different values."];
  }
  if (Object.keys(errors).length > 0) throw new ApiError("validation_failed", { errors });
  const given = [...parameters].map(([name, [value]]) => [name, value]);
  return validate(schema, Object.fromEntries(given.filter(([, value]) => value !== undefined)));
}
