import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event-types.ts";
import {
  CONTACTS,
  change,
  createContact,
  createLabel,
  post,
  SEGMENTS,
  TAGS,
} from "../../support/contacts.ts";
import { type Answer, operate } from "../../support/http.ts";
import { MESSAGES } from "../../support/messages.ts";
import { createPixel, META_TAG, PIXELS } from "../../support/pixels.ts";
import {
  createLiveEndpoint,
  ENDPOINTS,
  newBox,
  POST_PUBLISHED,
  publish,
  WEBHOOKS,
  waitForDelivery,
} from "../../support/webhooks.ts";
import { tick } from "../../support/work.ts";
import {
  createLink,
  createWorkspace,
  LINKS,
  newIdempotencyKey,
  updateLink,
  type Workspace,
} from "../../support/workspace.ts";

async function usageOf({ id }: Workspace) {
  const answer = await operate("GET", `/workspaces/${id}/usage`);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

async function bytesOf(workspace: Workspace): Promise<number> {
  return (await usageOf(workspace)).stored_bytes;
}

/** As if a workspace stored so many times what its plan allows, and a byte. */
async function fill({ id }: Workspace, times: number): Promise<void> {
  // The recount would find that it does not.
  await env.DB.prepare("UPDATE usage_recount SET stage = 0, position = '', next_at = 1e15").run();
  await env.DB.prepare(
    `UPDATE workspace_usage SET stored_bytes = 1 + ?2 *
       (SELECT stored_bytes FROM plan_limits WHERE plan = 'free') WHERE id = ?1`,
  )
    .bind(id, times)
    .run();
}

/** Leaves a workspace room for so many bytes. */
async function leaveRoom({ id }: Workspace, bytes: number): Promise<void> {
  await env.DB.prepare(
    `UPDATE workspace_usage SET stored_bytes = ?2 +
       (SELECT stored_bytes FROM plan_limits WHERE plan = 'free') WHERE id = ?1`,
  )
    .bind(id, -bytes)
    .run();
}

const sendMessage = (workspace: Workspace, contact: string) =>
  workspace.send("POST", MESSAGES, {
    headers: { "Idempotency-Key": newIdempotencyKey() },
    body: { contact, text: "Hello" },
  });
const rows = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ external_id: `r${at}`, name: "Ada", ...more }));
const importOf = (workspace: Workspace, contacts: object[]) =>
  post(workspace, `${CONTACTS}/import`, { contacts });

