import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LedgerStore } from "../../../../src/features/biolinks/analytics/ledger.repository.ts";
import { CELLS_A_SLOT } from "../../../../src/features/biolinks/analytics/ledger-combinations.ts";
import { MAX_VISITORS } from "../../../../src/features/biolinks/analytics/ledger-compaction.ts";
import { MAX_VALUES } from "../../../../src/features/biolinks/analytics/ledger-days.ts";
import { countsKey } from "../../../../src/features/biolinks/analytics/ledger-keys.ts";
import {
  nextPurge,
  oldestDay,
} from "../../../../src/features/biolinks/analytics/ledger-retention.ts";
import { toRows } from "../../../../src/features/biolinks/analytics/ledger-rows.ts";
import { PROPERTIES } from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import { Tally } from "../../../../src/features/biolinks/analytics/ledger-tally.ts";
import {
  MAX_NEW_TERMS_A_DAY,
  MAX_TERM,
} from "../../../../src/features/biolinks/analytics/ledger-terms.ts";
import { oldestSlot } from "../../../../src/features/biolinks/analytics/time-range.ts";
import type { WorkspaceLedger } from "../../../../src/features/biolinks/analytics/workspace-ledger.ts";
import { toBase64 } from "../../../../src/platform/bytes.ts";
import { leastIdAt, newId } from "../../../../src/platform/ids.ts";
import type { CountableHits, HitPacket } from "../../../../src/visitor/clicks/hit-packet.ts";
import {
  ask,
  countIn,
  hit,
  insideLedger,
  type LedgerStub,
  newLedger,
  packet,
  slotOf,
} from "../../../support/ledger.ts";
import { packHits } from "../../../support/packets.ts";

const DAY = 24 * 60 * 60 * 1000;
const OF_LINK = { dimension: "link" as const, values: ["link-1"], isExcluded: false };

afterEach(() => {
  vi.useRealTimers();
});

function setTime(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(time);
}

/** A hit as an isolate packs it. */
const PACKED: CountableHits = {
  workspaceId: crypto.randomUUID(),
  subject: "link",
  id: "link-1",
  slot: slotOf(Date.now()),
  count: "clicks",
  traffic: "human",
  properties: PROPERTIES.map(() => ""),
  hits: 1,
  visitors: [],
};

const PRODUCT = { subject: "product", id: "mug" } as const;

/** The one packet that an isolate makes of hits. */
function packedOf(...hits: CountableHits[]): HitPacket {
  const [made, ...more] = packHits(hits, newId);
  if (!made || more.length > 0) throw new Error("Not one packet.");
  return made;
}

const total = async (ledger: LedgerStub) => (await ask(ledger))[0]?.counts[0] ?? 0;

