import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { unpack } from "../../src/features/biolinks/analytics/read-packet.ts";
import type { SettledHits } from "../../src/visitor/clicks/hit.ts";
import type { CountableHits } from "../../src/visitor/clicks/hit-packet.ts";
import { HitPacking } from "../../src/visitor/clicks/hit-packing.ts";
import { countable } from "../../src/visitor/clicks/visitor-hashes.ts";

const PROPERTIES = Array.from({ length: 12 }, () => "");

function rowOf(row: number, { visitors = 1, people = 0 }): SettledHits {
  return {
    workspaceId: "w",
    subject: "link",
    id: `link-${row}`,
    count: "clicks",
    slot: 1,
    traffic: "human",
    properties: PROPERTIES,
    hits: visitors + people,
    visitors: Array.from({ length: visitors }, (_, at) => hashOf(`${row}.${at}`)),
    people: Array.from({ length: people }, (_, at) => ["agent", `${row}.p${at}`]).flat(),
  };
}

function hashOf(text: string): string {
  return text.padEnd(11, "-");
}

/** Rows, of which it is told how many were taken. */
class Rows implements Iterator<SettledHits, undefined> {
  taken = 0;
  readonly #rows: SettledHits[];

  constructor(rows: SettledHits[]) {
    this.#rows = rows;
  }

  next(): IteratorResult<SettledHits, undefined> {
    const value = this.#rows[this.taken];
    if (!value) return { done: true, value: undefined };
    this.taken++;
    return { done: false, value };
  }
}

/** As by a salt that is to be read: others have their turn. */
async function hash(hits: SettledHits): Promise<CountableHits> {
  await scheduler.wait(0);
  const hashes = hits.people.flatMap((address, at) => (at % 2 ? [hashOf(address)] : []));
  return countable({ ...hits, visitors: [...hits.visitors, ...hashes] });
}

const manyRows = (rows: number) => new Rows(Array.from({ length: rows }, (_, at) => rowOf(at, {})));

/** Rests end at once, and this is what happens in them. */
function inEachRest(what: () => void): { count: number } {
  const rests = { count: 0 };
  vi.spyOn(scheduler, "wait").mockImplementation(async () => {
    rests.count++;
    what();
  });
  return rests;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("hits that are packed", () => {
  it("are packed once each, whoever does it", async () => {
    const rows = fc.array(fc.record({ visitors: fc.nat(30), people: fc.nat(3) }), {
      maxLength: 300,
    });
    await fc.assert(
      fc.asyncProperty(rows, fc.array(fc.nat(40), { maxLength: 8 }), async (sizes, visits) => {
        const settled = sizes.map((size, at) => rowOf(at, size));
        const packing = new HitPacking(settled[Symbol.iterator]());
        const finished = packing.finish(hash);
        for (const many of visits) {
          for (let visit = 0; visit < many; visit++) packing.help();
          await scheduler.wait(1);
        }
        const packed = (await finished).flatMap((packet) => unpack(packet).hits);
        const told = packed.map(({ id, hits, visitors }) => [id, hits, [...visitors].sort()]);
        const expected = await Promise.all(
          settled.map(async (one) => [one.id, one.hits, [...(await hash(one)).visitors].sort()]),
        );
        expect(told.sort()).toEqual(expected.sort());
      }),
      { numRuns: 60 },
    );
  });

  it("are left to visits where there are any, a few to each", async () => {
    const rows = manyRows(1000);
    const packing = new HitPacking(rows);
    const taken: number[] = [];
    const rests = inEachRest(() => {
      for (let visit = 0; visit < 3; visit++) {
        const before = rows.taken;
        packing.help();
        taken.push(rows.taken - before);
      }
    });
    await packing.finish(hash);
    // All of them by visits: nothing is left that the sender took.
    expect(taken.reduce((sum, few) => sum + few, 0)).toBe(1000);
    expect(Math.max(...taken)).toBe(4);
    expect(rests.count).toBeLessThan(100);
  });

  it("are packed by the sender where no visit comes, a hundred at a time", async () => {
    const rows = manyRows(1000);
    let before = 0;
    const most = { taken: 0 };
    inEachRest(() => {
      most.taken = Math.max(most.taken, rows.taken - before);
      before = rows.taken;
    });
    await new HitPacking(rows).finish(hash);
    expect(rows.taken).toBe(1000);
    expect(most.taken).toBe(100);
  });

  it("are no longer left to visits after a hundred rests", async () => {
    const rows = manyRows(10_000);
    const packing = new HitPacking(rows);
    const rests = inEachRest(() => packing.help());
    await packing.finish(hash);
    expect(rows.taken).toBe(10_000);
    // Four of each visit at first, then a hundred more.
    expect(rests.count).toBe(100 + Math.ceil((10_000 - 100 * 4) / 104));
  });

  it("cost more the more visitors they have, also those whose people are hashed first", async () => {
    const takenAtOnce = (rows: SettledHits[]) => {
      const all = new Rows(rows);
      new HitPacking(all).help();
      return all.taken;
    };
    expect(takenAtOnce([rowOf(0, { visitors: 300 }), rowOf(1, {}), rowOf(2, {})])).toBe(1);
    const strangers = Array.from({ length: 50 }, (_, at) => rowOf(at, { visitors: 0, people: 1 }));
    expect(takenAtOnce(strangers)).toBe(5);

    let hashed = 0;
    let before = 0;
    const most = { hashed: 0 };
    const rows = Array.from({ length: 50 }, (_, at) => rowOf(at, { visitors: 300, people: 1 }));
    inEachRest(() => {
      most.hashed = Math.max(most.hashed, hashed - before);
      before = hashed;
    });
    await new HitPacking(new Rows(rows)).finish(async (hits) => {
      hashed++;
      return { ...hits, visitors: hits.visitors };
    });
    expect(hashed).toBe(50);
    expect(most.hashed).toBe(2);
  });

  it("fail no visit when they cannot be packed: the sender is told", async () => {
    const rows = manyRows(1000);
    const fault = new Error("a row that cannot be packed");
    const next = rows.next.bind(rows);
    rows.next = () => {
      if (rows.taken === 10) throw fault;
      return next();
    };
    const packing = new HitPacking(rows);
    const finished = packing.finish(hash);
    for (let visit = 0; visit < 5; visit++) packing.help();
    await expect(finished).rejects.toBe(fault);
  });
});
