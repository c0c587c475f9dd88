import { afterAll, beforeAll, expect, test } from "vitest";
import { Signpost } from "../../packages/client/src/index.ts";
import { issueKey } from "../support/node/runtime-client.ts";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { type FaultyProxy, startFaultyProxy } from "./client/proxy.ts";

const KILLS = 12;
const LONGEST_MILLISECONDS = 24;

let home: RuntimeHome;
let runtime: Runtime;
let proxy: FaultyProxy;
let signpost: Signpost;

beforeAll(async () => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000000", IDEMPOTENCY_LEASE_SECONDS: "1" });
  runtime = await startRuntime(home);
  const apiKey = await issueKey(runtime.port);
  proxy = await startFaultyProxy();
  proxy.lead(runtime.port);
  signpost = new Signpost({ baseUrl: `${proxy.origin}/none/1`, apiKey, maxRetries: 30 });
});

afterAll(async () => {
  await proxy?.stop();
  await runtime?.kill();
  home?.remove();
});

test("one call makes one link, whenever in it the server is killed with kill -9", async () => {
  const tries: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    // The first request after a start takes longer than any other.
    await signpost.links.list({ limit: 1 });
    const destination = `https://example.com/kill/${kill}/`;
    const before = proxy.count("/none/1");
    const making = signpost.links.create({ destination });
    const delay = (kill * LONGEST_MILLISECONDS) / KILLS;
    await new Promise((resolve) => setTimeout(resolve, delay));
    await runtime.kill();
    runtime = await startRuntime(home);
    proxy.lead(runtime.port);
    const made = await making;
    tries.push(proxy.count("/none/1") - before);
    const found: string[] = [];
    for await (const link of signpost.links.list({ search: destination })) found.push(link.id);
    expect(found).toEqual([made.id]);
  }
  console.log(`requests sent for one link: ${tries.join(", ")}`);
  // Some kills came before the answer.
  expect(Math.max(...tries)).toBeGreaterThan(1);
});
