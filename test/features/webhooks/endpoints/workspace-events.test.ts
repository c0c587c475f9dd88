import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { EndedAttempt } from "../../../../src/deliveries/targets.ts";
import { findWanted } from "../../../../src/events/event-insertion.ports.ts";
import { endpointTargets } from "../../../../src/features/webhooks/endpoints/endpoints.ports.ts";
import { randomBytes } from "../../../../src/platform/bytes.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { subscribe } from "../../../support/hooks.ts";
import { operate } from "../../../support/http.ts";
import {
  change,
  createEndpoint,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  laneOf,
  newBox,
  POST_PUBLISHED,
  publish,
  WEBHOOKS,
  waitForDelivery,
  waitForReceived,
} from "../../../support/webhooks.ts";
import { deliver, workIn } from "../../../support/work.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../../support/workspace.ts";

const DAY = 24 * 60 * 60 * 1000;
const DISABLED = { event: "workspace.endpoint.disabled", channel: "all" };
const EXHAUSTED = { event: "workspace.delivery.exhausted", channel: "all" };
const ALL = [POST_PUBLISHED, DISABLED, EXHAUSTED];
/** Fails for good at the first attempt, and is not paused for it. */
const ABORTING = "status=500&header=webhook-delivery:abort-message";

interface WorkspaceEvent {
  id: string;
  type: string;
  data: string;
}

async function workspaceEventsOf({ id }: Workspace): Promise<WorkspaceEvent[]> {
  const { results } = await env.DB.prepare(
    "SELECT id, type, data FROM events WHERE workspace_id = ? AND type LIKE 'workspace.%' ORDER BY id",
  )
    .bind(id)
    .all<WorkspaceEvent>();
  return results;
}

/** Has what happened to the workspace told at once: nothing, when it is told already. */
async function tellAll(workspace: Workspace): Promise<WorkspaceEvent[]> {
  const events = await workspaceEventsOf(workspace);
  const wakeUps = events.map(({ id }) => ({ v: 1, workspace: workspace.id, event: id }));
  await deliver("signpost-events", wakeUps);
  return events;
}

/** What a box got, by the type of the event. */
async function toldTo(box: string, count: number) {
  const received = await waitForReceived(box, count);
  const bodies = received.map(({ body }) => JSON.parse(body));
  return new Map<string, { id: string; data: object }>(bodies.map((body) => [body.type, body]));
}

/** The events of an endpoint's deliveries, the newest first. */
async function sentTo(workspace: Workspace, { path }: LiveEndpoint): Promise<string[]> {
  const { data } = (await workspace.send("GET", `${path}/deliveries`)).body;
  return data.map(({ event }: { event: string }) => event);
}

function waitForEnd(workspace: Workspace, endpoint: LiveEndpoint) {
  return waitForDelivery(workspace, endpoint, ({ status }) => status !== "pending");
}

function set(endpoint: LiveEndpoint, change: string, ...bound: unknown[]) {
  return env.DB.prepare(`UPDATE webhook_endpoints SET ${change} WHERE id = ?`)
    .bind(...bound, endpoint.id)
    .run();
}

