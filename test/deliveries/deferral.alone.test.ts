import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { eventErasures } from "../../src/deliveries/erasure.repository.ts";
import { takeFanOutTurn } from "../../src/deliveries/fan-out-turn.ts";
import { findRecovery, insertRecovery } from "../../src/deliveries/recoveries.repository.ts";
import { resendFailed } from "../../src/deliveries/recovery.ts";
import { findPendingRoom, releaseDeferred } from "../../src/deliveries/release.repository.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import { leastIdAt } from "../../src/platform/ids.ts";
import { operate } from "../support/http.ts";
import { listenToCosts } from "../support/noted-statements.ts";
import { firstWaiting, publishUnheard, waitingOf } from "../support/outbox.ts";
import {
  change,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  laneOf,
  newBox,
  POST_PUBLISHED,
  publish,
  receivedBy,
  waitForReceived,
} from "../support/webhooks.ts";
import { tick, workIn } from "../support/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const FAILING = "status=503&header=Retry-After:900";
/** Of the plan here: a target has two, once five are pending. */
const MOST_PENDING = 10;

beforeAll(async () => {
  await env.DB.prepare("UPDATE plan_limits SET pending_deliveries = ? WHERE plan = 'free'")
    .bind(MOST_PENDING)
    .run();
});

function laneIn({ id }: Workspace, endpoint: { id: string }) {
  const target = { kind: "endpoint" as const, id: endpoint.id };
  return { ctx: workIn(id), target, port: TARGETS.endpoint };
}

/** One whose lane has looked what there is, as it does when it is switched on. */
async function createIdleEndpoint(workspace: Workspace): Promise<LiveEndpoint> {
  const endpoint = await createLiveEndpoint(workspace);
  await runDurableObjectAlarm(laneOf(workspace, { kind: "endpoint", id: endpoint.id }).stub);
  await scheduler.wait(500);
  return endpoint;
}

/** How many of an endpoint's deliveries are in each state. */
async function statesOf({ id }: { id: string }): Promise<Record<string, number>> {
  const { results } = await env.DB.prepare(
    "SELECT status, count(*) AS n FROM target_deliveries WHERE target_id = ? GROUP BY status",
  )
    .bind(id)
    .all<{ status: string; n: number }>();
  return Object.fromEntries(results.map(({ status, n }) => [status, n]));
}

/** Those of an endpoint's deliveries whose first attempt is still to come. */
const untriedOf = ({ id }: { id: string }) =>
  env.DB.prepare(
    "SELECT count(*) AS n FROM target_deliveries WHERE target_id = ? AND status = 'pending' AND attempts_count = 0",
  )
    .bind(id)
    .first<number>("n");

const pendingOf = ({ id }: Workspace) =>
  env.DB.prepare("SELECT pending_deliveries AS n FROM workspace_usage WHERE id = ?")
    .bind(id)
    .first<number>("n");

