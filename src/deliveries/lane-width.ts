const MOST = 5;
const FIRST = 2;
/** An answer within this is quick: the receiver may have one more at a time, */
const QUICK_MILLISECONDS = 1000;
/** and one that takes so long gets one less. */
const SLOW_MILLISECONDS = 5000;

/**
 * How many attempts a lane makes at a time: from one, for a receiver that hangs, to five, as an
 * invocation may hold six connections and the database needs one.
 */
export function nextWidth(width: number, durationMs: number): number {
  if (durationMs <= QUICK_MILLISECONDS) return Math.min(width + 1, MOST);
  if (durationMs >= SLOW_MILLISECONDS) return Math.max(width - 1, 1);
  return width;
}

export const FIRST_WIDTH = FIRST;

/** What is written ahead into the journal leaves within this, if the receiver stays as quick. */
const AHEAD_MILLISECONDS = 100;
/**
 * At most so many. When a lane dies, those under way, those ahead and those that ended since the
 * last commit are `interrupted`, and mostly sent again.
 */
const MOST_AHEAD = 20;

/** How many attempts are written into the journal before they begin, by how quick the receiver is. */
export function writtenAhead(width: number, durationMs: number): number {
  return Math.min(width * Math.floor(AHEAD_MILLISECONDS / Math.max(durationMs, 1)), MOST_AHEAD);
}
