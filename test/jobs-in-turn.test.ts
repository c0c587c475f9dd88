import { afterEach, describe, expect, it, vi } from "vitest";
import { JOB_NAMES, runJobs } from "../src/jobs.ts";
import { workIn } from "./support/work.ts";

const MINUTE = 60_000;
/** Of an invocation: what asks for more fails. */
const REQUESTS = 1000;

afterEach(() => void vi.useRealTimers());

/** Which of the jobs ran in a minute, where each makes so many requests. */
async function minuteOf(requests: number): Promise<string[]> {
  const ran: string[] = [];
  let made = 0;
  const jobs = JOB_NAMES.map((name) => {
    const job = async () => {
      if (made + requests > REQUESTS) throw new Error("Too many subrequests.");
      made += requests;
      ran.push(name);
    };
    return [name, job] as const;
  });
  await runJobs(workIn(crypto.randomUUID()), Object.fromEntries(jobs));
  return ran;
}

describe("the jobs of a minute", () => {
  it("take turns: two that use up what all share keep no other from running for good", async () => {
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    const ran = new Set<string>();
    for (let minute = 0; minute < JOB_NAMES.length; minute++) {
      vi.setSystemTime(start + minute * MINUTE);
      const [first, ...others] = await minuteOf(REQUESTS / 2);
      expect(first).toBe("check_settings");
      for (const name of others) ran.add(name);
    }
    expect([...ran].sort()).toEqual(JOB_NAMES.slice(1).sort());
  });

  it("all run in each minute where there is enough for all", async () => {
    expect((await minuteOf(1)).sort()).toEqual([...JOB_NAMES].sort());
  });
});