describe("a workspace that stores as much as its plan allows", () => {
  it("may add no link, contact, segment, tag, message or event: 422, and what to do", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const link = await createLink(workspace);
    const pixel = await createPixel(workspace);
    await leaveRoom(workspace, 10);
    const refused = [
      await createLink(workspace),
      await updateLink(workspace, link.body.data.id, { title: "Longer than ten characters" }),
      await post(workspace, CONTACTS, { name: "Grace" }),
      await post(workspace, CONTACTS, { external_id: "e1" }),
      await change(workspace, "PATCH", `${CONTACTS}/${contact.id}`, {
        custom: { a: "long".repeat(9) },
      }),
      await importOf(workspace, rows(3)),
      await post(workspace, SEGMENTS, { name: "All" }),
      await post(workspace, TAGS, { name: "VIP" }),
      await post(workspace, PIXELS, { name: "P", provider: "meta", tag: META_TAG }),
      await change(workspace, "PATCH", `${PIXELS}/${pixel.id}`, { access_token: "t".repeat(20) }),
      await sendMessage(workspace, contact.id),
    ];
    await leaveRoom(workspace, -1);
    refused.push(await publish(workspace));
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([422, "storage_full"]);
      expect(body.message).toMatch(/delete something, or move to a larger plan/);
    }
    const left = await workspace.send("GET", CONTACTS);
    expect(left.body.data.map(({ id }: { id: string }) => id)).toEqual([contact.id]);
  });

  it("goes on in all else: reading, shrinking, deleting, what contacts write", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "VIP");
    const long = { name: "A name that is long", tags: [tag], channel: "sms" };
    const contact = await createContact(workspace, long);
    const link = (await createLink(workspace, { title: "A title" })).body.data;
    await leaveRoom(workspace, 0);
    const one = `${CONTACTS}/${contact.id}`;
    const passed = [
      await change(workspace, "PATCH", one, { name: "Ada" }),
      await change(workspace, "PATCH", one, { tags: [] }),
      await updateLink(workspace, link.id, { title: null, status: "active" }),
      await operate("POST", `/workspaces/${workspace.id}/messages/inbound`, {
        contact: contact.id,
        text: "Hello",
        external_id: "m1",
      }),
      await workspace.send("GET", CONTACTS),
      await change(workspace, "DELETE", one),
    ];
    expect(passed.map(({ status }) => status)).toEqual([200, 200, 200, 201, 200, 204]);
    // Moved to a larger plan it has room again.
    await leaveRoom(workspace, -1_000_000);
    expect((await createLink(workspace)).status).toBe(422);
    await operate("PATCH", `/workspaces/${workspace.id}`, { plan: "pro" });
    expect((await createLink(workspace)).status).toBe(201);
  });

  const statusesOf = ({ body }: Answer) =>
    body.data.map(({ status, errors }: { status: string; errors?: object }) =>
      errors ? [status, errors] : status,
    );
  const withoutRoom = ["failed", { row: [expect.stringMatching(/delete something/)] }];

  it("writes the rows of an import that need no room, opt-outs above all", async () => {
    const workspace = await createWorkspace();
    const known = ["a", "b", "c"].map((external_id) => ({ external_id, name: "Ada" }));
    await importOf(workspace, known);
    await leaveRoom(workspace, 10);
    const imported = await importOf(workspace, [
      { name: "New" },
      { external_id: "a", status: "opted_out" },
      { external_id: "b", name: "Eve" },
      { external_id: "c", name: "Much longer than Ada" },
      { external_id: "d", status: "opted_out" },
    ]);
    const all = [withoutRoom, "updated", "updated", withoutRoom, withoutRoom];
    expect([imported.status, statusesOf(imported)]).toEqual([200, all]);
    await fill(workspace, 2);
    const overfull = await importOf(workspace, [
      { external_id: "c", name: "Eva" },
      { external_id: "b", status: "opted_out" },
    ]);
    expect([overfull.status, statusesOf(overfull)]).toEqual([200, [withoutRoom, "updated"]]);
  });

  it("gets a refused request run once it has room, under the same key", async () => {
    const workspace = await createWorkspace();
    await leaveRoom(workspace, 0);
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const send = () => workspace.send("POST", CONTACTS, { headers, body: { name: "Ada" } });
    expect((await send()).status).toBe(422);
    await leaveRoom(workspace, 100_000);
    expect((await send()).status).toBe(201);
  });
});

