/** What feeds say in words of their own, as a product says it. */
import type { Availability, ProductCondition, ProductStatus } from "../product-fields.ts";
import { UnfitValue } from "./unfit-value.ts";

const AVAILABILITIES: Readonly<Record<string, Availability>> = {
  in_stock: "in_stock",
  instock: "in_stock",
  limited_availability: "in_stock",
  out_of_stock: "out_of_stock",
  outofstock: "out_of_stock",
  sold_out: "out_of_stock",
  soldout: "out_of_stock",
  preorder: "preorder",
  pre_order: "preorder",
  backorder: "backorder",
  back_order: "backorder",
  available_for_order: "backorder",
  discontinued: "discontinued",
};

const CONDITIONS: Readonly<Record<string, ProductCondition>> = {
  new: "new",
  newcondition: "new",
  refurbished: "refurbished",
  refurbishedcondition: "refurbished",
  used: "used",
  usedcondition: "used",
  used_like_new: "used",
  used_good: "used",
  used_fair: "used",
};

const STATUSES: Readonly<Record<string, ProductStatus>> = {
  active: "active",
  published: "active",
  hidden: "hidden",
  archived: "hidden",
  staging: "hidden",
  inactive: "hidden",
};

/** As schema.org has them, too: `https://schema.org/InStock`. */
function spelling(text: string): string {
  return text
    .toLowerCase()
    .replace(/^https?:\/\/schema\.org\//, "")
    .replaceAll(/[\s_-]+/g, "_");
}

function wordOf<Word extends string>(words: Readonly<Record<string, Word>>, text: string): Word {
  const name = spelling(text);
  const word = Object.hasOwn(words, name) ? words[name] : undefined;
  if (word !== undefined) return word;
  throw new UnfitValue(`Must be one of ${[...new Set(Object.values(words))].join(", ")}.`);
}

/** @throws UnfitValue */
export const readAvailability = (text: string) => wordOf(AVAILABILITIES, text);
/** @throws UnfitValue */
export const readCondition = (text: string) => wordOf(CONDITIONS, text);
/** @throws UnfitValue */
export const readStatus = (text: string) => wordOf(STATUSES, text);
