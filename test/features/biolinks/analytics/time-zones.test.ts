import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type CountedHits,
  type Ledger,
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
import { newLedger } from "../../../support/ledger.ts";
import { LedgerOracle } from "../../../support/ledger-oracle.ts";

const HOUR = 60 * 60_000;
const NOW = Date.parse("2026-11-22T14:07:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

/**
 * Days on which clocks are set, or not, and how many hours each has. Kathmandu, Kolkata and Apia set
 * none in the months that are kept.
 */
const DAYS: [string, string, number][] = [
  ["UTC", "2026-03-08", 24],
  ["America/New_York", "2026-03-08", 23],
  ["America/New_York", "2026-11-01", 25],
  ["America/New_York", "2026-06-01", 24],
  ["Europe/London", "2026-03-29", 23],
  ["Europe/London", "2025-10-26", 25],
  ["Europe/London", "2026-07-01", 24],
  ["Australia/Lord_Howe", "2026-10-04", 23.5],
  ["Australia/Lord_Howe", "2026-04-05", 24.5],
  ["Australia/Lord_Howe", "2026-07-01", 24],
  ["Asia/Kathmandu", "2026-03-29", 24],
  ["Asia/Kolkata", "2026-03-29", 24],
  ["Pacific/Chatham", "2026-09-27", 23],
  ["Pacific/Chatham", "2026-04-05", 25],
  ["Pacific/Chatham", "2026-07-01", 24],
  ["Pacific/Apia", "2026-04-05", 24],
  ["Africa/Cairo", "2026-04-24", 23],
  ["Africa/Cairo", "2026-10-29", 25],
  ["Africa/Cairo", "2026-07-01", 24],
  ["America/Santiago", "2026-09-06", 23],
  ["America/Santiago", "2026-04-04", 25],
  ["America/Santiago", "2026-07-01", 24],
];
const ZONES = [...new Set(DAYS.map(([zone]) => zone))];

/** What is asked: the ledger itself, and one that goes through every hit. */
const LEDGERS: [string, () => Ledger][] = [
  ["the ledger", () => newLedger() as unknown as Ledger],
  ["all hits", () => new LedgerOracle()],
];

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

  const asked = LEDGERS.flatMap(([name, make]) => DAYS.map((day) => [name, ...day, make] as const));
  it.each(asked)("asked of %s, in %s, %s (%d hours) counts by its own clock", async (...of) => {
    const [, zone, day, , make] = of;
    const ledger = make();
    const hits = hitsAround(day);
    await append(ledger, ...hits);
    const ofDay = hits.filter(({ slot }) => labelOf(slot * SLOT_MILLISECONDS, "day", zone) === day);
    const question = `metrics=clicks&from=${day}&to=${day}&time_zone=${zone}`;
    const whole = await ask(ledger, `${question}&interval=day`);
    expect(whole.data).toEqual([
      { start: whole.meta.from, clicks: ofDay.reduce((sum, hit) => sum + hit.hits, 0) },
    ]);
    const byHour = await ask(ledger, `${question}&interval=hour`);
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
  it.each(LEDGERS)(
    "of %s are those of the zone's own clock, each once, with all that happened, whatever is asked",
    async (_, make) => {
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
          const ledger = make();
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
    },
  );

  it("begin where the zone's own clock does, in any year of fifty and with any change of clocks", () => {
    const anyRange = fc.record({
      zone: fc.constantFrom(...ZONES),
      interval: fc.constantFrom(...INTERVALS),
      begin: fc.oneof(
        fc.constantFrom(...CHANGES).map(([, time]) => Date.parse(time) - 40 * HOUR),
        fc.integer({ min: Date.parse("1987-01-01"), max: Date.parse("2036-12-01") }),
      ),
      length: fc.integer({ min: 1, max: 5 * 96 }),
    });
    fc.assert(
      fc.property(anyRange, ({ zone, interval, begin, length }) => {
        const from = Math.floor(begin / SLOT_MILLISECONDS);
        const slots = Array.from({ length }, (_, n) => from + n);
        const labels = slots.map((slot) => labelOf(slot * SLOT_MILLISECONDS, interval, zone));
        const begins = slots.filter((_, n) => labels[n] !== labels[n - 1]);
        const edges = edgesOf({ from, to: from + length }, interval, zone, 1000);
        expect(edges).toEqual([...begins, from + length]);
      }),
      { numRuns: 1500, examples: CHANGES.flatMap(([zone, time]) => around(zone, time)) },
    );
  });
});

/** Changes of clocks that are not a summer's: a day left out, half an hour, other midnights. */
const CHANGES: [string, string][] = [
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
  ["Pacific/Apia", "2012-03-31T14:00:00Z"],
  ["Pacific/Apia", "2020-09-26T14:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
  ["Africa/Cairo", "2026-04-23T22:00:00Z"],
  ["Africa/Cairo", "2010-08-10T21:00:00Z"],
  ["America/Santiago", "2026-09-06T04:00:00Z"],
  ["America/Santiago", "2022-09-11T04:00:00Z"],
  ["Pacific/Chatham", "2026-09-26T14:00:00Z"],
  ["America/New_York", "2007-03-11T07:00:00Z"],
  ["Europe/London", "1995-10-22T01:00:00Z"],
];

function around(zone: string, time: string) {
  const begin = Date.parse(time) - 40 * HOUR;
  return INTERVALS.map((interval) => [{ zone, interval, begin, length: 4 * 96 }] as const);
}
