import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ContactEventData } from "../../../../src/features/salesbot/contacts/contacts.events.ts";
import {
  CONTACTS,
  change,
  createContact,
  createLabel,
  eventsOf,
  STAGES,
  TAGS,
} from "../../../support/contacts.ts";
import { ClosedSchemas } from "../../../support/contract-schema.ts";
import { send as request } from "../../../support/http.ts";
import { handedOver, hear, MESSAGES, send, waitForStatus } from "../../../support/messages.ts";
import { contactInput } from "../../../support/segment-arbitraries.ts";
import { env } from "../../../support/webhooks.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../../support/workspace.ts";

const HOUR = 3_600_000;
const TEMPLATE = { name: "shipped", params: { order: "4711" } };

afterEach(() => {
  vi.useRealTimers();
});

/** The message events of a workspace, as `action reason`. */
async function toldOf(workspace: Workspace): Promise<string[]> {
  const events = (await eventsOf(workspace)).filter(([type]) => type.includes(".message."));
  return events.map(([type, , data]) =>
    [type.split(".")[2], data.reason].filter(Boolean).join(" "),
  );
}

/** Makes a message due now, whatever its back-off, and wakes it. */
async function tryAgain(id: string): Promise<void> {
  await env.DB.prepare("UPDATE messages SET next_attempt_at = 0 WHERE id = ? AND status = 'queued'")
    .bind(id)
    .run();
  await env.MESSAGES.send({ message: id });
}

describe("a message", () => {
  it("is queued with 202, handed to its channel's connector, signed, and sent", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, {
      channel: "sms",
      phone: "+447700900123",
      external_id: "crm-1",
    });
    const { status, body } = await send(workspace, contact.id, { text: "Grüße 👋" });
    expect(status).toBe(202);
    expect(body.data).toEqual({
      id: expect.any(String),
      contact: contact.id,
      channel: "sms",
      direction: "outbound",
      text: "Grüße 👋",
      template: null,
      status: "queued",
      reason: null,
      sent_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { id } = body.data;
    const sent = await waitForStatus(workspace, id, "sent");
    expect(sent).toMatchObject({ reason: null, sent_at: expect.any(String) });
    const [received, ...more] = await handedOver(id);
    expect(more).toEqual([]);
    const verifier = new Webhook(env.MESSAGE_CONNECTOR_SECRET);
    expect(verifier.verify(received?.body ?? "", received?.headers ?? {})).toEqual({
      id,
      workspace: workspace.id,
      contact: {
        id: contact.id,
        external_id: "crm-1",
        name: "Ada",
        email: null,
        phone: "+447700900123",
      },
      channel: "sms",
      text: "Grüße 👋",
      template: null,
      created_at: body.data.created_at,
    });
    expect(received?.headers["idempotency-key"]).toBe(id);
    expect(received?.headers["webhook-id"]).toBe(id);
    expect(await toldOf(workspace)).toEqual(["queued", "sent"]);
  });

  it("goes by the channel that the request names, if it names one", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "sms" });
    const { body } = await send(workspace, id, { channel: "email", template: TEMPLATE });
    expect(body.data).toMatchObject({ channel: "email", text: null, template: TEMPLATE });
    await waitForStatus(workspace, body.data.id, "sent");
    expect(JSON.parse((await handedOver(body.data.id))[0]?.body ?? "")).toMatchObject({
      channel: "email",
      template: TEMPLATE,
    });
  });

  it.each([
    [{ contact: "ada" }, "contact"],
    [{ contact: crypto.randomUUID() }, "contact"],
    [{ text: "" }, "text"],
    [{ text: "x".repeat(4097) }, "text"],
    [{ text: undefined }, "text"],
    [{ text: "x", template: TEMPLATE }, "text"],
    [{ template: {}, text: undefined }, "template.name"],
    [{ channel: "pigeon" }, "channel"],
    [{ to: "+44" }, "to"],
  ])("is refused as invalid with %j", async (input, field) => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const body = { contact: contact.id, text: "x", ...input };
    const answer = await workspace.send("POST", MESSAGES, { body });
    expect([answer.status, answer.body.code, Object.keys(answer.body.errors)]).toEqual([
      422,
      "validation_failed",
      [field],
    ]);
  });

  it("is described as two forms: with a text, or with a template", async () => {
    const { schemas } = (await request("/openapi.json")).body.components;
    const closed = new ClosedSchemas(schemas);
    const misfits = (message: object) =>
      closed.misfits(
        { $ref: "#/components/schemas/SendMessage" },
        { contact: crypto.randomUUID(), ...message },
      ).length;
    for (const right of [{ text: "x" }, { template: TEMPLATE }, { text: "", template: TEMPLATE }]) {
      expect([right, misfits(right)]).toEqual([right, 0]);
    }
    for (const wrong of [{}, { text: "x", template: TEMPLATE }, { text: "" }, { text: 1 }]) {
      expect([wrong, misfits(wrong)]).not.toEqual([wrong, 0]);
    }
  });

  it("is another workspace's secret, and needs salesbot:messages:send", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const contact = await createContact(workspace, { channel: "sms" });
    const { id } = (await send(workspace, contact.id)).body.data;
    expect((await other.send("GET", `${MESSAGES}/${id}`)).status).toBe(404);
    expect((await send(other, contact.id)).body.errors.contact).toBeDefined();
    const { key } = await issueKey(workspace.id, { permissions: ["salesbot:contacts:write"] });
    expect((await sendAs(key, "GET", `${MESSAGES}/${id}`)).status).toBe(403);
    const body = { contact: contact.id, text: "x" };
    expect((await sendAs(key, "POST", MESSAGES, { body })).status).toBe(403);
  });
});

