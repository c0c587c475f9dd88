import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { claimAt, gateOf, insideGate, linkCreation } from "../../support/gate.ts";
import {
  createWorkspace,
  issueKey,
  LINKS,
  newIdempotencyKey,
  type Workspace,
} from "../../support/workspace.ts";

const HOUR_MILLISECONDS = 60 * 60 * 1000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;
/** Sent by four keys in turn, so that none goes over its 60 a minute. */
const PAUSE_MILLISECONDS = 300;

afterEach(() => {
  vi.useRealTimers();
});

function freezeTime(): number {
  const start = Date.now();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(start);
  return start;
}

async function keysOf(workspace: Workspace): Promise<string[]> {
  const issued = await Promise.all(Array.from({ length: 4 }, () => issueKey(workspace.id)));
  return issued.map(({ key }) => key);
}

function claimsIn({ storage }: DurableObjectState): number {
  const sql = "SELECT count(*) AS count FROM idempotency_claims";
  return storage.sql.exec<{ count: number }>(sql).one().count;
}

/** So many that ran, with their answers, expiring at a time. */
function addClaims({ storage: { sql } }: DurableObjectState, count: number, at: number): void {
  const each = `WITH RECURSIVE numbers (n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)`;
  sql.exec(
    `${each} INSERT INTO idempotency_claims (api_key, idempotency_key, fingerprint, state, lease,
       lease_until, resource_id, response, answer_end, expires_at)
     SELECT printf('%036d', n % 4), 'claim-' || n, printf('%064d', n), 'done', printf('%036d', n), 1,
       printf('%036d', n), x'', n * 600, ? FROM numbers`,
    count,
    at,
  );
  sql.exec(`${each} INSERT INTO kept_answers SELECT n * 600, zeroblob(600) FROM numbers`, count);
}

