/** What a product is made of, and the rules between its fields. */

export const AVAILABILITIES = [
  "in_stock",
  "out_of_stock",
  "preorder",
  "backorder",
  "discontinued",
] as const;
export type Availability = (typeof AVAILABILITIES)[number];

export const CONDITIONS = ["new", "refurbished", "used"] as const;
export type ProductCondition = (typeof CONDITIONS)[number];

/** Hidden ones stand in the catalogue and its feeds only by name: no page shows them. */
export const PRODUCT_STATUSES = ["active", "hidden"] as const;
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

/** A file of the workspace, or an address elsewhere, which no page loads. */
export type ProductImage = { file: string } | { url: string };

/** The digits of a GTIN without the blanks and hyphens that people put between them. */
export function gtinDigits(text: string): string {
  return text.replaceAll(/[\s-]/g, "");
}

/** Whether digits are a GTIN-8, -12, -13 or -14, by the last of them. */
export function isGtin(digits: string): boolean {
  if (!/^(\d{8}|\d{12}|\d{13}|\d{14})$/.test(digits)) return false;
  // From the right, each second digit counts threefold; the check digit itself is the first.
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

/** The fields of a product that rules tie together, as they are stored. */
export interface Pricing {
  priceAmount: number | null;
  currency: string | null;
  saleAmount: number | null;
  saleStartsAt: number | null;
  saleEndsAt: number | null;
}

/** What is wrong with prices and times that each are right by themselves, by field. */
export function pricingProblem(pricing: Pricing): { field: string; message: string } | undefined {
  const { priceAmount, saleAmount, saleStartsAt, saleEndsAt } = pricing;
  if (saleAmount !== null && priceAmount === null) {
    return { field: "sale_price", message: "A sale price needs a price." };
  }
  if (saleAmount !== null && priceAmount !== null && saleAmount >= priceAmount) {
    return { field: "sale_price", message: "Must be less than the price." };
  }
  if (saleStartsAt !== null && saleEndsAt !== null && saleEndsAt <= saleStartsAt) {
    return { field: "sale_ends_at", message: "Must be later than sale_starts_at." };
  }
  return undefined;
}

/** What all products of a collection have: each field that stands in it. */
export interface CollectionRule {
  availability?: Availability | undefined;
  brand?: string | undefined;
  product_type?: string | undefined;
  label?: string | undefined;
}
