import { describe, expect, it, vi } from "vitest";
import { EVENT_TYPES } from "../../../../src/event-types.ts";
import { findDueErasures } from "../../../../src/events/erasures.repository.ts";
import {
  eraseContact,
  getContact,
  importContacts,
} from "../../../../src/features/salesbot/contacts/contacts.service.ts";
import { eraseContacts } from "../../../../src/features/salesbot/erasure/erasure.service.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { sharedDatabase } from "../../../../src/platform/db/client.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { CONTACTS, change, createContact, eventsOf } from "../../../support/contacts.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { operate } from "../../../support/http.ts";
import { loggedLines } from "../../../support/logs.ts";
import { handedOver, hear, MESSAGES, send, waitForStatus } from "../../../support/messages.ts";
import { tablesHolding } from "../../../support/stored-texts.ts";
import { SUBMISSIONS, tellSubmission } from "../../../support/submissions.ts";
import {
  createLiveEndpoint,
  env,
  laneOf,
  newBox,
  publish,
  receivedBy,
  WEBHOOKS,
  waitForDelivery,
  waitForReceived,
} from "../../../support/webhooks.ts";
import { tick, workIn } from "../../../support/work.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../../support/workspace.ts";

const EVENTS = [
  "salesbot.contact.created",
  "salesbot.contact.updated",
  "salesbot.contact.deleted",
  "salesbot.message.queued",
  "salesbot.message.sent",
  "salesbot.message.received",
].map((event) => ({ event, channel: "sms" }));

/** Data of a person that stand nowhere else. */
function newPerson() {
  const canary = `canary-${crypto.randomUUID()}`;
  const contact = {
    name: canary,
    email: `${canary}@example.com`,
    phone: "+447700900123",
    external_id: canary,
    custom: { note: canary },
    channel: "sms",
  };
  return { canary, contact };
}

function erase(workspace: Workspace, id: string, more: Record<string, string> = {}) {
  const headers = { "If-Match": "*", ...more };
  return workspace.send("POST", `${CONTACTS}/${id}/erase`, { headers });
}

/** An endpoint's oldest delivery, once an attempt of it is shown that is over. */
function firstDelivery(workspace: Workspace, endpoint: { path: string }) {
  return vi.waitFor(
    async () => {
      const { body } = await workspace.send("GET", `${endpoint.path}/deliveries`);
      const path = `${WEBHOOKS}/deliveries/${body.data.at(-1).id}`;
      const { data } = (await workspace.send("GET", path)).body;
      expect(data.attempts[0]?.duration_ms).toBeTypeOf("number");
      return data;
    },
    { timeout: 60_000, interval: 100 },
  );
}

function waitUntilErased(workspace: Workspace, id: string) {
  return vi.waitFor(
    async () => {
      const { body } = await workspace.send("GET", `${CONTACTS}/${id}/erasure`);
      if (body.data?.status !== "finished") throw new Error(JSON.stringify(body));
      return body.data;
    },
    { timeout: 60_000, interval: 100 },
  );
}

