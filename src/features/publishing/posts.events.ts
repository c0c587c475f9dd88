import { z } from "@hono/zod-openapi";
import { defineEvent } from "../../events/event-type.ts";

const time = z.iso.datetime();
/** The http(s) addresses of RFC 3986 but IPv6 literals, as a pattern, which `GET /events` can publish. */
const ADDRESS = (() => {
  const plain = "[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2}";
  const authority = `(?:(?:${plain}|:)*@)?(?:${plain})+(?::[0-9]*)?`;
  const rest = `(?:${plain}|[:@/?])*`;
  return new RegExp(`^[Hh][Tt][Tt][Pp][Ss]?://${authority}(?:[/?]${rest})?(?:#${rest})?$`);
})();
const address = z.string().regex(ADDRESS).meta({ format: "uri" });

const Post = z.object({
  id: z.string(),
  title: z.string().nullable(),
  url: address.nullable(),
  networks: z.array(z.string()),
  scheduled_at: time.nullable(),
  published_at: time.nullable(),
});

const sample = {
  id: "post_4711",
  title: "Spring sale",
  url: "https://social.example/brand/posts/4711",
  networks: ["instagram", "facebook"],
  scheduled_at: "2026-11-20T08:00:00.000Z",
  published_at: "2026-11-20T08:00:02.120Z",
};
const unpublished = { ...sample, url: null, published_at: null };
const channels = ["all"];

/** The publishing product sends these through the intake. */
export const postEvents = {
  published: defineEvent({
    name: "publishing.post.published",
    description: "A post went out.",
    channels,
    data: Post,
    sample,
  }),
  scheduled: defineEvent({
    name: "publishing.post.scheduled",
    description: "A post was given a time to go out.",
    channels,
    data: Post,
    sample: unpublished,
  }),
  failed: defineEvent({
    name: "publishing.post.failed",
    description: "A post could not go out.",
    channels,
    data: Post.extend({ error: z.string() }),
    sample: { ...unpublished, error: "The account was disconnected." },
  }),
};
