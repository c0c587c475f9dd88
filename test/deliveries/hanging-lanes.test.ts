import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { Attempted } from "../../src/deliveries/delivery-attempt.ts";
import { LaneJournal } from "../../src/deliveries/lane-journal.repository.ts";
import { LaneRun } from "../../src/deliveries/lane-run.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import { databaseOf } from "../../src/platform/db/client.ts";
import { faulting, OVERLOADED } from "../support/faulting.ts";
import { owe } from "../support/outbox.ts";
import { createLiveEndpoint, env } from "../support/webhooks.ts";
import { workIn } from "../support/work.ts";
import { createWorkspace } from "../support/workspace.ts";

const DELIVERED: Attempted = {
  outcome: { statusCode: 200, error: null, responseBody: "", durationMs: 10 },
  consequence: { status: "delivered", nextAttemptAt: null, stop: null },
};

const shownOf = async (targetId: string) =>
  env.DB.prepare(
    `SELECT count(*) AS n FROM target_deliveries
     WHERE target_id = ? AND attempts ->> '$.1.startedAt' IS NOT NULL`,
  )
    .bind(targetId)
    .first<number>("n");

describe("a lane whose receiver hangs", () => {
  it("asks the database nothing, however often it is woken, until an attempt has ended", async () => {
    const workspace = await createWorkspace();
    const { id } = await createLiveEndpoint(workspace);
    await owe(workspace, 2);
    const counted = faulting(OVERLOADED);
    counted.faultOf = () => undefined;
    const db = databaseOf(counted.env, workspace.id);
    const ctx = workIn(workspace.id, { db });
    const lane = { ctx, target: { kind: "endpoint" as const, id }, port: TARGETS.endpoint };
    const answers: ((attempted: Attempted) => void)[] = [];
    await runInDurableObject(env.DELIVERY_LANE.getByName(crypto.randomUUID()), async (_, state) => {
      const run = new LaneRun(lane, new LaneJournal(state.storage), {
        attempt: () => new Promise((resolve) => void answers.push(resolve)),
        settle: async () => false,
        endForNobody: async () => false,
      });
      const ended = run.run();
      const wakes = async () => {
        for (let nth = 0; nth < 20; nth++) {
          run.wake();
          await scheduler.wait(20);
        }
      };
      await vi.waitFor(async () => expect(await shownOf(id)).toBe(2), 20_000);
      // Whatever was on its way by then.
      await wakes();
      const before = counted.asked;
      await owe(workspace, 1);
      await wakes();
      expect([counted.asked - before, answers.length]).toEqual([0, 2]);
      answers[0]?.(DELIVERED);
      await vi.waitFor(() => expect(answers).toHaveLength(3), 20_000);
      for (const answer of answers) answer(DELIVERED);
      await ended;
      expect(run.attempts).toBe(3);
    });
  }, 60_000);
});