describe("erasing a contact", () => {
  it("answers with the erasure that another request began just now", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { phone: "+447700900123" });
    const slow = faulting(CONNECTION_LOST);
    slow.faultOf = () => undefined;
    let first: Awaited<ReturnType<typeof erase>> | undefined;
    let isHeld = false;
    // Another one is faster: between the look at the contact and its deletion.
    slow.heldBack = async (what) => {
      if (isHeld || !/^\s*select/i.test(what) || !/ from "?contacts\b/i.test(what)) return;
      isHeld = true;
      first = await erase(workspace, id);
    };
    const headers = { "If-Match": "*" };
    const path = `${CONTACTS}/${id}/erase`;
    const second = await workspace.send("POST", path, { headers, env: slow.env });
    expect([isHeld, first?.status, second.status]).toEqual([true, 202, 202]);
    expect(second.body.data.created_at).toBe(first?.body.data.created_at);
  });

  it("leaves its data nowhere: contacts, messages, events, deliveries, attempts", async () => {
    const workspace = await createWorkspace();
    const delivered = await createLiveEndpoint(workspace, newBox("status=200&echo"), EVENTS);
    const refusing = await createLiveEndpoint(workspace, newBox("status=500&echo"), EVENTS);
    const { canary, contact } = newPerson();
    const { id } = await createContact(workspace, contact);
    const sent = await send(workspace, id, { text: `For ${canary}` });
    await waitForStatus(workspace, sent.body.data.id, "sent");
    const waiting = await send(workspace, id, { text: `Also for ${canary}` });
    await waitForStatus(workspace, waiting.body.data.id, "sent");
    const heard = await hear(workspace, id, { text: canary, external_id: `wamid-${canary}` });
    await waitForReceived(delivered.box, 7);
    await waitForReceived(refusing.box, 7);
    await env.DB.prepare(
      "UPDATE messages SET status = 'queued', next_attempt_at = 1e15 WHERE id = ?",
    )
      .bind(waiting.body.data.id)
      .run();
    expect(await tablesHolding(canary)).toEqual(
      expect.arrayContaining(["contacts", "messages", "events", "target_deliveries"]),
    );

    const erased = await erase(workspace, id);
    expect([erased.status, erased.body.data]).toEqual([
      202,
      { contact: id, status: "running", created_at: expect.any(String), finished_at: null },
    ]);
    expect((await workspace.send("GET", `${CONTACTS}/${id}`)).status).toBe(404);
    await waitUntilErased(workspace, id);
    expect(await tablesHolding(canary)).toEqual([]);

    const read = async (message: string) =>
      (await workspace.send("GET", `${MESSAGES}/${message}`)).body.data;
    const none = { text: null, template: null };
    expect(await read(sent.body.data.id)).toMatchObject({ status: "sent", ...none });
    expect(await read(heard.body.data.id)).toMatchObject({ status: "received", ...none });
    expect(await read(waiting.body.data.id)).toMatchObject({
      status: "failed",
      reason: "contact_erased",
      ...none,
    });
    const { body } = await workspace.send("GET", `${refusing.path}/deliveries`);
    const old = body.data.filter(({ event }: { event: string }) => !event.endsWith("deleted"));
    expect(old.length).toBeGreaterThanOrEqual(6);
    for (const { id: delivery, status } of old) {
      expect(status).toBe("failed");
      const { body: detail } = await workspace.send("GET", `${WEBHOOKS}/deliveries/${delivery}`);
      expect(detail.data).toMatchObject({
        payload: null,
        attempts: [{ response_body: null, response_headers: null }],
      });
    }
    const told = (await waitForReceived(delivered.box, 8)).map((one) => JSON.parse(one.body));
    const deletions = told.filter(({ type }) => type === "salesbot.contact.deleted");
    expect(deletions.map(({ data }) => data)).toEqual([{ id }]);
  });

  it("stops at once what waits, before anything else is erased", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("status=500"), EVENTS);
    const { id } = await createContact(workspace, newPerson().contact);
    await waitForDelivery(workspace, endpoint, ({ attempts }) => attempts[0]?.status_code === 500);
    const queued = await send(workspace, id, { text: "[503, 200]" });
    const message = queued.body.data.id;
    await vi.waitFor(async () => expect(await handedOver(message)).toHaveLength(1));
    const ctx = workIn(workspace.id);
    // As if the Worker died right after its transaction.
    await eraseContact(ctx, await getContact(ctx, id), { any: true });
    const list = await workspace.send("GET", `${endpoint.path}/deliveries`);
    const payloads = await Promise.all(
      list.body.data.map(async (delivery: { id: string }) => {
        const { body } = await workspace.send("GET", `${WEBHOOKS}/deliveries/${delivery.id}`);
        return body.data.payload?.data;
      }),
    );
    expect(payloads.filter((data) => data !== undefined && Object.keys(data).length > 1)).toEqual(
      [],
    );
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE target_deliveries SET next_attempt_at = 0 WHERE workspace_id = ? AND status = 'pending'",
      ).bind(workspace.id),
      env.DB.prepare("UPDATE messages SET next_attempt_at = 0 WHERE id = ?").bind(message),
    ]);
    const before = (await receivedBy(endpoint.box)).length;
    await laneOf(workspace, { kind: "endpoint", id: endpoint.id }).wake();
    await vi.waitFor(
      async () => {
        const { body } = await workspace.send("GET", `${endpoint.path}/deliveries?status=pending`);
        const left = body.data.filter(({ event }: { event: string }) => !event.endsWith("deleted"));
        expect(left).toEqual([]);
      },
      { timeout: 60_000, interval: 100 },
    );
    const after = (await receivedBy(endpoint.box)).slice(before).map((one) => JSON.parse(one.body));
    expect(after.filter(({ data }) => Object.keys(data).length > 1)).toEqual([]);
    expect(await handedOver(message)).toHaveLength(1);
    await tick();
    await waitUntilErased(workspace, id);
  });

  it("ends what is parked, too: it is not told when the workspace may again", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("status=500"), EVENTS);
    const { id } = await createContact(workspace, newPerson().contact);
    await hear(workspace, id);
    await waitForReceived(endpoint.box, 3);
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE target_deliveries SET status = 'parked' WHERE workspace_id = ? AND event <> 'salesbot.contact.created'",
      ).bind(workspace.id),
      env.DB.prepare(
        "UPDATE events SET fanned_out_at = 0 WHERE subject = ? AND type = 'salesbot.message.received'",
      ).bind(id),
    ]);
    await erase(workspace, id);
    await waitUntilErased(workspace, id);
    const { results } = await env.DB.prepare(
      `SELECT DISTINCT target_deliveries.status, events.fanned_out_at > 0 AS told
       FROM events JOIN target_deliveries ON event_id = events.id WHERE subject = ?`,
    )
      .bind(id)
      .all();
    expect(results).toEqual([{ status: "failed", told: 1 }]);
  });

  it("touches nothing of another workspace's, whatever its events name", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = await createContact(workspace, newPerson().contact);
    const created = { event: "salesbot.contact.created", channel: "sms" };
    const endpoint = await createLiveEndpoint(other, newBox(), [created]);
    const sample = EVENT_TYPES.find(({ name }) => name === created.event)?.sample;
    await publish(other, created, { ...sample, id });
    await erase(workspace, id);
    await waitUntilErased(workspace, id);
    const delivery = await waitForDelivery(other, endpoint, ({ status }) => status !== "pending");
    expect(delivery.payload?.data).toMatchObject({ id, name: "Ada Lovelace" });
  });

  it("is for good: who asks again for what they made does not make it again", async () => {
    const workspace = await createWorkspace();
    const { canary, contact } = newPerson();
    await createContact(workspace, { phone: "+447700900999" });
    const requests: [string, object][] = [
      [CONTACTS, { ...contact, external_id: null }],
      [`${CONTACTS}/import`, { contacts: [{ ...contact, external_id: null }] }],
    ];
    for (const [path, body] of requests) {
      const headers = { "Idempotency-Key": newIdempotencyKey() };
      const broken = faulting(CONNECTION_LOST);
      let isWritten = false;
      broken.faultOf = (what) => {
        isWritten ||= what === "batch";
        return isWritten ? "done" : undefined;
      };
      const first = await workspace.send("POST", path, { headers, body, env: broken.env });
      expect(first.status).toBeGreaterThanOrEqual(500);
      const [made] = (await workspace.send("GET", CONTACTS)).body.data;
      await erase(workspace, made.id);
      await waitUntilErased(workspace, made.id);
      const again = await workspace.send("POST", path, { headers, body });
      if (path === CONTACTS) expect(again.status).toBe(409);
      else
        expect(again.body.data).toMatchObject([
          { status: "failed", errors: { row: [expect.stringContaining("erased")] } },
        ]);
      expect(await tablesHolding(canary)).toEqual([]);
    }
  });

  it("is for good: nor does the first of two runs of one request, if the second was quicker", async () => {
    const workspace = await createWorkspace();
    const { canary, contact } = newPerson();
    const id = newId();
    const run = (resumed: boolean) =>
      importContacts(workIn(workspace.id, { creates: { id, resumed } }), [contact]);
    const [made] = await run(true);
    await erase(workspace, made?.id ?? "");
    await waitUntilErased(workspace, made?.id ?? "");
    expect(await run(false)).toMatchObject([
      { status: "failed", errors: { row: [expect.stringContaining("erased")] } },
    ]);
    expect(await tablesHolding(canary)).toEqual([]);
  });

  it("writes nothing down of an attempt that was under way", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("hang"), EVENTS);
    const { id } = await createContact(workspace, newPerson().contact);
    await waitForReceived(endpoint.box, 1);
    await erase(workspace, id);
    await waitUntilErased(workspace, id);
    expect(await firstDelivery(workspace, endpoint)).toMatchObject({
      status: "failed",
      next_attempt_at: null,
      payload: null,
      attempts: [{ error: "payload_purged", response_body: null }],
    });
  });

  it("keeps nothing of what a receiver echoes after it", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("echo&wait=500"), EVENTS);
    const { contact, canary } = newPerson();
    const { id } = await createContact(workspace, contact);
    await waitForReceived(endpoint.box, 1);
    await erase(workspace, id);
    await waitUntilErased(workspace, id);
    expect(await firstDelivery(workspace, endpoint)).toMatchObject({
      status: "failed",
      attempts: [{ response_body: null, response_headers: null }],
    });
    await scheduler.wait(1000);
    expect(await tablesHolding(canary)).toEqual([]);
  });

  it("ends what is parked, so that nothing of it is told when the workspace goes on", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox(), EVENTS);
    const { id } = await createContact(workspace, newPerson().contact);
    await waitForReceived(endpoint.box, 1);
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "delivered");
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    const park = (sql: string) => env.DB.prepare(sql).bind(workspace.id).run();
    await park("UPDATE target_deliveries SET status = 'parked' WHERE workspace_id = ?");
    const untold = await hear(workspace, id, { channel: "sms" });
    expect(untold.status).toBe(201);
    const parked = "SELECT count(*) AS n FROM events WHERE workspace_id = ? AND fanned_out_at = 0";
    await vi.waitFor(
      async () => expect(await env.DB.prepare(parked).bind(workspace.id).first("n")).toBe(2),
      { timeout: 60_000, interval: 50 },
    );
    const ctx = workIn(workspace.id);
    await eraseContact(ctx, await getContact(ctx, id), { any: true });
    const deliveries = () =>
      env.DB.prepare(
        "SELECT event, status FROM target_deliveries WHERE workspace_id = ? ORDER BY id",
      )
        .bind(workspace.id)
        .all<{ event: string; status: string }>()
        .then(({ results }) => results.filter(({ event }) => !event.endsWith("deleted")));
    const failed = [{ event: "salesbot.contact.created", status: "failed" }];
    // One run may not come to it, when other tests' erasures are waiting too.
    await vi.waitFor(
      async () => {
        await eraseContacts(ctx);
        expect(await deliveries()).toEqual(failed);
      },
      { timeout: 60_000, interval: 100 },
    );
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    await tick();
    const told = (await waitForReceived(endpoint.box, 2)).map((one) => JSON.parse(one.body));
    expect(told[1]).toMatchObject({ type: "salesbot.contact.deleted", data: { id } });
    expect(await deliveries()).toEqual(failed);
  });

  it("goes on after it was cut off, wherever that was", async () => {
    const workspace = await createWorkspace();
    const { canary, contact } = newPerson();
    const started: [string, number, string][] = [];
    for (const way of ["undone", "done"] as const) {
      for (let cut = 0, isCut = true; isCut; cut++) {
        const { key } = await issueKey(workspace.id);
        const input = { ...contact, external_id: `${canary}-${way}-${cut}` };
        const made = await sendAs(key, "POST", CONTACTS, { body: input });
        const { id } = made.body.data;
        await hear(workspace, id, { text: canary });
        const broken = faulting(CONNECTION_LOST);
        broken.faultOf = () => {
          if (broken.asked <= cut) return undefined;
          return broken.asked === cut + 1 ? way : "undone";
        };
        const path = `${CONTACTS}/${id}/erase`;
        const headers = { "If-Match": "*", "Idempotency-Key": newIdempotencyKey() };
        await sendAs(key, "POST", path, { headers, env: broken.env });
        for (let asked = -1; asked !== broken.asked; await scheduler.wait(20)) asked = broken.asked;
        isCut = broken.asked > cut;
        // Who was answered with a fault asks again.
        const again = await sendAs(key, "POST", path, { headers });
        expect([way, cut, again.status]).toEqual([way, cut, 202]);
        started.push([way, cut, id]);
      }
    }
    expect(started.length).toBeGreaterThan(20);
    // Each does a share of what is left.
    for (let minute = 0; minute < 5; minute++) await tick();
    for (const [, , id] of started) await waitUntilErased(workspace, id);
    expect(await tablesHolding(canary)).toEqual([]);
    const deleted = (await eventsOf(workspace)).filter(([type]) => type.endsWith("deleted"));
    expect(new Set(deleted.map(([, , data]) => data.id)).size).toBe(deleted.length);
    expect(deleted).toHaveLength(started.length);
    for (const [, , data] of deleted) expect(Object.keys(data)).toEqual(["id"]);
  });

  it("is for who may write contacts, and names the revision", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = await createContact(workspace);
    const path = `${CONTACTS}/${id}/erase`;
    const reader = await issueKey(workspace.id, { permissions: ["salesbot:contacts:read"] });
    expect((await sendAs(reader.key, "POST", path)).status).toBe(403);
    expect((await workspace.send("POST", path)).status).toBe(428);
    expect((await erase(workspace, id, { "If-Match": '"0"' })).status).toBe(412);
    expect((await workspace.send("GET", `${CONTACTS}/${id}/erasure`)).status).toBe(404);
    const headers = { "If-Match": `"${revision}"`, "Idempotency-Key": newIdempotencyKey() };
    const first = await erase(workspace, id, headers);
    expect(first.status).toBe(202);
    const replay = await erase(workspace, id, headers);
    expect(replay.headers.get("Idempotency-Replayed")).toBe("true");
    expect(replay.body).toEqual(first.body);
    const again = await erase(workspace, id);
    expect([again.status, again.body.data.contact]).toEqual([202, id]);
    expect((await sendAs(reader.key, "GET", `${CONTACTS}/${id}/erasure`)).status).toBe(200);
    const told = (await eventsOf(workspace)).filter(([type]) => type.endsWith("deleted"));
    expect(told).toEqual([["salesbot.contact.deleted", "webchat", { id }]]);
    const other = await createWorkspace();
    expect((await erase(other, id)).status).toBe(404);
    expect((await erase(workspace, newId())).status).toBe(404);
  });

  it("reaches what a contact left behind that was deleted before", async () => {
    const workspace = await createWorkspace();
    const { canary, contact } = newPerson();
    const { id } = await createContact(workspace, contact);
    await hear(workspace, id, { text: canary });
    await change(workspace, "DELETE", `${CONTACTS}/${id}`);
    expect(await tablesHolding(canary)).toEqual(["events", "messages"]);
    expect((await workspace.send("POST", `${CONTACTS}/${id}/erase`)).status).toBe(202);
    await waitUntilErased(workspace, id);
    expect(await tablesHolding(canary)).toEqual([]);
  });

  it("reaches a contact of which nothing is left but events: its own, or another product's", async () => {
    const workspace = await createWorkspace();
    const { canary, contact } = newPerson();
    const { id } = await createContact(workspace, contact);
    await change(workspace, "DELETE", `${CONTACTS}/${id}`);
    const heard = { event: "salesbot.message.received", channel: "sms" };
    const sample = EVENT_TYPES.find(({ name }) => name === heard.event)?.sample;
    const stranger = newId();
    await publish(workspace, heard, { ...sample, contact: stranger, text: canary });
    expect(await tablesHolding(canary)).toEqual(["events"]);
    for (const one of [id, stranger]) {
      expect((await workspace.send("POST", `${CONTACTS}/${one}/erase`)).status).toBe(202);
      await waitUntilErased(workspace, one);
    }
    expect(await tablesHolding(canary)).toEqual([]);
  });

  it("is for good: what another product tells of it later is neither kept nor told", async () => {
    const workspace = await createWorkspace();
    const heard = { event: "salesbot.message.received", channel: "sms" };
    const endpoint = await createLiveEndpoint(workspace, newBox(), [heard]);
    const { canary, contact } = newPerson();
    const { id } = await createContact(workspace, contact);
    await erase(workspace, id);
    await waitUntilErased(workspace, id);
    const sample = EVENT_TYPES.find(({ name }) => name === heard.event)?.sample;
    const late = { ...sample, contact: id, text: canary };
    const published = await publish(workspace, heard, late);
    const events = Array.from({ length: 3 }, () => ({ ...heard, data: late }));
    const many = await operate("POST", `/workspaces/${workspace.id}/events/batch`, { events });
    expect([published.status, many.status]).toEqual([202, 202]);
    expect(published.body.data).toEqual({ id: expect.any(String) });
    expect(await tablesHolding(canary)).toEqual([]);
    const other = { ...late, contact: newId(), text: "Of somebody else" };
    expect((await publish(workspace, heard, other)).status).toBe(202);
    await waitForReceived(endpoint.box, 1);
    await tick();
    const { body } = await workspace.send("GET", `${endpoint.path}/deliveries`);
    expect(body.data).toHaveLength(1);
  });

  it("takes a submission's id for nobody's, though events tell of it: all of it stays", async () => {
    const workspace = await createWorkspace();
    const told = ["held", "received"].map((action) => ({
      event: `biolinks.submission.${action}`,
      channel: "all",
    }));
    const endpoint = await createLiveEndpoint(workspace, newBox("status=500"), told);
    const { id, answers } = await tellSubmission(workspace, { status: "held" });
    const pending = { status: "pending", payload: { data: { id, answers } } };
    const isAttempted = ({ attempts }: { attempts: { status_code: number | null }[] }) =>
      attempts[0]?.status_code === 500;
    await waitForDelivery(workspace, endpoint, isAttempted);

    const permissions = ["salesbot:contacts:write", "salesbot:contacts:read"];
    const { key } = await issueKey(workspace.id, { permissions });
    expect((await sendAs(key, "POST", `${CONTACTS}/${id}/erase`)).status).toBe(404);
    expect((await sendAs(key, "GET", `${CONTACTS}/${id}/erasure`)).status).toBe(404);
    expect(await waitForDelivery(workspace, endpoint, isAttempted)).toMatchObject(pending);
    await workspace.send("POST", `${SUBMISSIONS}/${id}/release`);
    await waitForReceived(endpoint.box, 2);
    const later = await waitForDelivery(workspace, endpoint, isAttempted);
    expect(later).toMatchObject({ event: "biolinks.submission.received", ...pending });
  });
});

