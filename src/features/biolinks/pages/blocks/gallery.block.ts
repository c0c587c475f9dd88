import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { optionalText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { blockTitle, Picture, pictureName, SAMPLE_ID, sized } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";

export const galleryBlock = defineBlock({
  type: "gallery",
  description: "Pictures beside each other, at most 20.",
  settings: z
    .strictObject({
      title: optionalText(120),
      images: z.array(Picture).min(1).max(20),
      layout: optional(z.enum(["grid", "strip"])).openapi({
        description: "`strip`: one row that is moved sideways.",
      }),
    })
    .openapi("GalleryBlock"),
  sample: {
    title: "From the studio",
    images: [
      { file: SAMPLE_ID, alt: "Hands centring clay on the wheel" },
      { file: SAMPLE_ID, alt: "Cups drying on a rack" },
      { file: SAMPLE_ID, alt: "The kiln, open after a firing" },
      { file: SAMPLE_ID, decorative: true },
    ],
  },
  names: ({ images }) => images.flatMap((image, index) => pictureName(image, `images.${index}`)),
  view: ({ title, images, layout }, { files }) => {
    const pictures = images.flatMap(({ file, alt }) => {
      const found = files.get(file);
      return found ? [html`<li><img src="${found.url}" alt="${alt}"${sized(found)}></li>`] : [];
    });
    if (pictures.length === 0) return html``;
    const isStrip = layout === "strip";
    return html`<section>${blockTitle(title)}<ul class="${isStrip ? "strip" : "grid"}"${isStrip && html` tabindex="0"`}>${pictures}</ul></section>`;
  },
  css: `.grid,.strip{margin:0;padding:0;list-style:none;display:grid;gap:.5rem}
.grid{grid-template-columns:repeat(auto-fit,minmax(min(9rem,45%),1fr))}.grid:has(>:nth-child(4):last-child){grid-template-columns:1fr 1fr}
.strip{grid-auto-flow:column;grid-auto-columns:min(70%,16rem);overflow-x:auto;scroll-snap-type:x mandatory;padding-bottom:.5rem}.strip li{scroll-snap-align:start}
.grid img,.strip img{width:100%;aspect-ratio:1;object-fit:cover;border-radius:min(var(--r),1rem)}`,
});
