import { env as bindings } from "cloudflare:workers";
import pMap from "p-map";
import { describe, expect, it, vi } from "vitest";
import { CutOffs } from "../../src/platform/cut-off.ts";
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

describe("cut-offs with one timer for all", () => {
  const began = () => performance.now();

  it("abort each at its own time, and none that has ended", async () => {
    const cutOffs = new CutOffs(200);
    const start = began();
    const aborted: [string, number][] = [];
    const begin = (name: string) => {
      const { signal, end } = cutOffs.begin();
      signal.addEventListener("abort", () => {
        aborted.push([name, began() - start]);
      });
      return end;
    };
    const endFirst = begin("first");
    begin("second");
    await scheduler.wait(100);
    begin("third");
    endFirst();
    await scheduler.wait(80);
    expect(aborted).toEqual([]);
    await vi.waitFor(() => expect(aborted).toHaveLength(2), { timeout: 2000 });
    expect(aborted.map(([name]) => name)).toEqual(["second", "third"]);
    for (const [at, [, milliseconds]] of aborted.entries()) {
      expect(milliseconds).toBeGreaterThanOrEqual(at === 0 ? 198 : 298);
    }
  });

  it("abort in time though the clock is set back", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const cutOffs = new CutOffs(100);
      const { signal } = cutOffs.begin();
      vi.setSystemTime(Date.now() - 3_600_000);
      const { signal: later } = cutOffs.begin();
      await vi.waitFor(() => expect([signal.aborted, later.aborted]).toEqual([true, true]), {
        timeout: 2000,
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it("leave no timer when they are closed", async () => {
    const cutOffs = new CutOffs(50);
    const { signal } = cutOffs.begin();
    cutOffs.close();
    await scheduler.wait(150);
    expect(signal.aborted).toBe(false);
  });
});
