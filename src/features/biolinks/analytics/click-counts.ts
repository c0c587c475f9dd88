import type { ClickKind } from "../../../visitor/clicks/click-packet.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** With a host of 253 characters in each, still within the 2 MB that D1 takes as one parameter. */
const ROWS_A_STATEMENT = 4000;

/** Clicks that are counted alike. */
export interface CountedClicks {
  linkId: string;
  workspaceId: string;
  /** Start of the hour, milliseconds since the epoch. */
  hour: number;
  kind: ClickKind;
  country: string;
  device: string;
  referrer: string;
  clicks: number;
}

/** Hour, kind, country, device, referrer, clicks, and the how-manieth referrer of its day this is. */
export type CountedRow = [number, ClickKind, string, string, string, number, number];
/** Link id, workspace id, day since the epoch, and its rows. */
export type CountedDay = [string, string, number, CountedRow[]];

/**
 * Clicks added up by link and day, in parts that are a statement each. A part has a link and day
 * once, and numbers its rows and referrers: so one statement knows how many it may add.
 */
export function addUp(
  counted: Iterable<CountedClicks>,
  rowsAPart = ROWS_A_STATEMENT,
): CountedDay[][] {
  const parts: CountedDay[][] = [];
  let room = 0;
  for (const rows of byDay(counted)) {
    for (let at = 0; at < rows.length; ) {
      if (room === 0) {
        parts.push([]);
        room = rowsAPart;
      }
      const some = rows.slice(at, at + room);
      parts.at(-1)?.push(toDay(some));
      room -= some.length;
      at += some.length;
    }
  }
  return parts;
}

/** Each different row once, those of a link and day together. */
function byDay(counted: Iterable<CountedClicks>): CountedClicks[][] {
  const days = new Map<string, Map<string, CountedClicks>>();
  for (const one of counted) {
    const { linkId, workspaceId, hour, kind, country, device, referrer } = one;
    const ofDay = `${linkId} ${workspaceId} ${dayOf(hour)}`;
    const rows = days.get(ofDay) ?? new Map<string, CountedClicks>();
    days.set(ofDay, rows);
    const key = `${hour} ${kind} ${country} ${device} ${referrer}`;
    const same = rows.get(key);
    if (same) same.clicks += one.clicks;
    else rows.set(key, { ...one });
  }
  return [...days.values()].map((rows) => [...rows.values()]);
}

function toDay(rows: CountedClicks[]): CountedDay {
  const [first] = rows;
  if (!first) throw new Error("A day without clicks.");
  const numbers = new Map([["", 0]]);
  const numbered = rows.map(({ hour, kind, country, device, referrer, clicks }): CountedRow => {
    const number = numbers.get(referrer) ?? numbers.size;
    numbers.set(referrer, number);
    return [hour, kind, country, device, referrer, clicks, number];
  });
  return [first.linkId, first.workspaceId, dayOf(first.hour), numbered];
}

/** Days since the epoch, UTC. */
export function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / DAY_MILLISECONDS);
}
