import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LedgerStore } from "../../../../src/features/biolinks/analytics/ledger.repository.ts";
import {
  type CountedHits,
  type LedgerPacket,
  type LedgerQuestion,
  QUESTION_TOO_WIDE,
  type RecentAnswer,
  SUBJECTS,
} from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import {
  LedgerPlace,
  shardsAsked,
} from "../../../../src/features/biolinks/analytics/ledger-split.ts";
import { RowSums } from "../../../../src/features/biolinks/analytics/ledger-sums.ts";
import { SOME_LINK } from "../../../support/analytics.ts";
import {
  ask,
  countIn,
  hit,
  insideLedger,
  type LedgerStub,
  ledgerAt,
  newLedger,
  packet,
  shardsOf,
  slotOf,
  splitDayOf,
  splitNext,
} from "../../../support/ledger.ts";
import { IDS, ledgerArbitraries, SLOTS_A_DAY } from "../../../support/ledger-arbitraries.ts";
import { loggedLines } from "../../../support/logs.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const { newest: NEWEST, today: TODAY, Packets, Questions } = ledgerArbitraries();
/** Each makes 16 objects and more. */
const RUNS = 8;
const ANALYTICS = "/api/v1/biolinks/analytics";
const SLOT = 15 * 60_000;
const DAY = SLOTS_A_DAY * SLOT;
const NOW = NEWEST * SLOT;
/** Noon of the day before yesterday, of yesterday. */
const [FIRST_NOON, SECOND_NOON] = [2, 1].map((ago) => (TODAY - ago + 0.5) * DAY) as [
  number,
  number,
];

/** Of a day to come, so that no alarm comes by itself. */
const COMING_NOON = (TODAY + 5.5) * DAY;

afterEach(() => {
  vi.useRealTimers();
});

function setTime(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: time });
}

const total = async (ledger: LedgerStub) => (await ask(ledger))[0]?.counts[0] ?? 0;

/** How many bodies of counts there are in each object of a workspace: its ledger, and its shards. */
async function bodiesOf(workspace: string): Promise<{ ledger: number; shards: number[] }> {
  const bodies = (of: LedgerStub) => insideLedger(of, (_, state) => countIn(state, "counts"));
  return {
    ledger: await bodies(ledgerAt(workspace)),
    shards: await Promise.all(shardsOf(workspace).map(bodies)),
  };
}

/** As realtime shows it: by minute, in no order. */
function minutesOf({ minutes }: RecentAnswer): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { hits, ...of } of minutes) {
    const name = Object.values(of).join(" ");
    sums[name] = (sums[name] ?? 0) + hits;
  }
  return sums;
}

