import type { z } from "zod";
import { ApiError, type FieldErrors } from "./errors.ts";
import { validate } from "./validation.ts";

/** Parameters by name, each with its first value; undefined where a value is no UTF-8. */
function parametersOf(search: string): Map<string, string | undefined> {
  const parameters = new Map<string, string | undefined>();
  for (const pair of search.slice(1).split("&")) {
    const [name = "", ...rest] = pair.split("=");
    const known = decode(name);
    if (known && !parameters.has(known)) parameters.set(known, decode(rest.join("=")));
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
  const unreadable = Object.keys(schema.shape).filter(
    (name) => parameters.has(name) && parameters.get(name) === undefined,
  );
  if (unreadable.length > 0) {
    const errors: FieldErrors = {};
    for (const name of unreadable) errors[name] = ["Must be percent-encoded UTF-8."];
    throw new ApiError("validation_failed", { errors });
  }
  const readable = [...parameters].filter(([, value]) => value !== undefined);
  return validate(schema, Object.fromEntries(readable));
}