/** Deliveries of an event that nobody told of: each waits, deferred or as it is said, since an hour. */
async function owe({ id }: Workspace, endpoint: LiveEndpoint, count: number, status = "deferred") {
  const at = Date.now() - 3_600_000;
  const event = crypto.randomUUID();
  const sample = JSON.stringify({ at });
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at, created_at)
       VALUES (?1, ?2, ?3, 'all', 0, ?5, ?4, ?4)`,
    ).bind(event, id, POST_PUBLISHED.event, at, sample),
    env.DB.prepare(
      `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)
       INSERT INTO target_deliveries (target_id, id, workspace_id, target_kind, event_id, listed,
         event, channel, test, status, attempts_count, next_attempt_at, created_at)
       SELECT ?3, ?5 || printf('%012x', n), ?2, 'endpoint', ?6, 1, ?4, 'all', 0, ?8, 0,
         iif(?8 = 'pending', 1e15, ?7), ?7 FROM each`,
    ).bind(
      count,
      id,
      endpoint.id,
      POST_PUBLISHED.event,
      leastIdAt(status === "pending" ? at - 1 : at).slice(0, 24),
      event,
      at,
      status,
    ),
  ]);
}

/** One that fails, and whose retries of before fill its share, and come late. */
async function createFailingEndpoint(workspace: Workspace) {
  const endpoint = await createLiveEndpoint(workspace, newBox(FAILING));
  const lane = laneOf(workspace, { kind: "endpoint", id: endpoint.id });
  await env.DB.prepare("UPDATE webhook_endpoints SET failing_since = ? WHERE id = ?")
    .bind(Date.now() - 1000, endpoint.id)
    .run();
  await owe(workspace, endpoint, 5, "pending");
  return { endpoint, lane };
}

describe("an endpoint that takes nothing", () => {
  it("keeps nobody else waiting, and gets all once, when it takes something again", async () => {
    const workspace = await createWorkspace();
    const bad = await createLiveEndpoint(workspace, newBox(FAILING));
    const good = await createLiveEndpoint(workspace);
    // As if it had just been tried: no deferred one is tried before the endpoint is moved.
    const { stub } = laneOf(workspace, { kind: "endpoint", id: bad.id });
    await runInDurableObject(stub, (_, { storage }) => storage.kv.put("probed", Date.now()));
    for (let event = 0; event < 30; event++) await publish(workspace);
    await waitForReceived(good.box, 30);
    expect(await waitingOf(workspace)).toBe(0);
    // Else they would be tried where the endpoint is moved to.
    await vi.waitFor(async () => expect(await untriedOf(bad)).toBe(0));
    const states = await statesOf(bad);
    expect(states.deferred).toBeGreaterThan(15);
    expect(Number(states.deferred) + Number(states.pending)).toBe(30);
    const path = `${bad.path}/deliveries?status=pending&limit=100`;
    const { data } = (await workspace.send("GET", path)).body;
    expect(data).toHaveLength(30);
    expect(new Set(data.map(({ status }: { status: string }) => status))).toEqual(
      new Set(["pending"]),
    );

    const url = newBox();
    await change(workspace, "PATCH", bad.path, { url });
    // What was tried before waits for its time, and nothing else does.
    await waitForReceived(url, Number(states.deferred));
    await publish(workspace);
    await vi.waitFor(async () => {
      await tick();
      expect(await receivedBy(url)).toHaveLength(Number(states.deferred) + 1);
    }, 20_000);
    await env.DB.prepare(
      "UPDATE target_deliveries SET next_attempt_at = ? WHERE target_id = ? AND status = 'pending'",
    )
      .bind(Date.now(), bad.id)
      .run();
    await laneOf(workspace, { kind: "endpoint", id: bad.id }).wake();
    await waitForReceived(url, 31);
    await waitForReceived(good.box, 31);
    await vi.waitFor(async () => expect(await statesOf(bad)).toEqual({ delivered: 31 }), 20_000);
    for (const box of [url, good.box]) {
      const ids = (await receivedBy(box)).map(({ headers }) => headers["webhook-id"]);
      expect([ids.length, new Set(ids).size]).toEqual([31, 31]);
    }
    await vi.waitFor(async () => expect(await pendingOf(workspace)).toBe(0), 20_000);
  }, 120_000);

  it("has only its share of a turn, whatever else waits", async () => {
    const workspace = await createWorkspace();
    const bad = await createLiveEndpoint(workspace, newBox(FAILING));
    await publishUnheard(workspace, 30);
    const lanes = { getByName: () => ({ wake: async () => undefined }) };
    const work = workIn(workspace.id);
    const quiet = { ...work, env: { ...work.env, DELIVERY_LANE: lanes } } as unknown as typeof work;
    await takeFanOutTurn(quiet, TARGETS, await firstWaiting(workspace));
    expect([await statesOf(bad), await pendingOf(workspace)]).toEqual([
      { pending: 5, deferred: 25 },
      5,
    ]);
  });
});

describe("what is deferred", () => {
  it("goes out by itself when its lane was told of nothing, the oldest first", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createIdleEndpoint(workspace);
    await owe(workspace, endpoint, 12);
    // What comes later waits behind it.
    await publish(workspace);
    await vi.waitFor(async () => expect(await statesOf(endpoint)).toEqual({ deferred: 13 }));
    await tick();
    const received = await waitForReceived(endpoint.box, 13);
    const ids = received.map(({ headers }) => String(headers["webhook-id"]));
    // Five are sent at a time.
    expect(ids.slice(-5)).toContain([...ids].sort().at(-1));
    await vi.waitFor(async () => expect(await statesOf(endpoint)).toEqual({ delivered: 13 }));
  }, 60_000);

  it("is parked instead when its workspace may not send it, and goes on with what was", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createIdleEndpoint(workspace);
    await owe(workspace, endpoint, 3);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    await tick();
    await vi.waitFor(async () => expect(await statesOf(endpoint)).toEqual({ parked: 3 }), 20_000);
    expect(await pendingOf(workspace)).toBe(0);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    await tick();
    await waitForReceived(endpoint.box, 3);
  }, 60_000);

  it("ends with its endpoint", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createIdleEndpoint(workspace);
    await owe(workspace, endpoint, 3);
    await change(workspace, "DELETE", endpoint.path);
    await vi.waitFor(async () => expect(await statesOf(endpoint)).toEqual({ failed: 3 }), 20_000);
  }, 60_000);

  it("is released as its target's share has room, by reading no more than that", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createIdleEndpoint(workspace);
    const lane = laneIn(workspace, endpoint);
    await owe(workspace, endpoint, 500);
    await owe(workspace, endpoint, 1, "pending");
    let read = 0;
    const stop = listenToCosts(({ rowsRead }) => {
      read += rowsRead;
    });
    const release = (failingSince: number | null, least = 0) =>
      releaseDeferred(lane, { failingSince }, { limit: 100, least, now: Date.now() });
    expect([await release(1), await release(1)]).toEqual([3, 0]);
    stop();
    expect(read).toBeLessThanOrEqual(45);
    expect(await pendingOf(workspace)).toBe(4);
    // All of them failed, and come again in hours: one more tells whether it still fails.
    await env.DB.prepare(
      "UPDATE target_deliveries SET next_attempt_at = 1e15 WHERE target_id = ? AND status = 'pending'",
    )
      .bind(endpoint.id)
      .run();
    expect([await release(1), await release(1, 1)]).toEqual([0, 1]);
    // It does not: what waits after failures takes no room, what is due does.
    expect([await release(null), await release(null)]).toEqual([1, 0]);
  });

  it("of an endpoint that fails is tried once in five minutes, however late its retries are", async () => {
    const workspace = await createWorkspace();
    const { endpoint, lane } = await createFailingEndpoint(workspace);
    await owe(workspace, endpoint, 5);
    const deferred = async () => (await statesOf(endpoint)).deferred;
    for (const left of [4, 3]) {
      await lane.wake();
      await vi.waitFor(async () => expect(await deferred()).toBe(left), 20_000);
      await waitForReceived(endpoint.box, 5 - left);
      await lane.wake();
      await scheduler.wait(1500);
      expect(await deferred()).toBe(left);
      // Five minutes later.
      await runInDurableObject(lane.stub, (_, { storage }) => storage.kv.put("probed", 0));
    }
  }, 60_000);

  it("fails with what is erased", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createIdleEndpoint(workspace);
    await owe(workspace, endpoint, 3);
    await env.DB.prepare("UPDATE target_deliveries SET listed = 0 WHERE target_id = ?")
      .bind(endpoint.id)
      .run();
    const event = await env.DB.prepare(
      "SELECT event_id AS id FROM target_deliveries WHERE target_id = ?",
    )
      .bind(endpoint.id)
      .first("id");
    const { db } = workIn(workspace.id);
    await db.$client.batch(eventErasures(db, "SELECT ?1", [event, "", 0, "", Date.now()]));
    expect(await statesOf(endpoint)).toEqual({ failed: 3 });
  });
});

describe("a recovery", () => {
  it("makes no more than its target's share has room for", async () => {
    const workspace = await createWorkspace();
    const lanes = [];
    for (const pending of [5, 0]) {
      const endpoint = await createIdleEndpoint(workspace);
      if (pending > 0) await owe(workspace, endpoint, pending, "pending");
      lanes.push(laneIn(workspace, endpoint));
    }
    const rooms = await Promise.all(
      lanes.map((lane) => findPendingRoom(lane, { failingSince: 1 }, 250, Date.now())),
    );
    expect(rooms).toEqual([0, 2]);
  });

  it("tries one now and then where there is no room, and passes by what is not to be sent", async () => {
    const workspace = await createWorkspace();
    const { endpoint, lane } = await createFailingEndpoint(workspace);
    for (let failed = 0; failed < 4; failed++) {
      await owe(workspace, endpoint, 1, "failed");
      await scheduler.wait(5);
    }
    await env.DB.prepare(
      `UPDATE events SET data = NULL WHERE id =
         (SELECT event_id FROM target_deliveries WHERE target_id = ? AND status = 'failed'
          ORDER BY id LIMIT 1)`,
    )
      .bind(endpoint.id)
      .run();
    const since = new Date(Date.now() - 7_200_000).toISOString();
    const { body } = await change(workspace, "POST", `${endpoint.path}/recover`, { since });
    const job = `${endpoint.path}/recoveries/${body.data.id}`;
    const told = async () => (await workspace.send("GET", job)).body.data;
    for (const resent of [1, 2]) {
      await lane.wake();
      await waitForReceived(endpoint.box, resent);
      await lane.wake();
      await scheduler.wait(1500);
      expect(await told()).toMatchObject({ status: "running", resent });
      // Five minutes later.
      if (resent === 1)
        await runInDurableObject(lane.stub, (_, { storage }) => storage.kv.put("probed", 0));
    }
    // At a new URL it does not fail: what it was sent before waits for its time, and takes no room.
    const url = newBox();
    await change(workspace, "PATCH", endpoint.path, { url });
    await waitForReceived(url, 1);
    await lane.wake();
    await vi.waitFor(async () =>
      expect(await told()).toMatchObject({ status: "finished", resent: 3 }),
    );
  }, 60_000);

  it("of what is not to be sent needs no room, nor one to try", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createIdleEndpoint(workspace);
    await owe(workspace, endpoint, 5, "pending");
    await owe(workspace, endpoint, 60, "failed");
    await env.DB.prepare("UPDATE events SET data = NULL WHERE workspace_id = ?")
      .bind(workspace.id)
      .run();
    const lane = laneIn(workspace, endpoint);
    const id = leastIdAt(Date.now());
    const job = { id, workspaceId: workspace.id, targetId: endpoint.id, createdAt: Date.now() };
    const begun = { since: 0, position: "", events: null, resent: 0, finishedAt: null };
    await insertRecovery(lane.ctx.db, { ...job, ...begun });
    const least = vi.fn(() => 1);
    await resendFailed(lane, { failingSince: 1 }, least);
    expect(least).not.toHaveBeenCalled();
    const done = await findRecovery(lane.ctx.db, workspace.id, endpoint.id, id);
    expect(done).toMatchObject({ resent: 0, finishedAt: expect.any(Number) });
  });
});
