import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { sendRaw } from "../support/node/runtime-request.ts";
import { query } from "../support/node/runtime-storage.ts";
import { createWebhookClient, type WebhookClient } from "../support/node/webhook-client.ts";

const MESSAGES = 200;
const KILLS = 8;
const SENDERS = 4;
const SECRET = `whsec_${Buffer.alloc(32, "connector").toString("base64")}`;

let home: RuntimeHome;
let runtime: Runtime;
let client: WebhookClient;
let connector: Server;
let restarting: Promise<void> | undefined;
/** What the connector has got, by the message's id; it takes each id as one message. */
const taken = new Map<string, { body: string; headers: Record<string, string> }[]>();
/** The message of each Idempotency-Key, as it was answered. */
const answered = new Map<string, string>();

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

function rows(sql: string) {
  return query(join(home.storage, "d1/miniflare-D1DatabaseObject"), sql);
}

/** Sends with one key until it is answered, as a client is told to. */
async function send(key: string, contact: string): Promise<void> {
  for (;;) {
    await restarting;
    const body = { contact, text: key };
    const headers = { ...client.headers(), "Idempotency-Key": key };
    const request = { method: "POST", path: "/api/v1/messages", headers, body };
    const answer = await sendRaw(runtime.port, request).catch(() => undefined);
    if (answer?.status === 202) {
      answered.set(key, JSON.parse(answer.text).data.id);
      return;
    }
    await pause(100);
  }
}

beforeAll(async () => {
  connector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    const id = headers["idempotency-key"] ?? "";
    const body = Buffer.concat(chunks).toString("utf8");
    taken.set(id, [...(taken.get(id) ?? []), { body, headers }]);
    setTimeout(() => response.writeHead(202).end(), Math.random() * 100);
  }).listen(0, "127.0.0.1");
  await once(connector, "listening");
  home = createRuntimeHome({
    KEY_RATE_LIMIT: "1000000",
    IDEMPOTENCY_LEASE_SECONDS: "2",
    ALLOW_PRIVATE_TARGETS: "true",
    MESSAGE_CONNECTOR_URL: `http://127.0.0.1:${(connector.address() as AddressInfo).port}/`,
    MESSAGE_CONNECTOR_SECRET: SECRET,
  });
  runtime = await startRuntime(home);
  client = await createWebhookClient(() => runtime.port);
});

afterAll(async () => {
  await runtime?.kill();
  connector?.close().closeAllConnections();
  home?.remove();
});

describe("a runtime killed with kill -9 while messages go out", () => {
  beforeAll(async () => {
    const made = await client.call("POST", "/api/v1/contacts", { name: "Ada", channel: "sms" });
    const contact = JSON.parse(made.text).data.id;
    let next = 0;
    const senders = Array.from({ length: SENDERS }, async () => {
      while (next < MESSAGES) {
        await send(`message-${next++}`, contact);
        await pause(50);
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(100 + Math.random() * 500);
      restarting = runtime.kill().then(async () => {
        runtime = await startRuntime(home);
      });
      await restarting;
    }
    await Promise.all(senders);
    // A lease that a dead attempt left lapses within a minute.
    const waiting = () => rows("SELECT count(*) AS n FROM messages WHERE status = 'queued'")[0]?.n;
    await vi.waitUntil(() => waiting() === 0, { timeout: 120_000, interval: 500 });
  });

  test("makes one message for each Idempotency-Key, and sends it", () => {
    const messages = rows("SELECT id, text, status, attempts_count FROM messages");
    expect(messages.map(({ status }) => status)).toEqual(Array(MESSAGES).fill("sent"));
    const byKey = new Map(messages.map(({ id, text }) => [String(text), String(id)]));
    expect([...byKey].sort()).toEqual([...answered].sort());
  });

  test("hands each message over under its own id, validly signed, the same each time", () => {
    expect([...taken.keys()].sort()).toEqual([...answered.values()].sort());
    const webhook = new Webhook(SECRET);
    for (const received of taken.values()) {
      for (const { body, headers } of received) webhook.verify(body, headers);
      expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    }
    const again = [...taken.values()].filter(({ length }) => length > 1).length;
    const [tried] = rows("SELECT sum(attempts_count) AS n FROM messages");
    console.log(
      `${KILLS} kills, ${MESSAGES} messages: ${Number(tried?.n) - MESSAGES} attempts cut off, ${again} messages handed over again under the same id`,
    );
    expect(Number(tried?.n)).toBeGreaterThan(MESSAGES);
  });

  test("tells of each message once that it was queued, and once that it was sent", () => {
    const told = rows(
      `SELECT type, count(*) AS n, count(DISTINCT data ->> 'id') AS messages FROM events
       WHERE type LIKE 'salesbot.message.%' GROUP BY type ORDER BY type`,
    );
    expect(told).toEqual([
      { type: "salesbot.message.queued", n: MESSAGES, messages: MESSAGES },
      { type: "salesbot.message.sent", n: MESSAGES, messages: MESSAGES },
    ]);
  });
});