describe("the job", () => {
  it("takes turns between workspaces, and goes through many records in slices", async () => {
    const [busy, quiet] = [await createWorkspace(), await createWorkspace()];
    const seed = (workspace: Workspace, count: number) =>
      env.DB.batch(
        Array.from({ length: count }, () => newId()).flatMap((subject) => [
          env.DB.prepare(
            `INSERT INTO erasures (subject, workspace_id, place, position, due_at, created_at)
             VALUES (?, ?, 0, '', 0, 0)`,
          ).bind(subject, workspace.id),
          env.DB.prepare(
            `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 600)
             INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, status,
               attempts_count, created_at, updated_at)
             SELECT ?1 || n, ?2, ?1, 'sms', 'inbound', 'secret', 'received', 0, 0, 0 FROM each`,
          ).bind(subject, workspace.id),
        ]),
      );
    await seed(busy, 5);
    await seed(quiet, 1);
    const ofOurs = async () => {
      const due = await findDueErasures(sharedDatabase(env as Env), Date.now(), 100);
      return due
        .map(({ workspaceId }) => workspaceId)
        .filter((id) => [busy.id, quiet.id].includes(id))
        .sort();
    };
    expect(await ofOurs()).toEqual([busy.id, quiet.id].sort());
    await eraseContacts(workIn(busy.id));
    expect(await ofOurs()).toEqual([]);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM messages WHERE text = 'secret'");
    expect(await left.first("n")).toBe(0);
  });

  it("asks the database so often a minute at most, and goes on with the next", async () => {
    for (let at = 0; at < 7; at++) {
      const { id } = await createWorkspace();
      const seed = env.DB.prepare(
        `INSERT INTO erasures (subject, workspace_id, place, position, due_at, created_at)
         VALUES (?, ?, 0, '', 0, 0)`,
      );
      await env.DB.batch(Array.from({ length: 5 }, () => seed.bind(newId(), id)));
    }
    const left = async () =>
      (await findDueErasures(sharedDatabase(env as Env), Date.now(), 100)).length;
    const counted = faulting("none");
    counted.faultOf = () => undefined;
    const work = { ...workIn(""), env: counted.env, db: sharedDatabase(counted.env) };
    for (let minute = 0; minute < 2; minute++) {
      counted.asked = 0;
      await eraseContacts(work);
      expect(counted.asked).toBeLessThanOrEqual(152);
      if (minute === 0) expect(await left()).toBeGreaterThan(0);
    }
    expect(await left()).toBe(0);
  });

  it("lets an erasure that meets a fault wait, and goes on with the others", async () => {
    const [one, other] = [await createWorkspace(), await createWorkspace()];
    const subject = newId();
    await env.DB.prepare(
      `INSERT INTO erasures (subject, workspace_id, place, position, due_at, created_at)
       VALUES (?1, ?2, 0, '', 0, 0), (?3, ?4, 0, '', 0, 0)`,
    )
      .bind(subject, one.id, newId(), other.id)
      .run();
    const broken = faulting("D1_ERROR: this cannot be erased");
    let faults = 0;
    broken.faultOf = (sql) => {
      if (!sql.startsWith("SELECT id FROM messages INDEXED BY messages_contact")) return undefined;
      return faults++ === 0 ? "undone" : undefined;
    };
    const before = loggedLines().length;
    await eraseContacts({ ...workIn(one.id), env: broken.env, db: sharedDatabase(broken.env) });
    const { results } = await env.DB.prepare(
      "SELECT finished_at FROM erasures WHERE workspace_id IN (?, ?)",
    )
      .bind(one.id, other.id)
      .all<{ finished_at: number | null }>();
    expect(results.filter(({ finished_at }) => finished_at === null)).toHaveLength(1);
    const told = loggedLines()
      .slice(before)
      .map((line) => JSON.parse(line).event);
    expect(told).toEqual(["erasure_faulted"]);
    vi.useFakeTimers({ now: Date.now() + 11 * 60_000, toFake: ["Date"] });
    await eraseContacts(workIn(one.id));
    vi.useRealTimers();
    expect(await findDueErasures(sharedDatabase(env as Env), 1e15, 100)).toEqual([]);
  });
});
