import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { Id } from "../../../../api/ids.ts";
import { optionalText } from "../../../../api/text.ts";
import { type Html, html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import type { Words } from "../markup/words.ts";
import { blockTitle, SAMPLE_ID, sized } from "./block-fields.ts";
import { type BlockContext, defineBlock, type PageProduct } from "./block-type.ts";
import { drawPrice, linkedProduct } from "./product-price.ts";

const Settings = z
  .strictObject({
    title: optionalText(120),
    collection: optional(Id).openapi({ description: "Its first 24 products are shown." }),
    products: optional(z.array(Id).min(1).max(24)),
    layout: optional(z.enum(["grid", "list"])),
  })
  .superRefine(({ collection, products }, context) => {
    if (Boolean(collection) !== Boolean(products)) return;
    const message = "Send exactly one of collection and products.";
    context.addIssue({ code: "custom", path: ["products"], message });
  })
  .openapi("ProductsBlock", { description: "Exactly one of `collection` and `products`." });
type Settings = z.output<typeof Settings>;

export const productsBlock = defineBlock({
  type: "products",
  description: "Products of the catalogue: a collection, or at most 24.",
  settings: Settings,
  sample: { title: "From the shop", products: [SAMPLE_ID], layout: "grid" },
  names: ({ collection, products = [] }) => [
    ...(collection ? [{ kind: "collection" as const, id: collection, field: "collection" }] : []),
    ...products.map((id, index) => ({ kind: "product" as const, id, field: `products.${index}` })),
  ],
  view: (settings, context) => {
    const products = productsOf(settings, context);
    if (products.length === 0) return html``;
    return html`<section>${blockTitle(settings.title)}<ul class="shop ${settings.layout === "list" ? "rows" : "tiles"}">${products.map((product) => html`<li>${drawProduct(product, context)}</li>`)}</ul></section>`;
  },
  linkedData: (settings, context) => ({
    things: productsOf(settings, context).map((product) => linkedProduct(product, context.pageUrl)),
  }),
  css: `.shop{display:grid;gap:.75rem;margin:0;padding:0;list-style:none}.tiles{grid-template-columns:repeat(auto-fit,minmax(min(10rem,45%),1fr))}.tiles:has(>:nth-child(4):last-child){grid-template-columns:1fr 1fr}
.item{display:flex;flex-direction:column;height:100%;padding:0;overflow:hidden;text-align:start;text-decoration:none;line-height:1.35}
.item>:first-child{display:grid;place-items:center;width:100%;aspect-ratio:1;object-fit:cover;background:var(--hair);background:color-mix(in srgb,var(--act) 12%,var(--card));font-size:1.75rem}
.item>:last-child{flex:1;display:flex;flex-direction:column;gap:.25rem;padding:.75rem .875rem .875rem}.item small{color:var(--mute);font-size:.8125rem}.item b{font-weight:600}.item .cost{margin-top:auto;font-variant-numeric:tabular-nums}.item s{color:var(--mute)}
.rows .item{flex-direction:row;align-items:stretch}.rows .item>:first-child{flex:none;width:6rem}
.tiles>:only-child img{aspect-ratio:3/2}
a.item:hover b{text-decoration:underline}`,
});

function productsOf({ collection, products = [] }: Settings, context: BlockContext): PageProduct[] {
  if (collection) return (context.collections.get(collection) ?? []).slice(0, 24);
  return products.flatMap((id) => context.products.get(id) ?? []);
}

function drawProduct(product: PageProduct, context: BlockContext): Html {
  const { words, go } = context;
  const { id, title, image, availability, url } = product;
  const costs = drawPrice(product, context);
  const told = availability === "in_stock" ? null : tellAvailability(availability, words);
  const inner = html`${
    image
      ? html`<img src="${image.url}" alt=""${sized(image)}>`
      : html`<span aria-hidden="true">${icon("bag")}</span>`
  }<span><b>${title}</b>${told && html`<small>${told}</small>`}${costs.text && html`<span class="cost">${costs}</span>`}</span>`;
  if (!url) return html`<div class="card item">${inner}</div>`;
  return html`<a class="card item" href="${go(url, id, id)}">${inner}</a>`;
}

function tellAvailability(availability: PageProduct["availability"], words: Words): string {
  const said = {
    in_stock: words.inStock,
    out_of_stock: words.outOfStock,
    preorder: words.preorder,
    backorder: words.backorder,
    discontinued: words.discontinued,
  };
  return said[availability];
}
