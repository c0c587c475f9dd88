import { describe, expect, it } from "vitest";
import { LedgerStore } from "../../../../src/features/biolinks/analytics/ledger.repository.ts";
import { answerQuestion } from "../../../../src/features/biolinks/analytics/ledger-question.ts";
import type {
  CountedHits,
  LedgerQuestion,
} from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import {
  countWaiting,
  hit,
  insideLedger,
  type LedgerStub,
  newLedger,
  packet,
  slotOf,
} from "../../../support/ledger.ts";

const SLOTS_A_DAY = 96;
const TODAY = Math.floor(slotOf(Date.now()) / SLOTS_A_DAY);
/** Links with visits on each day, and products. */
const LINKS = 20;
const PRODUCTS = 5;

/** A ledger with visits on so many days before today. */
async function filled(days: number, products = PRODUCTS): Promise<LedgerStub> {
  const ledger = newLedger();
  for (let ago = 1; ago <= days; ago++) {
    const hits = Array.from({ length: LINKS * 5 }, (_, n): CountedHits => {
      const properties = { country: ["DE", "FR", "US"][n % 3] ?? "", referrer: `${n % 7}.example` };
      const slot = (TODAY - ago) * SLOTS_A_DAY + (n % SLOTS_A_DAY);
      return hit({ id: `link-${n % LINKS}`, slot, properties });
    });
    const led = hits.slice(0, products).map((of, n): CountedHits => {
      return { ...of, subject: "product", id: `product-${n}` };
    });
    await ledger.append([packet([...hits, ...led])]);
  }
  await countWaiting(ledger);
  return ledger;
}

interface Walk {
  rowsRead: number;
  rows: number;
  plans: string[];
}

/** What a question reads, and by which plans. */
function walkOf(ledger: LedgerStub, given: Partial<LedgerQuestion>): Promise<Walk> {
  const question: LedgerQuestion = {
    metrics: ["clicks", "visitors"],
    groupBy: [],
    buckets: [],
    traffic: "human",
    filters: [],
    ...given,
  };
  return insideLedger(ledger, (_, { storage: { sql } }) => {
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const plans = new Set<string>();
    const store = new LedgerStore(sql);
    const noting = (statement: string, ...bindings: unknown[]) => {
      for (const { detail } of sql.exec(`EXPLAIN QUERY PLAN ${statement}`, ...bindings))
        plans.add(String(detail));
      const cursor = sql.exec(statement, ...bindings);
      cursors.push(cursor);
      return cursor;
    };
    const watched = new LedgerStore(
      new Proxy(sql, { get: (_sql, name) => (name === "exec" ? noting : undefined) }),
    );
    plans.clear();
    cursors.length = 0;
    const rows = answerQuestion(watched, question, Date.now()).rows.length;
    expect(rows).toBe(answerQuestion(store, question, Date.now()).rows.length);
    return {
      rowsRead: cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0),
      rows,
      plans: [...plans],
    };
  });
}

/** Whole days in UTC, and days that begin at another time. */
const utc = (days: number) => [(TODAY - days) * SLOTS_A_DAY, TODAY * SLOTS_A_DAY];
const newYork = (days: number) => utc(days).map((slot) => slot - 20);
const one = { dimension: "link" as const, values: ["link-3"], isExcluded: false };
const mug = { dimension: "product" as const, values: ["product-1"], isExcluded: false };
const german = { dimension: "country" as const, values: ["DE"], isExcluded: false };
const QUESTIONS: Record<string, (days: number) => Partial<LedgerQuestion>> = {
  totals: (days) => ({ buckets: utc(days) }),
  "totals of other days": (days) => ({ buckets: newYork(days) }),
  countries: (days) => ({ buckets: utc(days), groupBy: ["country"] }),
  "countries of other days": (days) => ({ buckets: newYork(days), groupBy: ["country"] }),
  links: (days) => ({ buckets: utc(days), groupBy: ["link"] }),
  "countries and referrers": (days) => ({ buckets: utc(days), groupBy: ["country", "referrer"] }),
  "a link's referrers": (days) => ({ buckets: utc(days), groupBy: ["referrer"], filters: [one] }),
  "all but a link": (days) => ({ buckets: utc(days), filters: [{ ...one, isExcluded: true }] }),
  "a country's links": (days) => ({ buckets: utc(days), groupBy: ["link"], filters: [german] }),
  products: (days) => ({ buckets: utc(days), groupBy: ["product"] }),
  "products and countries": (days) => ({ buckets: utc(days), groupBy: ["product", "country"] }),
  "a product's countries": (days) => ({ buckets: utc(days), groupBy: ["country"], filters: [mug] }),
};

describe("a question reads what is asked, not what is stored:", () => {
  it.each(Object.entries(QUESTIONS))("%s", async (_, ofDays) => {
    const [small, large] = [await filled(4), await filled(40)];
    const [few, asMany] = [await walkOf(small, ofDays(3)), await walkOf(large, ofDays(3))];
    expect(few.rows).toBeGreaterThan(0);
    expect({ ...asMany, plans: [] }).toEqual({ ...few, plans: [] });
    // The plans search by keys: only what was asked for itself (a list of keys) is gone through.
    const steps = [...few.plans, ...asMany.plans];
    expect(steps.filter((step) => !/^(SCAN wanted|SEARCH )/.test(step))).toEqual([]);
    expect(steps.some((step) => step.startsWith("SEARCH counts"))).toBe(true);
  });

  it("nothing of products, where these are not asked for: at most a key of each is passed by", async () => {
    const [days, ledger, without] = [3, await filled(3), await filled(3, 0)];
    const more: Record<string, number> = {};
    for (const [name, ofDays] of Object.entries(QUESTIONS)) {
      if (name.includes("product")) continue;
      const [some, none] = [
        await walkOf(ledger, ofDays(days)),
        await walkOf(without, ofDays(days)),
      ];
      expect({ ...some, rowsRead: 0 }).toEqual({ ...none, rowsRead: 0 });
      more[name] = some.rowsRead - none.rowsRead;
    }
    // And of the day one, which adds them up.
    const passedBy = days * (PRODUCTS + 1);
    expect(more).toEqual({
      ...Object.fromEntries(Object.keys(more).map((name) => [name, 0])),
      "countries and referrers": passedBy,
      "all but a link": passedBy,
      "a country's links": passedBy,
      "countries of other days": expect.toSatisfy((rows) => rows <= passedBy),
    });
  });

  it("a body a day for the workspace, and one a day and link for some links", async () => {
    const ledger = await filled(40);
    const by = (days: number) => ({ buckets: utc(days), groupBy: ["country" as const] });
    const days = async (of: (days: number) => Partial<LedgerQuestion>) => {
      const [ten, thirty] = [await walkOf(ledger, of(10)), await walkOf(ledger, of(30))];
      return (thirty.rowsRead - ten.rowsRead) / 20;
    };
    // A key that is wanted is a row, and what it finds another; of a link two are wanted.
    expect(await days(by)).toBeLessThanOrEqual(2);
    expect(await days((n) => ({ ...by(n), filters: [one] }))).toBeLessThanOrEqual(4);
  });
});
