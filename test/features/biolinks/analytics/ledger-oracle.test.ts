import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type CountedHits,
  type Dimension,
  type LedgerQuestion,
  type LedgerRow,
  type PROPERTIES,
  SUBJECTS,
} from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import { newLedger, packet } from "../../../support/ledger.ts";
import { DIMENSIONS, ledgerArbitraries, SLOTS_A_DAY } from "../../../support/ledger-arbitraries.ts";
import { asksForProducts } from "../../../support/ledger-oracle.ts";

const { today: TODAY, Packets, Questions } = ledgerArbitraries();

/** Of a hit of another kind there is none. */
function keyOf(hits: CountedHits, dimension: Dimension): string | undefined {
  if ((SUBJECTS as readonly string[]).includes(dimension))
    return dimension === hits.subject ? hits.id : undefined;
  return hits.properties[dimension as (typeof PROPERTIES)[number]] ?? "";
}

/** The same from the hits themselves, one by one. */
function oracle(
  all: CountedHits[],
  question: LedgerQuestion,
): { rows: LedgerRow[]; unattributed: number[] } {
  const unattributed = question.metrics.map(() => 0);
  const seen = new Set<string>();
  const rows = new Map<string, LedgerRow>();
  for (const hits of all) {
    const day = Math.floor(hits.slot / SLOTS_A_DAY);
    const isNew = (visitor: string) => {
      const name = `${hits.subject} ${hits.id} ${day} ${visitor}`;
      if (seen.has(name) || hits.traffic !== "human" || day < TODAY - 1) return false;
      seen.add(name);
      return true;
    };
    const visitors = hits.visitors.filter(isNew).length;
    const next = question.buckets.findIndex((slot) => slot > hits.slot);
    if (next < 1) continue;
    const passes = ({ dimension, values, isExcluded }: LedgerQuestion["filters"][number]) => {
      const value = keyOf(hits, dimension);
      return (value !== undefined && values.includes(value)) !== isExcluded;
    };
    const isOpen = (dimension: Dimension) =>
      keyOf(hits, dimension) === "(other)" &&
      !question.filters.some((of) => of.dimension === dimension && of.values.includes("(other)"));
    const keys = question.groupBy.map((dimension) => keyOf(hits, dimension));
    if (keys.includes(undefined)) continue;
    if (hits.subject === "product" && !asksForProducts(question)) continue;
    const isWanted = question.traffic === "all" || question.traffic === hits.traffic;
    const counts = question.metrics.map((metric) =>
      metric === "visitors" ? visitors : metric === hits.count && isWanted ? hits.hits : 0,
    );
    const asked = [...question.groupBy, ...question.filters.map(({ dimension }) => dimension)];
    if (asked.some(isOpen) && question.filters.every((of) => passes(of) || isOpen(of.dimension))) {
      for (const [at, count] of counts.entries())
        unattributed[at] = (unattributed[at] ?? 0) + count;
    }
    if (!question.filters.every(passes)) continue;
    const bucket = next - 1;
    const name = JSON.stringify([bucket, keys]);
    const row = rows.get(name) ?? {
      bucket,
      keys: keys as string[],
      counts: counts.map(() => 0),
    };
    row.counts = row.counts.map((count, at) => count + (counts[at] ?? 0));
    rows.set(name, row);
  }
  const order = ({ bucket, keys }: LedgerRow) => [bucket, ...keys];
  const sorted = [...rows.values()]
    .filter(({ counts }) => counts.some((count) => count > 0))
    .sort((one, two) => (compare(order(one), order(two)) ? -1 : 1));
  return { rows: sorted, unattributed };
}

function compare(one: (string | number)[], two: (string | number)[]): boolean {
  const at = one.findIndex((key, place) => key !== two[place]);
  return at >= 0 && (one[at] ?? 0) < (two[at] ?? 0);
}

it("answers as the hits themselves do: any dimensions, filters, buckets, traffic", async () => {
  await fc.assert(
    fc.asyncProperty(
      Packets,
      fc.array(Questions, { minLength: 1, maxLength: 4 }),
      fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      async (packets, questions, compacts) => {
        const ledger = newLedger();
        for (const [at, hits] of packets.entries()) {
          const sent = packet(hits);
          await ledger.append(compacts[at + 1] ? [sent] : [sent, sent]);
          if (compacts[at]) await ledger.totals("link", []);
        }
        for (const question of questions) {
          const { rows, unattributed } = await ledger.answer(question);
          expect({ rows, unattributed }).toEqual(oracle(packets.flat(), question));
        }
      },
    ),
    { numRuns: 150 },
  );
});

it.each(["link", "product"] as const)(
  "adds up to the same total of a %s by every dimension, also of a day with so many that it is summed up",
  async (subject) => {
    const ledger = newLedger();
    const at = (TODAY - 1) * SLOTS_A_DAY;
    const hits = Array.from(
      { length: 4000 },
      (_, n): CountedHits => ({
        subject,
        id: "hot",
        slot: at + (n % 40),
        count: "clicks",
        traffic: "human",
        properties: {
          country: ["DE", "FR", "US", ""][n % 4] as string,
          device: ["mobile", "desktop"][n % 2] as string,
          referrer: `r${n % 700}.example`,
          utm_source: `s${n % 300}`,
        },
        hits: 1,
        visitors: [],
      }),
    );
    await ledger.append([packet(hits.slice(0, 1500)), packet(hits.slice(1500))]);
    const filters = [{ dimension: subject, values: ["hot"], isExcluded: false }];
    for (const some of [[], filters]) {
      for (const buckets of [
        [at, at + SLOTS_A_DAY],
        [at - 50, at + 20, at + SLOTS_A_DAY],
      ]) {
        for (const dimension of DIMENSIONS.filter((of) => of === subject || !isSubject(of))) {
          const question: LedgerQuestion = {
            metrics: ["clicks"],
            groupBy: [dimension],
            buckets,
            traffic: "human",
            filters: some,
          };
          const { rows, unattributed } = await ledger.answer(question);
          expect({ rows, unattributed }).toEqual(oracle(hits, question));
        }
      }
    }
  },
);

function isSubject(dimension: Dimension): boolean {
  return (SUBJECTS as readonly string[]).includes(dimension);
}
