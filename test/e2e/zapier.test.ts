import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INTEGRATIONS, installIntegrations } from "../support/node/integrations.ts";
import { type Signpost, startSignpost } from "../support/node/server.ts";
import { createWorkspace, type Workspace } from "../support/node/workspace.ts";
import { startZapierCore, type ZapierCore } from "../support/node/zapier-core.ts";

const EVENT = "salesbot.contact.created";
const RATE_LIMIT = 30;
const PATIENCE = { timeout: 60_000 };

interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  text: string;
}

let signpost: Signpost;
let workspace: Workspace;
let core: ZapierCore;
/** Zapier's end of the hooks: what came, and for which hook. */
let hooks: Server;
const received: Received[] = [];

beforeAll(async () => {
  await installIntegrations();
  core = await startZapierCore();
  signpost = await startSignpost({
    vars: { ALLOW_PRIVATE_TARGETS: "true", KEY_RATE_LIMIT: String(RATE_LIMIT) },
  });
  workspace = await createWorkspace(signpost);
  hooks = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url = "", headers } = request;
    received.push({ url, headers, text: Buffer.concat(chunks).toString("utf8") });
    response.end('{"status": "success"}');
  }).listen(0, "127.0.0.1");
  await once(hooks, "listening");
});

afterAll(async () => {
  core?.stop();
  hooks?.close().closeAllConnections();
  await signpost?.stop();
});

const authData = ({ key } = workspace) => ({ address: signpost.origin, key });

const run = (method: string, bundle: object = {}) =>
  core.run(method, { authData: authData(), ...bundle });

const hookAt = (path: string) => ({
  targetUrl: `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/${path}`,
  inputData: { event: EVENT },
});

const addContact = (inputData: object) => run("creates.contact.operation.perform", { inputData });

/** As Zapier hands on what came to a hook. */
function asBundle({ url, headers, text }: Received) {
  const rawRequest = { method: "POST", querystring: url.split("?")[1] ?? "", headers };
  return { cleanedRequest: JSON.parse(text), rawRequest: { ...rawRequest, content: text } };
}

describe("an integration of Signpost, run by Zapier's own core", () => {
  test("compiles strictly, and is valid by Zapier's schema", async () => {
    await promisify(execFile)("tsc", ["-p", INTEGRATIONS]).catch(({ stdout }) => {
      throw new Error(stdout);
    });
    expect(await core.validate()).toEqual([]);
    console.log(`zapier-platform-core ${core.version}`);
  });

  test("tests a connection and names it; a wrong key is told in words", async () => {
    const me = await run("authentication.test");
    expect(me).toMatchObject({ id: workspace.id, workspace_name: "Test", key_name: "Test" });
    const label = await run("authentication.connectionLabel", { inputData: me });
    expect(label).toBe("Test (Test)");
    const wrong = { authData: { ...authData(), key: `osk_${"x".repeat(40)}` } };
    await expect(run("authentication.test", wrong)).rejects.toThrow(
      /A valid API key is required\..*"code":"unauthenticated","status":401/,
    );
  });

  test("offers the events to choose from, and shows what one brings", async () => {
    const offered = await run("triggers.event_types.operation.perform");
    expect(offered).toContainEqual({ id: EVENT, name: expect.stringMatching(/\w/) });
    const list = await run("triggers.event.operation.performList", { inputData: { event: EVENT } });
    expect(list).toEqual([expect.objectContaining({ id: expect.any(String), event: EVENT })]);
  });

  test("subscribes, gets what its own action made, and unsubscribes", async () => {
    const subscribe = "triggers.event.operation.performSubscribe";
    const subscribeData = await run(subscribe, hookAt("first"));
    expect(subscribeData).toMatchObject({ id: expect.any(String), event: EVENT });

    const input = { name: "Ada", email: "ada@example.com" };
    const made = await addContact(input);
    expect(made).toMatchObject(input);
    await expect.poll(() => received.length, PATIENCE).toBe(1);
    const [delivery] = received;
    if (!delivery) throw new Error("Nothing came.");
    const got = await run("triggers.event.operation.perform", asBundle(delivery));
    expect(got).toEqual([expect.objectContaining({ ...input, contact_id: made.id, event: EVENT })]);
    const [sample] = await run("triggers.event.operation.performList", hookAt("first"));
    expect(Object.keys(got[0]).sort()).toEqual(Object.keys(sample).sort());

    await run(subscribe, hookAt("second"));
    const unsubscribe = "triggers.event.operation.performUnsubscribe";
    for (let times = 0; times < 2; times++) await run(unsubscribe, { subscribeData });
    await addContact({ name: "Grace" });
    const cameTo = (path: string) => received.filter(({ url }) => url === path).length;
    await expect.poll(() => cameTo("/second"), PATIENCE).toBe(1);
    // By the time of the next event's, what the first hook would still have had of Grace has come.
    await addContact({ name: "Edsger" });
    await expect.poll(() => cameTo("/second"), PATIENCE).toBe(2);
    expect(cameTo("/first")).toBe(1);
  });

  test("tells what is wrong with a field by its name", async () => {
    const wrong = addContact({ name: "Ada", email: "no address" });
    await expect(wrong).rejects.toThrow(/email: .*"code":"validation_failed","status":422/);
  });

  test("waits as long as the API asks, when it was too fast", async () => {
    const hasty = await createWorkspace(signpost);
    const attempts = Array.from({ length: 2 * RATE_LIMIT }, () =>
      core.run("authentication.test", { authData: authData(hasty) }).catch((fault) => fault),
    );
    const faults = (await Promise.all(attempts)).filter((one) => one instanceof Error);
    expect(faults.length).toBeGreaterThan(0);
    for (const { name, message } of faults) {
      expect(name).toBe("ThrottledError");
      expect(JSON.parse(message).delay).toBeGreaterThan(0);
    }
  });
});