describe("a packet", () => {
  it("counts once, however often it comes, in any order, before and after an eviction", async () => {
    const ledger = newLedger();
    const [one, two] = [packet([hit({ hits: 3 })]), packet([hit({ hits: 5 })])];
    const unversioned = packet([hit({ hits: 7 })], crypto.randomUUID());
    await ledger.append([two, one, two]);
    await ledger.append([one, unversioned]);
    expect(await total(ledger)).toBe(15);
    await evictDurableObject(ledger);
    await ledger.append([unversioned, two, one]);
    await ledger.append([one]);
    expect(await total(ledger)).toBe(15);
    expect(await ledger.totals("link", ["link-1", "no-link"])).toEqual({ "link-1": 15 });
  });

  it("counts once after two weeks in a queue, and is not marked for ever", async () => {
    const ledger = newLedger();
    const start = Date.now();
    setTime(start);
    const [late, named] = [packet([hit()]), packet([hit()], "move-1")];
    await ledger.append([late, named]);
    expect(await total(ledger)).toBe(2);
    setTime(start + 44 * DAY);
    await runDurableObjectAlarm(ledger);
    await ledger.append([late, named]);
    expect(await total(ledger)).toBe(2);
    setTime(start + 47 * DAY);
    await runDurableObjectAlarm(ledger);
    expect(await insideLedger(ledger, (_, state) => countIn(state, "marks"))).toBe(0);
    // What comes now cannot be told from what was counted: it is not counted again.
    await ledger.append([late]);
    expect(await total(ledger)).toBe(2);
  });

  it("counts once when the ledger dies at any of its statements", async () => {
    let statements = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= statements; at++) {
      const ledger = newLedger();
      const visitors = ["AAAAAAAAAAA"];
      await ledger.append([packet([hit({ hits: 2, visitors }), hit({ id: "link-2" })])]);
      await ledger.append([packet([hit({ properties: { country: "DE" }, visitors })])]);
      await ledger.appendNewer([packedOf({ ...PACKED, ...PRODUCT, visitors })]);
      statements = await insideLedger(ledger, async (instance, { storage }) => {
        const exec = storage.sql.exec.bind(storage.sql);
        let done = 0;
        Object.assign(storage.sql, {
          exec: (...given: Parameters<typeof exec>) => {
            // From here on it does nothing any more, as if it were gone.
            if (++done >= at) throw new Error("The process has died.");
            return exec(...given);
          },
        });
        await instance.totals("link", []).catch(() => undefined);
        Reflect.deleteProperty(storage.sql, "exec");
        return done < at ? done : Number.POSITIVE_INFINITY;
      });
      await evictDurableObject(ledger);
      const metrics = ["clicks", "visitors"] as const;
      const rows = await ask(ledger, { metrics: [...metrics], groupBy: ["country"] });
      expect(rows.map(({ keys, counts }) => [...keys, ...counts])).toEqual([
        ["", 3, 1],
        ["DE", 1, 0],
      ]);
      expect(await ledger.totals("link", ["link-1", "link-2"])).toEqual({
        "link-1": 3,
        "link-2": 1,
      });
      const products = await ask(ledger, { metrics: [...metrics], groupBy: ["product"] });
      expect(products).toEqual([{ bucket: 0, keys: ["mug"], counts: [1, 1] }]);
      expect(await ledger.totals("product", ["mug"])).toEqual({ mug: 1 });
    }
    expect(statements).toBeLessThan(200);
  });

  it("that cannot be read holds up none of the others, and is kept for the operator", async () => {
    const ledger = newLedger();
    await ledger.append([packet([hit()])]);
    await insideLedger(ledger, (_, { storage }) => {
      const readable = packHits([{ ...PACKED, hits: 4 }])[0]?.packet;
      const twoInARow = ["p", '{"texts":[""],"sets":[],"hits":[[9,0,0,1,0,1,1]]}', "q", readable];
      for (const broken of ["no JSON", "id\n[[1]]", twoInARow.join("\n")])
        storage.sql.exec("INSERT INTO waiting (time, packets) VALUES (0, ?)", broken);
      // As rows were written before 2026-11-23.
      for (const broken of ["no JSON", '[[],[["id",[[9,"x",1,0,0,[],1,[]]]]]]', "[[1]]"])
        storage.sql.exec("INSERT INTO inbox (time, packets) VALUES (0, ?)", broken);
    });
    await evictDurableObject(ledger);
    await ledger.append([packet([hit()])]);
    expect(await total(ledger)).toBe(6);
    const kept = await insideLedger(ledger, (_, state) => [
      countIn(state, "waiting"),
      countIn(state, "faulted"),
    ]);
    expect(kept).toEqual([0, 6]);
  });

  it("that cannot be counted is kept without who came, for a month", async () => {
    const ledger = newLedger();
    const start = Date.now();
    setTime(start);
    // A link without an id: its table refuses it.
    const visitors = ["AAAAAAAAAAA", "BBBBBBBBBBA"];
    await insideLedger(ledger, async (_, { storage }) => {
      storage.sql.exec("INSERT INTO inbox (time, packets) VALUES (0, 'broken AAAAAAAAAAA')");
      storage.sql.exec(
        "INSERT INTO inbox (time, packets) VALUES (0, ?)",
        JSON.stringify([["", "DE"], [["odd", [[0, null, 1, 1, 0, [0, 1], 1, visitors]]]]]),
      );
      // Not now: the runtime would run it too, and find that it is gone.
      await storage.setAlarm(start + 60_000);
    });
    await evictDurableObject(ledger);
    await runDurableObjectAlarm(ledger);
    const kept = () =>
      insideLedger(ledger, (_, { storage }) =>
        storage.sql.exec<{ packet: string }>("SELECT packet FROM faulted").toArray(),
      );
    const [unread, uncounted, none] = (await kept()).map(({ packet: text }) => text);
    expect([unread, none]).toEqual(["18 characters that cannot be read", undefined]);
    expect(uncounted).toContain("odd");
    expect(uncounted).not.toContain("AAAAAAAAAAA");
    setTime(start + 29 * DAY);
    await runDurableObjectAlarm(ledger);
    expect(await kept()).toHaveLength(2);
    setTime(start + 32 * DAY);
    await runDurableObjectAlarm(ledger);
    expect(await kept()).toEqual([]);
  });

  it("that could not be counted is tried once a day, and counts once when that is mended", async () => {
    const ledger = newLedger();
    const start = Date.now();
    setTime(start);
    const odd = packet([hit({ id: "odd", hits: 3, visitors: ["AAAAAAAAAAA"] })]);
    await ledger.append([odd, packet([hit()])]);
    let tries = 0;
    await insideLedger(ledger, (_, { storage: { sql } }) => {
      const exec = sql.exec.bind(sql);
      sql.exec("INSERT INTO faulted (time, packet) VALUES (?, '9 characters')", start);
      Object.assign(sql, {
        exec: (...given: Parameters<typeof exec>) => {
          if (given[0].startsWith("INSERT INTO subjects") && given[2] === "odd") {
            tries++;
            throw new Error("This one cannot be counted.");
          }
          return exec(...given);
        },
      });
    });
    /** What is set aside once the alarm has rung that is due by then. */
    const keptAt = async (time: number) => {
      const alarm = await insideLedger(ledger, (_, { storage }) => storage.getAlarm());
      expect(alarm).toBeLessThanOrEqual(time);
      setTime(time);
      expect(await runDurableObjectAlarm(ledger)).toBe(true);
      return insideLedger(ledger, (_, state) => countIn(state, "faulted"));
    };
    expect([await keptAt(start + DAY / 2), tries]).toEqual([2, 2]);
    expect([await keptAt(start + DAY * 1.5), tries]).toEqual([2, 3]);
    await ledger.append([packet([hit()])]);
    expect([await keptAt(start + DAY * 2), tries]).toEqual([2, 3]);
    await insideLedger(ledger, (_, { storage }) => Reflect.deleteProperty(storage.sql, "exec"));
    expect(await keptAt(start + DAY * 2.5)).toBe(1);
    await ledger.append([odd]);
    expect(await ledger.totals("link", ["link-1", "odd"])).toEqual({ "link-1": 2, odd: 3 });
    expect(await ask(ledger, { metrics: ["clicks", "visitors"] })).toEqual([
      { bucket: 0, keys: [], counts: [5, 0] },
    ]);
    expect(await keptAt(start + DAY * 31.5)).toBe(0);
  });

  it("that cannot be counted now stops no purge, and is counted when it can be", async () => {
    const ledger = newLedger();
    const start = Date.now();
    setTime(start);
    await ledger.append([packet([hit({ visitors: ["AAAAAAAAAAA"] })])]);
    expect(await total(ledger)).toBe(1);
    setTime(start + 3 * DAY);
    await ledger.append([packet([hit()])]);
    const [alarm, seen] = await insideLedger(ledger, async (instance, state) => {
      const { sql } = state.storage;
      const exec = sql.exec.bind(sql);
      Object.assign(sql, {
        exec: (...given: Parameters<typeof exec>) => {
          if (!/^(SELECT|DELETE)/.test(given[0])) throw new Error("full: SQLITE_FULL");
          return exec(...given);
        },
      });
      await state.storage.deleteAlarm();
      await instance.alarm();
      Reflect.deleteProperty(sql, "exec");
      return [await state.storage.getAlarm(), countIn(state, "seen")];
    });
    expect(seen).toBe(0);
    expect(alarm).toBe(start + 3 * DAY + 60_000);
    expect(await total(ledger)).toBe(2);
  });

  it("that cannot be counted is set aside once, though a full ledger stops what follows it", async () => {
    const ledger = newLedger();
    await ledger.append([packet([hit()])]);
    const [kept, left] = await insideLedger(ledger, async (instance, state) => {
      const { sql } = state.storage;
      let isFull = true;
      sql.exec("INSERT INTO waiting (time, packets) VALUES (0, 'no JSON')");
      await instance.append([packet([hit({ id: "odd" })])]);
      const exec = sql.exec.bind(sql);
      // The link "late" comes after both, and there is room for no more links.
      await instance.append([packet([hit({ id: "late" })])]);
      Object.assign(sql, {
        exec: (...given: Parameters<typeof exec>) => {
          if (given[0].startsWith("INSERT INTO subjects")) {
            if (given[2] === "odd") throw new Error("This one cannot be counted.");
            if (isFull && given[2] === "late")
              throw new Error("database or disk is full: SQLITE_FULL");
          }
          return exec(...given);
        },
      });
      const counts = () => [countIn(state, "faulted"), countIn(state, "waiting")];
      for (let times = 0; times < 3; times++) await instance.totals("link", []);
      const whileFull = counts();
      isFull = false;
      await instance.totals("link", []);
      Reflect.deleteProperty(sql, "exec");
      return [whileFull, counts()];
    });
    expect([kept, left]).toEqual([
      [0, 4],
      [2, 0],
    ]);
    expect(await ledger.totals("link", ["link-1", "late"])).toEqual({ "link-1": 1, late: 1 });
  });

  it("is counted by the alarm within five minutes, when nobody asks", async () => {
    const ledger = newLedger();
    const start = Date.now();
    await ledger.append([packet([hit()])]);
    const alarmOf = () => insideLedger(ledger, (_, { storage }) => storage.getAlarm());
    const set = (await alarmOf()) ?? 0;
    expect(set).toBeGreaterThan(start);
    expect(set).toBeLessThanOrEqual(Date.now() + 5 * 60_000);
    // Another one puts nothing off.
    await ledger.append([packet([hit()])]);
    expect(await alarmOf()).toBe(set);
    expect(await runDurableObjectAlarm(ledger)).toBe(true);
    expect(await insideLedger(ledger, (_, state) => countIn(state, "waiting"))).toBe(0);
  });
});

