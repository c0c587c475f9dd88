import { z } from "@hono/zod-openapi";
import { defineEvent } from "../../../events/event-type.ts";

/** A page as its events tell of it: the draft stays the workspace's own. */
const PageEventData = z.object({
  id: z.uuid(),
  handle: z.string(),
  domain: z.uuid().nullable(),
  public_url: z
    .string()
    // No `z.url()`: it takes what no JSON Schema does.
    .regex(/^https?:\/\//)
    .openapi({ description: "As it is at that moment." }),
  title: z.string().openapi({ description: "The draft's." }),
  version: z.number().int().openapi({ description: "Which visitors get, or got until now." }),
});

const PublishedPageData = PageEventData.extend({
  published_at: z.iso.datetime().openapi({ description: "When this version was published." }),
});
export type PublishedPageData = z.output<typeof PublishedPageData>;

export const UNPUBLISHED_BY = ["unpublished", "paused", "deleted"] as const;

const UnpublishedPageData = PageEventData.extend({
  reason: z.enum(UNPUBLISHED_BY).openapi({ description: "What was done with the page." }),
});
export type UnpublishedPageData = z.output<typeof UnpublishedPageData>;

const sample = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a55",
  handle: "ada",
  domain: null,
  public_url: "https://sign.example/@ada",
  title: "Ada Ceramics",
  version: 3,
};
const channels = ["all"];

export const pageEvents = {
  published: defineEvent({
    name: "biolinks.page.published",
    description:
      "A version of a page went on line: it was published, or a paused page was put back. To publish what is on line already is no event.",
    channels,
    data: PublishedPageData,
    sample: { ...sample, published_at: "2026-11-20T08:00:00.000Z" },
  }),
  unpublished: defineEvent({
    name: "biolinks.page.unpublished",
    description:
      "A page that was on line is so no more: it was unpublished, paused or deleted. The operator's switch is no event.",
    channels,
    data: UnpublishedPageData,
    sample: { ...sample, reason: "unpublished" },
  }),
};
