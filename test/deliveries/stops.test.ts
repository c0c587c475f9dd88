import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { exchange, parkClosed } from "../../src/deliveries/lane.repository.ts";
import { endpointTargets } from "../../src/features/webhooks/endpoints/endpoints.ports.ts";
import { createContact } from "../support/contacts.ts";
import { operate } from "../support/http.ts";
import { handedOver, hear, send as sendMessage, waitForStatus } from "../support/messages.ts";
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
import { deliver, tick, workIn } from "../support/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const FEATURES = ["biolinks", "salesbot", "publishing", "webhooks", "automation"];

function set(workspace: Workspace, changes: object) {
  return operate("PATCH", `/workspaces/${workspace.id}`, changes);
}

function all<Row>(sql: string, ...bound: unknown[]): Promise<Row[]> {
  return env.DB.prepare(sql)
    .bind(...bound)
    .all<Row>()
    .then(({ results }) => results);
}

const deliveriesOf = (workspace: Workspace) =>
  all<{ id: string; status: string; event_id: string; attempts_count: number }>(
    "SELECT * FROM target_deliveries WHERE workspace_id = ? ORDER BY id",
    workspace.id,
  );

async function waitForDeliveries(workspace: Workspace, statuses: string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      expect((await deliveriesOf(workspace)).map(({ status }) => status)).toEqual(statuses);
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** Has the queue's consumer take an event's wake-up, as it may come again or late. */
async function fanOut(workspace: Workspace, event: string): Promise<void> {
  await deliver("signpost-events", [{ v: 1, workspace: workspace.id, event }]);
}

/** A delivery that waits for its next attempt, made due and its lane woken. */
async function tryAgain(workspace: Workspace, endpoint: LiveEndpoint): Promise<void> {
  await env.DB.prepare(
    "UPDATE target_deliveries SET next_attempt_at = 0 WHERE target_id = ? AND status = 'pending'",
  )
    .bind(endpoint.id)
    .run();
  const { stub, wake } = laneOf(workspace, { kind: "endpoint", id: endpoint.id });
  await wake();
  await runDurableObjectAlarm(stub);
}

/** An endpoint with a delivery that failed once and is to be tried again. */
async function withWaiting(workspace: Workspace, subscription = POST_PUBLISHED) {
  const endpoint = await createLiveEndpoint(
    workspace,
    newBox("status=503&header=Retry-After:900"),
    [subscription],
  );
  await publish(workspace, subscription);
  await waitForReceived(endpoint.box, 1);
  await vi.waitFor(async () => {
    const [attempt] = await all<{ duration_ms: number | null }>(
      "SELECT attempts ->> '$.1.durationMs' AS duration_ms FROM target_deliveries WHERE target_id = ?",
      endpoint.id,
    );
    expect(attempt?.duration_ms).toBeTypeOf("number");
  });
  return endpoint;
}

describe("what waits to be sent", () => {
  it.each([
    ["a suspended workspace", POST_PUBLISHED, { status: "suspended" }, { status: "active" }],
    [
      "a workspace without webhooks",
      POST_PUBLISHED,
      { features: FEATURES.filter((name) => name !== "webhooks") },
      { features: FEATURES },
    ],
    [
      "a workspace without the event's feature",
      { event: "salesbot.contact.created", channel: "sms" },
      { features: FEATURES.filter((name) => name !== "salesbot") },
      { features: FEATURES },
    ],
  ])("in %s is not, until it may be again", async (_, subscription, closing, opening) => {
    const workspace = await createWorkspace();
    const endpoint = await withWaiting(workspace, subscription);
    await set(workspace, closing);
    await tryAgain(workspace, endpoint);
    await waitForDeliveries(workspace, ["parked"]);
    // Nobody looks at it any more: not the lane, not the sweep.
    await tick();
    await tryAgain(workspace, endpoint);
    expect(await receivedBy(endpoint.box)).toHaveLength(1);
    const box = newBox();
    await env.DB.prepare("UPDATE webhook_endpoints SET url = ? WHERE id = ?")
      .bind(box, endpoint.id)
      .run();
    await set(workspace, opening);
    await tick();
    await tryAgain(workspace, endpoint);
    expect(await waitForReceived(box, 1)).toHaveLength(1);
    await waitForDeliveries(workspace, ["delivered"]);
  });

  it("of one feature only is parked, the rest goes out", async () => {
    const workspace = await createWorkspace();
    const contact = { event: "salesbot.contact.created", channel: "sms" };
    const endpoint = await createLiveEndpoint(
      workspace,
      newBox("status=503&header=Retry-After:900"),
      [contact, POST_PUBLISHED],
    );
    for (let made = 0; made < 6; made++) await publish(workspace, contact);
    await publish(workspace);
    await waitForReceived(endpoint.box, 7);
    await env.DB.prepare("UPDATE webhook_endpoints SET url = ? WHERE id = ?")
      .bind(newBox(), endpoint.id)
      .run();
    await set(workspace, { features: ["webhooks", "publishing"] });
    await vi.waitFor(async () => {
      await tryAgain(workspace, endpoint);
      const statuses = (await deliveriesOf(workspace)).map(({ status }) => status);
      expect(statuses.sort()).toEqual(["delivered", ...Array(6).fill("parked")]);
    });
  });
});

describe("an event", () => {
  it("of a suspended workspace is not fanned out, nor swept, until it is active again", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await set(workspace, { status: "suspended" });
    const { body } = await publish(workspace);
    await fanOut(workspace, body.data.id);
    const state = () =>
      all("SELECT fanned_out_at FROM events WHERE id = ?", body.data.id).then(([row]) => row);
    expect(await state()).toEqual({ fanned_out_at: 0 });
    await tick();
    expect(await deliveriesOf(workspace)).toEqual([]);
    await set(workspace, { status: "active" });
    await tick();
    await waitForReceived(endpoint.box, 1);
    await waitForDeliveries(workspace, ["delivered"]);
  });

  it("that happens while webhooks are off waits for them; hooks get it at once", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const box = newBox();
    await workspace.send("POST", "/automation/subscribe", {
      body: { target_url: box, event: POST_PUBLISHED.event },
    });
    await set(workspace, { features: FEATURES.filter((name) => name !== "webhooks") });
    await publish(workspace);
    await waitForReceived(box, 1);
    await tick();
    expect(await receivedBy(endpoint.box)).toEqual([]);
    await set(workspace, { features: FEATURES });
    await tick();
    await waitForReceived(endpoint.box, 1);
    expect(await receivedBy(box)).toHaveLength(1);
  });

  it("that nobody wants is settled as it is written", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const settled = async (event: object) => {
      const { body } = await publish(workspace, event as typeof POST_PUBLISHED);
      const [row] = await all<{ isSettled: number }>(
        "SELECT fanned_out_at = created_at AS isSettled FROM events WHERE id = ?",
        body.data.id,
      );
      return row?.isSettled === 1;
    };
    expect(await settled({ event: "publishing.post.failed", channel: "all" })).toBe(true);
    await change(workspace, "PATCH", endpoint.path, { enabled: false });
    expect(await settled(POST_PUBLISHED)).toBe(true);
    await change(workspace, "DELETE", endpoint.path);
    expect(await settled(POST_PUBLISHED)).toBe(true);
  });

  it("goes to those who wanted it when it happened, however late its fan-out runs", async () => {
    const workspace = await createWorkspace();
    const first = await createLiveEndpoint(workspace);
    const { body } = await publish(workspace);
    await waitForDeliveries(workspace, ["delivered"]);
    await env.DB.batch([
      env.DB.prepare("DELETE FROM target_deliveries WHERE workspace_id = ?").bind(workspace.id),
      env.DB.prepare("UPDATE events SET fanned_out_at = NULL WHERE id = ?").bind(body.data.id),
    ]);
    const second = await createLiveEndpoint(workspace);
    const subscriptions = [{ event: "publishing.post.failed", channel: "all" }];
    await change(workspace, "PATCH", first.path, { subscriptions });
    await fanOut(workspace, body.data.id);
    await waitForReceived(first.box, 2);
    await waitForDeliveries(workspace, ["delivered"]);
    expect(await receivedBy(second.box)).toEqual([]);
  });
});

