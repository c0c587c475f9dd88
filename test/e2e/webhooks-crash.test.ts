import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { query } from "../support/node/runtime-storage.ts";
import { createWebhookClient, type WebhookClient } from "../support/node/webhook-client.ts";

/** `CRASH_EVENTS=2000 CRASH_KILLS=30` is the heavy run. */
const EVENTS = Number(process.env.CRASH_EVENTS ?? 1000);
const KILLS = Number(process.env.CRASH_KILLS ?? 20);
const PUBLISHERS = 6;
const READERS = 8;
const PATIENCE_MILLISECONDS = 120_000 + EVENTS * 100 + KILLS * 10_000;
const DELIVERIES = "/api/v1/workspace-webhooks/deliveries";

interface Attempt {
  number: number;
  duration_ms: number | null;
  error: string | null;
}

interface Receiver {
  server: Server;
  /** Bodies and headers by webhook-id, one for each POST. */
  posts: Map<string, { body: string; headers: Record<string, string> }[]>;
  id: string;
  secret: string;
}

let home: RuntimeHome;
let runtime: Runtime;
let client: WebhookClient;
const receivers: Receiver[] = [];
const accepted = new Map<string, string>();
let restarting: Promise<void> | undefined;
let nextPost = Promise.withResolvers<void>();

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

async function startReceiver(): Promise<Receiver> {
  const posts: Receiver["posts"] = new Map();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = request.headers as Record<string, string>;
      const id = headers["webhook-id"] ?? "";
      posts.set(id, [
        ...(posts.get(id) ?? []),
        { body: Buffer.concat(chunks).toString("utf8"), headers },
      ]);
      nextPost.resolve();
      setTimeout(() => response.writeHead(204).end(), Math.random() * 20);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { id, secret } = await client.createEndpoint(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  );
  return { server, posts, id, secret };
}

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

/** Any instant, or one just after a receiver got a POST: before, while or after its end is noted. */
async function instantOf(kill: number): Promise<void> {
  await pause(100 + Math.random() * 900);
  if (kill % 2 === 0) return;
  nextPost = Promise.withResolvers();
  // None comes once all is delivered.
  await Promise.race([nextPost.promise, pause(1000)]);
  await pause(Math.random() * 30);
}

async function killAndRestart(): Promise<void> {
  await runtime.kill();
  runtime = await startRuntime(home);
}

function rows(sql: string) {
  return query(join(home.storage, "d1/miniflare-D1DatabaseObject"), sql);
}

async function untilNothingIsPending(): Promise<void> {
  for (;;) {
    const [left] = rows(
      `SELECT (SELECT count(*) FROM events WHERE fanned_out_at IS NULL)
         + (SELECT count(*) FROM deliveries WHERE status = 'pending') AS count`,
    );
    if (Number(left?.count) === 0) return;
    await pause(500);
  }
}

beforeAll(async () => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000000", ALLOW_PRIVATE_TARGETS: "true" });
  runtime = await startRuntime(home);
  client = await createWebhookClient(() => runtime.port);
  for (let count = 0; count < 3; count++) receivers.push(await startReceiver());
});

afterAll(async () => {
  await runtime?.kill();
  for (const { server } of receivers) server.close().closeAllConnections();
  home?.remove();
});

describe("a runtime killed with kill -9 while webhooks are under way", () => {
  beforeAll(async () => {
    let next = 0;
    const publishers = Array.from({ length: PUBLISHERS }, async () => {
      while (next < EVENTS) {
        await publish(`post_${next++}`);
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
         sum(status = 'delivered') AS delivered FROM deliveries`,
    );
    const expected = Number(events?.count) * receivers.length;
    expect(deliveries).toEqual({ count: expected, pairs: expected, delivered: expected });
  });

  test("sends each receiver every webhook-id that is its own, validly signed, and no other", () => {
    for (const { id, secret, posts } of receivers) {
      const own = rows(`SELECT id FROM deliveries WHERE target_id = '${id}'`).map((row) =>
        String(row.id),
      );
      expect([...posts.keys()].sort()).toEqual(own.sort());
      const webhook = new Webhook(secret);
      for (const { body, headers } of [...posts.values()].flat()) webhook.verify(body, headers);
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

  test(
    "repeats a webhook only where an attempt was cut off, and leaves no attempt out of the history",
    async () => {
      let repeated = 0;
      let interrupted = 0;
      const told = receivers.flatMap(({ posts }) => [...posts]);
      const left = told[Symbol.iterator]();
      const readers = Array.from({ length: READERS }, async () => {
        for (const [id, sent] of left) {
          const { status, attempts } = await historyOf(id);
          const [last, ...cutOff] = attempts.toSorted((a, b) => b.number - a.number);
          expect({ status, error: last?.error }).toEqual({ status: "delivered", error: null });
          expect(cutOff.filter(({ error }) => error !== "interrupted")).toEqual([]);
          expect(attempts.filter(({ duration_ms }) => duration_ms === null)).toEqual([]);
          expect(attempts.length).toBeGreaterThanOrEqual(sent.length);
          repeated += sent.length - 1;
          interrupted += cutOff.length;
        }
      });
      await Promise.all(readers);
      const share = ((repeated / told.length) * 100).toFixed(2);
      console.log(
        `${KILLS} kills, ${EVENTS} events, ${told.length} deliveries: ${interrupted} attempts interrupted, ${repeated} webhooks sent again (${share} %)`,
      );
      expect(interrupted).toBeGreaterThan(0);
    },
    PATIENCE_MILLISECONDS,
  );
});

async function historyOf(id: string): Promise<{ status: string; attempts: Attempt[] }> {
  const answer = await client.call("GET", `${DELIVERIES}/${id}`);
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text).data;
}
