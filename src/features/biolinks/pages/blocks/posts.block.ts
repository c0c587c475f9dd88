import { z } from "@hono/zod-openapi";
import { optionalText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { PLATFORMS, type Platform } from "../markup/platforms.ts";
import { blockTitle } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";
import { writtenMoment } from "./moments.ts";

/** So many of a workspace are kept, and shown. */
export const MAX_POSTS = 12;

export const postsBlock = defineBlock({
  type: "posts",
  description: `The latest posts that the publishing product sent out (\`publishing.post.published\`), at most ${MAX_POSTS}.`,
  settings: z
    .strictObject({ title: optionalText(120), count: z.int().min(1).max(MAX_POSTS) })
    .openapi("PostsBlock"),
  sample: { title: "Latest posts", count: 3 },
  names: ({ count }) => [{ kind: "posts", id: String(count), field: "count" }],
  view: ({ title, count }, context) => {
    if (context.posts.length === 0) return html``;
    // Also those that are no longer shown: who has the page open may still follow them.
    const posts = context.posts.map((post) => ({
      ...post,
      leadsTo: post.url && context.go(post.url, post.id),
    }));
    return html`<section>${blockTitle(title)}<ul class="posts card">${posts
      .slice(0, count)
      .map(({ leadsTo, url, network, title: name, published_at }) => {
        const moment = new Date(published_at).toISOString();
        const day = writtenMoment(moment, context, { dateStyle: "medium" });
        const known = network !== null && isPlatform(network) ? network : null;
        const host = url && (URL.parse(url)?.host ?? url);
        const where = [known && PLATFORMS[known].title, name && host].filter(Boolean);
        const said = html`${icon(known ?? "globe")}<span><b>${name ?? host}</b><small>${where.map((place) => `${place} · `)}<time datetime="${moment}">${day}</time></small></span>`;
        return leadsTo
          ? html`<li><a href="${leadsTo}">${said}</a></li>`
          : html`<li><div>${said}</div></li>`;
      })}</ul></section>`;
  },
  css: `.posts{margin:0;padding:.375rem 1.25rem;list-style:none;text-align:start}.posts li+li{border-top:1px solid var(--hair)}.posts li>*{display:flex;align-items:center;gap:1rem;min-height:3.5rem;padding:.625rem 0;text-decoration:none;line-height:1.35}.posts li>*>span{display:flex;flex-direction:column;min-width:0}.posts b{font-weight:600}.posts small{color:var(--mute);font-size:.8125rem}.posts a:hover b{text-decoration:underline}`,
});

function isPlatform(network: string): network is Platform {
  return Object.hasOwn(PLATFORMS, network);
}
