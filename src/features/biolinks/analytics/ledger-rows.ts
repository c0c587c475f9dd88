import type { LedgerStore } from "./ledger.repository.ts";
import { isSubject } from "./ledger-conditions.ts";
import { NONE, OTHER_VALUES } from "./ledger-counts.ts";
import { type Dimension, type LedgerRow, QUESTION_TOO_WIDE } from "./ledger-shapes.ts";
import type { Tally } from "./ledger-tally.ts";
import { OTHER } from "./referrer.ts";

/** Of all keys of an answer: one RPC takes 32 MB, and a character may be two bytes. */
export const MAX_CHARACTERS = 12_000_000;

/** What was added up, in words; by bucket, and then by the values. @throws when it is too much */
export function toRows(store: LedgerStore, groupBy: Dimension[], tally: Tally): LedgerRow[] {
  const counted = [...tally.rows()].filter(({ counts }) => counts.some((count) => count > 0));
  const names = groupBy.map((dimension, at) => {
    const numbers = [...new Set(counted.map(({ values }) => values[at] ?? NONE))];
    return isSubject(dimension)
      ? new Map(Array.from(store.subjects(numbers), ([number, { id }]) => [number, id]))
      : store.terms.texts(numbers);
  });
  const nameOf = (at: number, value: number) =>
    names[at]?.get(value) ?? (value === NONE ? "" : OTHER);
  let characters = 0;
  return counted
    .map(({ bucket, values, counts }) => {
      const keys = groupBy.map((_, at) => nameOf(at, values[at] ?? OTHER_VALUES));
      for (const key of keys) characters += key.length;
      if (characters > MAX_CHARACTERS) throw new Error(QUESTION_TOO_WIDE);
      return { bucket, keys, counts };
    })
    .sort((one, two) => one.bucket - two.bucket || compareKeys(one.keys, two.keys));
}

export function compareKeys(one: string[], two: string[]): number {
  for (const [at, key] of one.entries()) {
    const other = two[at] ?? "";
    if (key !== other) return key < other ? -1 : 1;
  }
  return 0;
}
