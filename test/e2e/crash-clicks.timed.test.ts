import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createActiveLink, issueKey } from "../support/node/runtime-client.ts";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { sendRaw } from "../support/node/runtime-request.ts";
import { countClicks } from "../support/node/runtime-storage.ts";

/** From the last click to the kill: while clicks are gathered, queued, counted, and after. */
const KILLS_AFTER_MILLISECONDS = [0, 3000, 5000, 5500, 6500, 7200, 10_000];
/** Five seconds in the isolate and two in the queue; what is older than this is in the database. */
const COUNTED_AFTER_MILLISECONDS = 10_000;
const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";

interface Round {
  killAfter: number;
  linkId: string;
  followed: number;
  countedAtKill: number;
}

let home: RuntimeHome;
let runtime: Runtime;

beforeAll(() => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000000" });
});

afterAll(async () => {
  await runtime?.kill();
  home?.remove();
});

describe("a runtime killed with kill -9 after visitors followed a link", () => {
  const rounds: Round[] = [];
  const counted = ({ linkId }: Round) => countClicks(home.storage, linkId);

  beforeAll(async () => {
    runtime = await startRuntime(home);
    const key = await issueKey(runtime.port);
    for (const [index, killAfter] of KILLS_AFTER_MILLISECONDS.entries()) {
      const link = await createActiveLink(runtime.port, key);
      const followed = 3 + index;
      for (let visit = 0; visit < followed; visit++) await follow(link.slug);
      await pause(killAfter);
      await runtime.kill();
      const countedAtKill = countClicks(home.storage, link.id);
      rounds.push({ killAfter, linkId: link.id, followed, countedAtKill });
      runtime = await startRuntime(home);
    }
    // What a queue would deliver once more, it has delivered by then.
    await pause(COUNTED_AFTER_MILLISECONDS);
    const kept = rounds.map(
      (round) => `${round.killAfter} ms: ${counted(round)}/${round.followed}`,
    );
    console.log(`clicks kept, by time from click to kill: ${kept.join(", ")}`);
  });

  test("keeps every click it had counted, and counts none of them again", () => {
    expect(rounds.some(({ countedAtKill }) => countedAtKill > 0)).toBe(true);
    for (const round of rounds.filter(({ countedAtKill }) => countedAtKill > 0)) {
      expect(counted(round), `killed after ${round.killAfter} ms`).toBe(round.followed);
    }
  });

  test("has counted every click that came ten seconds before the kill", () => {
    const old = rounds.filter(({ killAfter }) => killAfter >= COUNTED_AFTER_MILLISECONDS);
    expect(old.map(({ countedAtKill }) => countedAtKill)).toEqual(
      old.map(({ followed }) => followed),
    );
  });

  test("counts the clicks of one message all or not at all", () => {
    for (const round of rounds) {
      expect([0, round.followed], `killed after ${round.killAfter} ms`).toContain(counted(round));
    }
  });

  test("goes on counting after it was started again", async () => {
    const last = rounds.at(-1);
    const key = await issueKey(runtime.port);
    const link = await createActiveLink(runtime.port, key);
    await follow(link.slug);
    await expect.poll(() => countClicks(home.storage, link.id), { timeout: 60_000 }).toBe(1);
    expect(last && counted(last)).toBe(last?.followed);
  });
});

async function follow(slug: string): Promise<void> {
  const headers = { "User-Agent": AGENT };
  const answer = await sendRaw(runtime.port, { method: "GET", path: `/${slug}`, headers });
  expect(answer.status).toBe(302);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, milliseconds));
}
