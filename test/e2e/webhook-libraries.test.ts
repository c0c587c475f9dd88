import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installIntegrations, load, versionOf } from "../support/node/integrations.ts";
import { type Signpost, startSignpost } from "../support/node/server.ts";
import { createWorkspace, type Workspace } from "../support/node/workspace.ts";

const ENDPOINTS = "/api/v1/workspace-webhooks/endpoints";
const EVENT = "salesbot.contact.created";
/** Svix's second is made of `standardwebhooks`; its first has code of its own. */
const SVIX = ["svix", "svix-1"];

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

type Verifier = new (
  secret: string,
) => { verify(body: string, headers: Record<string, string>): unknown };

let verifiers: Verifier[];
let signpost: Signpost;
let workspace: Workspace;
let receiver: Server;
const received: Received[] = [];
let path: string;
let secret: string;
let contacts = 0;

beforeAll(async () => {
  await installIntegrations();
  const svix = await Promise.all(SVIX.map((name) => load<{ Webhook: Verifier }>(name)));
  verifiers = [StandardWebhook, ...svix.map(({ Webhook }) => Webhook)];
  signpost = await startSignpost({ vars: { ALLOW_PRIVATE_TARGETS: "true" } });
  workspace = await createWorkspace(signpost);
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const made = await call("POST", ENDPOINTS, {
    name: "Libraries",
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    subscriptions: [{ event: EVENT, channel: "email" }],
  });
  path = `${ENDPOINTS}/${made.data.id}`;
  secret = made.secret;
  await call("PATCH", path, { enabled: true });
});

afterAll(async () => {
  receiver?.close().closeAllConnections();
  await signpost?.stop();
  console.log(`${received.length} deliveries to svix ${SVIX.map(versionOf).join(" and ")}`);
});

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function call(method: string, path: string, body?: object): Promise<any> {
  const answer = await workspace.send(method, path, body);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** What was there before is not waited for. */
async function next(cause: () => Promise<unknown>): Promise<Received> {
  const before = received.length;
  await cause();
  await expect.poll(() => received.length, { timeout: 60_000 }).toBe(before + 1);
  const [delivery] = received.slice(before);
  if (!delivery) throw new Error("Nothing came.");
  return delivery;
}

/** Whether a delivery is genuine. @throws unless all libraries are of one mind */
function holds(known: string, { headers, body }: Received): boolean {
  const verdicts = verifiers.map((Webhook) => {
    try {
      new Webhook(known).verify(body, headers as Record<string, string>);
      return true;
    } catch (fault) {
      if ((fault as Error).constructor.name === "WebhookVerificationError") return false;
      throw fault;
    }
  });
  const [first, ...others] = verdicts;
  expect(others).toEqual(SVIX.map(() => first));
  return first === true;
}

const happening = () =>
  call("POST", "/api/v1/contacts", { name: `Zoë “${contacts++}” 🌍`, channel: "email" });

const rotate = async (immediate: boolean): Promise<string> =>
  (await call("POST", `${path}/rotate-secret`, { immediate })).secret;

describe("Svix's libraries and Standard Webhooks'", () => {
  test("take events and tests for genuine, and nothing that was changed on the way", async () => {
    const event = await next(happening);
    const sample = await next(() => call("POST", `${path}/test`, { event: EVENT }));
    for (const delivery of [event, sample]) expect(holds(secret, delivery)).toBe(true);
    const { headers, body } = event;
    const before = String(Number(headers["webhook-timestamp"]) - 1);
    for (const changed of [
      { headers, body: body.replace("Zoë", "Zoe") },
      { headers: { ...headers, "webhook-id": "another" }, body },
      { headers: { ...headers, "webhook-timestamp": before }, body },
      { headers: sample.headers, body },
    ]) {
      expect(holds(secret, changed)).toBe(false);
    }
  });

  test("take both secrets while one is rotated, and the new one alone at once if asked", async () => {
    const second = await rotate(false);
    const during = await next(happening);
    expect([secret, second].map((one) => holds(one, during))).toEqual([true, true]);
    const third = await rotate(true);
    const after = await next(happening);
    const all = [secret, second, third].map((one) => holds(one, after));
    expect(all).toEqual([false, false, true]);
  });
});
