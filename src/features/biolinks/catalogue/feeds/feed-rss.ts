/** Products as a feed in RSS 2.0 with Google's names, which Meta and others read as well. */

import { writePrice } from "./feed-price.ts";
import type { FeedProduct } from "./feed-product.ts";
import { writeClosedSaleTimes } from "./feed-times.ts";

/** What XML 1.0 has no way to write. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};

function escapeXml(text: string): string {
  return text.replaceAll(UNWRITABLE, "").replaceAll(/[&<>"\r]/g, (one) => ENTITIES[one] ?? "");
}

function element(name: string, text: string | null | undefined): string {
  return text ? `<${name}>${escapeXml(text)}</${name}>` : "";
}

export function rssHead({ title, link }: { title: string; link: string }): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>${element("title", title)}${element("link", link)}${element("description", title)}
`;
}

export const RSS_END = "</channel></rss>\n";

export function rssItem(product: FeedProduct): string {
  const { price, salePrice, saleTimes } = product;
  const parts = [
    element("g:id", product.externalId),
    element("g:title", product.title),
    element("g:description", product.description),
    element("g:link", product.url),
    element("g:image_link", product.image),
    ...product.additionalImages.map((url) => element("g:additional_image_link", url)),
    element("g:price", price && writePrice(price)),
    element("g:sale_price", salePrice && writePrice(salePrice)),
    // Without the price that it is about it would mean nothing.
    element("g:sale_price_effective_date", salePrice && writeClosedSaleTimes(saleTimes)),
    // Google has no word for what is sold no more.
    element(
      "g:availability",
      product.availability === "discontinued" ? "out_of_stock" : product.availability,
    ),
    element("g:condition", product.condition),
    element("g:brand", product.brand),
    element("g:gtin", product.gtin),
    element("g:mpn", product.mpn),
    element("g:item_group_id", product.itemGroupId),
    element("g:google_product_category", product.googleProductCategory),
    element("g:product_type", product.productType),
    ...product.labels.map((label, at) => element(`g:custom_label_${at}`, label)),
  ];
  return `<item>${parts.join("")}</item>\n`;
}
