import { decimalsOf, plainAmount } from "../../catalogue/currencies.ts";
import { type Html, html } from "../markup/html.ts";
import type { BlockContext, PageProduct } from "./block-type.ts";

type Money = NonNullable<PageProduct["price"]>;

/** An amount in minor units as people of that language write it, with the currency's own decimals. */
export function writtenPrice({ amount, currency }: Money, language: string): string {
  const decimals = decimalsOf(currency);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const style = { style: "currency", currency, ...digits } as const;
  const value = amount / 10 ** decimals;
  try {
    return new Intl.NumberFormat(language, style).format(value);
  } catch {
    return new Intl.NumberFormat("en", style).format(value);
  }
}

/** What a product costs now: a sale's price only while it holds, beside the one that it is instead of. */
export function drawPrice(
  { price, sale_price: sale, sale_starts_at: from = null, sale_ends_at: to = null }: PageProduct,
  { language, words, during }: Pick<BlockContext, "language" | "words" | "during">,
): Html {
  if (!price && !sale) return html``;
  const regular = price ? html`${writtenPrice(price, language)}` : html``;
  if (!sale) return regular;
  const reduced = html`${writtenPrice(sale, language)}${price && html` <span class="sr">${words.wasPrice}</span> <s>${regular}</s>`}`;
  if (from === null && to === null) return reduced;
  return html`${from !== null && during(null, from, regular)}${during(from, to, reduced)}${to !== null && during(to, null, regular)}`;
}

const AVAILABILITIES: Record<PageProduct["availability"], string> = {
  in_stock: "InStock",
  out_of_stock: "OutOfStock",
  preorder: "PreOrder",
  backorder: "BackOrder",
  discontinued: "Discontinued",
};

/** A product in schema.org's words; a product without a price is not offered. */
export function linkedProduct(product: PageProduct, pageUrl: string): object {
  const { title, description, image, brand } = product;
  const offers = offersOf(product);
  return {
    "@type": "Product",
    name: title,
    ...(description && { description }),
    ...(image && { image: new URL(image.url, pageUrl).href }),
    ...(brand && { brand: { "@type": "Brand", name: brand } }),
    ...(offers.length > 0 && { offers: offers.length === 1 ? offers[0] : offers }),
  };
}

/** A sale that has times is an offer of its own, which says them: so it is right whenever it is read. */
function offersOf(product: PageProduct): object[] {
  const { price, sale_price: sale, url, availability } = product;
  const { sale_starts_at: from = null, sale_ends_at: to = null } = product;
  const offer = ({ amount, currency }: Money, times: object = {}) => ({
    "@type": "Offer",
    price: plainAmount(amount, currency),
    priceCurrency: currency,
    availability: `https://schema.org/${AVAILABILITIES[availability]}`,
    ...(url && { url }),
    ...times,
  });
  if (sale && from === null && to === null) return [offer(sale)];
  const times = {
    ...(from !== null && { validFrom: new Date(from).toISOString() }),
    ...(to !== null && { validThrough: new Date(to).toISOString() }),
  };
  return [...(sale ? [offer(sale, times)] : []), ...(price ? [offer(price)] : [])];
}