describe("a message that cannot be sent", () => {
  const longAgo = new Date(Date.now() - 25 * HOUR).toISOString();

  it.each([
    [{ status: "blocked", channel: "whatsapp" }, {}, "contact_blocked"],
    [{ status: "blocked" }, {}, "contact_blocked"],
    [{ status: "opted_out", channel: "whatsapp" }, {}, "contact_opted_out"],
    [{ status: "opted_out" }, { template: TEMPLATE }, "contact_opted_out"],
    [{}, {}, "channel_not_available"],
    [{ channel: "whatsapp" }, {}, "messaging_window_closed"],
    [{ channel: "instagram", last_inbound_at: longAgo }, {}, "messaging_window_closed"],
    [{ channel: "messenger" }, {}, "messaging_window_closed"],
    [{ channel: "sms" }, { channel: "whatsapp" }, "messaging_window_closed"],
  ])("to %j, as %j, is refused: %s %s", async (contact, input, reason) => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, contact);
    const { status, body } = await send(workspace, id, input);
    expect([status, body.code, body.reason]).toEqual([422, "message_refused", reason]);
    expect(body.message).toEqual(expect.any(String));
    expect(await toldOf(workspace)).toEqual([]);
  });

  it.each([
    [{ channel: "whatsapp" }, { template: TEMPLATE }],
    [{ channel: "whatsapp", last_inbound_at: new Date(Date.now() - 23 * HOUR).toISOString() }, {}],
    [{ channel: "telegram" }, {}],
    [{}, { channel: "sms" }],
  ])("is not one to %j, as %j", async (contact, input) => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, contact);
    expect((await send(workspace, id, input)).status).toBe(202);
  });

  it("is accepted within 24 hours of what the contact wrote, to the millisecond", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "whatsapp" });
    vi.useFakeTimers({ toFake: ["Date"] });
    const heardAt = Date.now();
    await hear(workspace, id);
    const { body } = await workspace.send("GET", `${CONTACTS}/${id}`);
    expect(Date.parse(body.data.window_expires_at)).toBe(heardAt + 24 * HOUR);
    vi.setSystemTime(heardAt + 24 * HOUR - 1);
    expect((await send(workspace, id)).status).toBe(202);
    vi.setSystemTime(heardAt + 24 * HOUR);
    expect((await send(workspace, id)).body.reason).toBe("messaging_window_closed");
  });

  it("fails after it was accepted when its channel has no connector", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "telegram" });
    const { body } = await send(workspace, id);
    const failed = await waitForStatus(workspace, body.data.id, "failed");
    expect(failed).toMatchObject({ reason: "channel_not_available", sent_at: null });
    expect(await toldOf(workspace)).toEqual(["queued", "failed channel_not_available"]);
  });

  it.each([
    [{ status: "opted_out" }, "contact_opted_out"],
    [{ status: "blocked" }, "contact_blocked"],
    [undefined, "contact_deleted"],
  ])("fails when its contact is changed to %j before it went out", async (changes, reason) => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const { body } = await send(workspace, contact.id, { text: "[503, 200]" });
    const { id } = body.data;
    await vi.waitFor(async () => expect(await handedOver(id)).toHaveLength(1));
    const path = `${CONTACTS}/${contact.id}`;
    await change(workspace, changes ? "PATCH" : "DELETE", path, changes);
    await vi.waitFor(
      async () => {
        await tryAgain(id);
        expect((await workspace.send("GET", `${MESSAGES}/${id}`)).body.data.status).toBe("failed");
      },
      { timeout: 60_000, interval: 200 },
    );
    expect((await waitForStatus(workspace, id, "failed")).reason).toBe(reason);
    expect(await handedOver(id)).toHaveLength(1);
  });

  it("fails when its person opts out as another contact before it went out", async () => {
    const workspace = await createWorkspace();
    const phone = "+447700900123";
    const contact = await createContact(workspace, { channel: "sms", phone });
    const twin = await createContact(workspace, { channel: "sms", phone });
    const { id } = (await send(workspace, contact.id, { text: "[503, 200]" })).body.data;
    await vi.waitFor(async () => expect(await handedOver(id)).toHaveLength(1));
    await change(workspace, "PATCH", `${CONTACTS}/${twin.id}`, { status: "opted_out" });
    await vi.waitFor(
      async () => {
        await tryAgain(id);
        expect((await waitForStatus(workspace, id, "failed")).reason).toBe("contact_opted_out");
      },
      { timeout: 60_000 },
    );
    expect(await handedOver(id)).toHaveLength(1);
  });

  it("fails with the connector's reason when that refuses it", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "sms" });
    const { body } = await send(workspace, id, { text: "[422]" });
    const failed = await waitForStatus(workspace, body.data.id, "failed");
    expect(failed.reason).toBe("number_not_in_use");
    expect(await handedOver(body.data.id)).toHaveLength(1);
  });

  it("fails by a reason that the description names when its connector gives none", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "sms" });
    const { body } = await send(workspace, id, { text: "[404]" });
    const failed = await waitForStatus(workspace, body.data.id, "failed");
    expect(failed.reason).toBe("rejected_by_connector");
    const described = (await request("/openapi.json")).body.components.schemas.MessageFailure;
    expect(JSON.stringify(described)).toContain('"rejected_by_connector"');
  });
});

