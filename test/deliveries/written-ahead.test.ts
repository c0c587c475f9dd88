import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type {
  Attempted,
  BegunAttempt,
  FinishedAttempt,
} from "../../src/deliveries/delivery-attempt.ts";
import { LaneJournal } from "../../src/deliveries/lane-journal.repository.ts";
import { LaneRun } from "../../src/deliveries/lane-run.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import { databaseOf } from "../../src/platform/db/client.ts";
import { faulting, OVERLOADED } from "../support/faulting.ts";
import { owe } from "../support/outbox.ts";
import { createEndpoint, env, newBox } from "../support/webhooks.ts";
import { workIn } from "../support/work.ts";
import { createWorkspace } from "../support/workspace.ts";

const QUICK: Attempted = {
  outcome: { statusCode: 200, error: null, responseBody: "", durationMs: 10 },
  consequence: { status: "delivered", nextAttemptAt: null, stop: null },
};
const OWED = 40;
/** So many that the lane makes five attempts at a time, and has read twice. */
const ANSWERED = 12;

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

/** A lane whose receiver was quick and hangs now; `made`: attempts of each delivery before. */
async function quickLane(test: (lane: Lane) => Promise<void>, made = 0): Promise<void> {
  const workspace = await createWorkspace();
  const endpoint = await createEndpoint(workspace, { url: newBox() });
  const targetId: string = endpoint.body.data.id;
  // By hand, so that its own lane is not told, which would send what it finds.
  await env.DB.prepare("UPDATE webhook_endpoints SET enabled = 1 WHERE id = ?")
    .bind(targetId)
    .run();
  await owe(workspace, OWED);
  await env.DB.prepare("UPDATE target_deliveries SET attempts_count = ?1 WHERE target_id = ?2")
    .bind(made, targetId)
    .run();
  const database = faulting(OVERLOADED);
  database.faultOf = () => undefined;
  const ctx = workIn(workspace.id, { db: databaseOf(database.env, workspace.id) });
  const lane = { ctx, target: { kind: "endpoint" as const, id: targetId }, port: TARGETS.endpoint };
  await runInDurableObject(env.DELIVERY_LANE.getByName(crypto.randomUUID()), async (_, state) => {
    const journal = new Journal(state.storage);
    const open: ((attempted: Attempted) => void)[] = [];
    let quickOnes = ANSWERED;
    const hangs = Promise.withResolvers<void>();
    const run = new LaneRun(lane, journal, {
      attempt: () => {
        if (quickOnes-- > 0) return Promise.resolve(QUICK);
        return new Promise((resolve) => {
          if (open.push(resolve) === 5) hangs.resolve();
        });
      },
      settle: async () => false,
      endForNobody: async () => false,
    });
    const ended = run.run();
    ended.catch(() => undefined);
    await hangs.promise;
    const answerAll = () => {
      quickOnes = Number.POSITIVE_INFINITY;
      for (const answer of open) answer(QUICK);
    };
    await test({ run, ended, journal, database, targetId, answerAll });
  });
}

const deliveredTo = (targetId: string) =>
  env.DB.prepare(
    "SELECT count(*) AS n FROM target_deliveries WHERE target_id = ? AND status = 'delivered'",
  )
    .bind(targetId)
    .first<number>("n");

describe("attempts that are written ahead of a receiver that hangs then", () => {
  it("keep nothing from the history that it answered before", () =>
    quickLane(async ({ run, ended, journal, targetId, answerAll }) => {
      expect(journal.left().begun.length).toBeGreaterThan(5);
      await vi.waitFor(async () => expect(await deliveredTo(targetId)).toBe(ANSWERED));
      answerAll();
      await ended;
      expect([await deliveredTo(targetId), run.attempts]).toEqual([OWED, OWED]);
      expect(journal.left()).toEqual({ begun: [], finished: [] });
    }));

  it("are taken back when the target is changed, and sent all the same", () =>
    quickLane(async ({ run, ended, journal, targetId, answerAll }) => {
      expect(journal.left().begun.length).toBeGreaterThan(5);
      run.forget();
      await vi.waitFor(() => expect(journal.left().begun).toHaveLength(5));
      answerAll();
      await ended;
      expect([await deliveredTo(targetId), run.attempts]).toEqual([OWED, OWED]);
    }));

  it("are taken back when the database is lost: none of them is interrupted then", () =>
    quickLane(async ({ ended, journal, database, answerAll }) => {
      expect(journal.left().begun.length).toBeGreaterThan(5);
      database.faultOf = () => "undone";
      await vi.waitFor(() => expect(journal.left().begun).toHaveLength(5));
      answerAll();
      await expect(ended).rejects.toThrow();
      const { begun, finished } = journal.left();
      expect(begun).toEqual([]);
      expect(finished.length).toBeGreaterThanOrEqual(5);
    }));

  it("do not keep a run alive whose journal takes nothing any more", () =>
    quickLane(async ({ ended, journal, answerAll }) => {
      journal.failsToEnd = true;
      answerAll();
      await expect(ended).rejects.toThrow("The disk is full.");
    }));

  it("are no delivery's last: it would be used up, if the lane died, without being sent", () =>
    quickLane(async ({ ended, journal, targetId, answerAll }) => {
      const isUnderWay = journal.left().begun.map(({ number }) => number);
      expect(isUnderWay).toEqual(Array(5).fill(8));
      answerAll();
      await ended;
      expect(await deliveredTo(targetId)).toBe(OWED);
    }, 7));
});
