import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LaneRemains, readLaneRemains } from "../support/node/lane-remains.ts";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { query } from "../support/node/runtime-storage.ts";
import {
  type SeenPost,
  startVerifyingReceiver,
  type VerifyingReceiver,
} from "../support/node/verifying-receiver.ts";
import { createWebhookClient, type WebhookClient } from "../support/node/webhook-client.ts";

/** `CRASH_EVENTS=2000 CRASH_KILLS=30` is the heavy run. */
const EVENTS = Number(process.env.CRASH_EVENTS ?? 1000);
const KILLS = Number(process.env.CRASH_KILLS ?? 20);
const PUBLISHERS = 6;
/** Of those that were sent again, so many histories are read. */
const SHOWN = 100;
const PATIENCE_MILLISECONDS = 120_000 + EVENTS * 200 + KILLS * 15_000;
const DELIVERIES = "/api/v1/workspace-webhooks/deliveries";

interface Attempt {
  number: number;
  error: string | null;
}

let home: RuntimeHome;
let runtime: Runtime;
let client: WebhookClient;
const receivers: VerifyingReceiver[] = [];
/** What each kill left of attempts. */
const remains: LaneRemains[] = [];
const accepted = new Map<string, string>();
let restarting: Promise<void> | undefined;
let next = { post: Promise.withResolvers<void>(), answer: Promise.withResolvers<void>() };

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Publishes until it is answered; what was cut off before its answer may stand besides. */
async function publish(post: string): Promise<void> {
  for (;;) {
    await restarting;
    const answer = await client.publish(post).catch(() => undefined);
    if (answer?.status === 202) {
      accepted.set(JSON.parse(answer.text).data.id, post);
      return;
    }
    await pause(20);
  }
}

/**
 * Any instant; or one just after a receiver got a POST; or one just after it has answered, when the
 * lane has noted that and D1 has not, or has just been told.
 */
async function instantOf(kill: number): Promise<void> {
  await pause(100 + Math.random() * 900);
  const kind = kill % 3;
  if (kind === 0) return;
  next = { post: Promise.withResolvers(), answer: Promise.withResolvers() };
  // None comes once all is delivered.
  await Promise.race([kind === 1 ? next.post.promise : next.answer.promise, pause(1000)]);
  await pause(Math.random() * 30);
}

async function killAndRestart(): Promise<void> {
  await runtime.kill();
  remains.push(readLaneRemains(home.storage));
  runtime = await startRuntime(home);
}

function rows(sql: string) {
  return query(join(home.storage, "d1/miniflare-D1DatabaseObject"), sql);
}

async function untilNothingIsPending(): Promise<void> {
  for (;;) {
    const [left] = rows(
      `SELECT (SELECT count(*) FROM events WHERE fanned_out_at IS NULL)
         + (SELECT count(*) FROM target_deliveries WHERE status = 'pending') AS count`,
    );
    if (Number(left?.count) === 0) return;
    await pause(500);
  }
}

beforeAll(async () => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000000", ALLOW_PRIVATE_TARGETS: "true" });
  runtime = await startRuntime(home);
  client = await createWebhookClient(() => runtime.port);
  for (let count = 0; count < 3; count++) {
    const tell = { post: () => next.post.resolve(), answer: () => next.answer.resolve() };
    receivers.push(await startVerifyingReceiver(client, tell));
  }
});

afterAll(async () => {
  await runtime?.kill();
  for (const { server } of receivers) server.close().closeAllConnections();
  home?.remove();
});