describe("a packet with a product's hits", () => {
  it("waits where a ledger of before does not look, and counts once", async () => {
    const ledger = newLedger();
    await ledger.append([packet([hit()])]);
    const newer = packedOf({ ...PACKED, ...PRODUCT, hits: 2 });
    for (let times = 0; times < 2; times++) await ledger.appendNewer([newer, newer]);
    const waiting = () =>
      insideLedger(ledger, (_, state) => [
        countIn(state, "waiting"),
        countIn(state, "waiting_4"),
        countIn(state, "faulted"),
      ]);
    expect(await waiting()).toEqual([1, 2, 0]);
    // As a ledger of before would, which knows one inbox.
    const before = await insideLedger(ledger, (_, { storage }) => {
      const rows = storage.sql.exec<{ packets: string }>("SELECT packets FROM waiting").toArray();
      return rows.flatMap(({ packets }) => packets.split("\n")).join();
    });
    expect(before).not.toContain("mug");
    expect(await total(ledger)).toBe(1);
    expect(await ledger.totals("product", ["mug"])).toEqual({ mug: 2 });
    expect(await waiting()).toEqual([0, 0, 0]);
    await ledger.appendNewer([newer]);
    expect(await total(ledger)).toBe(1);
    expect(await ledger.totals("product", ["mug"])).toEqual({ mug: 2 });
  });

  it("has its turn when it waits longest, however much comes of the others, and they have theirs", async () => {
    const taken = await insideLedger(newLedger(), (_, { storage }) => {
      const { inbox } = new LedgerStore(storage.sql);
      for (const [packets, time, isNewer] of [
        ["two", 2, false],
        ["one", 1, true],
        ["two too", 3, false],
        ["three", 4, true],
      ] as const)
        inbox.put(packets, time, isNewer);
      const order: string[][] = [];
      for (let rows = [...inbox.rows(10)]; rows.length > 0; rows = [...inbox.rows(10)]) {
        order.push(rows.map(({ packets }) => packets));
        inbox.drop(rows[0]?.id ?? 0);
      }
      return order;
    });
    expect(taken).toEqual([["one", "three"], ["two", "two too"], ["two too"], ["three"]]);
  });

  it("is not told to be fresh while it waits behind others", async () => {
    const ledger = newLedger();
    const start = Date.now();
    setTime(start);
    await ledger.appendNewer([packedOf({ ...PACKED, ...PRODUCT })]);
    setTime(start + 60_000);
    await ledger.append([packet([hit()])]);
    const since = await insideLedger(ledger, (_, { storage }) =>
      new LedgerStore(storage.sql).inbox.waitingSince(),
    );
    expect(since).toBe(start);
    expect(await runDurableObjectAlarm(ledger)).toBe(true);
    expect((await ledger.recent(0)).minutes).toHaveLength(1);
    expect(await ledger.totals("product", ["mug"])).toEqual({ mug: 1 });
  });
});

