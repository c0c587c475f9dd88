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

const EVENTS = 1000;
const KILLS = 20;
const PUBLISHERS = 6;

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
      await pause(100 + Math.random() * 900);
      restarting = killAndRestart();
      await restarting;
    }
    await Promise.all(publishers);
    await untilNothingIsPending();
  }, 300_000);

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

  test("repeats a webhook only where an attempt was cut off, and leaves no attempt out of the history", () => {
    const attempts = new Map(
      rows(
        `SELECT delivery_id AS id, count(*) AS count, sum(error = 'interrupted') AS interrupted,
           sum(duration_ms IS NULL) AS open, sum(error IS NULL) AS succeeded FROM delivery_attempts GROUP BY 1`,
      ).map((row) => [String(row.id), row]),
    );
    let repeated = 0;
    let interrupted = 0;
    for (const { posts } of receivers) {
      for (const [id, sent] of posts) {
        const written = attempts.get(id);
        expect(Number(written?.count)).toBeGreaterThanOrEqual(sent.length);
        expect(Number(written?.count)).toBe(Number(written?.interrupted) + 1);
        expect([written?.open, written?.succeeded]).toEqual([0, 1]);
        expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
        repeated += sent.length - 1;
        interrupted += Number(written?.interrupted);
      }
    }
    console.log(
      `${KILLS} kills, ${EVENTS} events, ${attempts.size} deliveries: ${interrupted} attempts interrupted, ${repeated} webhooks sent again`,
    );
    expect(interrupted).toBeGreaterThan(0);
  });
});
