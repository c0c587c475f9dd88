import { z } from "@hono/zod-openapi";
import { nullable, optional } from "../../../api/blank.ts";
import { Id, idParams } from "../../../api/ids.ts";
import { PageQuery } from "../../../api/pagination.ts";
import { nullableText, optionalText, trimmedText } from "../../../api/text.ts";
import { findTimeZone } from "../analytics/time-buckets.ts";
import { passwordFields, refuseBoth, UtmInput } from "../links/links.schemas.ts";
import { NewBlocks } from "./page-blocks.schemas.ts";
import { handleProblem, MAX_HANDLE_LENGTH, MIN_HANDLE_LENGTH } from "./page-handle.ts";
import { CREATE_PAGE, DUPLICATE_PAGE, PAGE, UPDATE_PAGE } from "./pages.examples.ts";
import { Theme } from "./theme/theme.schemas.ts";

const Handle = z
  .string()
  .superRefine((handle, context) => {
    const message = handleProblem(handle);
    if (message) context.addIssue({ code: "custom", message });
  })
  .openapi({
    minLength: MIN_HANDLE_LENGTH,
    maxLength: MAX_HANDLE_LENGTH,
    pattern: "^[A-Za-z0-9._-]+$",
    description:
      "The page stands at `/@handle`. Kept as given, matched without regard to case, unique on its host.",
    example: "ada",
  });

const Title = trimmedText(120).openapi({ example: "Ada Ceramics" });
const Domain = nullable(Id).openapi({
  description: "A verified custom domain of the workspace; null: the platform's host.",
});

const Language = z
  .string()
  .max(35)
  .transform((tag, context) => {
    try {
      const [language] = Intl.getCanonicalLocales(tag);
      if (language) return language;
    } catch {
      // Told below.
    }
    context.addIssue({ code: "custom", message: "Must be a language of BCP 47, as en-GB." });
    return z.NEVER;
  })
  .openapi({ type: "string", maxLength: 35, example: "en-GB", description: "BCP 47." });

const TimeZone = z
  .string()
  .max(64)
  .transform((name, context) => {
    const zone = findTimeZone(name.trim());
    if (zone) return zone;
    context.addIssue({ code: "custom", message: "Must be an IANA time zone as Europe/Berlin." });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    maxLength: 64,
    example: "Europe/Berlin",
    description: "IANA: times on the page are told in it.",
  });

const File = nullable(Id).openapi({ description: "A picture of the workspace's files." });

const ProfileInput = z
  .strictObject({ name: nullableText(80), tagline: nullableText(160), avatar: File })
  .openapi("PageProfileInput", { description: "Fields left out keep their values." });
const SeoInput = z
  .strictObject({
    title: nullableText(70),
    description: nullableText(160),
    image: File,
    indexable: optional(z.boolean()).openapi({
      description: "Whether search engines may list the page.",
    }),
  })
  .openapi("PageSeoInput", { description: "Fields left out keep their values." });

const SettingsInput = z
  .strictObject({
    ...passwordFields,
    sensitive_content: optional(z.boolean()).openapi({
      description: "Asks the visitor's consent before the page is shown.",
    }),
    pixels: optional(z.array(Id).max(20)).openapi({
      description: "Ids of the workspace's pixels; replaces the current selection.",
    }),
    utm: optional(UtmInput),
    domain_root: optional(z.boolean()).openapi({
      description: "Whether the page stands at its domain's `/`, too: one page of a domain may.",
    }),
  })
  .superRefine(refuseBoth)
  .openapi("PageSettingsInput", {
    description:
      "Fields left out keep their values. The password and `domain_root` hold at once, all else when the page is published.",
  });
export type PageSettingsInput = z.output<typeof SettingsInput>;

/** What both inputs may say. */
const contentFields = {
  language: optional(Language),
  time_zone: optional(TimeZone),
  profile: optional(ProfileInput),
  theme: optional(Theme),
  seo: optional(SeoInput),
  settings: optional(SettingsInput),
};

export const CreatePage = z
  .strictObject({
    handle: Handle,
    domain: Domain,
    title: Title,
    ...contentFields,
    blocks: optional(NewBlocks).openapi({ description: "At most 100." }),
  })
  .openapi("CreatePage", {
    example: CREATE_PAGE,
    description: "Left out: `language` is en, `time_zone` UTC, `theme` the first preset.",
  });
export type CreatePage = z.output<typeof CreatePage>;

export const UpdatePage = z
  .strictObject({
    handle: optional(Handle),
    domain: Domain,
    title: optional(Title),
    ...contentFields,
    status: optional(z.enum(["published", "paused"])).openapi({
      description:
        "`paused` takes a published page off line, `published` puts it back, as it was published. Permission: `biolinks:pages:publish`.",
    }),
  })
  .openapi("UpdatePage", {
    example: UPDATE_PAGE,
    description: "Fields left out keep their values; `theme` is replaced as a whole.",
  });
export type UpdatePage = z.output<typeof UpdatePage>;

export const DuplicatePage = z
  .strictObject({
    handle: optional(Handle).openapi({
      description: "Left out: the page's with `-2` or the next number that is free.",
    }),
    title: optional(Title),
  })
  .openapi("DuplicatePage", { example: DUPLICATE_PAGE });
export type DuplicatePage = z.output<typeof DuplicatePage>;

export const Profile = z
  .object({
    name: z.string().nullable(),
    tagline: z.string().nullable(),
    avatar: z.uuid().nullable(),
  })
  .openapi("PageProfile");
export const Seo = z
  .object({
    title: z.string().nullable(),
    description: z.string().nullable(),
    image: z.uuid().nullable(),
    indexable: z.boolean(),
  })
  .openapi("PageSeo");

/** The settings that a version holds. */
export const VersionSettings = z.object({
  sensitive_content: z.boolean(),
  pixels: z.array(z.uuid()),
  utm: z.object({
    source: z.string().optional(),
    medium: z.string().optional(),
    campaign: z.string().optional(),
  }),
});

export const Page = z
  .object({
    id: z.uuid(),
    revision: z.string().openapi({
      description: "Changes on every write of the page or of one of its blocks; also the `ETag`.",
    }),
    handle: z.string(),
    domain: z.uuid().nullable(),
    public_url: z.url().openapi({ example: "https://sign.example/@ada" }),
    status: z.enum(["draft", "published", "paused"]),
    disabled: z.boolean().openapi({ description: "Switched off by the operator." }),
    title: z.string(),
    language: z.string(),
    time_zone: z.string(),
    profile: Profile,
    theme: Theme,
    seo: Seo,
    settings: VersionSettings.extend({ has_password: z.boolean(), domain_root: z.boolean() }),
    block_order: z.array(z.uuid()).openapi({ description: "The ids of its blocks, in order." }),
    has_unpublished_changes: z.boolean().openapi({
      description:
        "Whether something was changed since the page was published, also if it was changed back.",
    }),
    published_version: z.number().int().nullable().openapi({
      description: "The version that visitors get; null: none.",
    }),
    published_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Page", { example: PAGE });
export type Page = z.input<typeof Page>;

export const PageAnswer = z.object({ data: Page });
export const PageParams = idParams("page");

export const ListPagesQuery = PageQuery.extend({
  status: optional(z.enum(["draft", "published", "paused"])).openapi({
    description: "Only pages with this status.",
  }),
  domain: optional(Id).openapi({ description: "Only pages on this custom domain: its id." }),
  search: optionalText(200).openapi({
    description: "Part of the handle or the title. The case of A to Z does not matter.",
  }),
});
export type PageFilter = Pick<z.output<typeof ListPagesQuery>, "status" | "domain" | "search">;
