import { z } from "@hono/zod-openapi";
import { nullable, optional } from "../../../api/blank.ts";
import { idParams } from "../../../api/ids.ts";
import { MAX_URL_LENGTH, urlProblem } from "../../../platform/outbound/public-url.ts";
import { CREATE_DOMAIN, DOMAIN, UPDATE_DOMAIN } from "./domains.examples.ts";
import { MAX_HOST_LENGTH } from "./host.ts";

export const CreateDomain = z
  .strictObject({
    host: z.string().openapi({
      description: "A host name of yours. International names are kept in punycode.",
      minLength: 1,
      maxLength: MAX_HOST_LENGTH,
      example: "go.brand.com",
    }),
  })
  .openapi("CreateDomain", { example: CREATE_DOMAIN });

/** Kept as the URL parser writes it, which is what visitors are sent to and what is answered. */
const Url = nullable(
  z
    .string()
    .superRefine((url, context) => {
      const message = urlProblem(url) ?? urlProblem(new URL(url).href);
      if (message) context.addIssue({ code: "custom", message });
    })
    .transform((url) => new URL(url).href),
);

const AN_URL = "an http or https URL, without user and password";

export const UpdateDomain = z
  .strictObject({
    disabled: optional(z.boolean()).openapi({ description: "True takes it out of service." }),
    root_url: Url.openapi({
      description: `Where visitors of the bare domain are sent: ${AN_URL}; null: to the not-found page.`,
      maxLength: MAX_URL_LENGTH,
      example: "https://brand.com/",
    }),
    not_found_url: Url.openapi({
      description: `Where visitors of unknown paths are sent: ${AN_URL}; null: to the not-found page.`,
      maxLength: MAX_URL_LENGTH,
      example: "https://brand.com/oops",
    }),
  })
  .openapi("UpdateDomain", {
    example: UPDATE_DOMAIN,
    description: "Fields left out keep their values.",
  });
export type UpdateDomain = z.output<typeof UpdateDomain>;

export const Domain = z
  .object({
    id: z.uuid(),
    revision: z.string(),
    host: z.string(),
    status: z.enum(["pending", "active", "failed"]).openapi({
      description:
        "`active` once ownership and traffic are right; `failed` after three daily checks in a row that found them wrong.",
    }),
    verified: z.boolean(),
    ssl_active: z.boolean().openapi({
      description:
        "Whether Cloudflare has its certificate in use, where the operator has set that up.",
    }),
    disabled: z.boolean(),
    root_url: z.string().nullable(),
    not_found_url: z.string().nullable(),
    last_checked_at: z.iso.datetime().nullable(),
    dns_records: z
      .array(
        z.object({
          type: z.enum(["TXT", "CNAME", "ALIAS"]).openapi({
            description: "ALIAS: a flattened CNAME, or the A and AAAA records of its value.",
          }),
          name: z.string(),
          value: z.string(),
          purpose: z.enum(["ownership", "traffic"]),
        }),
      )
      .openapi({ description: "What to create at your DNS provider." }),
    problems: z
      .array(
        z.object({
          record: z.string(),
          name: z.string(),
          found: z.array(z.string()),
          expected: z.array(z.string()),
          message: z.string(),
        }),
      )
      .openapi({ description: "What the last check found wrong, and what to do." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Domain", { example: DOMAIN });
export type Domain = z.output<typeof Domain>;

export const DomainAnswer = z.object({ data: Domain });
export const DomainParams = idParams("domain");
