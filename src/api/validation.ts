import type { z } from "@hono/zod-openapi";
import { NO_BLANK } from "./blank.ts";
import { ApiError } from "./errors.ts";
import { messageOf } from "./validation-messages.ts";

/** So many fields are told of at most: an answer is not to be larger than what it answers. */
export const MAX_FIELDS = 100;

/**
 * Validates with a schema. @throws 422 `validation_failed` with messages by dotted field name,
 * behind `prefix`, for `maxFields` of them
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  prefix: string[] = [],
  maxFields = MAX_FIELDS,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: messageOf });
  if (result.success) return result.data;
  const faults = result.error.issues.flatMap(faultsOf).map(({ path, code, message }) => {
    return { field: [...prefix, ...path.map(String)].join("."), code, message };
  });
  const mistyped = new Set(faults.filter(isMistyped).map(({ field }) => field));
  const errors = new Map<string, string[]>();
  for (const fault of faults) {
    const { field, message } = fault;
    // A list where a text is wanted is no text that is too long.
    if (mistyped.has(field) && !isMistyped(fault)) continue;
    if (errors.size >= maxFields && !errors.has(field)) continue;
    errors.set(field, [...(errors.get(field) ?? []), message]);
  }
  throw new ApiError("validation_failed", { errors: Object.fromEntries(errors) });
}

interface Fault {
  path: PropertyKey[];
  code: string;
  message: string;
}

function isMistyped({ code }: { code: string }): boolean {
  return code === "invalid_type";
}

/** What an issue says, field by field: of each unknown field, and of what was sent instead of a blank. */
function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  const { path, code, message } = issue;
  if (code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], code, message }));
  }
  if (code === "invalid_union") {
    const forms = issue.errors.filter((form) => !form.some((fault) => fault.message === NO_BLANK));
    const [form] = forms;
    if (form && forms.length === 1) {
      const inner = form.flatMap(faultsOf);
      return inner.map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
    }
  }
  return [{ path, code, message }];
}