describe("workspace.endpoint.disabled", () => {
  it.each([
    ["gone", "status=410", async () => {}],
    ["disabled_by_receiver", "header=webhook-delivery:disable", async () => {}],
    [
      "failing",
      "status=500",
      (one: LiveEndpoint) => set(one, "failing_since = ?", Date.now() - 5 * DAY - 1000),
    ],
    ["secret_unreadable", "", (one: LiveEndpoint) => set(one, "secret = ?", randomBytes(70))],
  ])(
    "tells the workspace's others of an endpoint that is paused as %s",
    async (reason, answer, prepare) => {
      const workspace = await createWorkspace();
      const endpoint = await createLiveEndpoint(workspace, newBox(answer), ALL);
      const watcher = await createLiveEndpoint(workspace, newBox(), [DISABLED]);
      const hookBox = newBox();
      await subscribe(workspace, { target_url: hookBox, event: DISABLED.event });
      await prepare(endpoint);
      await publish(workspace);
      await waitForEnd(workspace, endpoint);
      const paused = (await workspace.send("GET", endpoint.path)).body.data;
      expect(paused).toMatchObject({ enabled: false, disabled_reason: reason });
      // It wanted to know of such things, but not of itself, though it is switched on again.
      await change(workspace, "POST", `${endpoint.path}/rotate-secret`, { immediate: true });
      await change(workspace, "PATCH", endpoint.path, { enabled: true });
      await tellAll(workspace);
      expect(await sentTo(workspace, endpoint)).toEqual([POST_PUBLISHED.event]);
      const told = (await toldTo(watcher.box, 1)).get(DISABLED.event);
      const data = {
        ...{ id: endpoint.id, name: "Test", host: new URL(env.RECEIVER_URL).host, reason },
        disabled_at: paused.updated_at,
      };
      expect(told).toMatchObject({ workspace: workspace.id, channel: "all", test: false, data });
      const [flat] = await waitForReceived(hookBox, 1);
      expect(JSON.parse(flat?.body ?? "")).toEqual({
        ...data,
        endpoint_id: endpoint.id,
        id: told?.id,
        event: DISABLED.event,
        occurred_at: expect.any(String),
      });
      await tellAll(workspace);
      expect(await sentTo(workspace, watcher)).toEqual([DISABLED.event]);
    },
  );

  it("does not tell of one that its owner pauses", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await createLiveEndpoint(workspace, newBox(), [DISABLED]);
    await change(workspace, "PATCH", endpoint.path, { enabled: false });
    expect(await workspaceEventsOf(workspace)).toEqual([]);
  });
});

describe("workspace.delivery.exhausted", () => {
  it("tells of a delivery whose last attempt failed, and of none before", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("status=503"), ALL);
    const watcher = await createLiveEndpoint(workspace, newBox(), [EXHAUSTED]);
    const hookBox = newBox();
    await subscribe(workspace, { target_url: hookBox, event: EXHAUSTED.event });
    await publish(workspace);
    await waitForDelivery(
      workspace,
      endpoint,
      ({ attempts }) => attempts[0]?.error === "bad_status",
    );
    expect(await workspaceEventsOf(workspace)).toEqual([]);
    const due =
      "UPDATE target_deliveries SET attempts_count = 7, next_attempt_at = 0 WHERE target_id = ?";
    await env.DB.prepare(due).bind(endpoint.id).run();
    const { stub, wake } = laneOf(workspace, { kind: "endpoint", id: endpoint.id });
    await wake();
    await runDurableObjectAlarm(stub);
    const delivery = await waitForEnd(workspace, endpoint);
    expect(delivery).toMatchObject({ status: "failed", attempts_count: 8 });
    const told = (await toldTo(watcher.box, 1)).get(EXHAUSTED.event);
    const data = {
      ...{ id: delivery.id, endpoint: endpoint.id, event: POST_PUBLISHED.event },
      ...{ event_id: delivery.event_id, channel: "all", attempts_count: 8 },
      ...{ status_code: 503, error: "bad_status", exhausted_at: expect.any(String) },
    };
    expect(told?.data).toEqual(data);
    const [flat] = await waitForReceived(hookBox, 1);
    expect(JSON.parse(flat?.body ?? "")).toEqual({
      ...data,
      delivery_id: delivery.id,
      delivery_event: POST_PUBLISHED.event,
      id: told?.id,
      event: EXHAUSTED.event,
      occurred_at: expect.any(String),
    });
    expect(await sentTo(workspace, endpoint)).toEqual([POST_PUBLISHED.event]);
    expect((await workspace.send("GET", endpoint.path)).body.data.enabled).toBe(true);
  });

  it("goes to and fro between no two endpoints that are dead", async () => {
    const workspace = await createWorkspace();
    const first = await createLiveEndpoint(workspace, newBox(ABORTING), ALL);
    const second = await createLiveEndpoint(workspace, newBox(ABORTING), [DISABLED, EXHAUSTED]);
    await publish(workspace);
    await waitForEnd(workspace, first);
    const [event, ...others] = await tellAll(workspace);
    expect([event?.type, others]).toEqual([EXHAUSTED.event, []]);
    const ended = await waitForEnd(workspace, second);
    expect(ended).toMatchObject({ event: EXHAUSTED.event, status: "failed" });
    expect(await tellAll(workspace)).toHaveLength(1);
    expect(await sentTo(workspace, first)).toEqual([POST_PUBLISHED.event]);
    expect(await sentTo(workspace, second)).toEqual([EXHAUSTED.event]);
  });

  it("and the other event end, when all endpoints are gone that want both", async () => {
    const workspace = await createWorkspace();
    const gone: LiveEndpoint[] = [];
    for (let made = 0; made < 3; made++) {
      const subscriptions = made === 0 ? ALL : [DISABLED, EXHAUSTED];
      gone.push(await createLiveEndpoint(workspace, newBox("status=410"), subscriptions));
    }
    await publish(workspace);
    const types = () =>
      tellAll(workspace).then((events) => events.map(({ type }) => type.split(".")[1]).sort());
    // The first says that it is paused and that it lost a post; each of the others is paused by that.
    await vi.waitFor(
      async () => {
        await types();
        const { body } = await workspace.send("GET", `${WEBHOOKS}/endpoints`);
        expect(body.data.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual(
          gone.map(() => false),
        );
        const waiting =
          "SELECT count(*) AS n FROM target_deliveries WHERE workspace_id = ? AND status = 'pending'";
        expect(await env.DB.prepare(waiting).bind(workspace.id).first("n")).toBe(0);
      },
      { timeout: 60_000, interval: 100 },
    );
    const all = await types();
    expect(all.filter((what) => what === "endpoint").length).toBeLessThanOrEqual(3);
    expect(all.length).toBeLessThanOrEqual(8);
    expect(await types()).toEqual(all);
  });

  it("is not told of a test", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox(ABORTING), ALL);
    await createLiveEndpoint(workspace, newBox(), [EXHAUSTED]);
    const sent = await change(workspace, "POST", `${endpoint.path}/test`, {
      event: POST_PUBLISHED.event,
    });
    expect(sent.status).toBe(202);
    expect((await waitForEnd(workspace, endpoint)).status).toBe("failed");
    expect(await workspaceEventsOf(workspace)).toEqual([]);
  });
});

