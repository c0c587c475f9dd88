import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Signpost, startSignpost } from "../support/node/server.ts";
import { createWorkspace, type Workspace } from "../support/node/workspace.ts";

const EVENT = "salesbot.contact.created";

let signpost: Signpost;
let workspace: Workspace;
/** What an automation platform has got at its hook's URL, and what it answers there. */
let platform: Server;
const received: Record<string, unknown>[] = [];
let answer = 200;

beforeAll(async () => {
  signpost = await startSignpost({ vars: { ALLOW_PRIVATE_TARGETS: "true" } });
  workspace = await createWorkspace(signpost);
  platform = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    response.writeHead(answer).end();
  }).listen(0, "127.0.0.1");
  await once(platform, "listening");
});

afterAll(async () => {
  platform?.close().closeAllConnections();
  await signpost?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function call(method: string, path: string, body?: object): Promise<[number, any]> {
  const response = await workspace.send(method, path, body);
  const text = await response.text();
  return [response.status, text ? JSON.parse(text) : undefined];
}

describe("an automation platform", () => {
  test("connects, subscribes, maps fields, gets what happens, and hangs up with 410", async () => {
    const [connected, me] = await call("GET", "/automation/me");
    expect([connected, me.data.id, me.data.workspace_name]).toEqual([200, workspace.id, "Test"]);
    expect(me.data.events.map(({ event }: { event: string }) => event)).toContain(EVENT);

    const { port } = platform.address() as AddressInfo;
    const hook = { target_url: `http://127.0.0.1:${port}/hooks/catch/1/abc/`, event: EVENT };
    const [created, subscription] = await call("POST", "/automation/subscribe", hook);
    const [known, again] = await call("POST", "/automation/subscribe", hook);
    expect([created, known]).toEqual([201, 200]);
    expect(again).toEqual(subscription);

    const [, sample] = await call("GET", `/automation/sample/${EVENT}`);
    expect(sample).toHaveLength(1);

    const input = { name: "Ada", email: "ada@example.com", channel: "email" };
    const [, contact] = await call("POST", "/api/v1/contacts", input);
    await expect.poll(() => received.length, { timeout: 60_000 }).toBe(1);
    expect(received[0]).toMatchObject({ ...input, contact_id: contact.data.id, event: EVENT });
    expect(Object.keys(received[0] ?? {}).sort()).toEqual(Object.keys(sample[0]).sort());

    answer = 410;
    await call("POST", "/api/v1/contacts", { name: "Grace" });
    await expect.poll(() => received.length, { timeout: 60_000 }).toBe(2);
    await expect
      .poll(async () => (await call("POST", "/automation/subscribe", hook))[0], { timeout: 60_000 })
      .toBe(201);
    const [, fresh] = await call("POST", "/automation/subscribe", hook);
    expect(fresh.data.id).not.toBe(subscription.data.id);
    const [gone] = await call("POST", "/automation/unsubscribe", { id: subscription.data.id });
    expect(gone).toBe(204);
  });
});
