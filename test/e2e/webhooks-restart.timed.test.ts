import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { createWebhookClient, type WebhookClient } from "../support/node/webhook-client.ts";

const ROUNDS = 5;
/** A lease lasts 60 s and the second retry waits 5 min: an interrupted attempt waits for neither. */
const AT_ONCE_MILLISECONDS = 5000;

let home: RuntimeHome;
let runtime: Runtime;
let client: WebhookClient;
let receiver: Server;
let answering = false;
let arrived = Promise.withResolvers<string>();

beforeAll(async () => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000000", ALLOW_PRIVATE_TARGETS: "true" });
  runtime = await startRuntime(home);
  client = await createWebhookClient(() => runtime.port);
  receiver = createServer((request, response) => {
    if (answering) response.writeHead(204).end();
    arrived.resolve(String(request.headers["webhook-id"]));
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
});

afterAll(async () => {
  await runtime?.kill();
  receiver?.close().closeAllConnections();
  home?.remove();
});

async function nextArrival(answer: boolean): Promise<string> {
  answering = answer;
  arrived = Promise.withResolvers();
  return arrived.promise;
}

describe("an attempt cut off by kill -9, with nobody publishing any more", () => {
  test("goes out again as soon as the runtime is back, as often as that happens", async () => {
    const { port } = receiver.address() as AddressInfo;
    await client.createEndpoint(`http://127.0.0.1:${port}/`);
    let next = nextArrival(false);
    await client.publish("post_1");
    const id = await next;
    const waits: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      await runtime.kill();
      next = nextArrival(round === ROUNDS);
      runtime = await startRuntime(home);
      const back = performance.now();
      expect(await next).toBe(id);
      waits.push(performance.now() - back);
    }
    console.log(`sent again after ${waits.map((wait) => `${wait.toFixed(0)} ms`).join(", ")}`);
    expect(Math.max(...waits)).toBeLessThan(AT_ONCE_MILLISECONDS);
    await expect
      .poll(() => history(id), { timeout: 60_000 })
      .toEqual({
        status: "delivered",
        errors: [...Array(ROUNDS).fill("interrupted"), null],
      });
  });
});

async function history(id: string) {
  const path = `/api/v1/workspace-webhooks/deliveries/${id}`;
  const { data } = JSON.parse((await client.call("GET", path)).text);
  const attempts = data.attempts as { number: number; error: string | null }[];
  const inOrder = attempts.toSorted((a, b) => a.number - b.number);
  return { status: data.status, errors: inOrder.map(({ error }) => error) };
}