describe("a backlog", () => {
  const LINKS = 600;

  /** Rows of the inbox that are a batch each, all of as many links. */
  async function fill(ledger: LedgerStub, rows: number): Promise<void> {
    for (let row = 0; row < rows; row++) {
      const hits = Array.from({ length: LINKS }, (_, link) => hit({ id: `link-${link}` }));
      await ledger.append([packet(hits)]);
    }
  }

  /** As if each batch took so long. */
  async function slowly<Result>(step: number, work: () => Promise<Result>): Promise<Result> {
    let time = Date.now();
    const clock = vi.spyOn(Date, "now").mockImplementation(() => {
      time += step;
      return time;
    });
    try {
      return await work();
    } finally {
      clock.mockRestore();
    }
  }

  it("is counted a part at a time, and an answer says until when it tells", async () => {
    const ledger = newLedger();
    await fill(ledger, 4);
    const inbox = () => insideLedger(ledger, (_, state) => countIn(state, "waiting"));
    const question = {
      metrics: ["clicks" as const],
      groupBy: [],
      buckets: [0, slotOf(Date.now()) + 10],
      traffic: "human" as const,
      filters: [],
    };
    const before = Date.now();
    const partly = await slowly(600, () =>
      insideLedger(ledger, (instance) => instance.answer(question)),
    );
    expect(await inbox()).toBe(3);
    expect(partly.rows[0]?.counts).toEqual([LINKS]);
    expect(partly.freshUntil).toBeLessThanOrEqual(before - 8000);
    const next = await slowly(6000, () =>
      insideLedger(ledger, async (instance, { storage }) => {
        await storage.deleteAlarm();
        await instance.alarm();
        return storage.getAlarm();
      }),
    );
    expect(await inbox()).toBe(2);
    expect(next).toBeLessThan(before + 60_000);
    expect(await total(ledger)).toBe(4 * LINKS);
  });

  /** How long a question waits for shards at most: no rest. */
  const PATIENCE = 1000;

  /** The batches, each of which takes `step` ms, and the waits while something is done, in their order. */
  async function batchesAndWaits(
    ledger: LedgerStub,
    step: number,
    work: (ledger: WorkspaceLedger) => Promise<unknown>,
    isFull = false,
  ): Promise<("batch" | number)[]> {
    const taken: ("batch" | number)[] = [];
    let time = Date.now();
    const clock = vi.spyOn(Date, "now").mockImplementation(() => time);
    const wait = scheduler.wait.bind(scheduler);
    const waiting = vi.spyOn(scheduler, "wait").mockImplementation((milliseconds, ...more) => {
      if (milliseconds === PATIENCE) return wait(milliseconds, ...more);
      taken.push(milliseconds);
      time += milliseconds;
      return wait(1, ...more);
    });
    try {
      await insideLedger(ledger, async (instance, { storage: { sql } }) => {
        const exec = sql.exec.bind(sql);
        Object.assign(sql, {
          exec: (...given: Parameters<typeof exec>) => {
            if (given[0].startsWith("DELETE FROM waiting ")) {
              taken.push("batch");
              time += step;
              if (isFull) throw new Error("full: SQLITE_FULL");
            }
            return exec(...given);
          },
        });
        await work(instance).finally(() => Reflect.deleteProperty(sql, "exec"));
      });
    } finally {
      waiting.mockRestore();
      clock.mockRestore();
    }
    return taken;
  }

  it.each([
    [50, 51],
    [2000, 500],
  ])(
    "leaves the thread to others after a batch of %i ms for %i ms, however many ask at the same time",
    async (step, rest) => {
      const ledger = newLedger();
      await fill(ledger, 3);
      const taken = await batchesAndWaits(ledger, step, (instance) => {
        const totals = [1, 2, 3].map(() => instance.totals("link", []));
        return Promise.all([instance.alarm(), instance.recent(0), ...totals]);
      });
      // A millisecond, in which the clock goes on, and the rest.
      expect(taken).toEqual(["batch", 1, rest, "batch", 1, rest, "batch", 1]);
      expect(await total(ledger)).toBe(3 * LINKS);
    },
  );

  it("leaves the thread to others also after a batch that a full ledger has no room for", async () => {
    const ledger = newLedger();
    await fill(ledger, 1);
    await insideLedger(ledger, (_, { storage }) => storage.deleteAlarm());
    const ask = async (instance: WorkspaceLedger) => {
      await Promise.all([instance.alarm(), instance.totals("link", []), instance.recent(0)]);
      await instance.totals("link", []);
    };
    const taken = await batchesAndWaits(ledger, 50, ask, true);
    // It deletes what it has added up twice: with all of it, and when it has been through one by one.
    expect(taken).toEqual(["batch", "batch", 1, 101, "batch", "batch", 1]);
    const alarm = await insideLedger(ledger, (_, { storage }) => storage.getAlarm());
    expect(alarm).not.toBeNull();
    expect(await total(ledger)).toBe(LINKS);
  });

  it("is read a row at a time, as far as a batch goes", async () => {
    const ledger = newLedger();
    await fill(ledger, 4);
    const read = await insideLedger(ledger, async (instance, { storage: { sql } }) => {
      const exec = sql.exec.bind(sql);
      let read = 0;
      Object.assign(sql, {
        exec: (...given: Parameters<typeof exec>) => {
          if (given[0].startsWith("SELECT id, time, packets FROM waiting")) read++;
          return exec(...given);
        },
      });
      await slowly(2000, () => instance.totals("link", [])).finally(() =>
        Reflect.deleteProperty(sql, "exec"),
      );
      return read;
    });
    expect(read).toBe(1);
  });

  it("begins a new row behind a large packet, and has one for some that are small", async () => {
    const ledger = newLedger();
    const packets = (characters: number) =>
      [1, 2, 3].map(() => ({ id: newId(), packet: "x".repeat(characters) }));
    const rows = await insideLedger(ledger, async (instance, state) => {
      await instance.append(packets(100_000));
      await instance.append(packets(1000));
      return countIn(state, "waiting");
    });
    expect(rows).toBe(4);
  });

  it("is passed by what is to be counted now, once, or refused", async () => {
    const ledger = newLedger();
    await fill(ledger, 2);
    const [now, later] = [packet([hit({ hits: 7 })]), packet([hit({ hits: 5 })])];
    await ledger.countNow(now);
    const shown = await insideLedger(ledger, (_, { storage }) =>
      storage.sql.exec("SELECT people FROM subjects WHERE id = 'link-1'").one(),
    );
    expect(shown).toEqual({ people: 7 });
    await ledger.append([now, later]);
    await ledger.countNow(later);
    await ledger.countNow(now);
    expect(await total(ledger)).toBe(2 * LINKS + 12);
    const odd = packet([hit({ hits: -1 })]);
    const refused = insideLedger(ledger, (instance) => instance.countNow(odd).catch(String));
    expect(await refused).toContain("no known shape");
    // What may have counted before its mark was deleted.
    const old = packet([hit()], leastIdAt(Date.now() - 46 * DAY));
    const untold = insideLedger(ledger, (instance) => instance.countNow(old).catch(String));
    expect(await untold).toContain("whether it was counted");
    expect(await total(ledger)).toBe(2 * LINKS + 12);
  });

  it("has an alarm for what comes while another works", async () => {
    const ledger = newLedger();
    await fill(ledger, 2);
    await insideLedger(ledger, async (instance, { storage }) => {
      await storage.deleteAlarm();
      const working = instance.alarm();
      await instance.append([packet([hit({ id: "late" })])]);
      await working;
    });
    const alarm = await insideLedger(ledger, (_, { storage }) => storage.getAlarm());
    expect(alarm).toBeLessThanOrEqual(Date.now() + 5 * 60_000);
    expect(await total(ledger)).toBe(2 * LINKS + 1);
  });
});