describe("an overfull workspace: one that stores twice what its plan allows", () => {
  it("may cause no more events: nothing changes, but what is deleted or opts out", async () => {
    const workspace = await createWorkspace();
    const person = { name: "Ada", external_id: "r0", channel: "sms" };
    const contact = await createContact(workspace, person);
    const one = `${CONTACTS}/${contact.id}`;
    const writes = [
      () => change(workspace, "PATCH", one, { name: "Eve" }),
      () => importOf(workspace, [{ external_id: "r0", name: "Ida" }]),
      () => importOf(workspace, [{ external_id: "r0", name: "I", status: "active" }]),
    ];
    await fill(workspace, 1);
    expect((await change(workspace, "PATCH", one, { name: "Eva" })).status).toBe(200);
    await fill(workspace, 2);
    for (const write of writes) {
      const { status, body } = await write();
      expect([status, body.code]).toEqual([422, "storage_full"]);
    }
    const passed = [
      await change(workspace, "PATCH", one, { status: "opted_out" }),
      await workspace.send("GET", one),
      await operate("POST", `/workspaces/${workspace.id}/messages/inbound`, {
        contact: contact.id,
        text: "Hello",
        external_id: "m1",
      }),
      await change(workspace, "DELETE", one),
    ];
    expect(passed.map(({ status }) => status)).toEqual([200, 200, 201, 204]);
    expect(passed[1]?.body.data).toMatchObject({ name: "Eva", status: "opted_out" });
    const { batch } = (await env.DB.prepare(
      "SELECT batch_bytes AS batch FROM workspace_usage WHERE id = ?",
    )
      .bind(workspace.id)
      .first<{ batch: number | null }>()) ?? { batch: 0 };
    expect(batch).toBeNull();
  });

  it("changes no link of which somebody wants to know, but is switched off or deleted", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createLink(workspace, { title: "S" })).body.data;
    await updateLink(workspace, id, { status: "active" });
    await fill(workspace, 2);
    // Nobody is told: it writes no more than the link is.
    expect((await updateLink(workspace, id, { title: "T" })).status).toBe(200);
    const updated = { event: "biolinks.link.updated", channel: "all" };
    await createLiveEndpoint(workspace, newBox(), [updated]);
    for (const input of [{ title: "U" }, { title: "U", status: "active" }]) {
      const { status, body } = await updateLink(workspace, id, input);
      expect([status, body.code]).toEqual([422, "storage_full"]);
    }
    const one = `/workspaces/${workspace.id}/links/${id}`;
    const passed = [
      await updateLink(workspace, id, { status: "paused" }),
      await operate("PATCH", one, { disabled: true }),
    ];
    expect(passed.map(({ status }) => status)).toEqual([200, 200]);
    expect(passed[1]?.body.data).toMatchObject({ title: "T", status: "paused", disabled: true });
    expect((await updateLink(workspace, id, { status: "active" })).status).toBe(422);
    expect((await operate("PATCH", one, { disabled: false })).status).toBe(200);
    expect((await change(workspace, "DELETE", `${LINKS}/${id}`)).status).toBe(204);
  });

  it("gets no more deliveries until it has room, and of a full one's responses the start is kept", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(
      workspace,
      newBox(`status=200&bytes=3000&header=A:${"x".repeat(500)}`),
    );
    const paced = (inHour: number) =>
      env.DB.prepare("UPDATE workspace_usage SET hour = ?3, deliveries_in_hour = ?2 WHERE id = ?1")
        .bind(workspace.id, inHour, Math.floor(Date.now() / 3_600_000))
        .run();
    await paced(10_000);
    await publish(workspace);
    await env.DB.prepare("UPDATE events SET created_at = created_at - 6000 WHERE workspace_id = ?")
      .bind(workspace.id)
      .run();
    await paced(0);
    await fill(workspace, 2);
    await tick();
    const path = `${ENDPOINTS}/${endpoint.id}/deliveries`;
    expect((await workspace.send("GET", path)).body.data).toEqual([]);

    await fill(workspace, 1);
    await tick();
    const { id } = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "delivered",
    );
    const delivery = await workspace.send("GET", `${WEBHOOKS}/deliveries/${id}`);
    expect(delivery.body.data.attempts[0]).toMatchObject({
      response_body: "x".repeat(200),
      response_headers: null,
    });

    await fill(workspace, 2);
    const headers = { "Idempotency-Key": newIdempotencyKey(), "If-Match": "*" };
    const refused = [
      await workspace.send("POST", `${WEBHOOKS}/deliveries/${id}/resend`, {
        headers: { "Idempotency-Key": newIdempotencyKey() },
      }),
      await workspace.send("POST", `${ENDPOINTS}/${endpoint.id}/test`, {
        headers,
        body: { event: POST_PUBLISHED.event },
      }),
      await workspace.send("POST", `${ENDPOINTS}/${endpoint.id}/recover`, {
        headers: { "Idempotency-Key": newIdempotencyKey(), "If-Match": "*" },
        body: { since: new Date(Date.now() - 60_000).toISOString() },
      }),
    ];
    for (const { status, body } of refused)
      expect([status, body.code]).toEqual([422, "storage_full"]);
  });
});

