import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { Id } from "../../../../api/ids.ts";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { hostNameOf } from "../../../../platform/web-url.ts";
import { type Html, html } from "../markup/html.ts";
import { ICON_NAMES, icon } from "../markup/icons.ts";
import { Address, Picture, pictureName, sized } from "./block-fields.ts";
import { type BlockContext, defineBlock, type PageProduct } from "./block-type.ts";
import { drawPrice, linkedProduct } from "./product-price.ts";

const Settings = z
  .strictObject({
    label: trimmedText(120),
    url: optional(Address),
    link: optional(Id).openapi({ description: "A short link of the workspace." }),
    product: optional(Id).openapi({
      description:
        "A product of the catalogue, with its price and, for want of a thumbnail or an icon, its picture.",
    }),
    description: optionalText(200).openapi({
      description: "Below the label, above the host that it leads to.",
    }),
    thumbnail: optional(Picture),
    icon: optional(z.enum(ICON_NAMES)),
    badge: optionalText(24).openapi({ description: "One or two words such as `New`." }),
    highlight: optional(z.boolean()).openapi({
      description: "True: it stands out from the others.",
    }),
  })
  .superRefine(({ url, link, product, thumbnail, icon }, context) => {
    if ([url, link, product].filter(Boolean).length !== 1) {
      const message = "Send exactly one of url, link and product.";
      context.addIssue({ code: "custom", path: ["url"], message });
    }
    if (thumbnail && icon) {
      const message = "Send either thumbnail or icon.";
      context.addIssue({ code: "custom", path: ["icon"], message });
    }
  })
  .openapi("LinkBlock", { description: "Exactly one of `url`, `link` and `product`." });
type Settings = z.output<typeof Settings>;

export const linkBlock = defineBlock({
  type: "link",
  description: "A button that leads to an address, a short link or a product.",
  settings: Settings,
  sample: {
    label: "Shop the spring collection",
    url: "https://example.com/spring",
    icon: "bag",
    badge: "New",
    highlight: true,
  },
  names: ({ link, product, thumbnail }) => [
    ...(link ? [{ kind: "link" as const, id: link, field: "link" }] : []),
    ...(product ? [{ kind: "product" as const, id: product, field: "product" }] : []),
    ...pictureName(thumbnail, "thumbnail"),
  ],
  view: (settings, context) => {
    const target = targetOf(settings, context);
    if (!target) return html``;
    const { label, description, badge, highlight } = settings;
    const product = productOf(settings, context);
    const price = product && drawPrice(product, context);
    return html`<a class="link${highlight && " hi"}" href="${context.go(target.url, "", product?.id)}">${leading(settings, context)}<span><b>${label}</b>${description && html`<small>${description}</small>`}${price?.text && html`<small>${price}</small>`}${target.host && html`<small>${target.host}</small>`}</span>${badge && html`<i>${badge}</i>`}</a>`;
  },
  linkedData: (settings, context) => {
    const product = productOf(settings, context);
    return product?.url ? { things: [linkedProduct(product, context.pageUrl)] } : {};
  },
  css: `.link{position:relative;display:flex;align-items:center;gap:.875rem;min-height:var(--tall);padding:.5rem 1.125rem;border:1px solid var(--act);border-radius:var(--r);background:var(--lbg);color:var(--lfg);line-height:1.3;text-decoration:none}
.link>span{flex:1;min-width:0;display:flex;flex-direction:column;gap:.0625rem;text-align:var(--way)}
.link b{font-weight:650;text-wrap:balance}
.link small{font-size:.8125rem}
.link>img{flex:none;width:2.75rem;height:2.75rem;object-fit:cover;margin-inline-start:-.5rem;border-radius:clamp(0px,var(--r) - .375rem,1.375rem)}
.link>.ico{width:1.5rem;height:1.5rem}
.link i{position:absolute;top:-.75rem;inset-inline-end:1.25rem;padding:.0625rem .5rem;border:1px solid var(--act);border-radius:min(var(--r),1rem);background:var(--pbg);color:var(--pfg);font-size:.75rem;font-weight:700;font-style:normal}`,
});

function leading(settings: Settings, context: BlockContext): Html {
  const { thumbnail, icon: name } = settings;
  const picture = thumbnail && context.files.get(thumbnail.file);
  if (picture) return html`<img src="${picture.url}" alt="${thumbnail.alt}"${sized(picture)}>`;
  if (name) return icon(name);
  // The label says what it is.
  const image = productOf(settings, context)?.image;
  return image ? html`<img src="${image.url}" alt=""${sized(image)}>` : html``;
}

function productOf({ product }: Settings, { products }: BlockContext): PageProduct | undefined {
  return product ? products.get(product) : undefined;
}

function targetOf(
  settings: Settings,
  context: BlockContext,
): { url: string; host: string | null } | undefined {
  const { url, link, product } = settings;
  if (link) return context.links.get(link);
  const address = product ? productOf(settings, context)?.url : url;
  if (!address) return undefined;
  const parsed = URL.parse(address);
  return { url: address, host: parsed?.host ? hostNameOf(parsed) : null };
}