describe("hits of another time", () => {
  it("that are ahead of the clock count now, and those older than 25 months in the link's total only", async () => {
    const ledger = newLedger();
    // The clock stands: what is counted now is in this quarter of an hour.
    setTime(Date.now());
    const now = slotOf(Date.now());
    await ledger.append([packet([hit({ slot: now + 500 }), hit({ slot: 1000 })])]);
    expect(await ask(ledger, { buckets: [now - 1, now + 1] })).toEqual([
      { bucket: 0, keys: [], counts: [1] },
    ]);
    expect(await total(ledger)).toBe(1);
    expect(await ledger.totals("link", ["link-1"])).toEqual({ "link-1": 2 });
  });

  it("are gone after 25 months, and who was seen after 48 hours, though nobody comes any more", async () => {
    const ledger = newLedger();
    const start = Date.UTC(2027, 0, 15, 12);
    setTime(start);
    const properties = { referrer: "news.example" };
    await ledger.append([packet([hit({ properties, visitors: ["AAAAAAAAAAA"] })])]);
    const left = () =>
      insideLedger(ledger, (_, state) =>
        ["counts", "seen", "terms"].map((table) => countIn(state, table)),
      );
    // As the runtime does: at each alarm's time.
    for (let alarms = 0; alarms < 20; alarms++) {
      const alarm = await insideLedger(ledger, (_, { storage }) => storage.getAlarm());
      if (alarm === null) break;
      setTime(Math.max(alarm, Date.now()));
      await runDurableObjectAlarm(ledger);
      const [counts = 0, seen] = await left();
      if (Date.now() < Date.UTC(2029, 1, 15)) expect(counts).toBeGreaterThan(0);
      if (Date.now() > start + 37 * 60 * 60 * 1000) expect(seen).toBe(0);
    }
    // What they said goes two months later.
    expect(await left()).toEqual([0, 0, 0]);
    expect(Date.now()).toBeLessThan(Date.UTC(2029, 4, 2));
    expect(await ledger.totals("link", ["link-1"])).toEqual({ "link-1": 1 });
  });

  it("keep their names for as long as they are kept, however long ago those first came", async () => {
    const ledger = newLedger();
    const from = (referrer: string) => packet([hit({ properties: { referrer } })]);
    setTime(Date.UTC(2027, 0, 15));
    await ledger.append([from("old.example"), from("news.example")]);
    await ledger.totals("link", []);
    setTime(Date.UTC(2028, 11, 15));
    await ledger.append([from("news.example")]);
    await ledger.totals("link", []);
    setTime(Date.UTC(2029, 5, 15));
    await runDurableObjectAlarm(ledger);
    const slots = [slotOf(Date.UTC(2028, 11, 1)), slotOf(Date.now())];
    expect(await ask(ledger, { groupBy: ["referrer"], buckets: slots })).toEqual([
      { bucket: 0, keys: ["news.example"], counts: [1] },
    ]);
    const texts = await insideLedger(ledger, (_, { storage: { sql } }) =>
      sql.exec<{ text: string }>("SELECT text FROM terms").toArray(),
    );
    expect(texts).toEqual([{ text: "news.example" }]);
  });
});

