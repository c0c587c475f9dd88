import { env as bindings } from "cloudflare:workers";
import pMap from "p-map";
import { expect, it } from "vitest";
import { postJson } from "../../src/platform/outbound/post-json.ts";

const { RECEIVER_URL } = bindings as unknown as { RECEIVER_URL: string };
/** So many timers may an invocation have. */
const MOST_TIMERS = 10_000;

it("an attempt that has ended leaves no timer: a lane may make more than 10,000 in 15 s", async () => {
  const attempts = Array.from({ length: MOST_TIMERS + 100 });
  const url = `${RECEIVER_URL}/cut-off`;
  const made = await pMap(attempts, () => postJson(url, "{}", {}), { concurrency: 5 });
  expect(new Set(made.map(({ statusCode }) => statusCode))).toEqual(new Set([204]));
});
