import { z } from "@hono/zod-openapi";
import { nullable, optional } from "../../../api/blank.ts";
import { Id, idParams } from "../../../api/ids.ts";
import { PageQuery } from "../../../api/pagination.ts";
import { nullableText, optionalText, text } from "../../../api/text.ts";
import { REDIRECT_STATUSES } from "../../../visitor/decide/visitor-link.ts";
import { MAX_SLUG_LENGTH } from "../../../visitor/slug.ts";
import { destinationProblem, MAX_DESTINATION_LENGTH } from "./destination.ts";
import { slugProblem, slugShapeProblem } from "./link-slug.ts";
import { CREATE_LINK, LINK, UPDATE_LINK } from "./links.examples.ts";

const Status = z
  .literal(REDIRECT_STATUSES)
  .openapi({ type: "integer", enum: [...REDIRECT_STATUSES] });

/** A string that a pure rule judges: the rule answers what is wrong, or undefined. */
function ruled(rule: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = rule(text);
    if (message) context.addIssue({ code: "custom", message });
  });
}

const Destination = ruled(destinationProblem).openapi({
  description:
    "Where the link leads: an absolute http, https, mailto or tel URL without credentials.",
  maxLength: MAX_DESTINATION_LENGTH,
  example: "https://example.com/spring-sale?ref=bio",
});

const slugShape = { minLength: 1, maxLength: MAX_SLUG_LENGTH, pattern: "^[A-Za-z0-9._-]+$" };
const describedSlug = {
  description:
    "The path of the short link. Kept as given, matched without regard to case, unique on its host.",
  example: "spring",
};
const NewSlug = nullable(ruled(slugProblem).openapi(slugShape)).openapi(describedSlug);
/** A link may keep a slug that has been reserved since. */
const Slug = optional(ruled(slugShapeProblem).openapi(slugShape)).openapi(describedSlug);

const Title = nullableText(120).openapi({ example: "Spring sale" });
const Domain = nullable(Id).openapi({
  description: "A verified custom domain of the workspace; null: the platform's host.",
});

const UtmValue = nullableText(80);
export const UtmInput = z
  .strictObject({ source: UtmValue, medium: UtmValue, campaign: UtmValue })
  .openapi("LinkUtmInput", { description: "A null or blank value removes the parameter." });

/** How a link or a page is given a password, or loses it. */
export const passwordFields = {
  // Spaces are a password: taken as none, they would leave open what was to be closed.
  password: text(100)
    .transform((password) => password || undefined)
    .optional()
    .openapi({
      description:
        "Write-only: asked of every visitor, never returned. Empty: as if left out; `clear_password` removes it.",
    }),
  clear_password: optional(z.boolean()).openapi({ description: "True removes the password." }),
};

/** A password that is set and removed at once. */
export function refuseBoth(
  settings: { password?: string | undefined; clear_password?: boolean | undefined },
  context: z.RefinementCtx,
): void {
  if (settings.password !== undefined && settings.clear_password) {
    const message = "Send either password or clear_password.";
    context.addIssue({ code: "custom", path: ["clear_password"], message });
  }
}

const Settings = z
  .strictObject({
    ...passwordFields,
    forward_query: optional(z.boolean()).openapi({
      description: "Passes the visitor's query string on to the destination.",
    }),
    sensitive_content: optional(z.boolean()).openapi({
      description: "Asks the visitor's consent before going on.",
    }),
    utm: optional(UtmInput),
    pixels: optional(z.array(Id).max(100)).openapi({
      description: "Ids of the workspace's pixels; replaces the current selection.",
    }),
  })
  .superRefine(refuseBoth);

/** A component: generated types demand a field whose schema has its default right beside it. */
const RedirectStatus = Status.openapi("RedirectStatus", { default: 302 });
const SettingsInput = Settings.safeExtend({ http_status: optional(RedirectStatus) }).openapi(
  "LinkSettingsInput",
);
/** Has no default: a client that filled it in would undo what is set. */
const SettingsChange = Settings.safeExtend({ http_status: optional(Status) }).openapi(
  "LinkSettingsChange",
  { description: "Fields left out keep their values." },
);

export const CreateLink = z
  .strictObject({
    destination: Destination,
    title: Title,
    slug: NewSlug,
    domain: Domain,
    settings: optional(SettingsInput),
  })
  .openapi("CreateLink", { example: CREATE_LINK });
export type CreateLink = z.output<typeof CreateLink>;

export const UpdateLink = z
  .strictObject({
    destination: optional(Destination),
    title: Title,
    slug: Slug,
    domain: Domain,
    status: optional(z.enum(["active", "paused"])),
    settings: optional(SettingsChange),
  })
  .openapi("UpdateLink", {
    example: UPDATE_LINK,
    description: "Fields left out keep their values.",
  });
export type UpdateLink = z.output<typeof UpdateLink>;
export type SettingsInput = z.output<typeof SettingsInput>;

export const Link = z
  .object({
    id: z.uuid(),
    revision: z.string().openapi({ description: "Changes on every write; also the `ETag`." }),
    slug: z.string(),
    domain: z.uuid().nullable(),
    public_url: z.url().openapi({ example: "https://sign.example/spring" }),
    title: z.string().nullable(),
    destination: z.string(),
    status: z.enum(["active", "paused"]).openapi({ description: "A new link is paused." }),
    disabled: z.boolean().openapi({ description: "Switched off by the operator." }),
    has_password: z.boolean(),
    settings: z.object({
      utm: z.object({
        source: z.string().optional(),
        medium: z.string().optional(),
        campaign: z.string().optional(),
      }),
      forward_query: z.boolean(),
      http_status: RedirectStatus,
      sensitive_content: z.boolean(),
      pixels: z.array(z.uuid()),
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Link", { example: LINK });
export type Link = z.output<typeof Link>;

export const LinkAnswer = z.object({ data: Link });
export const LinkWithClicksAnswer = z.object({
  data: Link.extend({
    clicks: z.number().int().openapi({
      example: 42,
      description:
        "Visits by people so far: no crawlers, no prefetches, no HEAD. Does not change the `ETag`.",
    }),
  }),
});

export const LinkParams = idParams("link");

export const ListLinksQuery = PageQuery.extend({
  status: optional(z.enum(["active", "paused"])).openapi({
    description: "Only links with this status.",
  }),
  domain: optional(Id).openapi({ description: "Only links on this custom domain: its id." }),
  search: optionalText(200).openapi({
    description:
      "Part of the slug, the title or the destination. The case of A to Z does not matter.",
  }),
});
export type LinkFilter = Pick<z.output<typeof ListLinksQuery>, "status" | "domain" | "search">;
