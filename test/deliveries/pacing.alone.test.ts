import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { parkClosed } from "../../src/deliveries/lane.repository.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import { leastIdAt } from "../../src/platform/ids.ts";
import { subscribe, unsubscribe } from "../support/hooks.ts";
import { operate } from "../support/http.ts";
import { listenToCosts } from "../support/noted-statements.ts";
import { firstWaiting, publishUnheard, waitingOf } from "../support/outbox.ts";
import {
  change,
  createLiveEndpoint,
  ENDPOINTS,
  newBox,
  POST_PUBLISHED,
  publish,
  receivedBy,
  waitForReceived,
} from "../support/webhooks.ts";
import { deliver, tick, workIn } from "../support/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const HOUR = 3_600_000;

/** How many of these targets' deliveries were attempted, and wait for the next time. */
async function attemptedAt(targets: string[]): Promise<number | null> {
  const sql = `SELECT count(*) AS n FROM target_deliveries
    WHERE target_id IN (SELECT value FROM json_each(?)) AND attempts ->> '$.1.durationMs' IS NOT NULL`;
  return env.DB.prepare(sql).bind(JSON.stringify(targets)).first<number>("n");
}

/** As if the workspace had been given so many deliveries this hour, or had so many pending. */
async function given({ id }: Workspace, inHour: number, pending = 0): Promise<void> {
  await env.DB.prepare(
    `UPDATE workspace_usage SET hour = ?2, deliveries_in_hour = ?3, pending_deliveries = ?4
     WHERE id = ?1`,
  )
    .bind(id, Math.floor(Date.now() / HOUR), inHour, pending)
    .run();
}

