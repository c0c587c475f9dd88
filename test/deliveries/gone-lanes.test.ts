import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { TargetRef } from "../../src/deliveries/targets.ts";
import { faulting } from "../support/faulting.ts";
import { CONTACT_CREATED, subscribe, unsubscribe } from "../support/hooks.ts";
import {
  change,
  createEndpoint,
  createLiveEndpoint,
  ENDPOINTS,
  env,
  laneOf,
  newBox,
  POST_PUBLISHED,
  publish,
  waitForReceived,
} from "../support/webhooks.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** More than there are between a lane's last answer from the database and its end. */
const STEPS = 40;
const HOUR = 3_600_000;
const SOON = { timeout: 60_000, interval: 20 };

/** All that a lane's object keeps. */
function keptBy(workspace: Workspace, target: TargetRef) {
  return runInDurableObject(laneOf(workspace, target).stub, async (_, { storage }) => ({
    values: [...storage.kv.list()].map(([name]) => name),
    tables: storage.sql
      .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
      .toArray(),
    alarm: await storage.getAlarm(),
  }));
}

const NOTHING = { values: [], tables: [], alarm: null };

function waitUntilEmpty(workspace: Workspace, target: TargetRef): Promise<void> {
  return vi.waitFor(async () => expect(await keptBy(workspace, target)).toEqual(NOTHING), SOON);
}

/** A delivery that waits for a target that may be gone. */
async function addWaiting({ id }: Workspace, target: TargetRef, dueAt: number): Promise<string> {
  const delivery = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO target_deliveries (target_id, id, workspace_id, target_kind, event_id, event, channel,
       test, status, attempts_count, next_attempt_at, created_at)
     VALUES (?1, ?2, ?3, ?4, ?2, ?5, 'all', 0, 'pending', 1, ?6, 1)`,
  )
    .bind(target.id, delivery, id, target.kind, POST_PUBLISHED.event, dueAt)
    .run();
  return delivery;
}

async function waitForFailed(id: string, target: TargetRef): Promise<void> {
  const status = env.DB.prepare(
    "SELECT status FROM target_deliveries WHERE target_id = ? AND id = ?",
  ).bind(target.id, id);
  await vi.waitFor(async () => expect(await status.first("status")).toBe("failed"), SOON);
}

/**
 * Has a delivery come once the database has answered a statement, and the wake-up that alone tells of
 * it, so many steps of the lane's own work later, for more steps than there are before its end.
 */
async function wakeAtEachStep(
  workspace: Workspace,
  target: TargetRef,
  { statement, dueIn }: { statement: string; dueIn: number },
  settled: () => Promise<void>,
): Promise<void> {
  const { stub, wake } = laneOf(workspace, target);
  const database = faulting("");
  database.faultOf = () => undefined;
  let lane: { wake(wakeUp: object): Promise<void> } | undefined;
  await runInDurableObject(stub, (instance) => {
    Object.defineProperty(instance, "env", { value: database.env, configurable: true });
    lane = instance as unknown as typeof lane;
  });
  for (let steps = 0; steps < STEPS; steps++) {
    let late: string | undefined;
    let woken: Promise<unknown> | undefined;
    const wakeAfterSteps = async () => {
      for (let step = 0; step < steps; step++) await undefined;
      await lane?.wake({ v: 1, workspace: workspace.id, target });
    };
    database.heldBack = async (sql) => {
      if (late || !sql.startsWith(statement)) return;
      late = await addWaiting(workspace, target, Date.now() + dueIn);
      woken = wakeAfterSteps();
    };
    await wake();
    await vi.waitFor(() => expect(late).toBeDefined(), SOON);
    await woken;
    await waitForFailed(String(late), target);
    await settled();
  }
}

describe("the lane of a target that is gone", () => {
  it("keeps nothing, if the target never had a delivery: a hook, an endpoint", async () => {
    const workspace = await createWorkspace();
    const hook = (await subscribe(workspace)).body.data.id;
    await unsubscribe(workspace, hook);
    await waitUntilEmpty(workspace, { kind: "hook", id: hook });
    const endpoint = (await createEndpoint(workspace)).body.data.id;
    await change(workspace, "DELETE", `${ENDPOINTS}/${endpoint}`);
    await waitUntilEmpty(workspace, { kind: "endpoint", id: endpoint });
  });

  it("keeps nothing, once what waited has ended, though it was due much later", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const target = { kind: "endpoint" as const, id: endpoint.id };
    await publish(workspace);
    await waitForReceived(endpoint.box, 1);
    const waiting = await addWaiting(workspace, target, Date.now() + HOUR);
    await change(workspace, "DELETE", endpoint.path);
    await waitForFailed(waiting, target);
    await waitUntilEmpty(workspace, target);
  });

  it("keeps nothing, if its receiver had the hook removed", async () => {
    const workspace = await createWorkspace();
    const box = newBox("status=410");
    const hook = (await subscribe(workspace, { target_url: box })).body.data.id;
    await publish(workspace, { event: CONTACT_CREATED, channel: "sms" });
    await waitForReceived(box, 1);
    await waitUntilEmpty(workspace, { kind: "hook", id: hook });
  });

  it("takes whatever still comes for it, and then keeps nothing again", async () => {
    const workspace = await createWorkspace();
    const target = { kind: "hook" as const, id: crypto.randomUUID() };
    for (let round = 1; round <= 2; round++) {
      const waiting = await addWaiting(workspace, target, Date.now() + HOUR);
      await laneOf(workspace, target).wake();
      await waitForFailed(waiting, target);
      await waitUntilEmpty(workspace, target);
    }
  });
});

describe("a wake-up", () => {
  it("that comes while a lane forgets its target is not lost", async () => {
    const workspace = await createWorkspace();
    const target = { kind: "hook" as const, id: crypto.randomUUID() };
    const statement = "UPDATE target_deliveries SET status = 'failed'";
    await wakeAtEachStep(workspace, target, { statement, dueIn: HOUR }, () =>
      waitUntilEmpty(workspace, target),
    );
  });

  it("that comes while a lane sets its alarm for what is due later is not lost", async () => {
    const workspace = await createWorkspace();
    const { id } = await createLiveEndpoint(workspace);
    const target = { kind: "endpoint" as const, id };
    await addWaiting(workspace, target, Date.now() + HOUR);
    // Its event is stored no more, so it fails.
    await wakeAtEachStep(workspace, target, { statement: "batch", dueIn: 0 }, () =>
      vi.waitFor(async () => {
        const { alarm } = await keptBy(workspace, target);
        expect(alarm).toBeGreaterThan(Date.now() + HOUR / 2);
      }, SOON),
    );
  });
});

describe("the lane of a target that is there", () => {
  it("keeps whose it is", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const target = { kind: "endpoint" as const, id: endpoint.id };
    await publish(workspace);
    await waitForReceived(endpoint.box, 1);
    await runDurableObjectAlarm(laneOf(workspace, target).stub);
    await change(workspace, "PATCH", endpoint.path, { enabled: false });
    await runDurableObjectAlarm(laneOf(workspace, target).stub);
    expect((await keptBy(workspace, target)).values).toEqual(["wakeUp"]);
  });
});
