// Its own implementation: a deployed Worker's native Temporal has stood at epoch 0 (workerd 6907).
import { Temporal } from "temporal-polyfill/implementation";
import { SLOT_MILLISECONDS } from "./ledger-shapes.ts";

export const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** From one slot up to, but not including, another. */
export interface SlotRange {
  from: number;
  to: number;
}

const MINUTES_A_SLOT = SLOT_MILLISECONDS / 60_000;

/** The slot that a time is in. */
export function slotOf(milliseconds: number): number {
  return Math.floor(milliseconds / SLOT_MILLISECONDS);
}

export function zonedTime(slot: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(slot * SLOT_MILLISECONDS).toZonedDateTimeISO(zone);
}

/** RFC 3339 with the zone's offset at that time. */
export function toZonedTimestamp(slot: number, zone: string): string {
  return zonedTime(slot, zone).toString({ timeZoneName: "never" });
}

/** The slot that a day begins in: not always at midnight, which clocks may leave out. */
export function startOfDay(date: Temporal.PlainDate, zone: string): number {
  return slotOf(date.toZonedDateTime(zone).epochMilliseconds);
}

/**
 * The slots in which the rows of a range begin, and at last its end; undefined when they are more
 * than `maxRows`. The first and the last row are only as long as the range has of them.
 */
export function edgesOf(
  range: SlotRange,
  interval: Interval | undefined,
  zone: string,
  maxRows: number,
): number[] | undefined {
  const edges = [range.from];
  if (interval) {
    const starts = interval === "hour" ? hours(range, zone) : days(range, zone, interval);
    for (const start of starts) {
      if (edges.length >= maxRows) return undefined;
      edges.push(start);
    }
  }
  return [...edges, range.to];
}

/** Begins of hours within a range. One ends at the latest where clocks are set, be it at half past. */
function* hours({ from, to }: SlotRange, zone: string): Generator<number> {
  let at = from;
  let offset = offsetMinutes(at, zone);
  for (;;) {
    const localMinute = modulo(at * MINUTES_A_SLOT + offset, 60);
    let next = at + Math.ceil((60 - localMinute) / MINUTES_A_SLOT);
    const then = offsetMinutes(next, zone);
    if (then !== offset) {
      next = at + 1;
      while (offsetMinutes(next, zone) === offset) next++;
    }
    if (next >= to) return;
    yield next;
    at = next;
    offset = then;
  }
}

function offsetMinutes(slot: number, zone: string): number {
  return zonedTime(slot, zone).offsetNanoseconds / 60e9;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** Begins of days, weeks (on Mondays) or months within a range. */
function* days(
  { from, to }: SlotRange,
  zone: string,
  interval: Exclude<Interval, "hour">,
): Generator<number> {
  const step = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } }[interval];
  let date = beginOf(zonedTime(from, zone).toPlainDate(), interval);
  let last = from;
  for (;;) {
    date = date.add(step);
    const start = startOfDay(date, zone);
    if (start >= to) return;
    // A day that the zone left out (Apia, 30 December 2011) begins where the next one does.
    if (start <= last) continue;
    yield start;
    last = start;
  }
}

/** The first day of the week or month that a day is in. */
export function beginOf(
  date: Temporal.PlainDate,
  interval: Exclude<Interval, "hour">,
): Temporal.PlainDate {
  if (interval === "day") return date;
  if (interval === "month") return date.with({ day: 1 });
  return date.subtract({ days: date.dayOfWeek - 1 });
}

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** An IANA time zone's name in its proper case; undefined if there is none of this name. */
export function findTimeZone(name: string): string | undefined {
  if (!ZONE_NAME.test(name)) return undefined;
  try {
    return zonedTime(0, name).timeZoneId;
  } catch {
    return undefined;
  }
}
