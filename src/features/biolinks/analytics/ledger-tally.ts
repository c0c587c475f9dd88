import { QUESTION_TOO_WIDE } from "./ledger-shapes.ts";

const UNIT = 2 ** 24;
export const MAX_ROWS = 100_000;

/** The counts of a question while they are added up: by bucket and by the numbers of up to two values. */
export class Tally {
  readonly #buckets: (Map<number, number[]> | undefined)[] = [];
  readonly #metrics: number;
  #rows = 0;
  // What comes of one value comes together, and looking it up is most of the work.
  #lastBucket = -1;
  #lastKey = -1;
  #last: number[] = [];

  constructor(metrics: number) {
    this.#metrics = metrics;
  }

  /** @throws when there are too many rows */
  add(bucket: number, first: number, second: number, metric: number, count: number): void {
    // The first value alone is a small number, which is looked up faster.
    const key = second * UNIT + first;
    if (key !== this.#lastKey || bucket !== this.#lastBucket) {
      this.#last = this.#countsOf(bucket, key);
      this.#lastBucket = bucket;
      this.#lastKey = key;
    }
    this.#last[metric] = (this.#last[metric] ?? 0) + count;
  }

  *rows(): Generator<{ bucket: number; values: [number, number]; counts: number[] }> {
    for (const [bucket, rows] of this.#buckets.entries()) {
      for (const [key, counts] of rows ?? []) {
        yield { bucket, values: [key % UNIT, Math.floor(key / UNIT)], counts };
      }
    }
  }

  #countsOf(bucket: number, key: number): number[] {
    let rows = this.#buckets[bucket];
    if (!rows) {
      rows = new Map();
      this.#buckets[bucket] = rows;
    }
    let counts = rows.get(key);
    if (!counts) {
      if (++this.#rows > MAX_ROWS) throw new Error(QUESTION_TOO_WIDE);
      counts = new Array<number>(this.#metrics).fill(0);
      rows.set(key, counts);
    }
    return counts;
  }
}