describe("a workspace whose ledger has split answers as one whose has not", () => {
  it("whatever is asked: packets thrice, late, in any order, before and after", async () => {
    let [routed, kept] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        Packets,
        Packets,
        Packets,
        fc.array(Questions, { minLength: 1, maxLength: 4 }),
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        async (early, then, late, questions, compacts) => {
          const workspace = crypto.randomUUID();
          const [whole, split] = [newLedger(), ledgerAt(workspace)];
          const sent: LedgerPacket[] = [];
          const send = async (all: LedgerPacket[]) => {
            for (const [at, one] of all.entries()) {
              for (const ledger of [whole, split]) {
                await ledger.append([one, one]);
                if (compacts[at]) await ledger.totals("link", []);
              }
            }
          };
          const sendNew = async (all: CountedHits[][]) => {
            const made = all.map((hits) => packet(hits));
            await send(made);
            sent.push(...made);
          };
          const expectSame = async () => {
            for (const question of questions) {
              const [one, other] = [await whole.answer(question), await split.answer(question)];
              expect(other).toEqual(one);
            }
          };
          setTime(FIRST_NOON);
          await sendNew(early);
          await split.totals("link", []);
          await whole.totals("link", []);
          await splitNext(split);
          await expectSame();
          expect(await splitDayOf(split)).toBeDefined();
          setTime(SECOND_NOON);
          await sendNew(then);
          await send(sent.toReversed());
          await expectSame();
          setTime(NOW);
          await sendNew(late);
          await send(
            sent.toSorted((one, other) => (one.id.slice(-4) < other.id.slice(-4) ? 1 : -1)),
          );
          await expectSame();
          for (const kind of SUBJECTS) {
            expect(await split.totals(kind, IDS)).toEqual(await whole.totals(kind, IDS));
            const since = Math.floor(NOW / 60_000) - 29;
            for (const of of [undefined, { subject: kind, ids: ["a", "b"] }]) {
              const [one, other] = [await whole.recent(since, of), await split.recent(since, of)];
              expect(minutesOf(other)).toEqual(minutesOf(one));
            }
          }
          const { ledger, shards } = await bodiesOf(workspace);
          kept += ledger;
          routed += shards.reduce((sum, some) => sum + some, 0);
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(Math.min(kept, routed)).toBeGreaterThan(RUNS);
  });

  it("when it was in shards from the start, and nothing was counted in it", async () => {
    await fc.assert(
      fc.asyncProperty(
        Packets,
        fc.array(Questions, { minLength: 1, maxLength: 4 }),
        async (packets, questions) => {
          const workspace = crypto.randomUUID();
          const [whole, split] = [newLedger(), ledgerAt(workspace)];
          await splitNext(split);
          const sent = packets.map((hits) => packet(hits));
          for (const ledger of [whole, split]) await ledger.append([...sent, ...sent]);
          for (const question of questions) {
            expect((await split.answer(question)).rows).toEqual(
              (await whole.answer(question)).rows,
            );
          }
          expect((await bodiesOf(workspace)).ledger).toBe(0);
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});

it("answers by HTTP as one that has not: pages, exports, minutes, clicks of a link", async () => {
  setTime(COMING_NOON);
  const [whole, split] = [await createWorkspace(), await createWorkspace()];
  const shown = new Map<Workspace, unknown[]>();
  const links = [SOME_LINK, ...Array.from({ length: 9 }, () => crypto.randomUUID())];
  const countries = ["DE", "FR", "US", "IT"];
  const send = async (from: number, to: number) => {
    for (const workspace of [whole, split]) {
      const packets = Array.from({ length: to - from }, (_, at) => {
        const n = from + at;
        const [id, country] = [links[n % links.length] ?? "", countries[n % 3] ?? ""];
        const visitors = [`AAAAAAAAAA${"AEIM"[n % 4]}`];
        return packet([hit({ id, hits: n, properties: { country }, visitors })]);
      });
      await ledgerAt(workspace.id).append(packets);
      await ledgerAt(workspace.id).append(packets);
    }
  };
  await send(0, 30);
  for (const { id } of [whole, split]) await ledgerAt(id).totals("link", []);
  await splitNext(ledgerAt(split.id));
  setTime(COMING_NOON + DAY);
  await send(30, 60);
  for (const workspace of [whole, split]) {
    const told: unknown[] = [];
    for (const search of [
      "group_by=link&limit=3",
      "group_by=link,country&interval=day&limit=7",
      `link=${SOME_LINK}&group_by=country`,
      `group_by=country&country=-DE&limit=1&compare=previous`,
    ]) {
      let cursor: string | null = "";
      while (cursor !== null) {
        const path = `${ANALYTICS}?metrics=clicks,visitors&period=7d&${search}&cursor=${cursor}`;
        const { status, body } = await workspace.send("GET", path);
        expect(status).toBe(200);
        told.push(body);
        cursor = body.next_cursor;
      }
    }
    for (const path of [`realtime?link=${SOME_LINK}`, "realtime"])
      told.push((await workspace.send("GET", `${ANALYTICS}/${path}`)).body);
    const file = `${ANALYTICS}/export?format=csv&metrics=clicks&group_by=link&period=7d`;
    told.push((await workspace.send("GET", file)).text);
    shown.set(workspace, told);
  }
  expect(shown.get(whole)?.length).toBeGreaterThan(12);
  expect(shown.get(split)).toEqual(shown.get(whole));
  expect(await splitDayOf(ledgerAt(split.id))).toBe(TODAY + 6);
});

describe("a ledger splits", () => {
  it("above its bound, with the day of which it has counted nothing; once, and says so once", async () => {
    setTime(SECOND_NOON);
    const workspace = crypto.randomUUID();
    const ledger = ledgerAt(workspace);
    const grow = () =>
      ledger.append([
        packet(Array.from({ length: 200 }, (_, at) => hit({ id: `${at} ${crypto.randomUUID()}` }))),
      ]);
    await grow();
    await ledger.totals("link", []);
    const bytes = await insideLedger(ledger, (instance, { storage }) => {
      // A few KB more than it has.
      const splitBounds = { bytes: storage.sql.databaseSize + 20_000, behindMilliseconds: DAY };
      Object.assign(instance, { splitBounds });
      return splitBounds.bytes;
    });
    await ledger.totals("link", []);
    expect(await splitDayOf(ledger)).toBeUndefined();
    await grow();
    await ledger.totals("link", []);
    const { ledger: before } = await bodiesOf(workspace);
    await runDurableObjectAlarm(ledger);
    expect(await splitDayOf(ledger)).toBe(TODAY);
    setTime(NOW);
    await ledger.append([packet([hit(), hit({ slot: NEWEST - SLOTS_A_DAY, id: "late" })])]);
    await ledger.append([packet([hit({ id: "link-2" })])]);
    expect(await total(ledger)).toBe(403);
    await evictDurableObject(ledger);
    expect(await total(ledger)).toBe(403);
    const after = await bodiesOf(workspace);
    // The late one, of a day before.
    expect(after.ledger).toBe(before + 1);
    expect(after.shards.filter((some) => some > 0)).toHaveLength(2);
    const told = loggedLines().filter((line) => line.includes(workspace));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0] ?? "")).toMatchObject({
      event: "ledger_split",
      why: "size",
      firstDay: TODAY,
      shards: 16,
    });
    expect(JSON.parse(told[0] ?? "").bytes).toBeGreaterThan(bytes);
  });

  it("when its alarms leave something for half an hour; not after an outage; a shard never does", async () => {
    const workspace = crypto.randomUUID();
    const splitAfter = async (ledger: LedgerStub, alarms: [minute: number, isLeft: boolean][]) => {
      await ledger.append([packet([hit()])]);
      await insideLedger(ledger, (_, { storage }) => {
        const place = new LedgerPlace(storage, new LedgerStore(storage.sql));
        for (const [minute, isLeft] of alarms)
          place.splitIfBehind(isLeft, 30 * 60_000, minute * 60_000);
        place.splitIfAbove(Number.MAX_SAFE_INTEGER);
      });
      return splitDayOf(ledger);
    };
    const ledger = ledgerAt(workspace);
    expect(await splitAfter(ledger, [[31, true]])).toBeUndefined();
    const behind: [number, boolean][] = [
      [0, true],
      [29, true],
    ];
    expect(await splitAfter(ledger, behind)).toBeUndefined();
    expect(await splitAfter(ledger, [...behind, [30, false], [31, true]])).toBeUndefined();
    const shard = ledgerAt(`${workspace}/3`);
    expect(await splitAfter(shard, [...behind, [30, true]])).toBeUndefined();
    expect(await splitAfter(ledger, [...behind, [30, true]])).toBe(0);
    await splitNext(shard);
    await shard.totals("link", []);
    expect(await splitDayOf(shard)).toBeUndefined();
  });

  it("and until then has nothing of it: no table, no key", async () => {
    const ledger = newLedger();
    await ledger.append([packet([hit()])]);
    expect(await total(ledger)).toBe(1);
    await insideLedger(ledger, (_, { storage }) => {
      expect([...storage.kv.list()].map(([key]) => key)).toEqual(["workspace"]);
      const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'handed'");
      expect(tables.toArray()).toEqual([]);
    });
  });
});

describe("a packet of a ledger that has split", () => {
  it("counts once when the ledger dies at any of its statements", async () => {
    let statements = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= statements; at++) {
      setTime(COMING_NOON);
      const ledger = newLedger();
      const visitors = ["AAAAAAAAAAA"];
      const before = packet([hit({ visitors })]);
      await ledger.append([before]);
      await ledger.totals("link", []);
      await splitNext(ledger);
      await ledger.totals("link", []);
      setTime(COMING_NOON + DAY);
      const late = hit({ slot: slotOf(COMING_NOON), visitors });
      await ledger.append([before, packet([hit({ visitors }), late, hit({ id: "link-2" })])]);
      statements = await insideLedger(ledger, async (instance, { storage }) => {
        const exec = storage.sql.exec.bind(storage.sql);
        let done = 0;
        Object.assign(storage.sql, {
          exec: (...given: Parameters<typeof exec>) => {
            if (++done >= at) throw new Error("The process has died.");
            return exec(...given);
          },
        });
        await instance.totals("link", []).catch(() => undefined);
        Reflect.deleteProperty(storage.sql, "exec");
        return done < at ? done : Number.POSITIVE_INFINITY;
      });
      await evictDurableObject(ledger);
      await ledger.append([before]);
      const values = ["link-1", "link-2"];
      const rows = await ask(ledger, {
        metrics: ["clicks", "visitors"],
        groupBy: ["link"],
        filters: [{ dimension: "link", values, isExcluded: false }],
      });
      expect(rows.map(({ keys, counts }) => [...keys, ...counts])).toEqual([
        // Of two days.
        ["link-1", 3, 2],
        ["link-2", 1, 0],
      ]);
      expect(await ledger.totals("link", ["link-1", "link-2"])).toEqual({
        "link-1": 3,
        "link-2": 1,
      });
    }
    expect(statements).toBeLessThan(200);
  });

  it("waits, and the answer says so, until its shard takes it; a shard that is gone silences the others", async () => {
    setTime(SECOND_NOON);
    const workspace = crypto.randomUUID();
    const ledger = ledgerAt(workspace);
    await splitNext(ledger);
    const refuse = (of: LedgerStub, what: RegExp) =>
      insideLedger(of, (_, { storage }) => {
        const exec = storage.sql.exec.bind(storage.sql);
        Object.assign(storage.sql, {
          exec: (...given: Parameters<typeof exec>) => {
            if (what.test(given[0])) throw new Error("The shard is gone.");
            return exec(...given);
          },
        });
      });
    const shards = shardsOf(workspace);
    await Promise.all(shards.map((shard) => refuse(shard, /^INSERT/)));
    await ledger.append([packet([hit()])]);
    const question: LedgerQuestion = {
      metrics: ["clicks"],
      groupBy: [],
      buckets: [0, NEWEST],
      traffic: "human",
      filters: [],
    };
    setTime(SECOND_NOON + DAY / 4);
    expect(await ledger.answer(question)).toEqual({
      rows: [],
      unattributed: [0],
      freshUntil: SECOND_NOON - 10_000,
    });
    expect(loggedLines().some((line) => line.includes("ledger_parts_waiting"))).toBe(true);
    await Promise.all(shards.map((shard) => evictDurableObject(shard)));
    await runDurableObjectAlarm(ledger);
    expect(await ledger.answer(question)).toEqual({
      rows: [{ bucket: 0, keys: [], counts: [1] }],
      unattributed: [0],
      freshUntil: SECOND_NOON + DAY / 4 - 10_000,
    });
    await Promise.all(shards.map((shard) => refuse(shard, /./)));
    expect(await ledger.answer(question).catch(() => "no answer")).toBe("no answer");
    const past = { ...question, buckets: [0, 1] };
    await insideLedger(ledger, (_, { storage }) =>
      storage.kv.put("split", { firstDay: TODAY, shards: 16 }),
    );
    await evictDurableObject(ledger);
    expect((await ledger.answer(past)).rows).toEqual([]);
  });

  it("waits in a shard that cannot add it up, and the answer says since when", async () => {
    setTime(SECOND_NOON);
    const workspace = crypto.randomUUID();
    const ledger = ledgerAt(workspace);
    await splitNext(ledger);
    const shards = shardsOf(workspace);
    for (const shard of shards) {
      await insideLedger(shard, (_, { storage }) => {
        const exec = storage.sql.exec.bind(storage.sql);
        Object.assign(storage.sql, {
          exec: (...given: Parameters<typeof exec>) => {
            if (/^(DELETE FROM|SELECT id, time, packets FROM) waiting/.test(given[0]))
              throw new Error("It cannot add up.");
            return exec(...given);
          },
        });
      });
    }
    await ledger.append([packet([hit()])]);
    setTime(SECOND_NOON + DAY / 4);
    const question: LedgerQuestion = {
      metrics: ["clicks"],
      groupBy: [],
      buckets: [0, NEWEST],
      traffic: "human",
      filters: [],
    };
    expect(await ledger.answer(question)).toEqual({
      rows: [],
      unattributed: [0],
      freshUntil: SECOND_NOON - 10_000,
    });
    const keys = await insideLedger(shards[0] as LedgerStub, (_, { storage }) =>
      [...storage.kv.list()].map(([key]) => key),
    );
    // Code of before looks for a workspace, and tells of its scans.
    expect(keys).not.toContain("workspace");
  });

  it("waits where there is no room for it, and counts once when there is", async () => {
    const ledger = newLedger();
    await splitNext(ledger);
    await ledger.append([packet([hit()])]);
    const isFull = await insideLedger(ledger, async (instance, { storage }) => {
      const exec = storage.sql.exec.bind(storage.sql);
      let refused = 0;
      Object.assign(storage.sql, {
        exec: (...given: Parameters<typeof exec>) => {
          if (!/INTO (?:handed|faulted)/.test(given[0])) return exec(...given);
          refused++;
          throw new Error("database or disk is full: SQLITE_FULL");
        },
      });
      await instance.totals("link", []);
      Reflect.deleteProperty(storage.sql, "exec");
      return refused > 0;
    });
    expect(isFull).toBe(true);
    expect(await total(ledger)).toBe(1);
  });

  it("is counted by the ledger itself where clicks are moved, whatever day they are of", async () => {
    const workspace = crypto.randomUUID();
    const ledger = ledgerAt(workspace);
    await splitNext(ledger);
    await ledger.append([packet([hit()])]);
    await ledger.totals("link", []);
    expect((await bodiesOf(workspace)).ledger).toBe(0);
    const move = packet([hit({ hits: 5 })], "move-1");
    await ledger.countNow(move);
    await ledger.countNow(move);
    expect(await ledger.totals("link", ["link-1"])).toEqual({ "link-1": 6 });
    expect(await total(ledger)).toBe(6);
    expect((await bodiesOf(workspace)).ledger).toBeGreaterThan(0);
  });
});

describe("a question goes", () => {
  const split = { firstDay: 100, shards: 16 };
  const asked = (given: Partial<LedgerQuestion>) =>
    shardsAsked(
      {
        metrics: ["clicks"],
        groupBy: [],
        buckets: [0, 101 * SLOTS_A_DAY],
        traffic: "all",
        filters: [],
        ...given,
      },
      split,
    );
  const links = (values: string[], isExcluded = false) => [
    { dimension: "link" as const, values, isExcluded },
  ];

  it("to all shards, to those of the subjects that it names, or to none", () => {
    expect(asked({})).toHaveLength(16);
    expect(asked({ filters: links(["a"]) })).toHaveLength(1);
    expect(asked({ filters: links(["a", "b", "c"]) }).length).toBeLessThan(4);
    expect(asked({ filters: links(["a"], true) })).toHaveLength(16);
    expect(asked({ filters: links(["a", "(other)"]) })).toHaveLength(16);
    expect(asked({ buckets: [0, 100 * SLOTS_A_DAY] })).toEqual([]);
    expect(asked({ buckets: [0, 100 * SLOTS_A_DAY + 1] })).toHaveLength(16);
  });

  it("to shards that have about as many subjects each", () => {
    const ids = Array.from({ length: 1600 }, () => crypto.randomUUID());
    const counts = Map.groupBy(ids, (id) => asked({ filters: links([id]) })[0]);
    expect(counts.size).toBe(16);
    for (const some of counts.values()) expect(some.length).toBeGreaterThan(50);
  });
});

it("refuses a sum of answers that one call may not carry, and adds up what it may", () => {
  const rows = (from: number, count: number, keys = 1) =>
    Array.from({ length: count }, (_, at) => ({
      bucket: 0,
      keys: Array.from({ length: keys }, () => `${from + at}`.padStart(130, "x")),
      counts: [1, 2],
    }));
  const sums = new RowSums();
  sums.add(rows(1, 2));
  sums.add(rows(0, 3));
  expect(sums.rows().map(({ counts }) => counts)).toEqual([
    [1, 2],
    [2, 4],
    [2, 4],
  ]);
  for (let from = 0; from < 90_000; from += 30_000) sums.add(rows(from, 30_000));
  expect(() => sums.add(rows(90_000, 10_001))).toThrow(QUESTION_TOO_WIDE);
  const long = new RowSums();
  long.add(rows(0, 40_000, 2));
  expect(() => long.add(rows(40_000, 10_000, 2))).toThrow(QUESTION_TOO_WIDE);
});

it("is as exact with hits of a clock that is ahead", async () => {
  setTime(SECOND_NOON);
  const ledger = newLedger();
  const ahead = packet([hit({ slot: slotOf(SECOND_NOON) + SLOTS_A_DAY })]);
  await ledger.append([ahead]);
  await ledger.totals("link", []);
  await splitNext(ledger);
  await ledger.append([ahead, packet([hit({ slot: slotOf(SECOND_NOON) + 3 * SLOTS_A_DAY })])]);
  expect(await total(ledger)).toBe(2);
  setTime(NOW);
  await ledger.append([ahead]);
  expect(await total(ledger)).toBe(2);
});
