import { SLOTS_A_DAY } from "./ledger-counts.ts";

/** A day (UTC) of a question. */
export interface BucketDay {
  day: number;
  /** The bucket of each slot, or -1. */
  slots: Int32Array;
  /** The bucket of the whole day, as far as it is over; -1 when there is none. */
  whole: number;
}

/** The days of buckets, up to a slot after which nothing is counted. */
export function bucketDays(buckets: number[], oldestDay: number, newestSlot: number): BucketDay[] {
  const [first = 0, last = 0] = [buckets[0], buckets.at(-1)];
  const days: BucketDay[] = [];
  let bucket = 0;
  const end = Math.min(last, newestSlot + 1);
  const begin = Math.max(Math.floor(first / SLOTS_A_DAY), oldestDay);
  for (let day = begin; day * SLOTS_A_DAY < end; day++) {
    const slots = new Int32Array(SLOTS_A_DAY).fill(-1);
    const begins = day * SLOTS_A_DAY;
    for (let at = 0; at < SLOTS_A_DAY; at++) {
      const slot = begins + at;
      if (slot < first || slot >= end) continue;
      while (slot >= (buckets[bucket + 1] ?? Number.POSITIVE_INFINITY)) bucket++;
      slots[at] = bucket;
    }
    const over = slots.subarray(0, Math.min(SLOTS_A_DAY, newestSlot + 1 - begins));
    const only = over[0] ?? -1;
    days.push({ day, slots, whole: over.every((of) => of === only) ? only : -1 });
  }
  return days;
}
