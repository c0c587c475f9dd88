import { z } from "@hono/zod-openapi";

/** A whole number in a query: decimal digits, nothing else. */
export function queryInteger(minimum: number, maximum: number) {
  return z
    .string()
    .refine((digits) => /^[0-9]{1,9}$/.test(digits) && isWithin(Number(digits)), {
      error: `Must be a whole number from ${minimum} to ${maximum}.`,
    })
    .transform(Number)
    .openapi({ type: "integer", minimum, maximum });

  function isWithin(value: number): boolean {
    return value >= minimum && value <= maximum;
  }
}

/** A switch in a query. */
export const QueryBoolean = z
  .enum(["true", "false"], { error: "Must be true or false." })
  .transform((value) => value === "true")
  .openapi({ type: "boolean" });
