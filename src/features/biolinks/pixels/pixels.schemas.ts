import { z } from "@hono/zod-openapi";
import { optional } from "../../../api/blank.ts";
import { idParams } from "../../../api/ids.ts";
import { QueryBoolean } from "../../../api/query-values.ts";
import { trimmedText } from "../../../api/text.ts";
import { PIXEL_PROVIDERS, tagProblem, tokenProblem } from "./pixel-providers.ts";
import { CREATE_PIXEL, PIXEL, PIXEL_PROVIDER, UPDATE_PIXEL } from "./pixels.examples.ts";

const MAX_TOKEN_LENGTH = 1000;

const Name = trimmedText(80).openapi({ example: "Shop" });
const Provider = z.enum(PIXEL_PROVIDERS).openapi("PixelProvider");
const Tag = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,20}$/, { error: "Must be 1 to 20 letters A to Z, digits or hyphens." })
  .openapi({
    description:
      "The id that the provider gave you. `GET /catalogue/pixel-providers` says what it looks like.",
    example: "1234567890123456",
  });
const Enabled = optional(z.boolean()).openapi({
  description:
    "A new pixel is enabled. One that is not fires nowhere, and stays with its links and pages.",
});
const Consent = optional(z.enum(["required", "not_required"])).openapi({
  description:
    "A new pixel's is `required`: where the law asks for it (the EEA, the UK, Switzerland, and where a visitor's country is unknown), it fires for those only who accepted.",
});
const AccessToken = optional(
  z
    .string()
    .regex(new RegExp(`^[!-~]{1,${MAX_TOKEN_LENGTH}}$`), {
      error: `Must be 1 to ${MAX_TOKEN_LENGTH} visible ASCII characters.`,
    })
    .nullable(),
).openapi({
  description:
    "Write-only, stored encrypted, never returned: opens the provider's server API, for `meta` and `ga4` only. Null removes it; blank: as if left out.",
});

export const CreatePixel = z
  .strictObject({
    name: Name,
    provider: Provider,
    tag: Tag,
    enabled: Enabled,
    consent: Consent,
    access_token: AccessToken,
  })
  .superRefine(({ provider, tag, access_token }, context) => {
    const problems = {
      tag: tagProblem(provider, tag),
      access_token: tokenProblem(provider, access_token),
    };
    for (const [field, message] of Object.entries(problems)) {
      if (message) context.addIssue({ code: "custom", path: [field], message });
    }
  })
  .openapi("CreatePixel", { example: CREATE_PIXEL });
export type CreatePixel = z.output<typeof CreatePixel>;

export const UpdatePixel = z
  .strictObject({
    name: optional(Name),
    provider: optional(Provider).openapi({
      description: "May be sent as it is; it cannot be changed.",
    }),
    tag: optional(Tag),
    enabled: Enabled,
    consent: Consent,
    access_token: AccessToken,
  })
  .openapi("UpdatePixel", {
    example: UPDATE_PIXEL,
    description: "Fields left out keep their values.",
  });
export type UpdatePixel = z.output<typeof UpdatePixel>;

export const Pixel = z
  .object({
    id: z.uuid(),
    revision: z.string(),
    name: z.string(),
    provider: Provider,
    tag: z.string(),
    enabled: z.boolean(),
    consent: z.enum(["required", "not_required"]),
    has_access_token: z.boolean().openapi({
      description: "Whether the provider's server API is told of visits.",
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Pixel", { example: PIXEL });
export type Pixel = z.output<typeof Pixel>;

export const PixelAnswer = z.object({ data: Pixel });
export const PixelParams = idParams("pixel");

export const DeletePixelQuery = z.object({
  force: optional(QueryBoolean).openapi({
    description: "True: also while links or pages use it; it is taken from them.",
  }),
});

const ProviderDescription = z
  .object({
    provider: Provider,
    name: z.string(),
    tag_pattern: z.string().openapi({ description: "A regular expression (ECMAScript)." }),
    tag_rule: z.string().openapi({ description: "The same in words." }),
    tag_example: z.string(),
    has_beacon: z.boolean().openapi({
      description: "Whether a visitor's browser can tell it, by an image of the provider's own.",
    }),
    has_server_events: z.boolean().openapi({
      description: "Whether it can be told by its server API: with an `access_token`.",
    }),
    needs_access_token: z.boolean().openapi({
      description: "Whether a pixel does nothing until it has an `access_token`.",
    }),
  })
  .openapi("PixelProviderDescription", { example: PIXEL_PROVIDER });
export type ProviderDescription = z.output<typeof ProviderDescription>;
export const ProvidersAnswer = z.object({ data: z.array(ProviderDescription) });
