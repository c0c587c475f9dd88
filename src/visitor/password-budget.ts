/**
 * What many addresses together may try at one link. A guess that fails takes one of 300; one comes
 * back every 3 s: however many guess, at most 300 and 28,800 a day. Whoever has failed less in the
 * last hour comes first: the last 100 are for those who failed less than 3 times, and each failure
 * more closes two more. So to keep out whoever failed so often takes others who failed no more than
 * that: 400 addresses (or /48s) an hour for newcomers, 120 for those with 10 failures.
 */
export const LINK_TRIES = 300;
export const KEPT_FOR_OTHERS = 100;
const CLOSED_BY_A_FAILURE = 2;
export const REFILL_MILLISECONDS = 3000;
/** People mistype. */
export const FREE_FAILURES = 3;
/** More of them make no difference. */
export const COUNTED_FAILURES = 53;

/** How many tries are left, and since when. */
export interface Budget {
  left: number;
  at: number;
}

/** The budget with what has come back by now. */
export function refill({ left, at }: Budget, now: number): Budget {
  const returned = Math.max(Math.floor((now - at) / REFILL_MILLISECONDS), 0);
  if (left + returned >= LINK_TRIES) return { left: LINK_TRIES, at: now };
  return { left: left + returned, at: at + returned * REFILL_MILLISECONDS };
}

/** How long whoever failed so often must wait for a try, in milliseconds; 0: it may be taken. */
export function waitForTry({ left, at }: Budget, failures: number, now: number): number {
  const needed = keptFrom(failures) + 1;
  if (left >= needed) return 0;
  return Math.max(at + (needed - left) * REFILL_MILLISECONDS - now, 1);
}

/** How many tries are left alone for those who have failed less often. */
function keptFrom(failures: number): number {
  if (failures < FREE_FAILURES) return 0;
  const counted = Math.min(failures, COUNTED_FAILURES) - FREE_FAILURES;
  return KEPT_FOR_OTHERS + CLOSED_BY_A_FAILURE * counted;
}

export function take({ left, at }: Budget): Budget {
  return { left: left - 1, at };
}

/** A try that was right costs nothing: a crowd that knows the password uses nothing up. */
export function giveBack({ left, at }: Budget): Budget {
  return { left: Math.min(left + 1, LINK_TRIES), at };
}

/** How long until one more is allowed of those that came at these times, at most `limit` in a period. */
export function waitInWindow(times: number[], limit: number, period: number, now: number): number {
  const oldest = times.length < limit ? undefined : times.at(-limit);
  return oldest === undefined ? 0 : Math.max(oldest + period - now, 1);
}