describe("a message", () => {
  it.each([
    ["a suspended workspace", { status: "suspended" }, { status: "active" }],
    ["a workspace without salesbot", { features: ["webhooks"] }, { features: FEATURES }],
  ])("of %s is not sent, until it may be again", async (_, closing, opening) => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    await env.DB.prepare("UPDATE contacts SET phone = ? WHERE id = ?")
      .bind("+447700900123", contact.id)
      .run();
    const { body } = await sendMessage(workspace, contact.id);
    await waitForStatus(workspace, body.data.id, "sent");
    // As if it had not been sent yet.
    const due = "UPDATE messages SET status = 'queued', next_attempt_at = 1 WHERE id = ?";
    await set(workspace, closing);
    await env.DB.prepare(due).bind(body.data.id).run();
    const wakeUp = { v: 1, workspace: workspace.id, message: body.data.id };
    await deliver("signpost-messages", [wakeUp, wakeUp]);
    await tick();
    expect(await handedOver(body.data.id)).toHaveLength(1);
    const parked = "SELECT status, next_attempt_at FROM messages WHERE id = ?";
    expect(await all(parked, body.data.id)).toEqual([{ status: "queued", next_attempt_at: null }]);
    await set(workspace, opening);
    await tick();
    await waitForStatus(workspace, body.data.id, "sent");
    expect(await handedOver(body.data.id)).toHaveLength(2);
  });
});

