import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createActiveLink, issueKey } from "../support/node/runtime-client.ts";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { sendRaw } from "../support/node/runtime-request.ts";

const VISITS = 40;
const PATIENCE_MILLISECONDS = 60_000;

let home: RuntimeHome;
let runtime: Runtime;

beforeAll(async () => {
  // Two tries a second apart, so that a test can wait until they are used up.
  const consumers = { maxRetries: 1, retryDelay: 1 };
  home = createRuntimeHome({}, { script: "cut-off-worker.ts", consumers });
  runtime = await startRuntime(home);
});
afterAll(async () => {
  await runtime?.kill();
  home?.remove();
});

describe("clicks", () => {
  it("whose consumer cannot reach the database for longer than its tries are counted afterwards, each once", async () => {
    const key = await issueKey(runtime.port);
    const link = await createActiveLink(runtime.port, key);
    const get = async (path: string, headers: Record<string, string> = {}) =>
      sendRaw(runtime.port, { method: "GET", path, headers });
    expect((await get("/cut-off")).text).toBe("cut off");
    for (let visit = 0; visit < VISITS; visit++) {
      const browser = { "User-Agent": "Mozilla/5.0 (Windows NT 10.0) Chrome/142.0.0.0" };
      expect((await get(`/${link.slug}`, browser)).status).toBe(302);
    }
    const clicks = async () => {
      const answer = await get(`/api/v1/biolinks/links/${link.id}`, {
        Authorization: `Bearer ${key}`,
      });
      return JSON.parse(answer.text).data.clicks;
    };
    const end = Date.now() + PATIENCE_MILLISECONDS;
    while ((await clicks()) < VISITS && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    expect(await clicks()).toBe(VISITS);
    // What was tried in vain and replayed is not counted by both.
    await new Promise((resolve) => setTimeout(resolve, 8000));
    expect(await clicks()).toBe(VISITS);
  });
});