const ZONES = [
  "Pacific/Kiritimati",
  "Pacific/Auckland",
  "UTC",
  "America/New_York",
  "Pacific/Pago_Pago",
  "Etc/GMT+12",
];

it("keeps what may be asked for, in every time zone, and less than a week more", () => {
  for (let time = Date.UTC(2026, 0, 1, 11); time < Date.UTC(2028, 3, 1); time += DAY / 8) {
    for (const zone of ZONES) {
      const more = Math.floor(oldestSlot(time, zone) / 96) - oldestDay(time);
      expect([new Date(time), zone, more >= 0 && more < 7]).toEqual([new Date(time), zone, true]);
    }
  }
});

it("has let a day go when the alarm for that has rung", () => {
  const none = () => undefined;
  for (let day = 20_000; day < 22_000; day++) {
    const firstKey = (table: string) => (table === "counts" ? countsKey(day, 0, 0) : undefined);
    const store = { firstKey, inbox: { firstSetAside: none }, terms: { firstMonth: none } };
    const rings = nextPurge(store as unknown as LedgerStore) ?? 0;
    expect(oldestDay(rings)).toBeGreaterThan(day);
  }
});

describe("visitors", () => {
  it("count once a UTC day and subject, and no more of them than there is room for", async () => {
    const ledger = newLedger();
    const day = Date.UTC(2027, 5, 2);
    setTime(day + 60_000);
    const visitors = ["AAAAAAAAAAA"];
    const before = slotOf(day) - 1;
    const hits = [
      hit({ slot: before, visitors }),
      hit({ visitors }),
      hit({ visitors }),
      hit({ id: "link-2", visitors }),
      hit({ traffic: "crawler", visitors: ["BAAAAAAAAAA"] }),
      hit({ visitors: ["no hash", "CAAAAAAAAAA"] }),
    ];
    await ledger.append([packet(hits)]);
    const metrics = ["visitors" as const];
    expect(await ask(ledger, { metrics, groupBy: ["link"], traffic: "all" })).toEqual([
      { bucket: 0, keys: ["link-1"], counts: [3] },
      { bucket: 0, keys: ["link-2"], counts: [1] },
    ]);
    const many = Array.from({ length: MAX_VISITORS + 5 }, (_, at) => {
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setUint32(4, at + 1);
      return toBase64(bytes).slice(0, 11).replaceAll("+", "-").replaceAll("/", "_");
    });
    await ledger.append([packet([hit({ id: "flood", visitors: many })])]);
    const filters = [{ dimension: "link" as const, values: ["flood"], isExcluded: false }];
    expect((await ask(ledger, { metrics, filters }))[0]?.counts).toEqual([MAX_VISITORS]);
  });
});