describe("a gate with many claims", () => {
  const CLAIMS = 6000;

  it("reads no more for a request, and clears them away by what is due", async () => {
    const workspace = await createWorkspace();
    const requests = await Promise.all(
      (await keysOf(workspace)).map((key) => linkCreation(key, null)),
    );
    const start = freezeTime();
    await insideGate(workspace.id, async ({ gate, state, costOf }) => {
      const response = new Uint8Array(1000);
      const send = async (at: number) => {
        const request = { ...requests[at % 4], idempotencyKeySent: `claim-number-${at}` };
        const { keyId, claim } = await claimAt(
          gate,
          workspace.id,
          request as (typeof requests)[number],
        );
        gate.settle(keyId, claim, response);
      };
      const costs = new Map<number, unknown>();
      for (let at = 0; at < CLAIMS; at++) {
        vi.setSystemTime(start + at * PAUSE_MILLISECONDS);
        if (at === 300 || at === CLAIMS - 1) costs.set(at, await costOf(() => send(at)));
        else await send(at);
      }
      expect(costs.get(CLAIMS - 1)).toEqual(costs.get(300));
      expect(costs.get(300)).toEqual({ read: expect.any(Number), written: 4 });

      const alarm = async () => {
        const cost = await costOf(() => gate.alarm());
        return { ...cost, next: ((await state.storage.getAlarm()) ?? 0) - Date.now() };
      };
      const idle = await alarm();
      expect(idle.read).toBeLessThan(20);
      expect(idle.next).toBe(HOUR_MILLISECONDS);
      vi.setSystemTime(start + DAY_MILLISECONDS);
      const one = await alarm();
      expect(one.read).toBeLessThan(30);
      expect(one.next).toBe(HOUR_MILLISECONDS);

      vi.setSystemTime(start + 2 * DAY_MILLISECONDS);
      const all = await alarm();
      expect(claimsIn(state)).toBe(0);
      expect(all.read).toBeLessThan(CLAIMS * 7);
    });
  });

  it("forgets 100,000 of a day ago in one alarm, in slices, and what they took of room", async () => {
    const workspace = await createWorkspace();
    const start = freezeTime();
    await workspace.send("GET", LINKS);
    await insideGate(workspace.id, async ({ gate, state, costOf }) => {
      const kilobytes = () => Math.round(state.storage.sql.databaseSize / 1000);
      const empty = kilobytes();
      addClaims(state, 100_000, start + DAY_MILLISECONDS);
      const filled = kilobytes();
      vi.setSystemTime(start + DAY_MILLISECONDS);
      const seen: number[] = [];
      const watching = setInterval(() => seen.push(kilobytes()), 5);
      const began = performance.now();
      const cost = await costOf(() => gate.alarm());
      const milliseconds = Math.round(performance.now() - began);
      clearInterval(watching);
      seen.push(kilobytes());
      console.log(
        `100,000 claims and a day: ${JSON.stringify({ milliseconds, turns: seen.length, ...cost })}`,
      );
      console.log(
        `their gate's kilobytes: ${JSON.stringify({ empty, filled, after: kilobytes() })}`,
      );
      expect(claimsIn(state)).toBe(0);
      expect(cost.read).toBeLessThan(100_000 * 7);
      // Others had their turn between slices.
      expect(seen.length).toBeGreaterThan(50);
      const steps = seen.map((size, at) => (seen[at - 1] ?? filled) - size);
      expect(Math.max(...steps)).toBeLessThan(filled / 20);
      expect(kilobytes()).toBeLessThan(filled / 10);
    });
  });

  it("leaves to the next hour what takes longer than five minutes", async () => {
    const workspace = await createWorkspace();
    const start = freezeTime();
    await workspace.send("GET", LINKS);
    await insideGate(workspace.id, async ({ gate, state }) => {
      addClaims(state, 50_000, start);
      const running = setInterval(() => vi.setSystemTime(Date.now() + 20_000), 20);
      await gate.alarm();
      clearInterval(running);
      const left = claimsIn(state);
      expect(left).toBeGreaterThan(10_000);
      expect(left).toBeLessThan(49_000);
      expect(((await state.storage.getAlarm()) ?? 0) - Date.now()).toBe(HOUR_MILLISECONDS);
      await gate.alarm();
      expect(claimsIn(state)).toBe(0);
    });
  });

  it("rings once an hour at most, and not before something is due", async () => {
    const workspace = await createWorkspace();
    const start = freezeTime();
    const [key = ""] = await keysOf(workspace);
    await insideGate(workspace.id, async ({ gate, state }) => {
      for (let at = 0; at < 10; at++) {
        vi.setSystemTime(start + at * 1000);
        await claimAt(gate, workspace.id, await linkCreation(key, `claim-number-${at}`));
      }
      const rings: number[] = [];
      for (;;) {
        const at = await state.storage.getAlarm();
        if (at === null || rings.at(-1) === at) break;
        rings.push(at);
        vi.setSystemTime(at);
        await gate.alarm();
      }
      const pauses = rings.slice(1).map((at, index) => at - (rings[index] ?? 0));
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(HOUR_MILLISECONDS);
      expect(rings.length).toBeLessThan(6);
      expect(rings.at(-1)).toBeLessThan(start + DAY_MILLISECONDS + 2 * HOUR_MILLISECONDS);
    });
  });
});

describe("a gate that nobody uses any more", () => {
  it("rings once and then no more, though it was evicted before", async () => {
    const workspace = await createWorkspace();
    await workspace.send("GET", LINKS);
    const gate = gateOf(workspace.id);
    const start = freezeTime();
    await runInDurableObject(gate, (_gate, { storage }) =>
      storage.setAlarm(start + HOUR_MILLISECONDS),
    );
    await evictDurableObject(gate);
    vi.setSystemTime(start + HOUR_MILLISECONDS);
    expect(await runDurableObjectAlarm(gate)).toBe(true);
    await evictDurableObject(gate);
    expect(await runInDurableObject(gate, (_gate, { storage }) => storage.getAlarm())).toBe(null);
  });
});

