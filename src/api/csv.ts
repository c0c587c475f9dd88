/** Spreadsheets take a file without it for one of their own encoding. */
export const BYTE_ORDER_MARK = "\u{FEFF}";
const LINE_END = "\r\n";

/**
 * Where a spreadsheet may begin a cell or skip what stands before a formula: breaks of lines, what
 * other programs than ours separate cells with, quotes, blanks. Then the sign of a formula.
 */
const BEFORE_SIGN = /[\s";\p{Cc}\p{Cf}]+[=+\-@＝＋－＠]?|^[=+\-@＝＋－＠]/gu;
const SIGN = /[=+\-@＝＋－＠]$/;
const BEGINS_CELL = /[\r\n\v\f\u0085\u2028\u2029;\t]/;
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** A text that no spreadsheet runs: an apostrophe stands before each sign that could begin a formula. */
function defused(text: string): string {
  return text.replace(BEFORE_SIGN, (found, at: number) => {
    const isFormula = SIGN.test(found) && (at === 0 || BEGINS_CELL.test(found));
    return isFormula ? `${found.slice(0, -1)}'${found.slice(-1)}` : found;
  });
}

/** A cell as RFC 4180 writes it; what could be run as a formula is {@link defused}. */
export function csvCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const harmless = defused(value);
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function csvLine(cells: (string | number | null | undefined)[]): string {
  return cells.map(csvCell).join(",") + LINE_END;
}