describe("a flood of invented values", () => {
  it("takes a packet whole that names texts as long as may be, again and again", async () => {
    const ledger = newLedger();
    const texts = Array.from({ length: 8 }, (_, at) => `${at}`.padEnd(300, "\u5b57"));
    const text = (at: number) => texts[at % 8] as string;
    const hits = Array.from({ length: 2500 }, (_, n) =>
      hit({
        properties: {
          referrer: text(n),
          utm_source: text(n >> 3),
          utm_medium: text(n >> 6),
          utm_campaign: text(n >> 9),
          language: text(n + 1),
        },
      }),
    );
    await ledger.append([packet(hits), packet(hits)]);
    expect(await total(ledger)).toBe(5000);
  });

  it("makes a thousand of each property of a day, and the counts stay exact", async () => {
    const ledger = newLedger();
    const slot = slotOf(Date.now());
    const hits = Array.from({ length: 5000 }, (_, n) =>
      hit({
        slot,
        properties: {
          country: ["DE", "FR"][n % 2] as string,
          device: "mobile",
          referrer: `r${n}.example`,
          utm_source: `${n}`.repeat(100),
          utm_campaign: `c${n % 2000}`,
          language: `l${n}`,
          trigger: "link",
        },
      }),
    );
    for (let at = 0; at < hits.length; at += 500)
      await ledger.append([packet(hits.slice(at, at + 500))]);
    for (const filters of [[], [OF_LINK]]) {
      for (const dimension of ["referrer", "utm_source", "utm_campaign", "language"] as const) {
        // A whole day, so that it is read from the day's sums.
        const buckets = [slot - (slot % 96), slot - (slot % 96) + 96];
        const rows = await ask(ledger, { groupBy: [dimension], filters, buckets });
        expect(rows).toHaveLength(MAX_VALUES + 1);
        expect(rows.reduce((sum, { counts }) => sum + (counts[0] ?? 0), 0)).toBe(5000);
        for (const { keys } of rows) expect(keys[0]?.length).toBeLessThanOrEqual(120);
      }
    }
    const countries = await ask(ledger, { groupBy: ["country"], filters: [OF_LINK] });
    expect(countries.map(({ keys, counts }) => [...keys, ...counts])).toEqual([
      ["DE", 2500],
      ["FR", 2500],
    ]);
    // By two dimensions what came late is coarser, and still all there.
    const pairs = await ask(ledger, { groupBy: ["country", "referrer"] });
    expect(pairs.reduce((sum, { counts }) => sum + (counts[0] ?? 0), 0)).toBe(5000);
    expect(pairs.length).toBeLessThanOrEqual(CELLS_A_SLOT[2]);
    const triggers = await ask(ledger, { groupBy: ["country", "trigger"] });
    expect([...new Set(triggers.map(({ keys }) => keys[1]))]).toEqual(["link"]);
  });

  it("is held to so many new texts a day in all, whatever it is sent to", async () => {
    const ledger = newLedger();
    const links = Math.ceil(MAX_NEW_TERMS_A_DAY.invented / 1000) + 3;
    for (let link = 0; link < links; link++) {
      const hits = Array.from({ length: 1000 }, (_, n) =>
        hit({ id: `link-${link}`, properties: { utm_source: `${link}-${n}` } }),
      );
      await ledger.append([packet(hits)]);
    }
    expect(await total(ledger)).toBe(links * 1000);
    const terms = await insideLedger(ledger, (_, state) => countIn(state, "terms"));
    expect(terms).toBe(MAX_NEW_TERMS_A_DAY.invented);
    // What nobody invents has a budget of its own.
    await ledger.append([packet([hit({ properties: { country: "DE", utm_medium: "email" } })])]);
    const of = async (dimension: "country" | "utm_medium") =>
      (await ask(ledger, { groupBy: [dimension] })).map(({ keys }) => keys[0]);
    expect([await of("country"), await of("utm_medium")]).toEqual([
      ["", "DE"],
      ["", "(other)"],
    ]);
  });

  it("takes numbers of forgotten texts when it has given the last, and faults in none", async () => {
    const ledger = newLedger();
    await ledger.totals("link", []);
    await insideLedger(ledger, (_, { storage }) =>
      storage.sql.exec("INSERT INTO terms (id, text, month) VALUES (?, 'last', 99999)", MAX_TERM),
    );
    const hits = ["a", "b"].map((referrer) => hit({ properties: { referrer } }));
    await ledger.append([packet(hits)]);
    const byReferrer = async () =>
      (await ask(ledger, { groupBy: ["referrer"] })).map(({ keys, counts }) => [
        ...keys,
        ...counts,
      ]);
    expect(await byReferrer()).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    // None is free, wherever it looks.
    const random = vi.spyOn(Math, "random").mockReturnValue(0.999_999_99);
    await ledger.append([packet([hit({ properties: { referrer: "c" } })])]);
    const faulted = await insideLedger(ledger, async (instance, state) => {
      await instance.totals("link", []);
      return countIn(state, "faulted");
    });
    random.mockRestore();
    expect(faulted).toBe(0);
    expect(await byReferrer()).toEqual([
      ["(other)", 1],
      ["a", 1],
      ["b", 1],
    ]);
  });

  it("costs what it says: bytes of a link's day at most", async () => {
    const ledger = newLedger();
    const day = slotOf(Date.now()) - (slotOf(Date.now()) % 96) - 96;
    for (let slot = 0; slot < 96; slot += 8) {
      const hits = Array.from({ length: 8 * 600 }, (_, n) =>
        hit({
          slot: day + slot + (n % 8),
          properties: {
            country: `A${n % 36}`,
            referrer: `${n}.example`,
            utm_source: `${n}`,
            browser: `${n % 700}`,
          },
        }),
      );
      await ledger.append([packet(hits.slice(0, 2400)), packet(hits.slice(2400))]);
    }
    expect(await total(ledger)).toBe(12 * 8 * 600);
    const largest = await insideLedger(
      ledger,
      (_, { storage }) =>
        storage.sql.exec<{ n: number }>("SELECT max(length(body)) AS n FROM counts").one().n,
    );
    expect(largest).toBeLessThan(1_300_000);
  });
});

