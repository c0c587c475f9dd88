import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { blockTitle, Picture, pictureName, sized } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";

export const testimonialsBlock = defineBlock({
  type: "testimonials",
  description: "What others say, at most 20.",
  settings: z
    .strictObject({
      title: optionalText(120),
      items: z
        .array(
          z.strictObject({
            quote: trimmedText(600),
            name: trimmedText(80),
            role: optionalText(80),
            photo: optional(Picture),
            rating: optional(z.int().min(1).max(5)),
          }),
        )
        .min(1)
        .max(20),
    })
    .openapi("TestimonialsBlock"),
  sample: {
    title: "Kind words",
    items: [
      {
        quote: "I drink my coffee from nothing else. The glaze is a small landscape.",
        name: "Mira Lindqvist",
        role: "Café owner, Malmö",
        rating: 5,
      },
      {
        quote: "Careful work, and packed as if it were glass.",
        name: "Tom Okafor",
        role: "Collector",
      },
    ],
  },
  names: ({ items }) =>
    items.flatMap(({ photo }, index) => pictureName(photo, `items.${index}.photo`)),
  view: ({ title, items }, { files, words }) =>
    html`<section>${blockTitle(title)}<div class="says">${items.map(
      ({ quote, name, role, photo, rating }) => {
        const face = photo && files.get(photo.file);
        return html`<figure class="card">${
          rating &&
          html`<p class="stars"><span class="sr">${words.ratingOf.replace("{n}", String(rating))}</span>${Array.from({ length: rating }, () => icon("star"))}</p>`
        }<blockquote>${quote}</blockquote><figcaption>${face && html`<img src="${face.url}" alt="${photo.alt}"${sized(face)}>`}<span><b>${name}</b>${role && html`<small>${role}</small>`}</span></figcaption></figure>`;
      },
    )}</div></section>`,
  css: `.says{display:grid;gap:var(--gap)}.says figure{margin:0;text-align:start}.says blockquote{margin:0 0 .875rem;white-space:pre-line;font-size:1.0625rem;text-wrap:pretty}
.says figcaption{display:flex;align-items:center;gap:.75rem;line-height:1.35}.says figcaption span{display:flex;flex-direction:column}.says small{color:var(--mute);font-size:.875rem}.says img{width:2.75rem;height:2.75rem;object-fit:cover;border-radius:50%}
.stars{display:flex;gap:.125rem;margin:0 0 .625rem;color:var(--act)}.stars .ico{width:1.125rem;height:1.125rem;fill:currentColor}`,
});
