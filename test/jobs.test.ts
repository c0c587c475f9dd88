import { expect, it } from "vitest";
import { JOB_NAMES } from "../src/jobs.ts";
import { loggedLines } from "./support/logs.ts";
import { tick } from "./support/work.ts";

interface Line {
  event: string;
  job?: string;
}

/** What the jobs of a minute told of how they ended, by name. */
async function endsOfAMinute(): Promise<Map<string | undefined, string>> {
  const before = loggedLines().length;
  await tick();
  const told = loggedLines()
    .slice(before)
    .map((line): Line => JSON.parse(line));
  const ends = told.filter(({ event }) => event === "job" || event === "job_failed");
  return new Map(ends.map(({ job, event }) => [job, event]));
}

it("every job of a minute runs on the real database and ends well", async () => {
  const ends = await endsOfAMinute();
  expect([...ends.keys()].sort()).toEqual([...JOB_NAMES].sort());
  expect([...ends].filter(([, end]) => end !== "job")).toEqual([]);
});
