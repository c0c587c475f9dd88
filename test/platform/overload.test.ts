import { DrizzleQueryError } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryTransient } from "../../src/platform/db/retry.ts";
import { createLog } from "../../src/platform/log.ts";
import {
  isOverload,
  overloadPauseSeconds,
  overloadRetrySeconds,
  tellOverload,
} from "../../src/platform/overload.ts";

const QUERY = "insert into links values ('D1 DB is overloaded')";

function ofQuery(message: string): Error {
  return new DrizzleQueryError(QUERY, ["D1 DB is overloaded"], new Error(message));
}

const OVERLOADS: [string, Error][] = [
  [
    "D1, whose requests waited",
    new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long."),
  ],
  ["D1, with too many waiting", new Error("D1 DB is overloaded. Too many requests queued.")],
  ["D1, in a failed query", ofQuery("D1_ERROR: D1 DB is overloaded. Too many requests queued.")],
  [
    "a Durable Object, which marks it",
    Object.assign(new Error("Too much."), { overloaded: true, retryable: false }),
  ],
  [
    "a Durable Object, whose mark was lost between Workers",
    new Error("Durable Object is overloaded. Requests queued for too long."),
  ],
  [
    "D1, whose statement took too long",
    new Error(
      "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    ),
  ],
  ["the cause of another", new Error("No.", { cause: ofQuery("D1 DB is overloaded.") })],
];
const OTHERS: [string, Error][] = [
  ["a lost connection", new Error("D1_ERROR: Network connection lost.")],
  ["a fault of a query with such a text in it", ofQuery("D1_ERROR: UNIQUE constraint failed")],
  ["what another's server says of itself", new Error("The receiver is overloaded.")],
  ["a Durable Object that was reset", Object.assign(new Error("Reset."), { overloaded: false })],
];

describe("too much to do", () => {
  it.each(OVERLOADS)("is told by %s, and asked no second time", async (_case, fault) => {
    expect(isOverload(fault)).toBe(true);
    expect(await runsUntil(fault)).toBe(1);
  });

  it.each(OTHERS)("is not told by %s", (_case, fault) => {
    expect(isOverload(fault)).toBe(false);
  });

  it("is waited for by everybody for another time, in whole seconds", () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(chance, (random) => {
        const [retry, pause] = [overloadRetrySeconds(random), overloadPauseSeconds(random)];
        expect([retry, pause].every(Number.isInteger)).toBe(true);
        expect(retry).toBeGreaterThanOrEqual(3);
        expect(retry).toBeLessThanOrEqual(10);
        expect(pause).toBeGreaterThanOrEqual(30);
        expect(pause).toBeLessThanOrEqual(60);
      }),
    );
    const spread = new Set(Array.from({ length: 200 }, () => overloadRetrySeconds()));
    expect(spread.size).toBeGreaterThan(4);
  });
});

describe("what is logged of too much to do", () => {
  it("is one line a second at most, with how many it stands for", () => {
    const told: unknown[] = [];
    const log = { ...createLog(), warn: (...line: unknown[]) => told.push(line) };
    const start = Date.now() + 3_600_000;
    const times = [...Array(100).keys()].map((at) => start + at * 25);
    for (const time of times) tellOverload(log as never, { at: "test" }, time);
    expect(told).toEqual([
      ["overloaded", { at: "test", refused: expect.any(Number) }],
      ["overloaded", { at: "test", refused: 40 }],
      ["overloaded", { at: "test", refused: 40 }],
    ]);
  });
});

describe("a lost connection", () => {
  it("is tried three times where that is safe", async () => {
    expect(await runsUntil(new Error("D1_ERROR: Network connection lost."))).toBe(3);
    expect(await runsUntil(ofQuery("D1_ERROR: Network connection lost."))).toBe(3);
  });

  it("is not seen in a query that holds these words", async () => {
    const words = new DrizzleQueryError("select 'Network connection lost'", [], new Error("no"));
    expect(await runsUntil(words)).toBe(1);
  });
});

/** How often something is run that always fails so. */
async function runsUntil(fault: Error): Promise<number> {
  let runs = 0;
  const run = async () => {
    runs++;
    throw fault;
  };
  await expect(retryTransient(run)).rejects.toBe(fault);
  return runs;
}