describe("a gate's counters", () => {
  it("are not written while requests come, and once a second afterwards", async () => {
    const workspace = await createWorkspace();
    freezeTime();
    const request = await linkCreation(workspace.key, null, { idempotencyKey: "unused" });
    await insideGate(workspace.id, async ({ gate, costOf }) => {
      await gate.admit(workspace.id, request);
      const admitted = await costOf(async () => {
        for (let sent = 0; sent < 30; sent++) await gate.admit(workspace.id, request);
      });
      expect(admitted).toEqual({ read: 0, written: 0 });
      const persisted = await costOf(() => scheduler.wait(1100));
      expect(persisted.written).toBe(1);
      expect(await costOf(() => scheduler.wait(1100))).toEqual({ read: 0, written: 0 });
    });
  });

  it("go on refusing after an eviction, but for the requests of the last second", async () => {
    const workspace = await createWorkspace();
    freezeTime();
    for (let sent = 0; sent < 60; sent++)
      expect((await workspace.send("GET", LINKS)).status).toBe(200);
    await scheduler.wait(1100);
    await evictDurableObject(gateOf(workspace.id));
    expect((await workspace.send("GET", LINKS)).status).toBe(429);

    const other = await createWorkspace();
    for (let sent = 0; sent < 30; sent++) await other.send("GET", LINKS);
    await scheduler.wait(1100);
    for (let sent = 0; sent < 5; sent++) await other.send("GET", LINKS);
    await evictDurableObject(gateOf(other.id));
    const { headers } = await other.send("GET", LINKS);
    const left = Number(headers.get("RateLimit")?.match(/r=(\d+)/)?.[1]);
    expect(left).toBeGreaterThanOrEqual(24);
    expect(left).toBeLessThanOrEqual(29);
  });

  it("and claims of an object deployed before are taken over", async () => {
    const workspace = await createWorkspace();
    const start = freezeTime();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const request = { headers, body: { destination: "https://example.com/" } };
    const first = await workspace.send("POST", LINKS, request);
    await scheduler.wait(1100);
    const gate = gateOf(workspace.id);
    await runInDurableObject(gate, (_gate, { storage: { sql } }) => {
      const columns =
        "api_key, idempotency_key, fingerprint, state, lease, lease_until, resource_id";
      sql.exec(
        `CREATE TABLE old_claims (
           api_key TEXT NOT NULL, idempotency_key TEXT NOT NULL, fingerprint TEXT NOT NULL,
           state TEXT NOT NULL, lease TEXT NOT NULL, lease_until INTEGER NOT NULL,
           resource_id TEXT NOT NULL, response BLOB, expires_at INTEGER NOT NULL,
           PRIMARY KEY (api_key, idempotency_key)
         ) WITHOUT ROWID`,
      );
      sql.exec(
        `INSERT INTO old_claims SELECT ${columns}, kept_answers.response, expires_at
         FROM idempotency_claims JOIN kept_answers USING (answer_end)`,
      );
      sql.exec("DROP TABLE kept_answers");
      sql.exec("DROP TABLE idempotency_claims");
      sql.exec("ALTER TABLE old_claims RENAME TO idempotency_claims");
      sql.exec("DROP TABLE IF EXISTS window_counts");
      sql.exec(
        `CREATE TABLE IF NOT EXISTS request_counts (
           subject TEXT NOT NULL, bucket INTEGER NOT NULL, free_at INTEGER NOT NULL,
           count INTEGER NOT NULL, PRIMARY KEY (subject, bucket)
         ) WITHOUT ROWID`,
      );
      sql.exec("DELETE FROM request_counts");
      for (const [at, count] of [
        [start - 5000, 20],
        [start - 2000, 10],
        [start - 90_000, 30],
      ] as const)
        sql.exec(
          "INSERT INTO request_counts VALUES (?, ?, ?, ?)",
          `key:${workspace.keyId}`,
          at,
          at + 60_000,
          count,
        );
    });
    await evictDurableObject(gate);
    const again = await workspace.send("POST", LINKS, request);
    expect([again.text, again.headers.get("Idempotency-Replayed")]).toEqual([first.text, "true"]);
    expect(again.headers.get("RateLimit")).toContain("r=29");
    const made = await workspace.send("POST", LINKS, {
      headers: { "Idempotency-Key": newIdempotencyKey() },
      body: { destination: "https://example.com/" },
    });
    expect(made.status).toBe(201);
  });
});
