import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  CountedHits,
  Dimension,
  LedgerQuestion,
} from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import { append } from "../../../support/analytics.ts";
import { ledgerAt, newLedger, packet, slotOf } from "../../../support/ledger.ts";
import { LedgerOracle } from "../../../support/ledger-oracle.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const NEWEST = slotOf(Date.now());
const LINK = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2b09";
const ASKED = ["country", "device", "browser", "utm_source"] as const;

/** More combinations of a quarter of an hour than a link has room for. */
const Flood = fc.integer({ min: 350, max: 700 }).map((many) =>
  Array.from(
    { length: many },
    (_, n): CountedHits => ({
      subject: "link",
      id: LINK,
      slot: NEWEST - (n % 7 === 0 ? 1 : 0),
      count: "clicks",
      traffic: "human",
      properties: {
        country: `A${n % 5}`,
        device: ["mobile", "desktop", "tablet"][n % 3] as string,
        browser: `browser ${n % 11}`,
        utm_source: `source ${n % 17}`,
        utm_campaign: `campaign ${n}`,
      },
      hits: 1 + (n % 3),
      visitors: [],
    }),
  ),
);
const VALUES: Record<(typeof ASKED)[number], string[]> = {
  country: ["A0", "A1", "A4"],
  device: ["mobile", "tablet"],
  browser: ["browser 0", "browser 7", "browser 10"],
  utm_source: ["source 0", "source 3", "source 16"],
};

/** Filters of up to three dimensions, all for values or all against them. */
const Filters = fc
  .record({ isExcluded: fc.boolean(), of: fc.subarray([...ASKED], { minLength: 1, maxLength: 3 }) })
  .chain(({ isExcluded, of }) =>
    fc.tuple(
      ...of.map((dimension) =>
        fc
          .subarray(VALUES[dimension], { minLength: 1 })
          .map((values) => ({ dimension: dimension as Dimension, values, isExcluded })),
      ),
    ),
  );

const totalOf = (rows: { counts: number[] }[]) =>
  rows.reduce((sum, { counts }) => sum + (counts[0] ?? 0), 0);

describe("hits of more kinds than a link has room for in a quarter of an hour", () => {
  it("are off in an answer by no more than it says", async () => {
    let largest = 0;
    await fc.assert(
      fc.asyncProperty(
        Flood,
        fc.array(Filters, { minLength: 3, maxLength: 6 }),
        async (hits, all) => {
          const [ledger, oracle] = [newLedger(), new LedgerOracle()];
          const sent = packet(hits);
          await Promise.all([ledger.append([sent]), oracle.append([sent])]);
          for (const filters of all) {
            const question: LedgerQuestion = {
              metrics: ["clicks"],
              groupBy: [],
              buckets: [NEWEST - 1, NEWEST + 1],
              traffic: "human",
              filters,
            };
            const { rows, unattributed } = await ledger.answer(question);
            const truth = totalOf((await oracle.answer(question)).rows);
            const told = totalOf(rows);
            const off = unattributed?.[0] ?? Number.NaN;
            const [least, most] = filters[0]?.isExcluded ? [told - off, told] : [told, told + off];
            expect([least <= truth, truth <= most]).toEqual([true, true]);
            largest = Math.max(largest, off);
          }
        },
      ),
      { numRuns: 25 },
    );
    // Else the bounds would have been those of exact answers.
    expect(largest).toBeGreaterThan(0);
  });

  it("are counted in an answer's meta, of the range before too, and nothing where none is missed", async () => {
    const workspace = await createWorkspace();
    const now = slotOf(Date.now());
    const hits = (slot: number) =>
      Array.from({ length: 400 }, (_, n) => ({
        subject: "link" as const,
        id: LINK,
        slot,
        count: "clicks" as const,
        traffic: "human" as const,
        properties: { country: "DE", browser: `browser ${n % 5}`, utm_campaign: `${n}` },
        hits: 1,
        visitors: [],
      }));
    await append(ledgerAt(workspace.id), ...hits(now), ...hits(now - 96));
    const ask = async (search: string) =>
      (await workspace.send("GET", `/api/v1/biolinks/analytics?link=${LINK}&${search}`)).body;
    const asked = await ask(
      "metrics=clicks&country=DE&browser=browser%201&period=24h&compare=previous",
    );
    const off = asked.meta.unattributed.clicks;
    expect(off).toBeGreaterThan(0);
    expect(asked.data[0].clicks + off).toBeGreaterThanOrEqual(80);
    expect(asked.data[0].clicks).toBeLessThan(80);
    expect(asked.meta.previous.unattributed).toEqual({ clicks: off });
    const byBrowser = await ask("metrics=clicks,views&period=24h&group_by=browser,country");
    const other = byBrowser.data.find(({ browser }: { browser: string }) => browser === "(other)");
    expect(byBrowser.meta.unattributed).toEqual({ clicks: other.clicks, views: 0 });
    const whole = await ask("metrics=clicks,visitors&period=24h&interval=hour&country=DE");
    expect(whole.meta.unattributed).toEqual({ clicks: 0, visitors: 0 });
    const day = await ask("metrics=clicks&period=30d&interval=day&browser=browser%201");
    expect(day.meta.unattributed).toEqual({ clicks: 0 });
    expect(day.data.at(-1).clicks + day.data.at(-2).clicks).toBe(160);
  });
});
