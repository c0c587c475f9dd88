import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { optionalText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { Address, Picture, pictureName, SAMPLE_ID, sized } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";

export const imageBlock = defineBlock({
  type: "image",
  description: "A picture, which may lead to an address.",
  settings: z
    .strictObject({
      image: Picture,
      caption: optionalText(200),
      url: optional(Address),
    })
    .superRefine(({ image, url }, context) => {
      if (!url || image.alt) return;
      const message = "A picture that leads somewhere says where: give it an alternative text.";
      context.addIssue({ code: "custom", path: ["image", "alt"], message });
    })
    .openapi("ImageBlock"),
  sample: {
    image: { file: SAMPLE_ID, alt: "Three glazed bowls on a wooden shelf" },
    caption: "The spring glazes: salt, moss and dusk",
  },
  names: ({ image }) => pictureName(image, "image"),
  view: ({ image, caption, url }, { files, go }) => {
    const file = files.get(image.file);
    if (!file) return html``;
    const picture = html`<img src="${file.url}" alt="${image.alt}"${sized(file)}>`;
    return html`<figure class="fig">${url ? html`<a href="${go(url)}">${picture}</a>` : picture}${caption && html`<figcaption>${caption}</figcaption>`}</figure>`;
  },
  css: `.fig{margin:0}.fig img{width:100%;border-radius:min(var(--r),1.25rem)}.fig a{display:block;border-radius:min(var(--r),1.25rem)}.fig figcaption{margin-top:.5rem;color:var(--mute);font-size:.875rem;text-align:var(--way);text-wrap:balance}`,
});
