import type { Temporal } from "temporal-polyfill/implementation";
import { type SlotRange, slotOf, startOfDay, zonedTime } from "./time-buckets.ts";

/**
 * The range before one is divided by the edges of that one, moved back: each row is compared with
 * the same stretch of time, and all of the range before is in some row, however long its days are.
 */

/** Of a period, as much of the one before as has passed of this one: it is not over. */
export function shiftedBack(edges: number[], shift: Temporal.Duration, zone: string): number[] {
  const earlier = (slot: number) => slotOf(zonedTime(slot, zone).subtract(shift).epochMilliseconds);
  const [from, to] = endsOf(edges);
  const start = earlier(from);
  const range = { from: start, to: Math.max(earlier(to), start + 1) };
  return movedBack(edges, shift, zone, range);
}

/** As many months before, if the range is such, else as many days and what is left of one. */
export function precedingEdges(edges: number[], zone: string): number[] {
  const [from, to] = endsOf(edges);
  const [start, end] = [zonedTime(from, zone), zonedTime(to, zone)];
  const areMonths = [start, end].every((time) => time.day === 1 && isStartOfDay(time));
  const length = start.until(end, { largestUnit: areMonths ? "month" : "day" });
  const range = { from: slotOf(start.subtract(length).epochMilliseconds), to: from };
  return movedBack(edges, length, zone, range);
}

function endsOf(edges: number[]): [number, number] {
  return [edges[0] ?? 0, edges.at(-1) ?? 0];
}

function isStartOfDay(time: Temporal.ZonedDateTime): boolean {
  return time.epochMilliseconds === time.startOfDay().epochMilliseconds;
}

/** Edges may fall together: an hour or a day that the range before was without is an empty stretch. */
function movedBack(
  edges: number[],
  shift: Temporal.Duration,
  zone: string,
  { from, to }: SlotRange,
): number[] {
  const moved = [from];
  let last = from;
  for (const edge of edges.slice(1, -1)) {
    // Where clocks are set back, a later time may be an earlier one on the day before.
    last = Math.min(Math.max(counterpartOf(edge, shift, zone), last), to);
    moved.push(last);
  }
  return [...moved, to];
}

/** A day that a shorter month is without is taken for its end: the days before keep their own. */
function counterpartOf(slot: number, shift: Temporal.Duration, zone: string): number {
  const time = zonedTime(slot, zone);
  const day = time.toPlainDate();
  const dayThen = day.subtract({ years: shift.years, months: shift.months });
  if (dayThen.day < day.day) return startOfDay(dayThen.add({ days: 1 }), zone);
  return slotOf(time.subtract(shift).epochMilliseconds);
}
