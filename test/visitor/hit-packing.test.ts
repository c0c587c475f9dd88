import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unpack } from "../../src/features/biolinks/analytics/read-packet.ts";
import type { SettledHits } from "../../src/visitor/clicks/hit.ts";
import type { CountableHits } from "../../src/visitor/clicks/hit-packet.ts";
import { HitPacking } from "../../src/visitor/clicks/hit-packing.ts";
import { countable } from "../../src/visitor/clicks/visitor-hashes.ts";

const REST_MILLISECONDS = 5;
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
    const finished = packing.finish(hash);
    const taken: number[] = [];
    while (rows.taken < 1000) {
      const before = rows.taken;
      packing.help();
      taken.push(rows.taken - before);
      await scheduler.wait(0);
    }
    await finished;
    expect(Math.max(...taken)).toBe(4);
    // A turn of the sender's is a hundred rows: it had one or two where the machine was slow.
    expect(taken.length).toBeGreaterThanOrEqual(200);
  });

  it("are packed by the sender where there are no visits, and where they take too long", async () => {
    const alone = manyRows(1000);
    await new HitPacking(alone).finish(hash);
    expect(alone.taken).toBe(1000);

    const rows = manyRows(10_000);
    const packing = new HitPacking(rows);
    let isOver = false;
    const began = Date.now();
    const finished = packing.finish(hash).then(() => {
      isOver = true;
    });
    while (!isOver) {
      packing.help();
      await scheduler.wait(REST_MILLISECONDS - 1);
    }
    await finished;
    // Left to these visits it would have taken 2,500 of them: ten seconds.
    expect(Date.now() - began).toBeLessThan(5000);
  });

  it("cost a visit more where they have many visitors, and then only one row", () => {
    const rows = new Rows([rowOf(0, { visitors: 5000 }), rowOf(1, {}), rowOf(2, {})]);
    const packing = new HitPacking(rows);
    packing.help();
    expect(rows.taken).toBe(1);
  });
});
