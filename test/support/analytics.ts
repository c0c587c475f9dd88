import { validateQuery } from "../../src/api/request-query.ts";
import {
  AnalyticsQuery,
  type AnalyticsRow,
} from "../../src/features/biolinks/analytics/analytics.schemas.ts";
import { askAnalytics } from "../../src/features/biolinks/analytics/analytics.service.ts";
import {
  type CountedHits,
  type Ledger,
  SLOT_MILLISECONDS,
} from "../../src/features/biolinks/analytics/ledger-shapes.ts";
import { newId } from "../../src/platform/ids.ts";
import { workIn } from "./work.ts";

/** A hit at a time: a person's click on one link, unless said otherwise. */
export function hitAt(time: string | number, given: Partial<CountedHits> = {}): CountedHits {
  const slot = Math.floor(new Date(time).getTime() / SLOT_MILLISECONDS);
  const plain = { subject: "link", count: "clicks", traffic: "human", hits: 1 } as const;
  return { ...plain, id: SOME_LINK, slot, properties: {}, visitors: [], ...given };
}

export const SOME_LINK = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a44";
export const OTHER_LINK = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a55";

/** Hands hits to a ledger, in one packet. */
export async function append(
  ledger: Pick<Ledger, "append">,
  ...hits: CountedHits[]
): Promise<void> {
  await ledger.append([{ id: newId(), hits }]);
}

/** Asks as `GET /analytics?…` does, of this ledger. */
export async function ask(ledger: Ledger, search: string) {
  return askAnalytics(workIn(newId()), validateQuery(AnalyticsQuery, `?${search}`), ledger);
}

/** Rows of an answer as their fields' values, in order. */
export function tableOf(rows: AnalyticsRow[]): unknown[][] {
  return rows.map((row) => Object.values(row));
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local time of a zone, by the runtime's own calendar: nothing of ours has a part in it. */
export function localTime(time: number, zone: string) {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      timeZoneName: "longOffset",
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(
    format.formatToParts(time).map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, timeZoneName: offset } = parts;
  return { date: `${year}-${month}-${day}`, hour, offset };
}

/** What hour, day, week or month of a zone a time is in, as a text. */
export function labelOf(time: number, interval: string, zone: string): string {
  const { date, hour, offset } = localTime(time, zone);
  if (interval === "hour") return `${date} ${hour} ${offset}`;
  if (interval === "day") return date;
  if (interval === "month") return date.slice(0, 7);
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const daysSinceMonday = (new Date(midnight).getUTCDay() + 6) % 7;
  return new Date(midnight - daysSinceMonday * 24 * 60 * 60_000).toISOString().slice(0, 10);
}