describe("a message is sent once", () => {
  it("for one Idempotency-Key, however often the request is made", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "sms" });
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const first = await send(workspace, id, {}, headers);
    const message = first.body.data.id;
    await waitForStatus(workspace, message, "sent");
    const second = await send(workspace, id, {}, headers);
    expect([second.status, second.headers.get("Idempotency-Replayed")]).toEqual([202, "true"]);
    expect(second.body).toEqual(first.body);
    expect(await handedOver(message)).toHaveLength(1);
    expect(await toldOf(workspace)).toEqual(["queued", "sent"]);
  });

  it("however often its wake-up comes", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "sms" });
    const { body } = await send(workspace, id);
    const wakeUps = Array.from({ length: 20 }, () => ({ body: { message: body.data.id } }));
    await env.MESSAGES.sendBatch(wakeUps);
    await waitForStatus(workspace, body.data.id, "sent");
    await env.MESSAGES.sendBatch(wakeUps);
    // Whatever stands behind the wake-ups has been looked at when a later message is sent.
    const last = (await send(workspace, id)).body.data.id;
    await waitForStatus(workspace, last, "sent");
    expect(await handedOver(body.data.id)).toHaveLength(1);
    expect(await toldOf(workspace)).toEqual(["queued", "sent", "queued", "sent"]);
  });

  it("under the same id again when the connector was down", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "sms" });
    const { body } = await send(workspace, id, { text: "[503, 500, 200]" });
    const message = body.data.id;
    for (const attempts of [1, 2]) {
      await vi.waitFor(async () => expect(await handedOver(message)).toHaveLength(attempts));
      await vi.waitFor(
        async () => {
          await tryAgain(message);
          expect((await handedOver(message)).length).toBeGreaterThan(attempts);
        },
        { timeout: 60_000, interval: 200 },
      );
    }
    await waitForStatus(workspace, message, "sent");
    const received = await handedOver(message);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"]))).toEqual(
      new Set([message]),
    );
    expect(await toldOf(workspace)).toEqual(["queued", "sent"]);
  });
});