describe("what happened to a workspace's endpoints", () => {
  /** A delivery that waits for its end, and the noting of an attempt at it that was answered 410. */
  async function withAttempt(workspace: Workspace, more: Partial<EndedAttempt> = {}) {
    const endpoint = await createLiveEndpoint(workspace, newBox("hang"), [POST_PUBLISHED]);
    const [deliveryId, eventId] = [newId(), newId()];
    await env.DB.prepare(
      `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
         test, status, attempts_count, next_attempt_at, created_at)
       VALUES (?1, ?2, 'endpoint', ?3, ?4, ?5, 'all', 0, 'pending', 1, 4e12, 1)`,
    )
      .bind(deliveryId, workspace.id, endpoint.id, eventId, POST_PUBLISHED.event)
      .run();
    const ended: EndedAttempt = {
      ...{ deliveryId, number: 1, eventId, event: POST_PUBLISHED.event, channel: "all" },
      ...{ test: false, status: "failed", startedAt: Date.now(), durationMs: 1 },
      ...{ statusCode: 410, error: "bad_status", stop: "gone", ...more },
    };
    /** As the lane brings it: in one batch with the end of the attempt and of the delivery. */
    const note = async () => {
      const ref = { workspaceId: workspace.id, id: endpoint.id };
      const noting = endpointTargets.noting(workIn(workspace.id).db, ref, [ended], Date.now());
      const answers = await env.DB.batch([
        ...noting,
        env.DB.prepare(
          `UPDATE target_deliveries SET status = 'failed', next_attempt_at = NULL,
             attempts = '{"1":{"startedAt":1,"durationMs":1}}' WHERE id = ?`,
        ).bind(deliveryId),
      ]);
      return findWanted(answers);
    };
    return { endpoint, deliveryId, note };
  }

  const watch = (workspace: Workspace) =>
    createLiveEndpoint(workspace, newBox(), [DISABLED, EXHAUSTED]);

  it("is told once and done once, though the lane may bring it again", async () => {
    const workspace = await createWorkspace();
    await watch(workspace);
    const { endpoint, note } = await withAttempt(workspace);
    const wanted = await note();
    const events = await workspaceEventsOf(workspace);
    expect(events.map(({ type }) => type).sort()).toEqual([EXHAUSTED.event, DISABLED.event]);
    // Whoever announces them learns one of them.
    expect(events.map(({ id }) => id)).toContain(wanted);
    await note();
    // Its owner switches it on before the lane, which died, brings the same once more.
    await change(workspace, "PATCH", endpoint.path, { enabled: true });
    await note();
    expect(await workspaceEventsOf(workspace)).toEqual(events);
    expect((await workspace.send("GET", endpoint.path)).body.data.enabled).toBe(true);
  });

  it("is not told of an endpoint that was paused already, nor of a delivery that had ended", async () => {
    const workspace = await createWorkspace();
    await watch(workspace);
    const { endpoint, deliveryId, note } = await withAttempt(workspace);
    await change(workspace, "PATCH", endpoint.path, { enabled: false });
    await env.DB.prepare("UPDATE target_deliveries SET status = 'failed' WHERE id = ?")
      .bind(deliveryId)
      .run();
    await note();
    expect(await workspaceEventsOf(workspace)).toEqual([]);
    expect((await workspace.send("GET", endpoint.path)).body.data.disabled_reason).toBeNull();
  });

  it.each([
    ["endpoint_paused", false],
    ["payload_purged", true],
  ])("is not told of what its owner wants sent no more: %s", async (error, isErased) => {
    const workspace = await createWorkspace();
    await watch(workspace);
    const ended = { error, isErased, statusCode: null, stop: null };
    const { note } = await withAttempt(workspace, ended);
    await note();
    expect(await workspaceEventsOf(workspace)).toEqual([]);
  });

  it("takes no room when nobody wants to know", async () => {
    const workspace = await createWorkspace();
    const { endpoint, note } = await withAttempt(workspace);
    await note();
    expect((await workspace.send("GET", endpoint.path)).body.data.enabled).toBe(false);
    expect(await workspaceEventsOf(workspace)).toEqual([]);
  });

  it("does not pause one as failing that was switched on again meanwhile", async () => {
    const workspace = await createWorkspace();
    const failing = { statusCode: 500, stop: "failing" as const };
    const { endpoint, note } = await withAttempt(workspace, failing);
    await set(endpoint, "failing_since = ?", Date.now() - 6 * DAY);
    for (const enabled of [false, true])
      await change(workspace, "PATCH", endpoint.path, { enabled });
    await note();
    expect((await workspace.send("GET", endpoint.path)).body.data.enabled).toBe(true);
  });
});

