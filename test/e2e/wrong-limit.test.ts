import { afterAll, beforeAll, expect, test } from "vitest";
import { creation, issueKey } from "../support/node/runtime-client.ts";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { type RawAnswer, sendRaw } from "../support/node/runtime-request.ts";

let home: RuntimeHome;
let runtime: Runtime;

beforeAll(async () => {
  home = createRuntimeHome({
    KEY_RATE_LIMIT: "1e6",
    IDEMPOTENCY_LEASE_SECONDS: "soon",
    DOH_URL: "nowhere",
  });
  runtime = await startRuntime(home);
});

afterAll(async () => {
  await runtime?.kill();
  home?.remove();
});

test("a limit that is no number neither opens the gate nor closes it: it is the usual one", async () => {
  const key = await issueKey(runtime.port);
  const answers: RawAnswer[] = [];
  for (let count = 0; count < 61; count++) {
    const request = creation(key, `limit-${count}-0000`, { destination: "https://example.com/" });
    answers.push(await sendRaw(runtime.port, request));
  }
  expect(answers.slice(0, 60).map(({ status }) => status)).toEqual(Array(60).fill(201));
  expect(answers[0]?.headers.get("RateLimit-Policy")).toBe('"key";q=60;w=60');
  expect(answers[60]?.status).toBe(429);
  const health = await sendRaw(runtime.port, { method: "GET", path: "/healthz" });
  expect(health.status).toBe(503);
  const names = JSON.parse(health.text).problems.map((one: { setting: string }) => one.setting);
  expect(names).toEqual(["DOH_URL", "KEY_RATE_LIMIT", "IDEMPOTENCY_LEASE_SECONDS"]);
});
