import { z } from "@hono/zod-openapi";
import { idParams } from "../../../api/ids.ts";
import { cursorOf, PageQuery } from "../../../api/pagination.ts";
import { VersionBlock } from "./page-blocks.schemas.ts";
import { PREVIEW, VERSION, VERSION_SUMMARY } from "./page-versions.examples.ts";
import { Profile, Seo, VersionSettings } from "./pages.schemas.ts";
import { Theme } from "./theme/theme.schemas.ts";

const NUMBER = /^[1-9]\d{0,8}$/;

export const VersionSummary = z
  .object({
    version: z.number().int(),
    is_published: z.boolean().openapi({
      description: "Whether visitors get it, or would if the page were not paused.",
    }),
    bytes: z.number().int().openapi({ description: "Of its document." }),
    created_at: z.iso.datetime(),
  })
  .openapi("PageVersionSummary", { example: VERSION_SUMMARY });
export type VersionSummary = z.input<typeof VersionSummary>;

export const Version = VersionSummary.extend({
  title: z.string(),
  language: z.string(),
  time_zone: z.string(),
  profile: Profile,
  theme: Theme,
  seo: Seo,
  settings: VersionSettings,
  blocks: z.array(VersionBlock).openapi({ description: "In their order." }),
}).openapi("PageVersion", { example: VERSION });
export type Version = z.input<typeof Version>;

export const VersionAnswer = z.object({ data: Version });

/** A version's number in a path: what is none is no version. */
export const VersionParams = idParams("page").extend({
  version: z.string().regex(NUMBER).transform(Number).openapi({
    type: "integer",
    minimum: 1,
    description: "The number of the version.",
    example: 1,
  }),
});

export const ListVersionsQuery = PageQuery.extend({
  cursor: cursorOf((number) => NUMBER.test(number)),
});

export const PreviewAnswer = z.object({
  data: z
    .object({
      url: z.url(),
      expires_at: z.iso.datetime(),
    })
    .openapi("PagePreview", { example: PREVIEW }),
});
