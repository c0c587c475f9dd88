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

  it.each([
    ["not set", 0],
    ["set back", -3_600_000],
    ["set forward", 3_600_000],
  ])("abort each in time where the clock is %s meanwhile", async (_, jump) => {
    const really = Date.now.bind(Date);
    let offset = 0;
    vi.spyOn(Date, "now").mockImplementation(() => really() + offset);
    try {
      const cutOffs = new CutOffs(1500);
      const lives: number[] = [];
      for (let nth = 0; nth < 4; nth++) {
        const since = really();
        cutOffs.begin().signal.addEventListener("abort", () => {
          lives.push(really() - since);
        });
        await scheduler.wait(40);
      }
      const ended = cutOffs.begin();
      await scheduler.wait(100);
      offset = jump;
      ended.end();
      await vi.waitFor(() => expect(lives).toHaveLength(4), { timeout: 10_000 });
      for (const milliseconds of lives) {
        expect(milliseconds).toBeGreaterThanOrEqual(1498);
        expect(milliseconds).toBeLessThan(2200);
      }
      await scheduler.wait(300);
      expect(ended.signal.aborted).toBe(false);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it("leave no timer when they are closed", async () => {
    const cutOffs = new CutOffs(60);
    const { signal } = cutOffs.begin();
    cutOffs.close();
    await scheduler.wait(300);
    expect(signal.aborted).toBe(false);
  });
});
