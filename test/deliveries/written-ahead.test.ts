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
  /** How many the journal has as begun that have not begun. */
  ahead(): number;
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
    const begun = new Set<string>();
    const ahead = () => journal.left().begun.filter(({ id }) => !begun.has(id)).length;
    let quickOnes = ANSWERED;
    const hangs = Promise.withResolvers<void>();
    const run = new LaneRun(lane, journal, {
      attempt: ({ id }) => {
        begun.add(id);
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
    await test({ run, ended, journal, database, targetId, ahead, answerAll });
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
    quickLane(async ({ run, ended, journal, targetId, ahead, answerAll }) => {
      expect(ahead()).toBeGreaterThan(0);
      await vi.waitFor(async () => expect(await deliveredTo(targetId)).toBe(ANSWERED));
      answerAll();
      await ended;
      expect([await deliveredTo(targetId), run.attempts]).toEqual([OWED, OWED]);
      expect(journal.left()).toEqual({ begun: [], finished: [] });
    }));

  it("are taken back when the target is changed, and sent all the same", () =>
    quickLane(async ({ run, ended, targetId, ahead, answerAll }) => {
      expect(ahead()).toBeGreaterThan(0);
      run.forget();
      expect(ahead()).toBe(0);
      answerAll();
      await ended;
      expect([await deliveredTo(targetId), run.attempts]).toEqual([OWED, OWED]);
    }));

  it("are taken back when they are not to be believed any more, though none has answered", () =>
    quickLane(async ({ ended, targetId, ahead, answerAll }) => {
      expect(ahead()).toBeGreaterThan(0);
      await vi.waitFor(() => expect(ahead()).toBe(0));
      answerAll();
      await ended;
      expect(await deliveredTo(targetId)).toBe(OWED);
    }));

  it("are taken back when the database is lost: none of them is interrupted then", () =>
    quickLane(async ({ ended, journal, database, ahead, answerAll }) => {
      expect(ahead()).toBeGreaterThan(0);
      database.faultOf = () => "undone";
      await vi.waitFor(() => expect(ahead()).toBe(0));
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

  it.each([1, 7])(
    "are first attempts only: after %i, a try would be used up, if the lane died, without being sent",
    (made) =>
      quickLane(async ({ ended, journal, targetId, answerAll }) => {
        const isUnderWay = journal.left().begun.map(({ number }) => number);
        expect(isUnderWay).toEqual(Array(5).fill(made + 1));
        answerAll();
        await ended;
        expect(await deliveredTo(targetId)).toBe(OWED);
      }, made),
  );
});
