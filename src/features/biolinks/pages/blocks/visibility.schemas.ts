import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { Time } from "../../../../api/times.ts";
import { DEVICES } from "../../../../visitor/bio-pages/page-parts.ts";
import { isCountry } from "./country-codes.ts";

const Country = z
  .string()
  .toUpperCase()
  .refine(isCountry, { error: "Must be a country's code of ISO 3166-1 alpha-2." })
  .openapi({ pattern: "^[A-Za-z]{2}$", example: "DE" });
const Countries = z.array(Country).min(1).max(250);

/** When and to whom a block is shown; as stored, times are milliseconds. */
export const BlockVisibility = z
  .strictObject({
    starts_at: optional(Time).openapi({ description: "From this moment on." }),
    ends_at: optional(Time).openapi({ description: "Until this moment; after `starts_at`." }),
    countries: optional(
      z.union([z.strictObject({ in: Countries }), z.strictObject({ not_in: Countries })]),
    ).openapi({ description: "Exactly one of `in` and `not_in`." }),
    devices: optional(z.array(z.enum(DEVICES)).min(1).max(3)),
  })
  .superRefine(({ starts_at, ends_at }, context) => {
    if (starts_at === undefined || ends_at === undefined || ends_at > starts_at) return;
    const message = "Must be after starts_at.";
    context.addIssue({ code: "custom", path: ["ends_at"], message });
  })
  .openapi("BlockVisibility");
