import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { PLATFORMS } from "../markup/platforms.ts";
import { Picture, pictureName, sized, WebAddress } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";
import { embedOf } from "./embed-providers.ts";

const Embeddable = WebAddress.refine((url) => embedOf(url) !== undefined, {
  error: "Must be the address of something on YouTube, Vimeo, Spotify, SoundCloud or TikTok.",
}).openapi({ example: "https://www.youtube.com/watch?v=dQw4w9WgXcQ" });

export const embedBlock = defineBlock({
  type: "embed",
  description:
    "Something of YouTube, Vimeo, Spotify, SoundCloud or TikTok, known by its URL. Nothing is loaded from there before the visitor asks for it.",
  settings: z
    .strictObject({
      url: Embeddable,
      title: trimmedText(120),
      description: optionalText(200),
      thumbnail: optional(Picture),
    })
    .openapi("EmbedBlock"),
  sample: {
    url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
    title: "A bowl from clay to kiln",
    description: "Twelve quiet minutes at the wheel",
  },
  names: ({ thumbnail }) => pictureName(thumbnail, "thumbnail"),
  view: ({ url, title, description, thumbnail }, { go, frame, files, words }) => {
    const embed = embedOf(url);
    if (!embed) return html``;
    frame(new URL(embed.frame).origin);
    const name = PLATFORMS[embed.provider].title;
    const verb = embed.kind === "audio" ? words.listenOn : words.watchOn;
    const picture = thumbnail && files.get(thumbnail.file);
    const still = embed.kind === "video" || picture;
    return html`<a class="card emb" href="${go(url)}" data-embed="${embed.frame}" data-kind="${embed.provider === "tiktok" ? "tall" : embed.kind}">${
      still &&
      html`<span class="still">${picture && html`<img src="${picture.url}" alt=""${sized(picture)}>`}<span class="play">${icon("play")}</span></span>`
    }<span class="cap">${icon(embed.provider)}<span><b>${title}</b>${description && html`<small>${description}</small>`}<small>${verb} ${name}</small></span></span></a>`;
  },
  css: `.emb{display:block;padding:0;overflow:hidden;text-decoration:none}
.still{position:relative;display:grid;place-items:center;aspect-ratio:16/9;background:var(--hair);background:linear-gradient(160deg,color-mix(in srgb,var(--act) 20%,var(--card)),var(--card))}.still img{position:absolute;inset:0;width:100%;height:100%;object-fit:cover}
.play{position:relative;display:grid;place-items:center;width:4rem;height:4rem;border-radius:50%;background:var(--act);color:var(--on);font-size:1.375rem;box-shadow:0 6px 24px rgb(0 0 0/.25)}
.cap{display:flex;align-items:center;gap:.875rem;padding:.875rem 1.25rem}.cap>.ico{width:1.5rem;height:1.5rem}.cap>span{display:flex;flex-direction:column;min-width:0;line-height:1.35}.cap small{color:var(--mute);font-size:.8125rem}
.emb iframe{display:block;width:100%;border:0;aspect-ratio:16/9;background:var(--hair)}.emb[data-kind=audio] iframe{aspect-ratio:auto;height:9.5rem}.emb[data-kind=tall] iframe{aspect-ratio:9/16;max-height:80vh}.more{display:block;text-decoration:none}
@media(forced-colors:active){.play{border:2px solid}}`,
  script: "embed",
});