it("refuses a question that would answer too much, and goes on", async () => {
  const ledger = newLedger();
  const slot = slotOf(Date.now());
  for (let link = 0; link < 110; link++) {
    const hits = Array.from({ length: 1000 }, (_, n) =>
      hit({ id: `link-${link}`, slot: slot - (n % 90), properties: { referrer: `${n}` } }),
    );
    await ledger.append([packet(hits)]);
  }
  const wide = ask(ledger, { groupBy: ["link", "referrer"], buckets: [0, slot + 1] });
  expect(await wide.catch(({ message }) => message)).toBe("ledger_question_too_wide");
  expect(await total(ledger)).toBe(110_000);
});

it("refuses an answer whose texts are more than one call may carry", async () => {
  const ledger = newLedger();
  const text = "x".repeat(120);
  await ledger.append([packet([hit({ properties: { utm_source: text } })])]);
  await total(ledger);
  const answered = (rows: number) =>
    insideLedger(ledger, (_, { storage }) => {
      const store = new LedgerStore(storage.sql);
      const term = store.terms.find(text) ?? 0;
      const tally = new Tally(1);
      for (let bucket = 0; bucket < rows; bucket++) tally.add(bucket, term, term, 0, 1);
      return toRows(store, ["utm_source", "utm_source"], tally).length;
    });
  expect(await answered(1000)).toBe(1000);
  expect(await answered(60_000).catch(({ message }) => message)).toBe("ledger_question_too_wide");
});
