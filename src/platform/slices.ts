import type { Log } from "./log.ts";
import { now } from "./time.ts";

/** What a job of a minute may take: so many slices of so many rows, and no longer than its time. */
export interface Share {
  rows: number;
  slices: number;
}

const SHARE_MILLISECONDS = 10_000;

/**
 * Runs a slice after the other until one finds less than it may take, or the share is used up: the
 * next minute goes on. A slice is told how many rows it may take, and answers how many it took.
 */
export async function workInSlices(
  { log }: { log: Log },
  { rows, slices }: Share,
  slice: (limit: number) => Promise<number>,
): Promise<void> {
  const isTimeUp = shareOfTime(SHARE_MILLISECONDS);
  let done = 0;
  for (let at = 0; at < slices; at++) {
    const taken = await slice(rows);
    done += taken;
    if (taken < rows) return;
    if (isTimeUp()) break;
  }
  log.info("work_left", { done });
}

/** Tells whether so many milliseconds are over, from now on. */
export function shareOfTime(milliseconds: number): () => boolean {
  const startedAt = now();
  return () => now() - startedAt >= milliseconds;
}
