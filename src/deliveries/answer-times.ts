/**
 * Answer times are counted in buckets, so that those of a day are a few small rows: up to 10 ms
 * each has its own, then a bucket ends a fifth later than the one before it. What is told of a
 * bucket is at most a tenth off for every time in it, up to the 15 s that an attempt may take.
 */
const GROWTH = 1.2;
const LONGEST_MILLISECONDS = 15_000;

/** The longest time of each bucket. */
const ENDS = bucketEnds();

function bucketEnds(): number[] {
  const ends = [0];
  for (let last = 0; last < LONGEST_MILLISECONDS; ends.push(last)) {
    last = Math.max(last + 1, Math.floor(last * GROWTH));
  }
  return ends;
}

/** How many times fell into each bucket, by its number. */
export type AnswerTimes = Record<string, number>;

/** The number of a time's bucket; what is longer than all is in the last. */
export function bucketOf(milliseconds: number): number {
  const bucket = ENDS.findIndex((end) => milliseconds <= end);
  return bucket === -1 ? ENDS.length - 1 : bucket;
}

export function addAnswerTimes(all: AnswerTimes[]): AnswerTimes {
  const sum: AnswerTimes = {};
  for (const times of all) {
    for (const [bucket, count] of Object.entries(times)) sum[bucket] = (sum[bucket] ?? 0) + count;
  }
  return sum;
}

/** The time that a share of all times, as 0.95, do not exceed; null when there are none. */
export function percentileOf(times: AnswerTimes, share: number): number | null {
  const counted = Object.entries(times)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .sort((one, other) => one.bucket - other.bucket);
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  let left = Math.ceil(total * share);
  for (const { bucket, count } of counted) {
    left -= count;
    if (left <= 0) return middleOf(bucket);
  }
  return null;
}

/** The time that is off by the same share for the shortest and the longest of a bucket. */
function middleOf(bucket: number): number {
  const longest = ENDS[Math.min(bucket, ENDS.length - 1)] ?? 0;
  if (longest === 0) return 0;
  const shortest = (ENDS[bucket - 1] ?? 0) + 1;
  return Math.round((2 * shortest * longest) / (shortest + longest));
}
