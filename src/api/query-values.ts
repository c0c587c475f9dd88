import { z } from "@hono/zod-openapi";
import { isBlank } from "./blank.ts";

/** A whole number in a query: decimal digits, nothing else. Left out or blank it is `ordinary`. */
export function queryInteger(minimum: number, maximum: number, ordinary: number) {
  return z
    .string()
    .optional()
    .transform((digits, context) => {
      if (digits === undefined || isBlank(digits)) return ordinary;
      const value = /^[0-9]{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
      if (value >= minimum && value <= maximum) return value;
      const message = `Must be a whole number from ${minimum} to ${maximum}.`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .openapi({ type: "integer", minimum, maximum, default: ordinary });
}

/** A switch in a query. */
export const QueryBoolean = z
  .enum(["true", "false"], { error: "Must be true or false." })
  .transform((value) => value === "true")
  .openapi({ type: "boolean" });
