import { z } from "@hono/zod-openapi";

const FIRST = Date.parse("0001-01-01T00:00:00Z");
/** The last moment that has four digits of a year. */
export const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * A time as callers send it, in milliseconds. Its zone can take it out of the years that
 * RFC 3339 has and that answers are written in.
 */
export const Time = z.iso
  .datetime({ offset: true })
  .transform((time) => Date.parse(time))
  .refine((time) => time >= FIRST && time <= LAST_TIME, {
    error: "Must be a time of the years 1 to 9999.",
    abort: true,
  })
  .openapi({ type: "string", format: "date-time" });
