/** A row of a feed as what a client of the API would send of the product. */
import { FEED_FIELDS, type FeedColumn, type FeedField } from "./feed-columns.ts";
import { readPrice } from "./feed-price.ts";
import { readFeedTime, readSaleTimes } from "./feed-times.ts";
import { readAvailability, readCondition, readStatus } from "./feed-words.ts";
import { unguardFormulas } from "./spreadsheet-texts.ts";
import { UnfitValue } from "./unfit-value.ts";

/** What is wrong with a row: `field` is the column, as the file names it. */
export interface RowError {
  field: string;
  message: string;
}

export interface FeedRow {
  id: string;
  /** Fields of the API's product. What the file has no column for is not in it. */
  input: Record<string, unknown>;
  /** The column of each of its labels, as the file names it. */
  labelColumns: string[];
  errors: RowError[];
}

/** An address, or what stands there: a file of the workspace. */
export type ImageOf = (url: string) => { file: string } | { url: string };

const MAX_ADDRESS_LIST = 40_000;
const LABELS = FEED_FIELDS.filter((field) => field.startsWith("custom_label_"));

type Cells = ReadonlyMap<FeedField, string>;

/** Texts that become a field as they are; an empty one is null. */
const TEXTS: Readonly<Partial<Record<FeedField, string>>> = {
  description: "description",
  link: "url",
  brand: "brand",
  gtin: "gtin",
  mpn: "mpn",
  item_group_id: "item_group_id",
  google_product_category: "google_product_category",
  product_type: "product_type",
};

/** Words that a product always has one of: an empty one says nothing. */
const WORDS: Readonly<Partial<Record<FeedField, (text: string) => string>>> = {
  availability: readAvailability,
  condition: readCondition,
  status: readStatus,
};

/** Which columns a field of the API is told by, the first of those that the file has. */
export const COLUMNS_OF: Readonly<Record<string, readonly FeedField[]>> = {
  external_id: ["id"],
  url: ["link"],
  image: ["image_link"],
  additional_images: ["additional_image_link"],
  sale_starts_at: ["sale_price_start_date", "sale_price_effective_date"],
  sale_ends_at: ["sale_price_end_date", "sale_price_effective_date"],
  labels: LABELS,
};

export function readRow(
  columns: readonly FeedColumn[],
  values: readonly string[],
  imageOf: ImageOf,
): FeedRow {
  const cells = new Map<FeedField, string>();
  const names = new Map<FeedField, string>();
  for (const { at, field, name } of columns) {
    // The blanks around a description are kept, as the API keeps them.
    const cell = values[at] ?? "";
    const isKept = field === "description" && cell.trim() !== "";
    const value = unguardFormulas(isKept ? cell : cell.trim());
    // Of additional images there may be a column each.
    const before = cells.get(field);
    cells.set(field, before && value ? `${before},${value}` : before || value);
    if (!names.has(field)) names.set(field, name);
  }
  const errors: RowError[] = [];
  const input: Record<string, unknown> = {};
  const read = (field: FeedField, take: (text: string) => Record<string, unknown>) => {
    const text = cells.get(field);
    if (text === undefined) return;
    try {
      Object.assign(input, take(text));
    } catch (error) {
      if (!(error instanceof UnfitValue)) throw error;
      errors.push({ field: names.get(field) ?? field, message: error.message });
    }
  };
  read("id", (text) => ({ external_id: text }));
  read("title", (text) => {
    if (text === "") throw new UnfitValue("Must not be empty.");
    return { title: text };
  });
  for (const [field, name] of Object.entries(TEXTS)) {
    read(field as FeedField, (text) => ({ [name]: text === "" ? null : text }));
  }
  for (const [field, word] of Object.entries(WORDS)) {
    read(field as FeedField, (text) => (text === "" ? {} : { [field]: word(text) }));
  }
  for (const field of ["price", "sale_price"] as const) {
    read(field, (text) => ({ [field]: text === "" ? null : readPrice(text) }));
  }
  read("sale_price_effective_date", readSaleRange);
  read("sale_price_start_date", (text) => ({ sale_starts_at: readTime(text, "start") }));
  read("sale_price_end_date", (text) => ({ sale_ends_at: readTime(text, "end") }));
  read("image_link", (text) => ({ image: text === "" ? null : imageOf(text) }));
  read("additional_image_link", (text) => ({
    additional_images: splitAddresses(text).map(imageOf),
  }));
  const labels = labelsOf(cells);
  if (LABELS.some((field) => cells.has(field))) input.labels = labels.map(({ label }) => label);
  const labelColumns = labels.map(({ field }) => names.get(field) ?? field);
  return { id: (cells.get("id") ?? "").trim(), input, labelColumns, errors };
}

function readSaleRange(text: string) {
  const { startsAt, endsAt } = text === "" ? { startsAt: null, endsAt: null } : readSaleTimes(text);
  return { sale_starts_at: writtenTime(startsAt), sale_ends_at: writtenTime(endsAt) };
}

function readTime(text: string, side: "start" | "end"): string | null {
  return text === "" ? null : writtenTime(readFeedTime(text, side));
}

function writtenTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** A comma may be part of an address: one that separates stands before the next address. */
function splitAddresses(text: string): string[] {
  if (text.length > MAX_ADDRESS_LIST) throw new UnfitValue("Holds too many addresses.");
  return text === "" ? [] : text.split(/\s*,\s*(?=https?:)/i).filter((one) => one !== "");
}

function labelsOf(cells: Cells): { field: FeedField; label: string }[] {
  return LABELS.flatMap((field) => {
    const label = cells.get(field);
    return label ? { field, label } : [];
  });
}
