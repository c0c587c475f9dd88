import { env as bindings } from "cloudflare:workers";
import { expect, it } from "vitest";
import { fanOutForgotten } from "../src/deliveries/sweep.ts";
import { TARGETS } from "../src/delivery-targets.ts";
import { JOB_NAMES } from "../src/jobs.ts";
import type { Env } from "../src/platform/config.ts";
import { sharedDatabase } from "../src/platform/db/client.ts";
import { faulting, OVERLOADED } from "./support/faulting.ts";
import { loggedLines } from "./support/logs.ts";
import { tick, workIn } from "./support/work.ts";
import { createWorkspace } from "./support/workspace.ts";

const env = bindings as unknown as Env;

interface Line {
  event: string;
  job?: string;
}

const ENDS = ["job", "job_failed", "job_skipped"];

/** What the jobs of a minute told of how they ended, by name. */
async function endsOfAMinute(env?: Env): Promise<Map<string | undefined, string>> {
  const before = loggedLines().length;
  await tick(env);
  const told = loggedLines()
    .slice(before)
    .map((line): Line => JSON.parse(line));
  const ends = told.filter(({ event }) => ENDS.includes(event));
  return new Map(ends.map(({ job, event }) => [job, event]));
}

it("every job of a minute runs on the real database and ends well", async () => {
  const ends = await endsOfAMinute();
  expect([...ends.keys()].sort()).toEqual([...JOB_NAMES].sort());
  expect([...ends].filter(([, end]) => end !== "job")).toEqual([]);
});

it("a database that has too much to do is left alone until the next minute", async () => {
  const overloaded = faulting(OVERLOADED);
  const ends = await endsOfAMinute(overloaded.env);
  expect([...ends.keys()].sort()).toEqual([...JOB_NAMES].sort());
  expect(ends.get("check_settings")).toBe("job");
  const failed = [...ends.values()].filter((end) => end === "job_failed");
  expect(failed.length).toBeGreaterThan(0);
  // Those that had begun side by side.
  expect(failed.length).toBeLessThanOrEqual(4);
  expect([...ends.values()].filter((end) => end === "job_skipped").length).toBeGreaterThan(3);
  expect(overloaded.asked).toBeLessThanOrEqual(4);
  const next = await endsOfAMinute();
  expect([...next].filter(([, end]) => end !== "job")).toEqual([]);
});

it("an event is not to blame for a database that has too much to do: the sweep ends", async () => {
  const workspace = await createWorkspace();
  const ids = Array.from({ length: 3 }, () => crypto.randomUUID());
  const at = Date.now() - 3_600_000;
  for (const id of ids) {
    await env.DB.prepare(
      `INSERT INTO events (id, workspace_id, type, channel, test, data, created_at)
       VALUES (?, ?, 'publishing.post.published', 'all', 0, '{}', ?)`,
    )
      .bind(id, workspace.id, at)
      .run();
  }
  const overloaded = faulting(OVERLOADED);
  let batches = 0;
  overloaded.faultOf = (what) => (what === "batch" && ++batches ? "undone" : undefined);
  const work = workIn(workspace.id, { env: overloaded.env, db: sharedDatabase(overloaded.env) });
  await expect(fanOutForgotten(work, TARGETS)).rejects.toThrow("overloaded");
  expect(batches).toBe(1);
  const { results } = await env.DB.prepare("SELECT failures FROM events WHERE workspace_id = ?")
    .bind(workspace.id)
    .all();
  expect(results).toEqual(ids.map(() => ({ failures: 0 })));
});
