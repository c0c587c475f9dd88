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
const LIBRARIES = ["standardwebhooks", "svix"] as const;

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

type Verifier = new (
  secret: string,
) => { verify(body: string, headers: Record<string, string>): unknown };

let verifiers: Record<(typeof LIBRARIES)[number], Verifier>;
let signpost: Signpost;
let workspace: Workspace;
let receiver: Server;
const received: Received[] = [];
let verified = 0;

beforeAll(async () => {
  await installIntegrations();
  const { Webhook: SvixWebhook } = await load<{ Webhook: Verifier }>("svix");
  verifiers = { standardwebhooks: StandardWebhook, svix: SvixWebhook };
  signpost = await startSignpost({ vars: { ALLOW_PRIVATE_TARGETS: "true" } });
  workspace = await createWorkspace(signpost);
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
}, 300_000);

afterAll(async () => {
  receiver?.close().closeAllConnections();
  await signpost?.stop();
  console.log(`svix ${versionOf("svix")}, standardwebhooks: ${verified} verifications`);
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

/** Whether a library takes a delivery for genuine; what it makes of it is what was sent. */
function holds(library: (typeof LIBRARIES)[number], secret: string, delivery: Received): boolean {
  const headers = delivery.headers as Record<string, string>;
  try {
    const read = new verifiers[library](secret).verify(delivery.body, headers);
    expect(read).toEqual(JSON.parse(delivery.body));
    verified++;
    return true;
  } catch (fault) {
    if ((fault as Error).name !== "WebhookVerificationError") throw fault;
    return false;
  }
}

describe.each(LIBRARIES)("%s", (library) => {
  let path: string;
  let secret: string;
  let count = 0;

  beforeAll(async () => {
    const { port } = receiver.address() as AddressInfo;
    const made = await call("POST", ENDPOINTS, {
      name: library,
      url: `http://127.0.0.1:${port}/${library}`,
      subscriptions: [{ event: EVENT, channel: "email" }],
    });
    path = `${ENDPOINTS}/${made.data.id}`;
    secret = made.secret;
    await call("PATCH", path, { enabled: true });
  });

  afterAll(() => call("PATCH", path, { enabled: false }));

  const happening = () =>
    call("POST", "/api/v1/contacts", { name: `Zoë “${count++}” 🌍`, channel: "email" });
  const rotate = async (immediate: boolean): Promise<string> =>
    (await call("POST", `${path}/rotate-secret`, { immediate })).secret;

  test("takes events and tests for genuine, and nothing that was changed on the way", async () => {
    const event = await next(happening);
    const sample = await next(() => call("POST", `${path}/test`, { event: EVENT }));
    for (const delivery of [event, sample]) expect(holds(library, secret, delivery)).toBe(true);
    const { headers, body } = event;
    const other = String(Number(headers["webhook-timestamp"]) - 301);
    for (const changed of [
      { headers, body: body.replace("Zoë", "Zoe") },
      { headers: { ...headers, "webhook-id": "another" }, body },
      { headers: { ...headers, "webhook-timestamp": other }, body },
      { headers: sample.headers, body },
    ]) {
      expect(holds(library, secret, changed)).toBe(false);
    }
  });

  test("takes both secrets while one is rotated, and the new one alone at once if asked", async () => {
    const second = await rotate(false);
    const during = await next(happening);
    expect([secret, second].map((one) => holds(library, one, during))).toEqual([true, true]);
    const third = await rotate(true);
    const after = await next(happening);
    const all = [secret, second, third].map((one) => holds(library, one, after));
    expect(all).toEqual([false, false, true]);
  });
});
