import { z } from "@hono/zod-openapi";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { PLATFORMS, type Platform } from "../markup/platforms.ts";
import { Address } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";
import { linkItem } from "./link-item.ts";

const GENERAL = { website: "globe", email: "mail", phone: "phone", rss: "rss" } as const;
const GENERAL_TITLES = { website: "Website", email: "Email", phone: "Phone", rss: "RSS" };
type Place = Platform | keyof typeof GENERAL;
const PLACES = [...Object.keys(PLATFORMS), ...Object.keys(GENERAL)] as [Place, ...Place[]];

export const socialBlock = defineBlock({
  type: "social",
  description: "A row of icons that lead to other places of the same person or brand, at most 30.",
  settings: z
    .strictObject({
      items: z
        .array(z.strictObject({ platform: z.enum(PLACES), url: Address }))
        .min(1)
        .max(30),
    })
    .openapi("SocialBlock"),
  sample: {
    items: [
      { platform: "instagram", url: "https://www.instagram.com/example" },
      { platform: "tiktok", url: "https://www.tiktok.com/@example" },
      { platform: "youtube", url: "https://www.youtube.com/@example" },
      { platform: "pinterest", url: "https://www.pinterest.com/example" },
      { platform: "email", url: "mailto:hello@example.com" },
    ],
  },
  names: () => [],
  view: ({ items }, { go }) =>
    html`<ul class="soc">${items.map(
      ({ platform, url }) =>
        html`<li><a href="${go(url, linkItem(url))}">${icon(drawingOf(platform))}<span class="sr">${titleOf(platform)}</span></a></li>`,
    )}</ul>`,
  linkedData: ({ items }) => ({
    sameAs: items.map(({ url }) => url).filter((url) => /^https?:/i.test(url)),
  }),
  css: `.soc{display:flex;flex-wrap:wrap;justify-content:var(--way);gap:.25rem;margin:0 0 .25rem;padding:0;list-style:none}
.soc a{position:relative;display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:min(var(--r),50%);font-size:1.125rem}
.soc a:hover{background:var(--card)}`,
});

function isPlatform(place: Place): place is Platform {
  return place in PLATFORMS;
}

function drawingOf(place: Place) {
  return isPlatform(place) ? place : GENERAL[place];
}

function titleOf(place: Place): string {
  return isPlatform(place) ? PLATFORMS[place].title : GENERAL_TITLES[place];
}