describe("a runtime killed with kill -9 while webhooks are under way", () => {
  beforeAll(async () => {
    let published = 0;
    const publishers = Array.from({ length: PUBLISHERS }, async () => {
      while (published < EVENTS) {
        await publish(`post_${published++}`);
        // Slow enough that every kill meets publishing, fan-out and attempts alike.
        await pause(100);
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await instantOf(kill);
      restarting = killAndRestart();
      await restarting;
    }
    await Promise.all(publishers);
    await untilNothingIsPending();
  }, PATIENCE_MILLISECONDS);

  test("keeps every event that it accepted", () => {
    const stored = new Set(rows("SELECT id FROM events").map(({ id }) => id));
    expect(accepted.size).toBe(EVENTS);
    expect([...accepted.keys()].filter((id) => !stored.has(id))).toEqual([]);
  });

  test("makes exactly one delivery of an event for an endpoint, and delivers it", () => {
    const [events] = rows("SELECT count(*) AS count FROM events");
    const [deliveries] = rows(
      `SELECT count(*) AS count, count(DISTINCT event_id || target_id) AS pairs,
         sum(status = 'delivered') AS delivered FROM target_deliveries`,
    );
    const expected = Number(events?.count) * receivers.length;
    expect(deliveries).toEqual({ count: expected, pairs: expected, delivered: expected });
  });

  test("sends each receiver every webhook-id that is its own, validly signed, and no other", () => {
    for (const { id, posts } of receivers) {
      const own = rows(`SELECT id FROM target_deliveries WHERE target_id = '${id}'`).map((row) =>
        String(row.id),
      );
      expect([...posts.keys()].sort()).toEqual(own.sort());
      expect([...posts.values()].flat().filter(({ isSigned }) => !isSigned)).toEqual([]);
    }
  });

  test("sends an event to a receiver under one webhook-id, however often", () => {
    for (const { posts } of receivers) {
      const events = [...posts].map(([, sent]) => {
        const bodies = new Set(sent.map(({ body }) => body));
        expect(bodies.size).toBe(1);
        return JSON.parse([...bodies].join()).id as string;
      });
      expect(new Set(events).size).toBe(events.length);
    }
  });

  test("meets kills at each point of an attempt, also when its lane knows its end and D1 does not", () => {
    const killsWith = (what: keyof LaneRemains) => remains.filter((of) => of[what] > 0).length;
    const told = (what: keyof LaneRemains) =>
      `${killsWith(what)} kills (${remains.reduce((sum, of) => sum + of[what], 0)} attempts)`;
    console.log(
      `left begun by ${told("begun")}, ended in the lane only by ${told("between")}, in both by ${told("brought")}`,
    );
    expect(killsWith("begun")).toBeGreaterThan(0);
    expect(killsWith("between")).toBeGreaterThan(0);
  });

  test("repeats a webhook only where an attempt was cut off, and leaves no attempt out of the history", async () => {
    const attempts = new Map(
      rows(
        `SELECT target_deliveries.id, count(*) AS count,
           sum(attempt.value ->> 'error' IS 'interrupted') AS interrupted,
           sum(attempt.value ->> 'durationMs' IS NULL) AS open,
           sum(attempt.value ->> 'error' IS NULL) AS succeeded,
           json_group_array(attempt.value ->> 'startedAt') AS begun
         FROM target_deliveries, json_each(attempts) AS attempt GROUP BY 1`,
      ).map((row) => [String(row.id), row]),
    );
    const posted = receivers.flatMap(({ posts }) => [...posts]);
    let repeated = 0;
    let interrupted = 0;
    for (const [id, sent] of posted) {
      const written = attempts.get(id);
      expect(Number(written?.count)).toBeGreaterThanOrEqual(sent.length);
      expect(Number(written?.count)).toBe(Number(written?.interrupted) + 1);
      expect([written?.open, written?.succeeded]).toEqual([0, 1]);
      expect(new Set(attemptsOf(sent, JSON.parse(String(written?.begun)))).size).toBe(sent.length);
      repeated += sent.length - 1;
      interrupted += Number(written?.interrupted);
    }
    const share = ((repeated / posted.length) * 100).toFixed(2);
    console.log(
      `${KILLS} kills, ${EVENTS} events, ${posted.length} deliveries: ${interrupted} attempts interrupted, ${repeated} webhooks sent again (${share} %)`,
    );
    expect(interrupted).toBeGreaterThan(0);
  });

  test("shows the attempts of a webhook that was sent again, the last of them as its delivery", async () => {
    const again = receivers
      .flatMap(({ posts }) => [...posts])
      .filter(([, sent]) => sent.length > 1)
      .slice(0, SHOWN);
    for (const [id, sent] of again) {
      const { status, attempts } = await historyOf(id);
      const [last, ...cutOff] = attempts.toSorted((a, b) => b.number - a.number);
      expect({ status, error: last?.error }).toEqual({ status: "delivered", error: null });
      expect(new Set(cutOff.map(({ error }) => error))).toEqual(new Set(["interrupted"]));
      expect(attempts.length).toBeGreaterThanOrEqual(sent.length);
    }
  });
});

/** When the attempt began that each POST was of: the last one that had begun when it came. */
function attemptsOf(sent: SeenPost[], begun: number[]): number[] {
  return sent.map(({ at }) => {
    const before = begun.filter((time) => time <= at);
    expect(before).not.toEqual([]);
    return Math.max(...before);
  });
}

async function historyOf(id: string): Promise<{ status: string; attempts: Attempt[] }> {
  const answer = await client.call("GET", `${DELIVERIES}/${id}`);
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text).data;
}
