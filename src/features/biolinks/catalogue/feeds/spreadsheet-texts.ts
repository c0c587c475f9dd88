/**
 * Spreadsheets run texts that look like formulas: such a line gets an apostrophe in a CSV, and loses
 * it when that is read again. The one is the exact reverse of the other.
 */
const FORMULA = /[=+\-@\t＝＋－＠]/;
/** What may stand between the begin of a cell and its formula: quotes, too, where a line begins anew. */
const BLANK = /['"\s\p{Cc}\p{Cf}]/u;
/** Where a line begins, or a cell does where the separator is another one than ours. */
const BEFORE_CELL = /[\r\n\v\f\u0085\u2028\u2029;\t]/;

/** Where lines begin that, behind blanks and apostrophes, are a formula. From the last to the first. */
function findFormulas(text: string): number[] {
  const found: number[] = [];
  let isAhead = false;
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at] ?? "";
    isAhead = FORMULA.test(character) || (isAhead && BLANK.test(character));
    if (isAhead && (at === 0 || BEFORE_CELL.test(text[at - 1] ?? ""))) found.push(at);
  }
  return found;
}

export function guardFormulas(text: string): string {
  return rewritten(text, findFormulas(text), (rest) => `'${rest}`);
}

export function unguardFormulas(text: string): string {
  if (!text.includes("'")) return text;
  const guarded = findFormulas(text).filter((at) => text[at] === "'");
  return rewritten(text, guarded, (rest) => rest.slice(1));
}

/** The text with what follows each place, up to the next, made anew. `places`: the last comes first. */
function rewritten(text: string, places: number[], make: (rest: string) => string): string {
  const parts: string[] = [];
  let end = text.length;
  for (const at of places) {
    parts.push(make(text.slice(at, end)));
    end = at;
  }
  parts.push(text.slice(0, end));
  return parts.reverse().join("");
}
