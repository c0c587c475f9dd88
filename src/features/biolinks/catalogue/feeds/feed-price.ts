/** Prices as product feeds write them, `12.50 USD`, and in minor units: no floating point between. */
import { CURRENCIES, decimalsOf, plainAmount } from "../currencies.ts";
import { UnfitValue } from "./unfit-value.ts";

export interface Price {
  /** In minor units. */
  amount: number;
  /** ISO 4217. */
  currency: string;
}

const PRICE = /^(?:([a-z]{3})\s*)?(\d+)(?:\.(\d+))?(?:\s*([a-z]{3}))?$/i;
/** So that each is a number without a fraction. */
const MAX_DIGITS = 15;
const KNOWN: ReadonlySet<string> = new Set(CURRENCIES);

/** @throws UnfitValue */
export function readPrice(text: string): Price {
  const [, before, whole = "", part = "", after] = PRICE.exec(text) ?? [];
  const currency = (before ?? after ?? "").toUpperCase();
  if (!currency || (before && after)) {
    throw new UnfitValue("Must be a price with its currency, as 12.50 USD.");
  }
  if (!KNOWN.has(currency)) throw new UnfitValue(`${currency} is no currency of ISO 4217.`);
  const decimals = decimalsOf(currency);
  if (/[1-9]/.test(part.slice(decimals))) {
    throw new UnfitValue(`${currency} has ${decimals || "no"} decimals.`);
  }
  const digits = (whole + part.slice(0, decimals).padEnd(decimals, "0")).replace(/^0+(?=\d)/, "");
  if (digits.length > MAX_DIGITS) throw new UnfitValue("The price is too large.");
  return { amount: Number(digits), currency };
}

export function writePrice({ amount, currency }: Price): string {
  return `${plainAmount(amount, currency)} ${currency}`;
}
