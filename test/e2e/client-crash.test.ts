import { afterAll, beforeAll, expect, test } from "vitest";
import { Signpost } from "../../packages/client/src/index.ts";
import { issueKey } from "../support/node/runtime-client.ts";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { readRemains } from "../support/node/runtime-storage.ts";
import { type FaultyProxy, startFaultyProxy } from "./client/proxy.ts";

const KILLS = 12;
const PLACE = "/none/1";

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
  signpost = new Signpost({ baseUrl: proxy.origin + PLACE, apiKey, maxRetries: 30 });
});

afterAll(async () => {
  await proxy?.stop();
  await runtime?.kill();
  home?.remove();
});

test("one call makes one link, whenever in it the server is killed with kill -9", async () => {
  const seen: string[] = [];
  let delay = await warmUp();
  for (let kill = 0; kill < KILLS; kill++) {
    await warmUp();
    const destination = `https://example.com/kill/${kill}/`;
    const before = proxy.count(PLACE);
    const making = signpost.links.create({ destination });
    await new Promise((resolve) => setTimeout(resolve, delay));
    await runtime.kill();
    const { linkIds } = readRemains(home.storage, "none", destination);
    runtime = await startRuntime(home);
    proxy.lead(runtime.port);
    const made = await making;
    const wasCommitted = linkIds.length > 0;
    seen.push(`${wasCommitted ? "committed" : "lost"}, ${proxy.count(PLACE) - before} requests`);
    // Towards the commit, from whichever side.
    delay = Math.max(1, delay * (wasCommitted ? 0.7 : 1.5));
    const found: string[] = [];
    for await (const link of signpost.links.list({ search: destination })) found.push(link.id);
    expect(found).toEqual([made.id]);
    if (wasCommitted) expect(linkIds).toEqual([made.id]);
  }
  console.log(`kills: ${seen.join("; ")}`);
  for (const stage of ["committed", "lost"]) {
    expect(seen.filter((one) => one.startsWith(stage)).length).toBeGreaterThan(0);
  }
});

/** How long a link takes to make; the first requests after a start take longer than any other. */
async function warmUp(): Promise<number> {
  let milliseconds = 0;
  for (let run = 0; run < 3; run++) {
    const begun = performance.now();
    await signpost.links.create({ destination: "https://example.com/warm-up" });
    milliseconds = performance.now() - begun;
  }
  return milliseconds;
}
