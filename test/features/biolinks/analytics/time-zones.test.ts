import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type CountedHits,
  SLOT_MILLISECONDS,
} from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import {
  edgesOf,
  findTimeZone,
  INTERVALS,
  toZonedTimestamp,
} from "../../../../src/features/biolinks/analytics/time-buckets.ts";
import { findRange } from "../../../../src/features/biolinks/analytics/time-range.ts";
import { append, ask, hitAt, labelOf } from "../../../support/analytics.ts";
import { LedgerOracle } from "../../../support/ledger-oracle.ts";

const HOUR = 60 * 60_000;
const NOW = Date.parse("2026-11-22T14:07:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Days on which clocks are set, or not, and how many hours each has. */
const DAYS: [string, string, number][] = [
  ["UTC", "2026-03-08", 24],
  ["America/New_York", "2026-03-08", 23],
  ["America/New_York", "2026-11-01", 25],
  ["America/New_York", "2026-06-01", 24],
  ["Europe/London", "2026-03-29", 23],
  ["Europe/London", "2025-10-26", 25],
  ["Australia/Lord_Howe", "2026-10-04", 23.5],
  ["Australia/Lord_Howe", "2026-04-05", 24.5],
  ["Australia/Lord_Howe", "2026-07-01", 24],
  ["Asia/Kathmandu", "2026-03-29", 24],
  ["Asia/Kolkata", "2026-03-29", 24],
  ["Pacific/Chatham", "2026-09-27", 23],
  ["Pacific/Chatham", "2026-04-05", 25],
  ["Pacific/Apia", "2026-04-05", 24],
  ["Africa/Cairo", "2026-04-24", 23],
  ["Africa/Cairo", "2026-10-29", 25],
  ["America/Santiago", "2026-09-06", 23],
  ["America/Santiago", "2026-04-04", 25],
];
const ZONES = [...new Set(DAYS.map(([zone]) => zone))];

/** A hit in each quarter of an hour from a day before a day to a day after it, so many as it is late. */
function hitsAround(day: string): CountedHits[] {
  const first = Date.parse(`${day}T00:00:00Z`) - 36 * HOUR;
  return Array.from({ length: (96 * HOUR) / SLOT_MILLISECONDS }, (_, n) => {
    return hitAt(first + n * SLOT_MILLISECONDS, { hits: n + 1 });
  });
}

/** What hits add up to by their label, of those whose label `isAsked`. */
function sumsOf(hits: CountedHits[], label: (time: number) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { slot, hits: count } of hits) {
    const name = label(slot * SLOT_MILLISECONDS);
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return sums;
}

describe("a day of a time zone", () => {
  it.each(DAYS)("in %s, %s has %d hours", (zone, day, hours) => {
    const { from, to } = findRange({ from: day, to: day }, zone, NOW);
    expect(((to - from) * SLOT_MILLISECONDS) / HOUR).toBe(hours);
  });

  it.each(DAYS)("in %s, %s (%d hours) counts what happened by its own clock", async (zone, day) => {
    const ledger = new LedgerOracle();
    const hits = hitsAround(day);
    await append(ledger, ...hits);
    const ofDay = hits.filter(({ slot }) => labelOf(slot * SLOT_MILLISECONDS, "day", zone) === day);
    const asked = `metrics=clicks&from=${day}&to=${day}&time_zone=${zone}`;
    const whole = await ask(ledger, `${asked}&interval=day`);
    expect(whole.data).toEqual([
      { start: whole.meta.from, clicks: ofDay.reduce((sum, hit) => sum + hit.hits, 0) },
    ]);
    const byHour = await ask(ledger, `${asked}&interval=hour`);
    const told = byHour.data.map(({ start = "", clicks }) => {
      return [labelOf(Date.parse(start), "hour", zone), clicks];
    });
    expect(told).toEqual([...sumsOf(ofDay, (time) => labelOf(time, "hour", zone))]);
  });

  it("may be one that its zone left out: nothing is told of it", () => {
    const zone = "Pacific/Apia";
    const then = Date.parse("2012-01-02T00:00:00Z");
    const range = findRange({ from: "2011-12-29", to: "2011-12-31" }, zone, then);
    const edges = edgesOf(range, "day", zone, 10);
    expect(edges?.map((edge) => toZonedTimestamp(edge, zone))).toEqual([
      "2011-12-29T00:00:00-10:00",
      "2011-12-31T00:00:00+14:00",
      "2012-01-01T00:00:00+14:00",
    ]);
  });
});

describe("a time zone", () => {
  it.each([
    ["Europe/Berlin", "Europe/Berlin"],
    ["europe/berlin", "Europe/Berlin"],
    ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["UTC", "UTC"],
    ["Mars/Olympus", undefined],
    ["+05:30", undefined],
    ["2026-01-01T00:00Z[Europe/Berlin]", undefined],
    ["Europe/Berlin ", undefined],
    ["", undefined],
  ])("named %j is %j", (name, zone) => {
    expect(findTimeZone(name)).toBe(zone);
  });

  it("is not the runtime's own Temporal's to know", () => {
    vi.stubGlobal("Temporal", new Proxy({}, { get: () => expect.fail("It was asked.") }));
    try {
      expect(findTimeZone("Asia/Kolkata")).toBe("Asia/Kolkata");
      expect(findRange({ period: "7d" }, "Asia/Kolkata", NOW).from).toBeLessThan(NOW);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("rows in time", () => {
  it("are those of the zone's own clock, each once, with all that happened, whatever is asked", async () => {
    const anyQuestion = fc.record({
      zone: fc.constantFrom(...ZONES),
      interval: fc.constantFrom(...INTERVALS),
      // Around the days on which clocks are set, and anywhere.
      begin: fc.oneof(
        fc.constantFrom(...DAYS).map(([, day]) => Date.parse(`${day}T00:00:00Z`) - 30 * HOUR),
        fc.integer({
          min: Date.parse("2024-12-01T00:00:00Z"),
          max: Date.parse("2026-10-01T00:00:00Z"),
        }),
      ),
      length: fc.integer({ min: 1, max: 8 * 96 }),
      events: fc.array(
        fc.record({
          after: fc.integer({ min: -3 * HOUR, max: 8 * 24 * HOUR + 3 * HOUR }),
          country: fc.constantFrom("DE", "US", ""),
          hits: fc.integer({ min: 1, max: 5 }),
        }),
        { maxLength: 40 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(anyQuestion, async ({ zone, interval, begin, length, events }) => {
        const first = Math.floor(begin / SLOT_MILLISECONDS) * SLOT_MILLISECONDS;
        const end = first + length * SLOT_MILLISECONDS;
        const ledger = new LedgerOracle();
        const times = events.map((event) => ({ ...event, at: first + event.after }));
        await append(
          ledger,
          ...times.map(({ at, country, hits }) => hitAt(at, { hits, properties: { country } })),
        );
        const labels = new Set<string>();
        for (let at = first; at < end; at += SLOT_MILLISECONDS) {
          labels.add(labelOf(at, interval, zone));
        }
        const within = times.filter(({ at }) => at >= first && at < end);
        const asked = `metrics=clicks&interval=${interval}&time_zone=${zone}&limit=1000&from=${new Date(first).toISOString()}&to=${new Date(end).toISOString()}`;
        const { data } = await ask(ledger, asked);
        const expected = [...labels].map((label) => {
          const ofLabel = within.filter(({ at }) => labelOf(at, interval, zone) === label);
          return [label, ofLabel.reduce((sum, { hits }) => sum + hits, 0)];
        });
        const told = data.map(({ start = "", clicks }) => {
          return [labelOf(Date.parse(start), interval, zone), clicks];
        });
        expect(told).toEqual(expected);
        // What is told of each country adds up to what is told of all.
        const grouped = await ask(ledger, `${asked}&group_by=country`);
        const sums = new Map<string, number>();
        for (const { start = "", clicks = 0 } of grouped.data) {
          const label = labelOf(Date.parse(start), interval, zone);
          sums.set(label, (sums.get(label) ?? 0) + clicks);
        }
        const countries = new Set(within.map(({ country }) => country));
        expect([...sums]).toEqual(countries.size > 0 ? expected : []);
        expect(grouped.data).toHaveLength(countries.size * expected.length);
      }),
      { numRuns: 150 },
    );
  });
});