describe("a workspace that has had its deliveries", () => {
  it("of this hour waits, loses nothing, and goes on by itself in the next; others go on", async () => {
    const [paced, other] = [await createWorkspace(), await createWorkspace()];
    const endpoint = await createLiveEndpoint(paced);
    const otherEndpoint = await createLiveEndpoint(other);
    await given(paced, 9_998);
    for (let event = 0; event < 5; event++) await publish(paced);
    await publish(other);
    await waitForReceived(otherEndpoint.box, 1);
    await waitForReceived(endpoint.box, 2);
    await publishUnheard(other, 1);
    await tick();
    await waitForReceived(otherEndpoint.box, 2);
    expect(await receivedBy(endpoint.box)).toHaveLength(2);
    expect(await waitingOf(paced)).toBe(3);

    // An hour goes by.
    await env.DB.prepare("UPDATE events SET created_at = created_at - 6000 WHERE workspace_id = ?")
      .bind(paced.id)
      .run();
    await env.DB.prepare("UPDATE workspace_usage SET hour = hour - 1 WHERE id = ?")
      .bind(paced.id)
      .run();
    await tick();
    await waitForReceived(endpoint.box, 5);
    expect(await waitingOf(paced)).toBe(0);
    const got = await receivedBy(endpoint.box);
    expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(5);
  });

  it("and has as many pending as it may goes on, each of its targets with its share", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await given(workspace, 0, 10_000);
    await publishUnheard(workspace, 120);
    const named = await firstWaiting(workspace);
    await deliver("signpost-events", [{ v: 1, workspace: workspace.id, event: named }]);
    await waitForReceived(endpoint.box, 120);
    // What is delivered is no longer pending.
    await vi.waitFor(async () => {
      const sql = "SELECT pending_deliveries AS n FROM workspace_usage WHERE id = ?";
      expect(await env.DB.prepare(sql).bind(workspace.id).first<number>("n")).toBe(10_000);
    });
  });

  it("gets the places back of what waits for an endpoint that is deleted", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(
      workspace,
      newBox("status=503&header=Retry-After:900"),
    );
    for (let event = 0; event < 3; event++) await publish(workspace);
    await waitForReceived(endpoint.box, 3);
    const pending = async () =>
      (await operate("GET", `/workspaces/${workspace.id}/usage`)).body.data.pending_deliveries;
    expect(await pending()).toBe(3);
    await change(workspace, "DELETE", `${ENDPOINTS}/${endpoint.id}`);
    await vi.waitFor(async () => expect(await pending()).toBe(0));
  });

  it("gets the places back of what waits for a hook that is removed, or makes room", async () => {
    const workspace = await createWorkspace();
    const { event } = POST_PUBLISHED;
    const target = () => ({ event, target_url: newBox("status=503&header=Retry-After:900") });
    const pending = async () =>
      (await operate("GET", `/workspaces/${workspace.id}/usage`)).body.data.pending_deliveries;
    const becomes = (count: number) =>
      vi.waitFor(async () => expect(await pending()).toBe(count), { timeout: 60_000 });
    const hooks = [
      await subscribe(workspace, target()),
      await subscribe(workspace, target()),
      await subscribe(workspace, target()),
    ].map(({ body }) => body.data.id);
    await publish(workspace);
    await vi.waitFor(async () => expect(await attemptedAt(hooks)).toBe(3), { timeout: 60_000 });
    expect(await pending()).toBe(3);
    await unsubscribe(workspace, hooks[0]);
    await becomes(2);
    await operate("DELETE", `/workspaces/${workspace.id}/hooks/${hooks[1]}`);
    await becomes(1);
    // Of a key that is over, and gone since its place was wanted.
    await env.DB.prepare("UPDATE automation_hooks SET key_id = 'over' WHERE id = ?")
      .bind(hooks[2])
      .run();
    await env.DB.prepare(
      `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 99)
       INSERT INTO automation_hooks (id, workspace_id, event, target_url, created_at)
       SELECT ?1 || n, ?1, 'none', n, 1 FROM each`,
    )
      .bind(workspace.id)
      .run();
    expect((await subscribe(workspace, target())).status).toBe(201);
    await becomes(0);
  });

  it("costs a sweep a few rows, however many of its events wait", async () => {
    const workspace = await createWorkspace();
    await createLiveEndpoint(workspace);
    await given(workspace, 10_000);
    const sweep = async () => {
      let read = 0;
      const stop = listenToCosts(({ sql, rowsRead }) => {
        if (sql.includes("events_waiting_order")) read += rowsRead;
      });
      await tick();
      stop();
      return read;
    };
    await publishUnheard(workspace, 10);
    const few = await sweep();
    await publishUnheard(workspace, 1000);
    expect(await sweep()).toBeLessThanOrEqual(few + 5);
    await env.DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(workspace.id).run();
  });
});

describe("what was parked", () => {
  const suspend = ({ id }: Workspace) =>
    operate("PATCH", `/workspaces/${id}`, { status: "suspended" });
  const resume = ({ id }: Workspace) => operate("PATCH", `/workspaces/${id}`, { status: "active" });
  const pendingOf = ({ id }: Workspace) =>
    env.DB.prepare("SELECT pending_deliveries AS n FROM workspace_usage WHERE id = ?")
      .bind(id)
      .first<number>("n");
  const parkedOf = ({ id }: Workspace) =>
    env.DB.prepare("SELECT count(*) AS n FROM events WHERE workspace_id = ? AND fanned_out_at = 0")
      .bind(id)
      .first<number>("n");

  it("as an event is paced like any other when it is resumed, and one message has all of it go on", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await suspend(workspace);
    await publishUnheard(workspace, 4);
    await tick();
    expect([await waitingOf(workspace), await parkedOf(workspace)]).toEqual([0, 4]);
    await given(workspace, 10_000);
    await resume(workspace);
    await tick();
    await tick();
    expect([await waitingOf(workspace), await parkedOf(workspace)]).toEqual([4, 0]);
    expect(await receivedBy(endpoint.box)).toHaveLength(0);

    await suspend(workspace);
    await given(workspace, 0);
    await tick();
    expect(await parkedOf(workspace)).toBe(4);
    await resume(workspace);
    await tick();
    await waitForReceived(endpoint.box, 4);
    expect([await waitingOf(workspace), await parkedOf(workspace)]).toEqual([0, 0]);
  });

  it("as a delivery is not pending until it is resumed: what is off slows nothing else down", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(
      workspace,
      newBox("status=503&header=Retry-After:900"),
    );
    for (let event = 0; event < 3; event++) await publish(workspace);
    await waitForReceived(endpoint.box, 3);
    expect(await pendingOf(workspace)).toBe(3);
    await suspend(workspace);
    const lane = {
      ctx: workIn(workspace.id),
      target: { kind: "endpoint" as const, id: endpoint.id },
      port: TARGETS.endpoint,
    };
    // Slices tell how many they parked, not what triggers wrote with them.
    expect(await parkClosed(lane, 2)).toBe(2);
    expect(await parkClosed(lane, 2)).toBe(1);
    expect(await pendingOf(workspace)).toBe(0);
    await resume(workspace);
    await tick();
    expect(await pendingOf(workspace)).toBe(3);
  });
});

