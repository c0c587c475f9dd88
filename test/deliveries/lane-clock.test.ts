import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { Attempted } from "../../src/deliveries/delivery-attempt.ts";
import { LaneJournal } from "../../src/deliveries/lane-journal.repository.ts";
import { LaneRun } from "../../src/deliveries/lane-run.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import { owe } from "../support/outbox.ts";
import { createEndpoint, env, newBox } from "../support/webhooks.ts";
import { workIn } from "../support/work.ts";
import { createWorkspace } from "../support/workspace.ts";

const DELIVERED: Attempted = {
  outcome: { statusCode: 200, error: null, responseBody: "", durationMs: 10 },
  consequence: { status: "delivered", nextAttemptAt: null, stop: null },
};
const HOUR = 3_600_000;

afterEach(() => void vi.restoreAllMocks());

/** So many deliveries to an endpoint whose own lane is not told of them; the last one is due later. */
async function owed(count: number, later: number) {
  const workspace = await createWorkspace();
  const endpoint = await createEndpoint(workspace, { url: newBox() });
  const id: string = endpoint.body.data.id;
  await env.DB.prepare("UPDATE webhook_endpoints SET enabled = 1 WHERE id = ?").bind(id).run();
  await owe(workspace, count);
  if (later > 0)
    await env.DB.prepare(
      `UPDATE target_deliveries SET next_attempt_at = ?1
       WHERE id = (SELECT max(id) FROM target_deliveries WHERE target_id = ?2)`,
    )
      .bind(Date.now() + later, id)
      .run();
  const target = { kind: "endpoint" as const, id };
  return { ctx: workIn(workspace.id), target, port: TARGETS.endpoint };
}

it.each([
  { jump: -HOUR, takes: 180, later: 0 },
  { jump: -HOUR, takes: 1300, later: 0 },
  { jump: HOUR, takes: 1300, later: 0 },
  { jump: 30_000, takes: 1300, later: 20_000 },
])(
  "a lane whose clock is set by $jump ms while an attempt takes $takes ms brings all, and ends",
  async (given) => {
    const [count, atOnce] = [2, given.later > 0 ? 1 : 2];
    const lane = await owed(count, given.later);
    const really = Date.now.bind(Date);
    let offset = 0;
    vi.spyOn(Date, "now").mockImplementation(() => really() + offset);
    await runInDurableObject(env.DELIVERY_LANE.getByName(crypto.randomUUID()), async (_, state) => {
      let begun = 0;
      const run = new LaneRun(lane, new LaneJournal(state.storage), {
        attempt: async () => {
          // Of two, one ends before the clock is set.
          await scheduler.wait(begun++ === 0 && atOnce === 2 ? 60 : given.takes);
          return DELIVERED;
        },
        settle: async () => false,
        endForNobody: async () => false,
      });
      const ended = run.run().then(() => "ended");
      await vi.waitFor(() => expect(begun).toBe(atOnce), { timeout: 20_000, interval: 5 });
      await scheduler.wait(110);
      offset = given.jump;
      const late = scheduler.wait(8000).then(() => "goes on");
      expect(await Promise.race([ended, late])).toBe("ended");
      expect(run.attempts).toBe(count);
    });
    const delivered = await env.DB.prepare(
      "SELECT count(*) AS n FROM target_deliveries WHERE target_id = ? AND status = 'delivered'",
    )
      .bind(lane.target.id)
      .first<number>("n");
    expect(delivered).toBe(count);
  },
  60_000,
);
