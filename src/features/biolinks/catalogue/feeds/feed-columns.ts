/** What the columns of a product feed are, as Google and Meta name them. */
import { UnreadableText } from "./delimited-text.ts";

export const FEED_FIELDS = [
  "id",
  "title",
  "description",
  "link",
  "image_link",
  "additional_image_link",
  "price",
  "sale_price",
  "sale_price_effective_date",
  "sale_price_start_date",
  "sale_price_end_date",
  "availability",
  "condition",
  "brand",
  "gtin",
  "mpn",
  "item_group_id",
  "google_product_category",
  "product_type",
  "custom_label_0",
  "custom_label_1",
  "custom_label_2",
  "custom_label_3",
  "custom_label_4",
  "status",
] as const;
export type FeedField = (typeof FEED_FIELDS)[number];

/** Other names that feeds have for them. */
const ALIASES: Readonly<Record<string, FeedField>> = {
  external_id: "id",
  retailer_id: "id",
  name: "title",
  url: "link",
  image: "image_link",
  image_url: "image_link",
  additional_image_links: "additional_image_link",
  additional_image_urls: "additional_image_link",
  ean: "gtin",
  upc: "gtin",
  isbn: "gtin",
  visibility: "status",
};
const FIELDS: ReadonlyMap<string, FeedField> = new Map([
  ...FEED_FIELDS.map((field): [string, FeedField] => [field, field]),
  ...Object.entries(ALIASES),
]);

/** More is no feed. */
const MAX_COLUMNS = 300;
const MAX_NAME_CHARACTERS = 100;
/** How many of those that mean nothing here are told of. */
const MAX_IGNORED = 50;

/** A column that is read: where it stands, what it is, and how the file names it. */
export interface FeedColumn {
  at: number;
  field: FeedField;
  name: string;
  /** How many columns the header has, also without a name. Code of before did not say. */
  headerColumns?: number;
}

export interface FeedColumns {
  columns: FeedColumn[];
  /** Names of those that mean nothing here. */
  ignored: string[];
}

/** What the names in a file's first row are. @throws UnreadableText */
export function readColumns(names: readonly string[]): FeedColumns {
  if (names.length > MAX_COLUMNS) {
    throw new UnreadableText(`There are ${names.length} columns: at most ${MAX_COLUMNS}.`);
  }
  const columns: FeedColumn[] = [];
  const ignored: string[] = [];
  const headerColumns = names.length;
  for (const [at, written] of names.entries()) {
    const name = written.trim().slice(0, MAX_NAME_CHARACTERS);
    const field = FIELDS.get(spelling(name));
    if (field) columns.push({ at, field, name, headerColumns });
    else if (name !== "") ignored.push(name);
  }
  if (!columns.some(({ field }) => field === "id")) {
    throw new UnreadableText(
      'The first row must name the columns, as product feeds do: "id", "title", "price" and others.',
    );
  }
  const seen = new Map<FeedField, string>();
  for (const { field, name } of columns) {
    const other = seen.get(field);
    if (other !== undefined && field !== "additional_image_link") {
      throw new UnreadableText(`The columns "${other}" and "${name}" are the same.`);
    }
    seen.set(field, name);
  }
  return { columns, ignored: ignored.slice(0, MAX_IGNORED) };
}

/** `Image Link`, `image-link` and `g:image_link` are the same. */
function spelling(name: string): string {
  return name
    .toLowerCase()
    .replace(/^g:/, "")
    .replaceAll(/[\s-]+/g, "_");
}