describe("a free message that was parked", () => {
  it("beyond its contact's window fails when it is resumed", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "whatsapp" });
    await hear(workspace, contact.id);
    const { body } = await sendMessage(workspace, contact.id);
    await waitForStatus(workspace, body.data.id, "sent");
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE messages SET status = 'queued', next_attempt_at = NULL WHERE id = ?",
      ).bind(body.data.id),
      env.DB.prepare("UPDATE contacts SET last_inbound_at = ? WHERE id = ?").bind(
        Date.now() - 25 * 3_600_000,
        contact.id,
      ),
    ]);
    for (const status of ["suspended", "active"]) await set(workspace, { status });
    await tick();
    const failed = await waitForStatus(workspace, body.data.id, "failed");
    expect(failed.reason).toBe("messaging_window_closed");
    expect(await handedOver(body.data.id)).toHaveLength(1);
  });
});

describe("an attempt under way", () => {
  it("of what is parked meanwhile is written down as it ends", async () => {
    const workspace = await createWorkspace();
    const endpoint = await withWaiting(workspace);
    const target = { kind: "endpoint" as const, id: endpoint.id };
    const lane = { ctx: workIn(workspace.id), target, port: endpointTargets };
    const time = Number.MAX_SAFE_INTEGER - 1;
    const nothing = { begun: [], finished: [], leaseUntil: time, wanted: 5, held: [] };
    const { due } = await exchange(lane, nothing, time);
    await set(workspace, { status: "suspended" });
    expect(await parkClosed(lane, 5)).toBe(1);
    const outcome = { statusCode: 204, error: null, responseBody: "", durationMs: 1 };
    const consequence = { status: "delivered" as const, nextAttemptAt: null, stop: null };
    const ended = { outcome, consequence, startedAt: Date.now(), endedAt: Date.now() };
    const finished = due.map((delivery) => ({ ...delivery, ...ended }));
    await exchange(lane, { ...nothing, finished, wanted: 0 }, Date.now());
    await waitForDeliveries(workspace, ["delivered"]);
  });
});
