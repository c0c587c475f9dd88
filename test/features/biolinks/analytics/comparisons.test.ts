import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Ledger,
  SLOT_MILLISECONDS,
} from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import { INTERVALS } from "../../../../src/features/biolinks/analytics/time-buckets.ts";
import { PERIODS } from "../../../../src/features/biolinks/analytics/time-range.ts";
import { append, ask, hitAt } from "../../../support/analytics.ts";
import { newLedger } from "../../../support/ledger.ts";
import { LedgerOracle } from "../../../support/ledger-oracle.ts";

/** Rows that are compared with the range before tell of all of it, each of its own stretch of time. */

const HOUR = 60 * 60_000;
const NOW = Date.parse("2026-11-22T14:07:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A click and a visitor in each quarter of an hour of a range, so that sums tell how long it is. */
async function ledgerOf(from: string, to: string): Promise<LedgerOracle> {
  const ledger = new LedgerOracle();
  const slots = (Date.parse(to) - Date.parse(from)) / SLOT_MILLISECONDS;
  const times = Array.from({ length: slots }, (_, n) => Date.parse(from) + n * SLOT_MILLISECONDS);
  await append(ledger, ...times.map((at, n) => hitAt(at, { visitors: [`visitor ${n}`] })));
  return ledger;
}

/** The previous starts and clicks of the rows; null where there is no counterpart. */
async function previousOf(ledger: Ledger, asked: string) {
  const { data } = await ask(ledger, `metrics=clicks&compare=previous&limit=1000&${asked}`);
  return data.map(({ previous }) => previous && [previous.start, previous.clicks]);
}

describe("the range before", () => {
  it("is one row where this one is, though two of its weeks touch it", async () => {
    const ledger = await ledgerOf("2026-10-20T00:00:00Z", "2026-11-08T00:00:00Z");
    expect(await previousOf(ledger, "from=2026-11-03&to=2026-11-07&interval=week")).toEqual([
      ["2026-10-29T00:00:00+00:00", 5 * 96],
    ]);
  });

  it("is one row where this one is, though two of its days touch it", async () => {
    const ledger = await ledgerOf("2026-11-20T00:00:00Z", "2026-11-30T00:00:00Z");
    const asked =
      "from=2026-11-28T01:00:00%2B02:00&to=2026-11-29T00:00:00%2B02:00&interval=day&time_zone=Africa/Cairo";
    vi.setSystemTime("2026-12-01T00:00:00Z");
    expect(await previousOf(ledger, asked)).toEqual([["2026-11-27T02:00:00+02:00", 23 * 4]]);
  });

  it("has an hour of two in a day before on which clocks were set back", async () => {
    const ledger = await ledgerOf("2026-10-30T00:00:00Z", "2026-11-05T00:00:00Z");
    const asked = "from=2026-11-02&to=2026-11-02&interval=hour&time_zone=America/New_York";
    const rows = await previousOf(ledger, asked);
    expect(rows).toHaveLength(24);
    expect(rows.slice(0, 3)).toEqual([
      ["2026-11-01T00:00:00-04:00", 4],
      ["2026-11-01T01:00:00-04:00", 8],
      ["2026-11-01T02:00:00-05:00", 4],
    ]);
    expect(rows.at(-1)).toEqual(["2026-11-01T23:00:00-05:00", 4]);
  });

  it("has no hour where clocks were set forward, and each other one its own", async () => {
    const ledger = await ledgerOf("2026-03-06T00:00:00Z", "2026-03-12T00:00:00Z");
    const asked = "from=2026-03-09&to=2026-03-09&interval=hour&time_zone=America/New_York";
    const rows = await previousOf(ledger, asked);
    expect(rows).toHaveLength(24);
    expect(rows.slice(1, 4)).toEqual([
      ["2026-03-08T01:00:00-05:00", 4],
      null,
      ["2026-03-08T03:00:00-04:00", 4],
    ]);
  });

  it("has no day that a shorter month is without", async () => {
    const ledger = await ledgerOf("2026-01-30T00:00:00Z", "2026-03-02T00:00:00Z");
    const month = await previousOf(ledger, "from=2026-03-01&to=2026-03-31&interval=day");
    expect(month).toHaveLength(31);
    expect(month.slice(26)).toEqual([
      ["2026-02-27T00:00:00+00:00", 96],
      ["2026-02-28T00:00:00+00:00", 96],
      null,
      null,
      null,
    ]);
    vi.setSystemTime("2026-03-31T14:07:00Z");
    const toDate = await previousOf(ledger, "period=mtd&interval=day");
    expect(toDate.slice(26)).toEqual([
      ["2026-02-27T00:00:00+00:00", 96],
      ["2026-02-28T00:00:00+00:00", 57],
      null,
      null,
      null,
    ]);
  });

  it("has the rest of a longer month with the last day of this one", async () => {
    const ledger = await ledgerOf("2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z");
    const rows = await previousOf(ledger, "from=2026-02-01&to=2026-02-28&interval=day");
    expect(rows).toHaveLength(28);
    expect(rows.slice(26)).toEqual([
      ["2026-01-27T00:00:00+00:00", 96],
      ["2026-01-28T00:00:00+00:00", 4 * 96],
    ]);
  });
});

/** What is asked: the ledger itself, and one that goes through every hit. */
const LEDGERS: [string, number, () => Ledger][] = [
  ["the ledger", 30, () => newLedger() as unknown as Ledger],
  ["all hits", 300, () => new LedgerOracle()],
];

/** Days around which clocks are set, and ends of months that the one before is shorter than. */
const DAYS: [string, string][] = [
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2025-11-02"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Pacific/Chatham", "2026-04-05"],
  ["Africa/Cairo", "2026-04-24"],
  ["Africa/Cairo", "2025-10-31"],
  ["America/Santiago", "2026-09-06"],
  ["Asia/Kathmandu", "2026-03-31"],
  ["UTC", "2026-05-31"],
];

