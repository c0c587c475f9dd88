import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type {
  Attempted,
  BegunAttempt,
  FinishedAttempt,
} from "../../src/deliveries/delivery-attempt.ts";
import { takeFanOutTurn } from "../../src/deliveries/fan-out-turn.ts";
import { LaneJournal } from "../../src/deliveries/lane-journal.repository.ts";
import { LaneRun } from "../../src/deliveries/lane-run.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import { databaseOf } from "../../src/platform/db/client.ts";
import { faulting, OVERLOADED } from "../support/faulting.ts";
import { firstWaiting, publishUnheard } from "../support/outbox.ts";
import { createLiveEndpoint, env } from "../support/webhooks.ts";
import { workIn } from "../support/work.ts";
import { createWorkspace } from "../support/workspace.ts";

const LANES_ASLEEP = { getByName: () => ({ wake: async () => undefined }) };
const QUICK: Attempted = {
  outcome: { statusCode: 200, error: null, responseBody: "", durationMs: 10 },
  consequence: { status: "delivered", nextAttemptAt: null, stop: null },
};
const OWED = 40;
/** Enough for the lane to make five attempts at a time. */
const ANSWERED = 6;

class Journal extends LaneJournal {
  failsToEnd = false;

  override write(ended: FinishedAttempt[], begun: BegunAttempt[]): void {
    if (this.failsToEnd && ended.length > 0 && begun.length === 0)
      throw new Error("The disk is full.");
    super.write(ended, begun);
  }
}

interface Lane {
  run: LaneRun;
  ended: Promise<number | undefined>;
  journal: Journal;
  database: ReturnType<typeof faulting>;
  targetId: string;
  /** Answers what is under way, and what begins after it. */
  answerAll(): void;
}

/** A lane that has written some attempts ahead, of a receiver that was quick and hangs now. */
async function laneWithSomeAhead(test: (lane: Lane) => Promise<void>): Promise<void> {
  const workspace = await createWorkspace();
  const { id: targetId } = await createLiveEndpoint(workspace);
  await publishUnheard(workspace, OWED);
  const work = workIn(workspace.id);
  const quiet = { ...work, env: { ...env, DELIVERY_LANE: LANES_ASLEEP } } as unknown as typeof work;
  await takeFanOutTurn(quiet, TARGETS, await firstWaiting(workspace));
  const database = faulting(OVERLOADED);
  database.faultOf = () => undefined;
  const ctx = workIn(workspace.id, { db: databaseOf(database.env, workspace.id) });
  const lane = { ctx, target: { kind: "endpoint" as const, id: targetId }, port: TARGETS.endpoint };
  await runInDurableObject(env.DELIVERY_LANE.getByName(crypto.randomUUID()), async (_, state) => {
    const journal = new Journal(state.storage.sql);
    const open: ((attempted: Attempted) => void)[] = [];
    let quickOnes = ANSWERED;
    const run = new LaneRun(lane, journal, {
      attempt: () => {
        if (quickOnes-- > 0) return Promise.resolve(QUICK);
        return new Promise((resolve) => void open.push(resolve));
      },
      settle: async () => false,
      endForNobody: async () => false,
    });
    const ended = run.run();
    ended.catch(() => undefined);
    await vi.waitFor(() => expect(journal.left().begun.length).toBeGreaterThan(5), 20_000);
    await vi.waitFor(() => expect(open).toHaveLength(5), 20_000);
    const answerAll = () => {
      quickOnes = Number.POSITIVE_INFINITY;
      for (const answer of open) answer(QUICK);
    };
    await test({ run, ended, journal, database, targetId, answerAll });
  });
}

const deliveredTo = (targetId: string) =>
  env.DB.prepare(
    "SELECT count(*) AS n FROM target_deliveries WHERE target_id = ? AND status = 'delivered' AND attempts_count = 1",
  )
    .bind(targetId)
    .first<number>("n");

describe("attempts that are written ahead of a receiver that hangs then", () => {
  it(
    "keep from the history for no longer what it answered before",
    () =>
      laneWithSomeAhead(async ({ ended, journal, targetId, answerAll }) => {
        await vi.waitFor(async () => expect(await deliveredTo(targetId)).toBe(ANSWERED), 2000);
        answerAll();
        await ended;
        expect(await deliveredTo(targetId)).toBe(OWED);
        expect(journal.left()).toEqual({ begun: [], finished: [] });
      }),
    60_000,
  );

  it(
    "are taken back when the target is changed, and begin as they are read then",
    () =>
      laneWithSomeAhead(async ({ run, ended, journal, targetId, answerAll }) => {
        run.forget();
        expect(journal.left().begun).toHaveLength(5);
        answerAll();
        await ended;
        expect(await deliveredTo(targetId)).toBe(OWED);
        expect(run.attempts).toBe(OWED);
      }),
    60_000,
  );

  it(
    "are taken back when the database is lost: none of them is interrupted then",
    () =>
      laneWithSomeAhead(async ({ ended, journal, database, answerAll }) => {
        database.faultOf = () => "undone";
        await expect.poll(() => journal.left().begun.length, { timeout: 5000 }).toBe(5);
        answerAll();
        await expect(ended).rejects.toThrow();
        const { begun, finished } = journal.left();
        expect(begun).toEqual([]);
        expect(finished.length).toBeGreaterThanOrEqual(5);
      }),
    60_000,
  );

  it(
    "do not keep a run alive whose journal takes nothing any more",
    () =>
      laneWithSomeAhead(async ({ ended, journal, answerAll }) => {
        journal.failsToEnd = true;
        answerAll();
        await expect(ended).rejects.toThrow("The disk is full.");
      }),
    60_000,
  );
});
