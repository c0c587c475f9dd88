import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
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

  test("is packed whole, and what its README shows compiles strictly against it", () => {
    const folder = mkdtempSync(join(tmpdir(), "signpost-packed-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const run = (command: string, ...args: string[]) =>
      execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
    const packed = run("npm", "pack", "--silent", PACKAGE).trim().split("\n").at(-1) ?? "";
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    run("npm", "install", "--silent", `./${packed}`);
    const entries = ["client", "client/operator", "client/webhooks"].map(
      (name) => `@signpost/${name}`,
    );
    const imports = entries.map((name) => `import(${JSON.stringify(name)})`).join(", ");
    const code = `console.log(Object.keys(Object.assign({}, ...(await Promise.all([${imports}])))).length)`;
    expect(Number(run(process.execPath, "--input-type=module", "--eval", code))).toBeGreaterThan(
      20,
    );

    const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
    const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, block = ""]) => block);
    expect(blocks.length).toBeGreaterThan(3);
    mkdirSync(join(folder, "blocks"));
    for (const [at, block] of blocks.entries()) {
      const known = {
        signpost: 'import("@signpost/client").Signpost',
        id: "string",
        contact: "string",
      };
      const missing = Object.entries(known)
        .filter(([name]) => !block.includes(`const ${name} `))
        .map(([name, type]) => `declare const ${name}: ${type};\n`);
      writeFileSync(join(folder, "blocks", `${at}.ts`), `${missing.join("")}export {};\n${block}`);
    }
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: "ES2022" },
      ...{ module: "NodeNext", moduleResolution: "NodeNext", types: ["node"] },
      lib: ["ES2022", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
      typeRoots: [resolve("node_modules/@types")],
    };
    const config = JSON.stringify({ compilerOptions, include: ["blocks"] });
    writeFileSync(join(folder, "tsconfig.json"), config);
    expect(run(resolve("node_modules/.bin/tsc"), "-p", folder)).toBe("");
  });
});
