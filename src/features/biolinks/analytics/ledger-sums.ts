import { compareKeys, MAX_CHARACTERS } from "./ledger-rows.ts";
import { type LedgerRow, QUESTION_TOO_WIDE } from "./ledger-shapes.ts";
import { MAX_ROWS } from "./ledger-tally.ts";

/** Adds up the rows of several answers to one question. */
export class RowSums {
  readonly #rows = new Map<string, LedgerRow>();
  #characters = 0;

  /** @throws when the sum has too many rows: as one ledger would */
  add(rows: LedgerRow[]): void {
    for (const { bucket, keys, counts } of rows) {
      const name = [bucket, ...keys].join("\n");
      const row = this.#rows.get(name);
      if (row)
        for (const [at, count] of counts.entries()) row.counts[at] = (row.counts[at] ?? 0) + count;
      else {
        this.#rows.set(name, { bucket, keys, counts: [...counts] });
        for (const key of keys) this.#characters += key.length;
      }
    }
    if (this.#rows.size > MAX_ROWS || this.#characters > MAX_CHARACTERS)
      throw new Error(QUESTION_TOO_WIDE);
  }

  /** By bucket, and then by the keys. */
  rows(): LedgerRow[] {
    return [...this.#rows.values()].sort(
      (one, two) => one.bucket - two.bucket || compareKeys(one.keys, two.keys),
    );
  }
}