describe("a recovery", () => {
  const STEP = 250;

  /** Deliveries that failed a minute ago, each of an event of its own; `data` null: purged. */
  async function addFailed(
    { id }: Workspace,
    endpoint: string,
    count: number,
    data: string | null,
  ) {
    const at = Date.now() - 60_000;
    const each =
      "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)";
    const ids = `'${leastIdAt(at).slice(0, 24)}' || printf('%04x', n) || substr(?2, 29)`;
    await env.DB.batch([
      env.DB.prepare(
        `${each} INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at, created_at)
         SELECT ${ids}, ?2, ?3, 'all', 0, ?4, ?5, ?5 FROM each`,
      ).bind(count, id, POST_PUBLISHED.event, data, at),
      env.DB.prepare(
        `${each} INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event,
           channel, test, status, attempts_count, created_at)
         SELECT ${ids}, ?2, 'endpoint', ?4, ${ids}, ?3, 'all', 0, 'failed', 8, ?5 FROM each`,
      ).bind(count, id, POST_PUBLISHED.event, endpoint, at),
    ]);
  }

  const since = new Date(Date.now() - 600_000).toISOString();
  const progressOf = async (workspace: Workspace, path: string) =>
    (await workspace.send("GET", path)).body.data;

  it("waits like any fan-out when the workspace has had its deliveries, and goes on by itself", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await addFailed(workspace, endpoint.id, 3, "{}");
    await given(workspace, 9_998);
    const job = await change(workspace, "POST", `${endpoint.path}/recover`, { since });
    const path = `${endpoint.path}/recoveries/${job.body.data.id}`;
    await waitForReceived(endpoint.box, 2);
    await tick();
    await scheduler.wait(500);
    expect(await progressOf(workspace, path)).toMatchObject({ status: "running", resent: 2 });
    await given(workspace, 0);
    await tick();
    await waitForReceived(endpoint.box, 3);
    await vi.waitFor(async () =>
      expect(await progressOf(workspace, path)).toMatchObject({ status: "finished", resent: 3 }),
    );
  });

  it("looks at so many deliveries in a statement, however many there are that it leaves out", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await addFailed(workspace, endpoint.id, 1500, null);
    let [statements, most] = [0, 0];
    const stop = listenToCosts(({ sql, rowsRead }) => {
      if (!sql.includes("deliveries_failed")) return;
      statements++;
      most = Math.max(most, rowsRead);
    });
    const job = await change(workspace, "POST", `${endpoint.path}/recover`, { since });
    const path = `${endpoint.path}/recoveries/${job.body.data.id}`;
    await vi.waitFor(
      async () =>
        expect(await progressOf(workspace, path)).toMatchObject({ status: "finished", resent: 0 }),
      { timeout: 60_000, interval: 100 },
    );
    stop();
    expect(statements).toBeGreaterThanOrEqual(1500 / STEP);
    expect(most).toBeLessThanOrEqual(5 * STEP);
  });
});
