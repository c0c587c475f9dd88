import { describe, expect, it, vi } from "vitest";
import { EVENT_TYPES } from "../../../src/event-types.ts";
import { createContact } from "../../support/contacts.ts";
import { subscribe, unsubscribe } from "../../support/hooks.ts";
import {
  createLiveEndpoint,
  env,
  laneOf,
  newBox,
  publish,
  receivedBy,
  waitForReceived,
} from "../../support/webhooks.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

interface Delivery {
  target_kind: string;
  status: string;
  attempts_count: number;
  next_attempt_at: number | null;
}

async function deliveriesTo(hookId: string): Promise<Delivery[]> {
  const { results } = await env.DB.prepare("SELECT * FROM target_deliveries WHERE target_id = ?")
    .bind(hookId)
    .all<Delivery>();
  return results;
}

/** Waits until the hook's one delivery was attempted and its end written down. */
function waitForAttempt(hookId: string): Promise<Delivery> {
  return vi.waitFor(
    async () => {
      const ended = await env.DB.prepare(
        "SELECT count(*) AS n FROM target_deliveries WHERE target_id = ? AND attempts ->> '$.1.durationMs' IS NOT NULL",
      )
        .bind(hookId)
        .first<{ n: number }>();
      // Read after the attempts: the delivery is then as the ended attempt left it.
      const [delivery] = await deliveriesTo(hookId);
      if (!delivery || !ended?.n) throw new Error("not attempted yet");
      return delivery;
    },
    { timeout: 60_000, interval: 50 },
  );
}

async function createHook(workspace: Workspace, input: { target_url: string; event?: string }) {
  const { status, body } = await subscribe(workspace, input);
  expect(status).toBe(201);
  return body.data.id as string;
}

describe("a hook", () => {
  it("gets a contact that the API creates, as one flat object, unsigned, with the delivery's id", async () => {
    const workspace = await createWorkspace();
    const box = newBox();
    const id = await createHook(workspace, { target_url: box });
    const contact = await createContact(workspace, { channel: "sms", custom: { plan: "pro" } });
    const [received] = await waitForReceived(box, 1);
    const payload = JSON.parse(received?.body ?? "");
    const { id: contactId, revision: _revision, window_expires_at: _window, ...rest } = contact;
    expect(payload).toEqual({
      ...rest,
      changed: ["name", "channel", "custom.plan"],
      custom_left_out: [],
      contact_id: contactId,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: "salesbot.contact.created",
      occurred_at: expect.any(String),
    });
    expect(received?.headers["content-type"]).toBe("application/json");
    expect(received?.headers["webhook-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(received?.headers["webhook-signature"]).toBeUndefined();
    expect((await waitForAttempt(id)).status).toBe("delivered");
  });

  it("gets its event on every channel, of every kind, and no other", async () => {
    const workspace = await createWorkspace();
    const boxes = new Map<string, string>();
    for (const { name } of EVENT_TYPES) {
      boxes.set(name, newBox());
      await createHook(workspace, { target_url: boxes.get(name) ?? "", event: name });
    }
    for (const { name, channels } of EVENT_TYPES) {
      for (const channel of channels.slice(0, 2))
        await publish(workspace, { event: name, channel });
    }
    for (const { name, channels } of EVENT_TYPES) {
      const expected = Math.min(channels.length, 2);
      const received = await waitForReceived(boxes.get(name) ?? "", expected);
      expect(received.map(({ body }) => JSON.parse(body).event)).toEqual(
        Array(expected).fill(name),
      );
    }
  });

  it("and an endpoint get the same event, each in its own shape", async () => {
    const workspace = await createWorkspace();
    const box = newBox();
    await createHook(workspace, { target_url: box, event: "publishing.post.published" });
    const endpoint = await createLiveEndpoint(workspace);
    await publish(workspace);
    const [flat] = await waitForReceived(box, 1);
    const [envelope] = await waitForReceived(endpoint.box, 1);
    const { data, ...told } = JSON.parse(envelope?.body ?? "");
    const payload = JSON.parse(flat?.body ?? "");
    expect(payload).toEqual({
      ...data,
      post_id: data.id,
      id: told.id,
      event: told.type,
      occurred_at: told.timestamp,
    });
  });

  it("of another workspace gets nothing", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const [box, theirs] = [newBox(), newBox()];
    await createHook(workspace, { target_url: box });
    await createHook(other, { target_url: theirs });
    await createContact(workspace);
    await waitForReceived(box, 1);
    expect(await receivedBy(theirs)).toEqual([]);
  });

  it.each(["status=410", "header=webhook-delivery:disable&status=500"])(
    "whose target answers %s is gone",
    async (answer) => {
      const workspace = await createWorkspace();
      const box = newBox(answer);
      const id = await createHook(workspace, { target_url: box });
      await createContact(workspace);
      expect((await waitForAttempt(id)).status).toBe("failed");
      const again = await subscribe(workspace, { target_url: box });
      expect([again.status, again.body.data.id === id]).toEqual([201, false]);
    },
  );

  it.each(["status=500", "reset"])(
    "whose target fails with %s stays, and is tried again",
    async (answer) => {
      const workspace = await createWorkspace();
      const box = newBox(answer);
      const id = await createHook(workspace, { target_url: box });
      await createContact(workspace);
      const delivery = await waitForAttempt(id);
      expect([delivery.target_kind, delivery.status]).toEqual(["hook", "pending"]);
      expect(delivery.next_attempt_at).toBeGreaterThan(Date.now());
      expect((await subscribe(workspace, { target_url: box })).status).toBe(200);
    },
  );

  it("that was removed is sent nothing more, what was waiting included", async () => {
    const workspace = await createWorkspace();
    const box = newBox("status=503&header=Retry-After:1");
    const id = await createHook(workspace, { target_url: box });
    await createContact(workspace);
    await waitForAttempt(id);
    await unsubscribe(workspace, id);
    await env.DB.prepare("UPDATE target_deliveries SET next_attempt_at = 0 WHERE target_id = ?")
      .bind(id)
      .run();
    await laneOf(workspace, { kind: "hook", id }).wake();
    await vi.waitFor(async () => {
      expect((await deliveriesTo(id))[0]?.status).toBe("failed");
    });
    await createContact(workspace);
    expect(await receivedBy(box)).toHaveLength(1);
    expect(await deliveriesTo(id)).toHaveLength(1);
  });
});