describe("the events of a workspace itself", () => {
  it("need a permission of their own", async () => {
    const workspace = await createWorkspace();
    const { key } = await issueKey(workspace.id, {
      permissions: ["webhooks:write", "webhooks:read", "publishing:webhooks:subscribe"],
    });
    const refused = await sendAs(key, "POST", `${WEBHOOKS}/endpoints`, {
      headers: { "Idempotency-Key": newIdempotencyKey() },
      body: { name: "Test", url: newBox(), subscriptions: [POST_PUBLISHED, DISABLED] },
    });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      "This needs the permission workspace:webhooks:subscribe.",
    ]);
    const { id } = (await createEndpoint(workspace, { subscriptions: [EXHAUSTED] })).body.data;
    expect((await sendAs(key, "GET", `${WEBHOOKS}/endpoints`)).body.data).toEqual([]);
    expect((await sendAs(key, "GET", `${WEBHOOKS}/endpoints/${id}`)).status).toBe(403);
  });

  it("are of no feature that could be off, and sent again like any other", async () => {
    const workspace = await createWorkspace();
    await operate("PATCH", `/workspaces/${workspace.id}`, { features: ["webhooks"] });
    const { data } = (await workspace.send("GET", `${WEBHOOKS}/events`)).body;
    expect(data.map(({ event }: { event: string }) => event)).toEqual([
      DISABLED.event,
      EXHAUSTED.event,
    ]);
    const watcher = await createLiveEndpoint(workspace, newBox(), [DISABLED]);
    await publish(workspace, DISABLED);
    expect((await toldTo(watcher.box, 1)).has(DISABLED.event)).toBe(true);
    const { id } = await waitForEnd(workspace, watcher);
    const resent = await change(workspace, "POST", `${WEBHOOKS}/deliveries/${id}/resend`);
    expect([resent.status, resent.body.data?.resend_of]).toEqual([202, id]);
    await waitForReceived(watcher.box, 2);
  });
});
