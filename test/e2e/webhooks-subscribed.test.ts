import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  ADMIN_TOKEN,
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { sendRaw } from "../support/node/runtime-request.ts";
import { query } from "../support/node/runtime-storage.ts";
import {
  PUBLISHED,
  type Published,
  type Step,
  Subscriptions,
  sampleScenarios,
} from "../support/node/subscription-scenario.ts";
import { createWebhookClient, type WebhookClient } from "../support/node/webhook-client.ts";

/** `SCENARIOS=200 SEED=1` for more of them, or the same again. */
const SCENARIOS = Number(process.env.SCENARIOS ?? 16);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const AT_ONCE = 8;
const PATIENCE_MILLISECONDS = 60_000 + SCENARIOS * 5000;
/** What nobody wants would have come by then. */
const GRACE_MILLISECONDS = 1500;
const ENDPOINTS = "/api/v1/workspace-webhooks/endpoints";

// However late the fan-out is: the time that its queue waits for more.
describe.each([
  { when: "at once", maxBatchTimeout: 0 },
  { when: "seconds later", maxBatchTimeout: 4 },
])("an event that is fanned out $when", ({ maxBatchTimeout }) => {
  let home: RuntimeHome;
  let runtime: Runtime;
  let receiver: Server;
  let samples: Map<string, object>;
  /** By the path that they were sent to, the ids of the events that came, and of their deliveries. */
  const received = new Map<string, { event: string; delivery: string }[]>();

  const ofReceiver = (path: string) =>
    `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${path}`;

  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(204).end();
      const event = JSON.parse(Buffer.concat(chunks).toString("utf8")).id as string;
      const path = String(request.url).slice(1);
      const got = { event, delivery: String(request.headers["webhook-id"]) };
      received.set(path, [...(received.get(path) ?? []), got]);
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const vars = {
      KEY_RATE_LIMIT: "1000000",
      WEBHOOK_CHANGE_RATE_LIMIT: "1000000",
      ALLOW_PRIVATE_TARGETS: "true",
    };
    home = createRuntimeHome(vars, { consumers: { maxBatchTimeout, maxBatchSize: 100 } });
    runtime = await startRuntime(home);
    samples = await samplesOf(await createWebhookClient(() => runtime.port));
  });

  afterAll(async () => {
    await runtime?.kill();
    receiver?.close().closeAllConnections();
    home?.remove();
  });

  async function publish(client: WebhookClient, { event, channel }: Published): Promise<string> {
    const answer = await sendRaw(runtime.port, {
      method: "POST",
      path: `/admin/v1/workspaces/${client.id}/events`,
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
      body: { event, channel, data: samples.get(event) },
    });
    expect(answer.status, answer.text).toBe(202);
    return JSON.parse(answer.text).data.id;
  }

  /** Goes through a history, each request when the one before was answered. */
  async function live(steps: Step[]) {
    const client = await createWebhookClient(() => runtime.port);
    const subscriptions = new Subscriptions();
    const ids = new Map<string, string>();
    const request = async (method: string, path: string, body?: object) => {
      const answer = await client.call(method, path, body);
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.text ? JSON.parse(answer.text).data : undefined;
    };
    const act = async (step: Step) => {
      if (step.do === "wait") return pause(step.milliseconds);
      if (step.do === "publish") {
        subscriptions.published(await publish(client, step.what), step.what);
        return;
      }
      const name = "endpoint" in step ? step.endpoint : step.hook;
      const url = ofReceiver(`${client.id}/${name}`);
      const path = `${ENDPOINTS}/${ids.get(name)}`;
      if (step.do === "create") {
        const made = await request("POST", ENDPOINTS, { name, url, subscriptions: step.wants });
        ids.set(name, made.id);
      }
      if (step.do === "change") await request("PATCH", path, { subscriptions: step.wants });
      if (step.do === "resume") await request("PATCH", path, { enabled: true });
      if (step.do === "pause") await request("PATCH", path, { enabled: false });
      if (step.do === "delete") await request("DELETE", path);
      if (step.do === "subscribe") {
        const body = { target_url: url, event: step.event };
        ids.set(name, (await request("POST", "/automation/subscribe", body)).id);
      }
      if (step.do === "unsubscribe") await request("DELETE", `/automation/hooks/${ids.get(name)}`);
    };
    for (const step of steps) {
      if (!subscriptions.isPossible(step)) continue;
      await act(step);
      subscriptions.done(step);
    }
    return { workspace: client.id, expected: subscriptions.expected };
  }

  async function untilNothingIsPending(): Promise<void> {
    const sql = `SELECT (SELECT count(*) FROM events WHERE fanned_out_at IS NULL)
      + (SELECT count(*) FROM target_deliveries WHERE status = 'pending') AS count`;
    const storage = join(home.storage, "d1/miniflare-D1DatabaseObject");
    const left = () => Number(query(storage, sql)[0]?.count);
    await vi.waitUntil(() => left() === 0, { timeout: PATIENCE_MILLISECONDS, interval: 500 });
    await pause(GRACE_MILLISECONDS);
  }

  test(
    "reaches whoever was subscribed and switched on when it happened, once, and nobody else",
    async () => {
      const scenarios = sampleScenarios(SCENARIOS, SEED);
      const lived: Awaited<ReturnType<typeof live>>[] = [];
      const left = scenarios.entries();
      const livers = Array.from({ length: AT_ONCE }, async () => {
        for (const [at, steps] of left) lived[at] = await live(steps);
      });
      await Promise.all(livers);
      await untilNothingIsPending();
      const counts = { must: 0, may: 0, mayAndDid: 0 };
      for (const [at, { workspace, expected }] of lived.entries()) {
        const paths = [...received.keys()].filter((path) => path.startsWith(workspace));
        const names = new Set([
          ...paths.map((path) => path.split("/")[1] ?? ""),
          ...expected.keys(),
        ]);
        for (const name of names) {
          const { must, may } = expected.get(name) ?? { must: new Set(), may: new Set() };
          const got = received.get(`${workspace}/${name}`) ?? [];
          const events = got.map(({ event }) => event);
          const fault = {
            missing: [...must].filter((id) => !events.includes(id)),
            unwanted: events.filter((id) => !must.has(id) && !may.has(id)),
            repeated: events.filter((id, nth) => events.indexOf(id) !== nth),
          };
          const what = `SEED=${SEED}, scenario ${at}, ${name}: ${JSON.stringify(scenarios[at])}`;
          expect(fault, what).toEqual({ missing: [], unwanted: [], repeated: [] });
          counts.must += must.size;
          counts.may += may.size;
          counts.mayAndDid += events.length - must.size;
        }
      }
      console.log(
        `SEED=${SEED}: ${SCENARIOS} histories, ${counts.must} deliveries that had to be, ${counts.mayAndDid} of ${counts.may} whose target was paused or went`,
      );
      expect(counts.must).toBeGreaterThan(0);
      expect(counts.may).toBeGreaterThan(0);
    },
    PATIENCE_MILLISECONDS * 2,
  );
});

async function samplesOf(client: WebhookClient): Promise<Map<string, object>> {
  const answer = await client.call("GET", "/api/v1/workspace-webhooks/events?limit=100");
  const { data } = JSON.parse(answer.text) as { data: { event: string; sample: object }[] };
  const samples = new Map(data.map(({ event, sample }) => [event, sample]));
  expect(PUBLISHED.filter(({ event }) => !samples.has(event))).toEqual([]);
  return samples;
}