describe("what a workspace stores", () => {
  it("grows with what is written and shrinks with what is deleted, to nothing", async () => {
    const workspace = await createWorkspace();
    expect(await bytesOf(workspace)).toBe(0);
    const contact = await createContact(workspace, { name: "é".repeat(100) });
    const one = await bytesOf(workspace);
    // 600 and two bytes a letter, and an event that tells of it.
    expect(one).toBeGreaterThan(800 + 350);
    await change(workspace, "DELETE", `${CONTACTS}/${contact.id}`);
    await env.DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(workspace.id).run();
    expect(await usageOf(workspace)).toMatchObject({ stored_bytes: 0, contacts: 0 });
  });

  it("is the same whether contacts come one by one or in an import", async () => {
    const tagged = async (workspace: Workspace) => ({
      tags: [await createLabel(workspace, TAGS, "VIP")],
      custom: { seats: 7 },
    });
    const [together, apart] = [await createWorkspace(), await createWorkspace()];
    const own = rows(12, await tagged(together));
    await importOf(together, own);
    await importOf(together, [
      ...own.slice(0, 6).map((row) => ({ ...row, name: "Ada Lovelace" })),
      ...rows(2),
    ]);
    const other = rows(12, await tagged(apart));
    for (const row of other) await post(apart, CONTACTS, row);
    for (const row of other.slice(0, 6))
      await post(apart, CONTACTS, { ...row, name: "Ada Lovelace" });
    const contactsOf = async (workspace: Workspace) => {
      const { stored_bytes, contacts } = await usageOf(workspace);
      const events = await env.DB.prepare(
        "SELECT sum(bytes) AS bytes FROM events WHERE workspace_id = ?",
      )
        .bind(workspace.id)
        .first<number>("bytes");
      return { bytes: stored_bytes - (events ?? 0), contacts };
    };
    expect(await contactsOf(together)).toEqual(await contactsOf(apart));
    expect((await contactsOf(together)).contacts).toBe(12);
  });

  it("holds deliveries and the responses kept of them", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await publish(workspace);
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "delivered");
    const event = JSON.stringify(
      EVENT_TYPES.find(({ name }) => name === "publishing.post.published")?.sample,
    );
    const targets = JSON.stringify([["endpoint", endpoint.id]]);
    const stored = await bytesOf(workspace);
    expect(stored).toBe(350 + event.length + targets.length + 900);
    const attempts = (json: unknown) =>
      env.DB.prepare("UPDATE target_deliveries SET attempts = ?2 WHERE workspace_id = ?1")
        .bind(workspace.id, JSON.stringify(json))
        .run();
    // What is short takes no room. An é takes two bytes.
    const long = (characters: number) => ({ 1: "é".repeat(characters) });
    await attempts(long(496));
    expect(await bytesOf(workspace)).toBe(stored);
    for (const characters of [2000, 2000, 497, 1000]) {
      await attempts(long(characters));
      expect(await bytesOf(workspace)).toBe(stored + 2 * (characters - 496));
    }
    // As an erasure does.
    await attempts({});
    expect(await bytesOf(workspace)).toBe(stored);
    await attempts(long(2000));
    await env.DB.prepare("DELETE FROM target_deliveries WHERE workspace_id = ?")
      .bind(workspace.id)
      .run();
    expect(await bytesOf(workspace)).toBe(stored - 900);
  });
});

describe("the usage of a workspace", () => {
  it("tells its links, contacts, deliveries and messages, and what its plan allows", async () => {
    const startedAt = Date.now();
    const workspace = await createWorkspace({ plan: "pro" });
    const endpoint = await createLiveEndpoint(workspace);
    const contact = await createContact(workspace, { channel: "sms" });
    await createLink(workspace);
    await sendMessage(workspace, contact.id);
    await publish(workspace);
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "delivered");
    const month = new Date().toISOString().slice(0, 7);
    const usage = await usageOf(workspace);
    const hourOf = (time: number) => Math.floor(time / 3_600_000);
    const isOneHour = hourOf(startedAt) === hourOf(Date.now());
    expect(usage).toMatchObject({
      links: 1,
      pages: 0,
      contacts: 1,
      pending_deliveries: 0,
      deliveries_this_hour: isOneHour ? 1 : expect.any(Number),
      limits: {
        stored_bytes: 524_288_000,
        pages: 50,
        deliveries_an_hour: 50_000,
        pending_deliveries: 50_000,
      },
      this_month: { month, clicks: 0, deliveries: 1, messages: 1 },
      last_month: { clicks: 0, deliveries: 0, messages: 0 },
    });
  });

  it("of the month before is kept, and no longer than that", async () => {
    const workspace = await createWorkspace();
    const { month } = (await env.DB.prepare(
      "SELECT CAST(strftime('%Y') AS INTEGER) * 12 + strftime('%m') - 1 AS month",
    ).first<{ month: number }>()) ?? { month: 0 };
    const countedIn = (at: number) =>
      env.DB.prepare("UPDATE workspace_usage SET month = ?2, messages = 7 WHERE id = ?1")
        .bind(workspace.id, at)
        .run();
    const contact = await createContact(workspace, { channel: "sms" });
    await countedIn(month - 1);
    expect((await usageOf(workspace)).last_month.messages).toBe(7);
    await sendMessage(workspace, contact.id);
    const { this_month, last_month } = await usageOf(workspace);
    expect([this_month.messages, last_month.messages]).toEqual([1, 7]);
    await countedIn(month - 2);
    expect((await usageOf(workspace)).last_month.messages).toBe(0);
    await sendMessage(workspace, contact.id);
    expect((await usageOf(workspace)).last_month.messages).toBe(0);
  });

  it("of a workspace that is not there is 404", async () => {
    const answer = await operate("GET", `/workspaces/${crypto.randomUUID()}/usage`);
    expect(answer.status).toBe(404);
  });
});
