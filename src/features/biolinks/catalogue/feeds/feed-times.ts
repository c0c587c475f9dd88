/** When a sale price holds, as product feeds write it: two times of ISO 8601 and a slash between. */
import { LAST_TIME } from "../../../../api/times.ts";
import { UnfitValue } from "./unfit-value.ts";

export interface SaleTimes {
  /** In milliseconds; null: at once, or without an end. */
  startsAt: number | null;
  endsAt: number | null;
}

const DAY_MILLISECONDS = 24 * 60 * 60_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** The colon of the offset may be missing, and the offset too: then the time is UTC's. */
const TIME =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(\.\d{1,3})?\s*(?:(Z)|([+-]\d\d):?(\d\d))?$/i;
/** Open sides, for readers that know none. */
const LONG_AGO = "2000-01-01T00:00+0000";
const FAR_AHEAD = "2100-01-01T00:00+0000";

/** @throws UnfitValue */
export function readSaleTimes(text: string): SaleTimes {
  const sides = text.split("/").map((side) => side.trim());
  const [start = "", end = ""] = sides;
  if (sides.length !== 2 || (isOpen(start) && isOpen(end))) {
    throw new UnfitValue("Must be two times, as 2026-11-20T08:00+0100/2026-11-30T23:59+0100.");
  }
  return {
    startsAt: isOpen(start) ? null : readFeedTime(start, "start"),
    endsAt: isOpen(end) ? null : readFeedTime(end, "end"),
  };
}

function isOpen(side: string): boolean {
  return side === "" || side === "..";
}

/**
 * A time, or a day: that begins at midnight UTC, or is over then. Feeds say 9999-12-31 for "without
 * an end". @throws UnfitValue
 */
export function readFeedTime(text: string, side: "start" | "end"): number {
  const wrong = new UnfitValue(`${text.slice(0, 40)} is no time, as 2026-11-20T08:00+0100.`);
  if (DAY.test(text)) {
    const day = exactTime(text, "T00:00:00Z");
    if (day === undefined) throw wrong;
    return side === "start" ? day : Math.min(day + DAY_MILLISECONDS, LAST_TIME);
  }
  const [, day, minute, second = ":00", part = "", , hours, minutes] = TIME.exec(text) ?? [];
  if (!day || !minute) throw wrong;
  const zone = hours ? `${hours}:${minutes}` : "Z";
  const time = exactTime(day, `T${minute}${second}${part}${zone}`);
  if (time === undefined) throw wrong;
  return Math.min(time, LAST_TIME);
}

/** Undefined for a day that no calendar has: the parser takes 31 February for one in March. */
function exactTime(day: string, rest: string): number | undefined {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) {
    return undefined;
  }
  const time = Date.parse(day + rest);
  return Number.isNaN(time) ? undefined : time;
}

/** As no more than what is in it: to the minute where it is a whole one. */
function writeFeedTime(time: number): string {
  const [date = "", clock = ""] = new Date(time).toISOString().slice(0, -1).split("T");
  return `${date}T${clock.replace(/\.000$/, "").replace(/:00$/, "")}+0000`;
}

/** Undefined when there are none. */
export function writeSaleTimes({ startsAt, endsAt }: SaleTimes): string | undefined {
  if (startsAt === null && endsAt === null) return undefined;
  const write = (time: number | null) => (time === null ? ".." : writeFeedTime(time));
  return `${write(startsAt)}/${write(endsAt)}`;
}

/** The same for readers that know no open side. */
export function writeClosedSaleTimes(times: SaleTimes): string | undefined {
  const [start, end] = writeSaleTimes(times)?.split("/") ?? [];
  if (!start || !end) return undefined;
  return `${start === ".." ? LONG_AGO : start}/${end === ".." ? FAR_AHEAD : end}`;
}
