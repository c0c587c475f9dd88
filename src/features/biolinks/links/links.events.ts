import { z } from "@hono/zod-openapi";
import { defineEvent } from "../../../events/event-type.ts";
import { Link } from "./links.schemas.ts";

/** As JSON. Below it is whatever browsers write: 2048 characters of ASCII. */
export const MAX_TOLD_DESTINATION_BYTES = 4100;

const address = z
  .string()
  // No `z.url()`: it takes what no JSON Schema does.
  .regex(/^https?:\/\//)
  .openapi({
    description:
      "As it is at that moment. On `domain-removed.invalid` when the link's domain was deleted; that deletion itself is no change of the link.",
  });

/** A link as its events tell of it, in at most 12 KB: most of that only with 100 pixels. */
export const LinkEventData = Link.omit({ revision: true }).extend({
  public_url: address,
  destination: Link.shape.destination.nullable().openapi({
    description:
      "Null when it takes more than 4 KB, as only one with many non-ASCII characters does. The link itself has it.",
  }),
});
export type LinkEventData = z.output<typeof LinkEventData>;

export const UpdatedLinkData = LinkEventData.extend({
  changed: z.array(z.string()).openapi({
    description:
      "The names of the fields that changed, those of the settings as `settings.<name>`; `settings.password` when one was set, replaced or removed.",
  }),
});
export type UpdatedLinkData = z.output<typeof UpdatedLinkData>;

const DeletedLinkData = LinkEventData.pick({
  id: true,
  slug: true,
  domain: true,
  public_url: true,
});

const sample: LinkEventData = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a33",
  slug: "spring",
  domain: null,
  public_url: "https://sign.example/spring",
  title: "Spring sale",
  destination: "https://example.com/spring-sale?ref=bio",
  status: "paused",
  disabled: false,
  has_password: false,
  settings: {
    utm: { source: "newsletter" },
    forward_query: false,
    http_status: 302,
    sensitive_content: false,
    pixels: [],
  },
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
const { id, slug, domain, public_url } = sample;
const channels = ["all"];

export const linkEvents = {
  created: defineEvent({
    name: "biolinks.link.created",
    description: "A short link was made. It is paused until a change makes it active.",
    channels,
    data: LinkEventData,
    sample,
  }),
  updated: defineEvent({
    name: "biolinks.link.updated",
    description:
      "A short link was changed, switched on or paused, or the operator switched it off or on again (`disabled`). Clicks are no change. A pixel that is deleted by force is a change of each link that used it, told when it is taken from it, within minutes.",
    channels,
    data: UpdatedLinkData,
    sample: {
      ...sample,
      status: "active",
      updated_at: "2026-11-20T08:05:00.000Z",
      changed: ["status"],
    },
  }),
  deleted: defineEvent({
    name: "biolinks.link.deleted",
    description: "A short link was deleted; the data is its id and the address that it had.",
    channels,
    data: DeletedLinkData,
    sample: { id, slug, domain, public_url },
  }),
};