/** A moment up to ten days after such a day begins, or one before. */
const anyQuestion = fc.record({
  day: fc.constantFrom(...DAYS),
  after: fc.integer({ min: -36 * 4, max: 240 * 4 }),
  interval: fc.constantFrom(...INTERVALS),
  range: fc.oneof(
    fc.constantFrom(...PERIODS.filter((period) => !["90d", "12mo", "ytd"].includes(period))),
    fc.record({ slots: fc.integer({ min: 1, max: 12 * 96 }) }),
    fc.record({ days: fc.integer({ min: 0, max: 12 }), isOpen: fc.boolean() }),
  ),
  // How far before the present, in quarters of an hour.
  hits: fc.array(fc.integer({ min: 1, max: 30 * 96 }), { minLength: 20, maxLength: 60 }),
});

describe("rows that are compared", () => {
  it.each(LEDGERS)(
    "tell of all that %s has of the range before, each of what comes after the row before it",
    async (_, numRuns, make) => {
      const isWhole = async ({ day, after, interval, range, hits }: AnyQuestion) => {
        const [zone, date] = day;
        const end = Date.parse(`${date}T00:00:00Z`) + after * SLOT_MILLISECONDS;
        const now = end + 7 * 60_000;
        vi.setSystemTime(now);
        const ledger = make();
        const times = hits.map((before) => end - before * SLOT_MILLISECONDS);
        const people = times.map((_, n) => [String(n).padStart(11, "A")]);
        await append(
          ledger,
          ...times.map((at, n) => hitAt(at, { hits: n + 1, visitors: people[n] ?? [] })),
        );
        const asked = `metrics=clicks,visitors&compare=previous&limit=1000&time_zone=${zone}&${rangeText(range, end)}`;
        const { data, meta } = await ask(ledger, `${asked}&interval=${interval}`);
        const [first, last] = [meta.previous?.from ?? "", meta.previous?.to ?? ""].map(Date.parse);
        const isBefore = (at: number) => at >= (first ?? 0) && at < (last ?? 0);
        const clicks = times.reduce((sum, at, n) => sum + (isBefore(at) ? n + 1 : 0), 0);
        const sum = (metric: "clicks" | "visitors") =>
          data.reduce((total, { previous }) => total + (previous?.[metric] ?? 0), 0);
        const whole = await ask(ledger, asked);
        // The ledger counts no visitors of what comes in days late.
        expect(whole.data[0]?.previous).toEqual({ clicks, visitors: sum("visitors") });
        expect(sum("clicks")).toBe(clicks);
        const starts = data.flatMap(({ previous }) => Date.parse(previous?.start ?? "") || []);
        expect(starts[0]).toBe(first);
        expect(starts).toEqual([...new Set(starts)].sort((one, other) => one - other));
      };
      await fc.assert(fc.asyncProperty(anyQuestion, isWhole), { numRuns });
    },
  );
});

type AnyQuestion = typeof anyQuestion extends fc.Arbitrary<infer Value> ? Value : never;

/** A range of a kind that ends at a time, or has just begun its last day. */
function rangeText(range: AnyQuestion["range"], end: number): string {
  if (typeof range === "string") return `period=${range}`;
  if ("slots" in range) {
    const begin = end - range.slots * SLOT_MILLISECONDS;
    return `from=${new Date(begin).toISOString()}&to=${new Date(end).toISOString()}`;
  }
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  const from = dayOf(end - (range.days + 1) * 24 * HOUR);
  return range.isOpen ? `from=${from}` : `from=${from}&to=${dayOf(end - 24 * HOUR)}`;
}