describe("what a contact writes", () => {
  it("is recorded, told as an event, and makes the contact active", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "instagram" });
    const { status, body } = await hear(workspace, contact.id, { text: "Hello?" });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      contact: contact.id,
      channel: "instagram",
      direction: "inbound",
      text: "Hello?",
      status: "received",
    });
    const heard = (await workspace.send("GET", `${CONTACTS}/${contact.id}`)).body.data;
    expect(heard.last_inbound_at).toBe(body.data.created_at);
    expect(heard.last_active_at).toBe(body.data.created_at);
    expect(heard.revision).not.toBe(contact.revision);
    const read = await workspace.send("GET", `${MESSAGES}/${body.data.id}`);
    expect(read.body).toEqual(body);
    expect(await toldOf(workspace)).toEqual(["received"]);
  });

  it("changes the contact, and is told as a change of it, with the contact as it is then", async () => {
    const workspace = await createWorkspace();
    const tags = await Promise.all(
      ["a", "b", "c"].map((name) => createLabel(workspace, TAGS, name)),
    );
    const stage = await createLabel(workspace, STAGES, "Won");
    const odd = {
      name: '\u0001"\\👩\u2028',
      last_active_at: "1969-12-31T23:59:59.999Z",
      custom: { n: 1e21, m: -0.1, t: true, "a-b": "\u0007" },
    };
    const inputs = fc.sample(contactInput(tags, [stage]), { numRuns: 60, seed: 10 });
    const imported = await workspace.send("POST", `${CONTACTS}/import`, {
      body: { contacts: [odd, ...inputs] },
    });
    const before = (await eventsOf(workspace)).length;
    for (const { id } of imported.body.data) {
      expect((await hear(workspace, id, { channel: "telegram" })).status).toBe(201);
    }
    const { data } = (await workspace.send("GET", `${CONTACTS}?limit=100`)).body;
    const told = (await eventsOf(workspace)).slice(before);
    expect(told).toHaveLength(2 * 61);
    for (const { revision: _, window_expires_at: __, ...contact } of data) {
      const about = told.filter(([, , about]) => about.id === contact.id);
      const channel = contact.channel ?? "webchat";
      // Of a contact that wrote in the future nothing changed.
      const isHeard = (name: string) => contact[name] === contact.updated_at;
      const changed = ["last_active_at", "last_inbound_at"].filter(isHeard);
      const data = { ...contact, changed, custom_left_out: [] };
      expect(about).toEqual([["salesbot.contact.updated", channel, data]]);
      expect(ContactEventData.parse(data)).toEqual(data);
    }
  });

  it("is told of times before 1970 as the API tells them", async () => {
    const workspace = await createWorkspace();
    const times = [
      "0001-01-01T00:00:00.000Z",
      "1969-12-31T23:59:59.999Z",
      "1900-02-28T12:00:00.001Z",
    ];
    for (const created of times) {
      const { id } = await createContact(workspace, {});
      await env.DB.prepare("UPDATE contacts SET created_at = ? WHERE id = ?")
        .bind(Date.parse(created), id)
        .run();
      await hear(workspace, id, { channel: "sms" });
      expect((await eventsOf(workspace)).at(-1)?.[2].created_at).toBe(created);
    }
  });

  it("is told once each, however many come at once, and not again for the same external id", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "sms" });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => hear(workspace, id, { external_id: `m${n % 10}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(10).fill(200),
      ...Array(10).fill(201),
    ]);
    const types = (await eventsOf(workspace)).map(([type]) => type);
    expect(types.filter((type) => type === "salesbot.message.received")).toHaveLength(10);
    expect(types.filter((type) => type === "salesbot.contact.updated")).toHaveLength(10);
  });

  it("counts once for the same external id on a channel", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { channel: "sms" });
    const once = { external_id: "wamid.1" };
    const answers = await Promise.all([1, 2, 3].map(() => hear(workspace, id, once)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect((await hear(workspace, id, { ...once, channel: "email" })).status).toBe(201);
    expect(await toldOf(workspace)).toEqual(["received", "received"]);
  });

  it("needs a contact of the workspace, and a channel", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = await createContact(workspace);
    expect((await hear(other, id)).body.errors.contact).toBeDefined();
    expect((await hear(workspace, id)).body.errors.channel).toBeDefined();
    expect((await hear(workspace, id, { channel: "sms" })).status).toBe(201);
    expect((await hear(workspace, id, { channel: "sms", text: "" })).status).toBe(422);
  });
});
