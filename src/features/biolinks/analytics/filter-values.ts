import Bowser from "bowser";
import { isId } from "../../../platform/ids.ts";
import { HIT_TRIGGERS } from "../../../visitor/clicks/hit-names.ts";
import { languageOf } from "../../../visitor/clicks/visit-properties.ts";
import { type Dimension, SUBJECTS } from "./ledger-shapes.ts";
import { OTHER } from "./referrer.ts";

/** How what is not known of a hit is spelled in a filter; answers say null. */
export const NONE = "(none)";
export const MAX_VALUES = 50;
/** A host may have 253. */
export const MAX_LENGTH = 253;

export interface FilterValues {
  values: string[];
  /** All but these. */
  isExcluded: boolean;
}

/**
 * Reads a filter: values with commas between, each with a minus before it where they are to be left
 * out. A backslash takes the meaning from a comma, a minus or another one. @returns what is wrong
 */
export function readFilter(dimension: Dimension, text: string): FilterValues | string {
  const parts = split(text);
  if (parts.length > MAX_VALUES) return `May have at most ${MAX_VALUES} values.`;
  const excluded = parts.filter(({ isMinus }) => isMinus).length;
  if (excluded > 0 && excluded < parts.length) {
    return "Put a minus before each value or before none.";
  }
  const values: string[] = [];
  for (const { value } of parts) {
    const stored = toStored(dimension, value);
    if (stored === undefined) return `Must be ${wanted(dimension)}, with commas between.`;
    values.push(stored);
  }
  return { values: [...new Set(values)], isExcluded: excluded > 0 };
}

function split(text: string): { value: string; isMinus: boolean }[] {
  const parts: { value: string; isMinus: boolean }[] = [];
  let part = { value: "", isMinus: false };
  for (const [token] of text.matchAll(/\\.|[\s\S]/gu)) {
    if (token === ",") {
      parts.push(part);
      part = { value: "", isMinus: false };
    } else if (token === "-" && part.value.trim() === "" && !part.isMinus) part.isMinus = true;
    else part.value += token.length > 1 && token.startsWith("\\") ? token.slice(1) : token;
  }
  return [...parts, part].map(({ value, isMinus }) => ({ value: value.trim(), isMinus }));
}

const SUBJECT_IDS: ReadonlySet<Dimension> = new Set(SUBJECTS);
const LOWER: ReadonlySet<Dimension> = new Set(["domain", "referrer"]);
/** Where a hit has one of few values: another one is a slip, of which zero would be no answer. */
const CLOSED = {
  // What Bowser calls a bot is counted as a crawler, and has no device.
  device: Object.values(Bowser.PLATFORMS_MAP).filter((device) => device !== "bot"),
  trigger: [...new Set(Object.values(HIT_TRIGGERS))],
};
/** Names that the ledger holds as Bowser spells them, by how they are in small letters. */
const NAMES: Partial<Record<Dimension, ReadonlyMap<string, string>>> = {
  browser: bySmallLetters(Bowser.BROWSER_MAP),
  os: bySmallLetters(Bowser.OS_MAP),
};

function bySmallLetters(names: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.values(names).map((name) => [name.toLowerCase(), name]));
}

/** As the ledger holds it; undefined for what it never holds. */
function toStored(dimension: Dimension, value: string): string | undefined {
  if (value === "" || value.length > MAX_LENGTH || !value.isWellFormed()) return undefined;
  const id = isId(value.toLowerCase()) ? value.toLowerCase() : undefined;
  if (SUBJECT_IDS.has(dimension)) return id;
  if (value === NONE) return "";
  if (value === OTHER) return value;
  if (dimension === "country") {
    const country = value.toUpperCase();
    return /^[A-Z][A-Z0-9]$/.test(country) ? country : undefined;
  }
  if (dimension === "region") return value.toUpperCase();
  if (isClosed(dimension)) return CLOSED[dimension].find((one) => one === value.toLowerCase());
  if (dimension === "language") return languageOf(value) || undefined;
  if (LOWER.has(dimension)) return value.toLowerCase();
  return NAMES[dimension]?.get(value.toLowerCase()) ?? value;
}

function wanted(dimension: Dimension): string {
  if (SUBJECT_IDS.has(dimension)) return "ids (UUID)";
  if (dimension === "country") return `countries of two letters, or ${NONE}`;
  if (dimension === "language")
    return `languages that browsers are set to (de, or de-DE), or ${NONE}`;
  if (isClosed(dimension)) return `one or more of ${CLOSED[dimension].join(", ")} or ${NONE}`;
  return `values of 1 to ${MAX_LENGTH} characters, or ${NONE}`;
}

function isClosed(dimension: Dimension): dimension is keyof typeof CLOSED {
  return Object.hasOwn(CLOSED, dimension);
}

/** The values of a closed set, as descriptions name them. */
export function allOf(dimension: keyof typeof CLOSED): string {
  return CLOSED[dimension].map((value) => `\`${value}\``).join(", ");
}
