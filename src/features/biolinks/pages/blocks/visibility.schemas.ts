import { z } from "@hono/zod-openapi";
import { nullable } from "../../../../api/blank.ts";
import { Time } from "../../../../api/times.ts";
import { DEVICES, type Visibility } from "../../../../visitor/bio-pages/page-parts.ts";
import { isCountry } from "./country-codes.ts";

const Country = z
  .string()
  .toUpperCase()
  .refine(isCountry, { error: "Must be a country's code of ISO 3166-1 alpha-2." })
  .openapi({ pattern: "^[A-Za-z]{2}$", example: "DE" });
const Countries = z.array(Country).min(1).max(250);

/**
 * When and to whom a block is shown; as stored, times are milliseconds, and what says nothing is
 * left out. It is answered as null, and taken so. Null where nothing is said: always, to everybody.
 */
export const BlockVisibility = z
  .strictObject({
    starts_at: nullable(Time).openapi({ description: "From this moment on." }),
    ends_at: nullable(Time).openapi({ description: "Until this moment; after `starts_at`." }),
    countries: nullable(
      z.union([z.strictObject({ in: Countries }), z.strictObject({ not_in: Countries })]),
    ).openapi({ description: "Exactly one of `in` and `not_in`." }),
    devices: nullable(z.array(z.enum(DEVICES)).min(1).max(3)),
  })
  .transform(({ starts_at, ends_at, countries, devices }): Visibility | null => {
    const said = {
      ...(typeof starts_at === "number" && { starts_at }),
      ...(typeof ends_at === "number" && { ends_at }),
      ...(countries && { countries }),
      ...(devices && { devices }),
    };
    return Object.keys(said).length > 0 ? said : null;
  })
  .superRefine((visibility, context) => {
    const { starts_at, ends_at } = visibility ?? {};
    if (starts_at === undefined || ends_at === undefined || ends_at > starts_at) return;
    const message = "Must be after starts_at.";
    context.addIssue({ code: "custom", path: ["ends_at"], message });
  })
  .openapi("BlockVisibility");
