import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Signpost } from "../../packages/client/src/index.ts";
import { type Signpost as Server, startSignpost } from "../support/node/server.ts";
import { createWorkspace, type Workspace } from "../support/node/workspace.ts";
import { buildPackage, PACKAGE, sizeOf } from "./client/build.ts";
import { type FaultyProxy, startFaultyProxy } from "./client/proxy.ts";
import { type Ran, RUNTIMES } from "./client/runtimes.ts";
import { CHECKS, type Stage } from "./client/suite.ts";

const EVENT = { event: "biolinks.link.created", channel: "all" };
/** Red, one pixel. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";

let server: Server;
let proxy: FaultyProxy;
let workspace: Workspace;
let stage: Stage;

beforeAll(async () => {
  await buildPackage();
  server = await startSignpost({
    vars: {
      ALLOW_PRIVATE_TARGETS: "true",
      KEY_RATE_LIMIT: "100000",
      WEBHOOK_CHANGE_RATE_LIMIT: "1000",
    },
  });
  proxy = await startFaultyProxy({ "/": "<!doctype html><title>Client</title>" });
  proxy.lead(server.port);
  workspace = await createWorkspace(server);
  stage = {
    origin: proxy.origin,
    apiKey: workspace.key,
    adminToken: server.adminToken,
    workspace: workspace.id,
    webhook: await receiveWebhook(),
    picture: PICTURE,
  };
});

afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
});

/** Has the Worker send a webhook to this machine. */
async function receiveWebhook(): Promise<Stage["webhook"]> {
  const arrived = Promise.withResolvers<{ headers: IncomingHttpHeaders; body: string }>();
  const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.writeHead(204).end();
    arrived.resolve({ headers: request.headers, body });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const signpost = new Signpost({ baseUrl: server.origin, apiKey: workspace.key });
  const { id, secret } = await signpost.webhooks.endpoints.create({
    name: "Client",
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    subscriptions: [EVENT],
  });
  await signpost.webhooks.endpoints.update(id, () => ({ enabled: true }));
  await signpost.links.create({ destination: "https://example.com/told" });
  const { headers, body } = await arrived.promise;
  receiver.close().closeAllConnections();
  const ours = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  const kept = ours.map((name) => [name, String(headers[name])]);
  return { headers: Object.fromEntries(kept), body, secret };
}

describe.each(Object.keys(RUNTIMES))("the client in %s", (name) => {
  let ran: Ran;

  beforeAll(async () => {
    ran = (await RUNTIMES[name]?.(stage)) as Ran;
    console.log(`${name}: ${ran.outcomes.length} checks in ${ran.version}`);
  });

  test.each(Object.keys(CHECKS))("%s", (check) => {
    expect(ran.outcomes.find((outcome) => outcome.name === check)).toEqual({ name: check });
  });
});

describe("the client's package", () => {
  test("is at most 12 KB, and what verifies webhooks 2 KB, minified and gzipped", async () => {
    const sizes = await Promise.all(["index.js", "webhooks.js", "operator.js"].map(sizeOf));
    console.log(`bytes of main, webhooks, operator: ${sizes.join(", ")}`);
    const [main = 0, webhooks = 0] = sizes;
    expect(main).toBeLessThanOrEqual(12_000);
    expect(webhooks).toBeLessThanOrEqual(2000);
  });

  test("has a core of at most 300 lines, and depends on nothing", () => {
    const lines = ["core.ts", "errors.ts", "list.ts"].map(
      (file) =>
        readFileSync(join(PACKAGE, "src", file), "utf8")
          .trimEnd()
          .split("\n").length,
    );
    console.log(`lines of the core: ${lines.join(" + ")}`);
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(300);
    const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
    expect(Object.keys(manifest).filter((field) => /dependencies/i.test(field))).toEqual([]);
  });
});
