/**
 * Products as a feed in CSV, in the columns of Google and Meta: an import of it changes nothing, but
 * for how a comma before `http` is written in an image's address.
 */
import { writeCell } from "./delimited-text.ts";
import type { FeedField } from "./feed-columns.ts";
import { writePrice } from "./feed-price.ts";
import type { FeedProduct } from "./feed-product.ts";
import { writeSaleTimes } from "./feed-times.ts";
import { guardFormulas } from "./spreadsheet-texts.ts";

type Told = string | null | undefined;

const COLUMNS: readonly (readonly [FeedField, (product: FeedProduct) => Told])[] = [
  ["id", (product) => product.externalId],
  ["title", (product) => product.title],
  ["description", (product) => product.description],
  ["link", (product) => product.url],
  ["image_link", (product) => product.image],
  ["additional_image_link", (product) => product.additionalImages.map(asOneAddress).join(",")],
  ["price", ({ price }) => price && writePrice(price)],
  ["sale_price", ({ salePrice }) => salePrice && writePrice(salePrice)],
  ["sale_price_effective_date", (product) => writeSaleTimes(product.saleTimes)],
  ["availability", (product) => product.availability],
  ["condition", (product) => product.condition],
  ["brand", (product) => product.brand],
  ["gtin", (product) => product.gtin],
  ["mpn", (product) => product.mpn],
  ["item_group_id", (product) => product.itemGroupId],
  ["google_product_category", (product) => product.googleProductCategory],
  ["product_type", (product) => product.productType],
  ["custom_label_0", ({ labels }) => labels[0]],
  ["custom_label_1", ({ labels }) => labels[1]],
  ["custom_label_2", ({ labels }) => labels[2]],
  ["custom_label_3", ({ labels }) => labels[3]],
  ["custom_label_4", ({ labels }) => labels[4]],
  ["status", (product) => product.status],
];

/** Whoever reads the list takes such a comma for one between two addresses. */
function asOneAddress(address: string): string {
  return address.replaceAll(/,(?=https?:)/gi, "%2C");
}

/** Spreadsheets take a file without it for one of their own encoding. */
const BYTE_ORDER_MARK = "\u{FEFF}";
const LINE_END = "\r\n";

export const CSV_HEAD = `${BYTE_ORDER_MARK}${COLUMNS.map(([name]) => name).join(",")}${LINE_END}`;

export function csvLine(product: FeedProduct): string {
  const cells = COLUMNS.map(([, tell]) => writeCell(guardFormulas(tell(product) ?? "")));
  return cells.join(",") + LINE_END;
}
