import { Temporal } from "temporal-polyfill/implementation";
import { SLOT_MILLISECONDS } from "./ledger-shapes.ts";
import { precedingEdges, shiftedBack } from "./range-before.ts";
import { beginOf, type SlotRange, slotOf, startOfDay, zonedTime } from "./time-buckets.ts";

export const PERIODS = ["24h", "7d", "30d", "90d", "12mo", "mtd", "ytd"] as const;
export type Period = (typeof PERIODS)[number];
export const DEFAULT_PERIOD: Period = "30d";

/** A bound of a range as it was sent: a time, or a day of the asked time zone (`2026-11-01`). */
export type Bound = number | string;

export interface AskedRange {
  from?: Bound | undefined;
  to?: Bound | undefined;
  period?: Period | undefined;
}

/** A range, and how the edges of the one before are found from its own. */
export interface FoundRange extends SlotRange {
  before: (edges: number[]) => number[];
}

/** How far back anything is kept. */
export const KEPT_MONTHS = 25;

/** The first slot that may be asked for: the begin of a day 25 months ago. */
export function oldestSlot(now: number, zone: string): number {
  const today = zonedTime(slotOf(now), zone).toPlainDate();
  return startOfDay(today.subtract({ months: KEPT_MONTHS }), zone);
}

/** A range in slots. Bounds between quarter hours are moved outwards; the present slot is in it. */
export function findRange(asked: AskedRange, zone: string, now: number): FoundRange {
  const end = slotOf(now) + 1;
  if (asked.from === undefined) {
    const { from, ...period } = ofPeriod(asked.period ?? DEFAULT_PERIOD, zone, slotOf(now));
    const shift = Temporal.Duration.from(period.shift);
    return { from, to: end, before: (edges) => shiftedBack(edges, shift, zone) };
  }
  const from = firstSlot(asked.from, zone);
  const to = asked.to === undefined ? end : endSlot(asked.to, zone);
  return { from, to, before: (edges) => precedingEdges(edges, zone) };
}

/** Periods end with the present: `7d` is today and the six days before. */
function ofPeriod(
  period: Period,
  zone: string,
  present: number,
): { from: number; shift: Temporal.DurationLike } {
  const today = zonedTime(present, zone).toPlainDate();
  const daysBack = (days: number) => ({
    from: startOfDay(today.subtract({ days: days - 1 }), zone),
    shift: { days },
  });
  const month = beginOf(today, "month");
  switch (period) {
    case "24h": {
      const local = zonedTime(present, zone);
      const hour = slotOf(local.subtract({ minutes: local.minute }).epochMilliseconds);
      return { from: hour - (23 * 60 * 60_000) / SLOT_MILLISECONDS, shift: { hours: 24 } };
    }
    case "7d":
      return daysBack(7);
    case "30d":
      return daysBack(30);
    case "90d":
      return daysBack(90);
    case "12mo":
      return { from: startOfDay(month.subtract({ months: 11 }), zone), shift: { months: 12 } };
    case "mtd":
      return { from: startOfDay(month, zone), shift: { months: 1 } };
    case "ytd":
      return { from: startOfDay(month.with({ month: 1 }), zone), shift: { years: 1 } };
  }
}

function firstSlot(bound: Bound, zone: string): number {
  return typeof bound === "number"
    ? slotOf(bound)
    : startOfDay(Temporal.PlainDate.from(bound), zone);
}

/** The last quarter of an hour that RFC 3339 can name. */
const LAST_END = Temporal.PlainDateTime.from("9999-12-31T23:45");

/** The slot at which a range ends: a day is in it as a whole. `9999-12-31` is often sent for no end. */
function endSlot(bound: Bound, zone: string): number {
  const end =
    typeof bound === "number"
      ? Math.ceil(bound / SLOT_MILLISECONDS)
      : startOfDay(Temporal.PlainDate.from(bound).add({ days: 1 }), zone);
  return Math.min(end, slotOf(LAST_END.toZonedDateTime(zone).epochMilliseconds));
}
