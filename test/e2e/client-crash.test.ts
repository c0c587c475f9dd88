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

const KILLS = 4;
/** Where these did not meet all points: the quicker a machine is, the fewer calls are half made. */
const MOST_KILLS = 30;
const ENOUGH_MILLISECONDS = 240_000;
/** Made side by side, each begun a little later: a kill meets them at different points. */
const CALLS = 12;

let home: RuntimeHome;
let runtime: Runtime;
let proxy: FaultyProxy;
let signpost: Signpost;
/** Answers that said that the call, which had died, is still running. */
let inProgress = 0;

beforeAll(async () => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000000" });
  runtime = await startRuntime(home);
  const apiKey = await issueKey(runtime.port);
  proxy = await startFaultyProxy();
  proxy.lead(runtime.port);
  const onResponse = ({ status }: { status: number }) => {
    if (status === 409) inProgress++;
  };
  signpost = new Signpost({ baseUrl: `${proxy.origin}/none/1`, apiKey, onResponse });
});

afterAll(async () => {
  await proxy?.stop();
  await runtime?.kill();
  home?.remove();
});

// With the settings as they are: what died holds its key for 30 seconds.
test("one call makes one link, whenever in it the server is killed with kill -9", async () => {
  const seen: string[] = [];
  const totals = { committed: 0, lost: 0 };
  const isMet = () => totals.committed > 0 && totals.lost > 0 && inProgress > 0;
  const since = performance.now();
  const isOver = () => performance.now() - since > ENOUGH_MILLISECONDS;
  for (let kill = 0; kill < KILLS || (kill < MOST_KILLS && !isMet() && !isOver()); kill++) {
    // Now the last calls are killed at their start, now nearly all of them on their way.
    const pause = (await warmUp()) / 2 ** ((kill % 3) + 1);
    const calls: Promise<{ destination: string; id: string }>[] = [];
    for (let call = 0; call < CALLS; call++) {
      const destination = `https://example.com/kill/${kill}/${call}/`;
      calls.push(signpost.links.create({ destination }));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    const made = Promise.all(calls);
    proxy.hold();
    await runtime.kill();
    const remains = Array.from(
      calls,
      (_, call) =>
        readRemains(home.storage, "none", `https://example.com/kill/${kill}/${call}/`).linkIds,
    );
    const begun = Date.now();
    runtime = await startRuntime(home);
    proxy.lead(runtime.port);
    const links = await made;
    const committed = remains.filter(({ length }) => length > 0).length;
    const seconds = Math.round((Date.now() - begun) / 1000);
    seen.push(`${committed} of ${CALLS} committed, ${seconds} s`);
    for (const [call, { id, destination }] of links.entries()) {
      const found: string[] = [];
      for await (const link of signpost.links.list({ search: destination })) found.push(link.id);
      expect(found).toEqual([id]);
      if (remains[call]?.length) expect(remains[call]).toEqual([id]);
    }
    totals.committed += committed;
    totals.lost += CALLS - committed;
  }
  console.log(`kills: ${seen.join("; ")}; ${inProgress} answers of 409`);
  expect({ ...totals, inProgress, isMet: isMet() }).toMatchObject({ isMet: true });
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
