import type { z } from "@hono/zod-openapi";
import { ApiError } from "./errors.ts";

/** So many fields are told of at most: an answer is not to be larger than what it answers. */
const MAX_FIELDS = 100;

/** Validates with a schema. @throws 422 `validation_failed` with messages by dotted field name, behind `prefix`. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  prefix: string[] = [],
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = new Map<string, string[]>();
  const add = (path: PropertyKey[], message: string) => {
    if (errors.size >= MAX_FIELDS) return;
    const field = [...prefix, ...path.map(String)].join(".");
    errors.set(field, [...(errors.get(field) ?? []), message]);
  };
  for (const issue of result.error.issues) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) add([...issue.path, key], "Unknown field.");
    } else add(issue.path, issue.message);
  }
  throw new ApiError("validation_failed", { errors: Object.fromEntries(errors) });
}
