import { describe, expect, it } from "vitest";
import { exchange } from "../../src/deliveries/lane.repository.ts";
import type { Lane } from "../../src/deliveries/targets.ts";
import { findWaitingEvents } from "../../src/events/events.ports.ts";
import { findSegmentsUsing } from "../../src/features/salesbot/segments/segments.service.ts";
import { endpointTargets } from "../../src/features/webhooks/endpoints/endpoints.ports.ts";
import { notingDatabase, parametersIn, planOf } from "../support/query-plan.ts";
import { workIn } from "../support/work.ts";

const ID = crypto.randomUUID();
const NOTHING = { begun: [], finished: [], leaseUntil: 1, wanted: 0, held: [] };
const EVENT = { eventId: ID, event: "x", channel: "all", test: false, manual: false };
const ATTEMPT = { id: ID, workspaceId: ID, number: 2, startedAt: 0, ...EVENT };
const ENDED = {
  outcome: { statusCode: 500, error: "bad_status", responseBody: null, durationMs: 1 },
  consequence: { status: "failed" as const, nextAttemptAt: null, stop: "gone" as const },
  endedAt: 1,
};

/** The steps of the statements that some work makes of the database; parameters are no matter. */
async function stepsOf(work: (lane: Lane) => Promise<unknown>): Promise<string[]> {
  const { db, statements } = notingDatabase();
  const target = { kind: "endpoint" as const, id: ID };
  await work({ ctx: workIn(ID, { db }), target, port: endpointTargets });
  const plans = await Promise.all(
    statements.map((sql) => planOf(sql, new Array(parametersIn(sql)).fill(0))),
  );
  return plans.flat();
}

describe("what a lane reads", () => {
  it.each([
    ["takes what is due", { ...NOTHING, wanted: 5 }],
    ["brings what is under way", { ...NOTHING, begun: [ATTEMPT] }],
    ["brings what ended", { ...NOTHING, finished: [{ ...ATTEMPT, ...ENDED }] }],
    ["brings much that ended", { ...NOTHING, finished: Array(3).fill({ ...ATTEMPT, ...ENDED }) }],
  ])(
    "when it %s is what waits for its target, not all that the target was ever sent",
    async (_, asked) => {
      const steps = await stepsOf((lane: Lane) => exchange(lane, asked, 0));
      const ofDeliveries = steps.filter((step) => / deliveries /.test(step));
      expect(ofDeliveries.length).toBeGreaterThan(0);
      for (const step of ofDeliveries) {
        expect(step).toMatch(
          /USING (INDEX target_deliveries_due|PRIMARY KEY \(target_id=\? AND id=\?\))/,
        );
      }
    },
  );
});

describe("what a sweep reads", () => {
  it("is the events that wait, in their order, and no others", async () => {
    const steps = await stepsOf(({ ctx }) => findWaitingEvents(ctx.db, [ID], 0, 10));
    expect(steps.filter((step) => /events_waiting/.test(step))).toEqual([
      expect.stringContaining(
        "INDEX events_waiting_order (workspace_id=? AND failures=? AND created_at<?)",
      ),
      expect.stringContaining("INDEX events_waiting_order (workspace_id=? AND failures>?)"),
    ]);
  });
});

describe("which segments use a label", () => {
  it.each(["tag", "stage"] as const)("is found by the %s, not by the workspace", async (kind) => {
    const steps = await stepsOf(({ ctx }) => findSegmentsUsing(ctx, kind, ID, 11));
    expect(steps.join("\n")).toContain(`INDEX segment_uses_${kind}`);
    expect(steps.join("\n")).not.toContain("segments_workspace");
  });
});
