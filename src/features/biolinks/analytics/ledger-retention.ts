import type { LedgerStore } from "./ledger.repository.ts";
import { countsKey, readKey, seenKey } from "./ledger-keys.ts";

export const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** Marks of packets made within this time are a row: its 2 MB are 250,000 packets. */
export const MARK_MILLISECONDS = 60 * 1000;
/**
 * A packet may come as late: 4 days in its queue, 10 in that of dead letters, and 30 in their table,
 * from where the operator may send it again.
 */
export const MARK_DAYS = 45;
const SET_ASIDE_DAYS = 30;
const UNTOLD_DAYS = 7;
const HOURS_A_DAY = 24;
const KEPT_MONTHS = 25;
/** A term is said to be used once a month, so it stays a month longer than what it is used in. */
const TERM_MONTHS = KEPT_MONTHS + 2;
const ROWS_A_SLICE = 1000;
const SLICES = 20;
const MARKS_A_DAY = DAY_MILLISECONDS / MARK_MILLISECONDS;

/** The oldest day (UTC, since the epoch) that is kept: what may be asked for is, in each time zone. */
export function oldestDay(time: number): number {
  // West of UTC it is still the day before, for up to 12 hours: of a month that may end earlier.
  const date = new Date(time - DAY_MILLISECONDS / 2);
  // No 29th to 31st, which not every month has: better three days longer than one too short.
  const monthDay = Math.min(date.getUTCDate(), 28);
  const oldest = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - KEPT_MONTHS, monthDay);
  // East of UTC the oldest day that may be asked for begins a day before.
  return Math.floor(oldest / DAY_MILLISECONDS) - 1;
}

/** Deletes what is old enough, a bounded part of it. Whether any of it is left. */
export function purgeOld(store: LedgerStore, time: number): boolean {
  store.inbox.purgeSetAside(time - SET_ASIDE_DAYS * DAY_MILLISECONDS);
  const today = Math.floor(time / DAY_MILLISECONDS);
  const date = new Date(time);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  const limit = ROWS_A_SLICE;
  const oldestMark = (today - MARK_DAYS) * MARKS_A_DAY;
  const slices: (() => number)[] = [
    () => store.purge("seen", { before: seenKey(today - 1, 0), limit }),
    () => store.purge("counts", { before: countsKey(oldestDay(time), 0, 0), limit }),
    () => store.purge("marks", { before: oldestMark, limit }),
    () => store.purge("marks", { from: MARK_DAYS - today, before: 0, limit }),
    // Of days in which nobody could be told of them.
    () => store.purge("scans", { before: (today - UNTOLD_DAYS) * HOURS_A_DAY, limit }),
    () => store.terms.purge(month - TERM_MONTHS, limit),
  ];
  let left = SLICES;
  for (const slice of slices) {
    while (slice() >= limit) if (--left <= 0) return true;
  }
  return false;
}

/** When the next of what is kept is old enough to go; undefined when nothing is kept. */
export function nextPurge(store: LedgerStore): number | undefined {
  const [seen, counts] = [store.firstKey("seen"), store.firstKey("counts")];
  const due: number[] = [];
  if (seen !== undefined) due.push((Math.floor(seen / seenKey(1, 0)) + 2) * DAY_MILLISECONDS);
  if (counts !== undefined) {
    const day = new Date(readKey(counts).day * DAY_MILLISECONDS);
    due.push(day.setUTCMonth(day.getUTCMonth() + KEPT_MONTHS) + 6 * DAY_MILLISECONDS);
  }
  const setAside = store.inbox.firstSetAside();
  if (setAside !== undefined) due.push(setAside + (SET_ASIDE_DAYS + 1) * DAY_MILLISECONDS);
  const mark = store.firstKey("marks");
  if (mark !== undefined)
    due.push((Math.floor(mark / MARKS_A_DAY) + MARK_DAYS + 1) * DAY_MILLISECONDS);
  // What strangers sent is not kept for ever where nobody comes any more.
  const month = store.terms.firstMonth();
  if (month !== undefined) due.push(Date.UTC(1970, month - 1970 * 12 + TERM_MONTHS + 1));
  return due.length > 0 ? Math.min(...due) : undefined;
}
