import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContactEventData } from "../../../../src/features/salesbot/contacts/contacts.events.ts";
import { ContactInput } from "../../../../src/features/salesbot/contacts/contacts.schemas.ts";
import { createContact as makeContact } from "../../../../src/features/salesbot/contacts/contacts.service.ts";
import {
  CONTACTS,
  change,
  createContact,
  createLabel,
  eventsOf,
  post,
  STAGES,
  TAGS,
} from "../../../support/contacts.ts";
import { workIn } from "../../../support/work.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
} from "../../../support/workspace.ts";

const FULL = {
  external_id: "crm-1815",
  name: "Ada Lovelace",
  email: "Ada@Example.com",
  phone: "+44 7700 900123",
  channel: "whatsapp",
  country: "gb",
  language: "en-GB",
  custom: { plan: "pro", seats: 3, beta: true },
  status: "active",
  last_active_at: "2026-11-20T09:00:00+01:00",
  last_inbound_at: "2026-11-19T08:00:00.000Z",
};

describe("a contact", () => {
  it("is created with all its fields, and read as it was created", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "VIP");
    const stage = await createLabel(workspace, STAGES, "Won");
    const created = await post(workspace, CONTACTS, { ...FULL, stage, tags: [tag, tag] });
    expect(created.status).toBe(201);
    expect(created.body.data).toEqual({
      ...FULL,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      revision: expect.any(String),
      country: "GB",
      stage,
      tags: [tag],
      last_active_at: "2026-11-20T08:00:00.000Z",
      window_expires_at: "2026-11-20T08:00:00.000Z",
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(created.headers.get("ETag")).toBe(`"${created.body.data.revision}"`);
    const read = await workspace.send("GET", `${CONTACTS}/${created.body.data.id}`);
    expect(read.body).toEqual(created.body);
  });

  it.each<[string, string]>([
    ["name", "Ada"],
    ["email", "ada@example.com"],
    ["phone", "+447700900123"],
    ["external_id", "crm-1"],
  ])("needs no more to be known of it than its %s", async (field, value) => {
    const workspace = await createWorkspace();
    const blanks = { name: " ", email: "", phone: null, external_id: "" };
    const { status, body } = await post(workspace, CONTACTS, { ...blanks, [field]: value });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      name: null,
      email: null,
      phone: null,
      external_id: null,
      [field]: value,
      channel: null,
      stage: null,
      tags: [],
      custom: {},
      status: "active",
      last_active_at: null,
      window_expires_at: null,
    });
  });

  it.each([
    [{ email: "ada" }, "email"],
    [{ email: `${"a".repeat(250)}@x.io` }, "email"],
    [{ phone: "call me" }, "phone"],
    [{ channel: "pigeon" }, "channel"],
    [{ country: "Britain" }, "country"],
    [{ language: "English!" }, "language"],
    [{ status: "gone" }, "status"],
    [{ stage: "won" }, "stage"],
    [{ stage: crypto.randomUUID() }, "stage"],
    [{ tags: ["vip"] }, "tags.0"],
    [{ tags: [crypto.randomUUID()] }, "tags"],
    [{ tags: Array.from({ length: 101 }, () => crypto.randomUUID()) }, "tags"],
    [{ custom: [] }, "custom"],
    [{ custom: { "a b": 1 } }, "custom.a b"],
    [{ custom: { a: { b: 1 } } }, "custom.a"],
    [{ custom: { a: "x".repeat(1001) } }, "custom.a"],
    [{ custom: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n])) }, "custom"],
    [{ last_active_at: "yesterday" }, "last_active_at"],
    [{ last_active_at: "2999-01-01T00:00:00Z" }, "last_active_at"],
    [{ name: "x".repeat(201) }, "name"],
    [{ name: "a\u0000b" }, "name"],
    [{ name: "\ud800" }, "name"],
    [{ nickname: "A" }, "nickname"],
  ])("is not created with %j", async (input, field) => {
    const workspace = await createWorkspace();
    const { status, body } = await post(workspace, CONTACTS, input);
    expect([status, body.code, Object.keys(body.errors)]).toEqual([
      422,
      "validation_failed",
      [field],
    ]);
    expect(await eventsOf(workspace)).toEqual([]);
  });

  it("may not have another workspace's tag or stage", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const tag = await createLabel(other, TAGS, "VIP");
    const stage = await createLabel(other, STAGES, "Won");
    expect((await post(workspace, CONTACTS, { tags: [tag] })).body.errors.tags).toBeDefined();
    expect((await post(workspace, CONTACTS, { stage })).body.errors.stage).toBeDefined();
  });

  it("is changed only where the request says so; custom fields are merged, null removes one", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, FULL);
    const path = `${CONTACTS}/${contact.id}`;
    const { status, body } = await change(workspace, "PATCH", path, {
      phone: null,
      custom: { plan: null, seats: 4, city: "London" },
    });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...contact,
      phone: null,
      custom: { seats: 4, beta: true, city: "London" },
      revision: expect.not.stringContaining(contact.revision),
      updated_at: expect.any(String),
    });
    expect((await workspace.send("GET", path)).body).toEqual(body);
  });

  it("needs If-Match to be changed or deleted", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = await createContact(workspace);
    const path = `${CONTACTS}/${id}`;
    const send = (method: string, etag?: string) =>
      workspace.send(method, path, {
        ...(etag && { headers: { "If-Match": etag } }),
        ...(method === "PATCH" && { body: { name: "B" } }),
      });
    for (const method of ["PATCH", "DELETE"]) {
      expect((await send(method)).status).toBe(428);
      expect((await send(method, '"0"')).status).toBe(412);
    }
    expect((await send("PATCH", `"${revision}"`)).status).toBe(200);
    expect((await send("PATCH", `"${revision}"`)).status).toBe(412);
    expect((await change(workspace, "DELETE", path)).status).toBe(204);
    expect((await change(workspace, "DELETE", path)).status).toBe(404);
    expect((await workspace.send("GET", path)).status).toBe(404);
  });

  it("is another workspace's secret", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = await createContact(workspace);
    const path = `${CONTACTS}/${id}`;
    expect((await other.send("GET", path)).status).toBe(404);
    expect((await change(other, "PATCH", path, { name: "Mine" })).status).toBe(404);
    expect((await change(other, "DELETE", path)).status).toBe(404);
    expect((await other.send("GET", CONTACTS)).body.data).toEqual([]);
  });

  it("is not told to another workspace by where a list of its tag goes on", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const tags = [await createLabel(workspace, TAGS, "VIP")];
    await createContact(workspace, { tags });
    // More than a list looks at.
    const ids = `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 5000)
      SELECT printf('%08x', n) || substr(?1, 9) AS id FROM each`;
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO contacts (id, workspace_id, custom, status, revision, created_at, updated_at)
         SELECT id, ?1, '{}', 'active', 'r', 0, 0 FROM (${ids})`,
      ).bind(workspace.id),
      env.DB.prepare(
        `INSERT INTO contact_tags (contact_id, tag_id) SELECT id, ?2 FROM (${ids})`,
      ).bind(workspace.id, tags[0]),
    ]);
    const { body } = await other.send("GET", `${CONTACTS}?tag=${tags[0]}`);
    expect(body).toEqual({ data: [], next_cursor: null });
  });

  it("is read with salesbot:contacts:read, written with salesbot:contacts:write", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace);
    const reader = await issueKey(workspace.id, { permissions: ["salesbot:contacts:read"] });
    const writer = await issueKey(workspace.id, { permissions: ["salesbot:contacts:write"] });
    const path = `${CONTACTS}/${id}`;
    expect((await sendAs(reader.key, "GET", path)).status).toBe(200);
    expect((await sendAs(reader.key, "POST", CONTACTS, { body: {} })).status).toBe(403);
    expect((await sendAs(writer.key, "GET", path)).status).toBe(403);
    expect((await sendAs(writer.key, "POST", CONTACTS, { body: { name: "A" } })).status).toBe(201);
  });
});

describe("a contact of whom nothing is known", () => {
  const refused = {
    name: ["A contact needs at least one of name, email, phone and external_id."],
  };

  it("is not made, nor imported", async () => {
    const workspace = await createWorkspace();
    for (const input of [{}, { name: " ", email: "" }, { country: "GB", custom: { plan: "x" } }]) {
      const { status, body } = await post(workspace, CONTACTS, input);
      expect([status, body.errors]).toEqual([422, refused]);
      const imported = await post(workspace, `${CONTACTS}/import`, { contacts: [input] });
      expect(imported.body.data).toEqual([{ row: 0, status: "failed", id: null, errors: refused }]);
    }
    expect((await workspace.send("GET", CONTACTS)).body.data).toEqual([]);
    expect(await eventsOf(workspace)).toEqual([]);
  });

  it("is not what a change leaves, whichever was the last", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace, { email: "ada@example.com" });
    const path = `${CONTACTS}/${id}`;
    expect((await change(workspace, "PATCH", path, { name: null })).status).toBe(200);
    const { status, body } = await change(workspace, "PATCH", path, { email: "" });
    expect([status, body.errors]).toEqual([422, refused]);
    const other = { email: null, phone: "+447700900123" };
    expect((await change(workspace, "PATCH", path, other)).status).toBe(200);
    expect((await workspace.send("GET", path)).body.data).toMatchObject(other);
  });

  it("is not left by two changes at once that each take one", async () => {
    const workspace = await createWorkspace();
    for (let round = 0; round < 5; round++) {
      const { id } = await createContact(workspace, { email: "ada@example.com" });
      const path = `${CONTACTS}/${id}`;
      const answers = await Promise.all([
        change(workspace, "PATCH", path, { name: null }),
        change(workspace, "PATCH", path, { email: null }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    }
  });

  it("may be read and changed if it was stored before", async () => {
    const workspace = await createWorkspace();
    const { id } = await createContact(workspace);
    await env.DB.prepare("UPDATE contacts SET name = NULL WHERE id = ?").bind(id).run();
    const path = `${CONTACTS}/${id}`;
    expect((await workspace.send("GET", path)).body.data.name).toBeNull();
    const changed = await change(workspace, "PATCH", path, { country: "GB" });
    expect([changed.status, changed.body.data.country]).toEqual([200, "GB"]);
    expect((await change(workspace, "PATCH", path, { name: "Ada" })).status).toBe(200);
    expect((await change(workspace, "PATCH", path, { name: "" })).status).toBe(422);
  });
});

describe("an external id", () => {
  it("makes a second POST change the contact that has it", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, FULL);
    const again = await post(workspace, CONTACTS, {
      external_id: FULL.external_id,
      name: "Ada K.",
    });
    expect(again.status).toBe(200);
    expect(again.body.data).toMatchObject({ id: contact.id, name: "Ada K.", phone: FULL.phone });
    expect((await workspace.send("GET", CONTACTS)).body.data).toHaveLength(1);
    const other = await createWorkspace();
    expect((await post(other, CONTACTS, FULL)).status).toBe(201);
  });

  it("is one contact's, however many POSTs come at once", async () => {
    const workspace = await createWorkspace();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        post(workspace, CONTACTS, { external_id: "one", custom: { [`n${n}`]: n } }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(19);
    const { data } = (await workspace.send("GET", CONTACTS)).body;
    expect(data).toHaveLength(1);
    expect(Object.keys(data[0].custom).sort()).toEqual(answers.map((_, n) => `n${n}`).sort());
  });

  it("cannot be taken over from another contact", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace, { external_id: "a" });
    const { id } = await createContact(workspace, { external_id: "b" });
    const { status, body } = await change(workspace, "PATCH", `${CONTACTS}/${id}`, {
      external_id: "a",
    });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["external_id"]]);
  });
});

describe("an Idempotency-Key on POST /contacts", () => {
  it("is not required, and is honoured", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const send = () => workspace.send("POST", CONTACTS, { headers, body: { name: "Once" } });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
    expect((await workspace.send("GET", CONTACTS)).body.data).toHaveLength(1);
  });
});

describe("the list of contacts", () => {
  it("is newest first, page by page, and can be filtered", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "VIP");
    const stage = await createLabel(workspace, STAGES, "Won");
    const made = [
      await createContact(workspace, { email: "A@x.io", tags: [tag], channel: "sms" }),
      await createContact(workspace, { external_id: "e", stage, tags: [tag] }),
      await createContact(workspace, { status: "blocked" }),
    ];
    const ids = async (query: string) => {
      const { body } = await workspace.send("GET", `${CONTACTS}?${query}`);
      return body.data.map(({ id }: { id: string }) => made.findIndex((one) => one.id === id));
    };
    const page = await workspace.send("GET", `${CONTACTS}?limit=2`);
    expect(page.body.data.map(({ id }: { id: string }) => id)).toEqual([made[2].id, made[1].id]);
    expect(await ids(`limit=2&cursor=${page.body.next_cursor}`)).toEqual([0]);
    expect(await ids(`tag=${tag}`)).toEqual([1, 0]);
    expect(await ids(`tag=${tag}&limit=1`)).toEqual([1]);
    expect(await ids(`tag=${tag}&channel=sms&email=a@X.IO`)).toEqual([0]);
    expect(await ids(`stage=${stage}`)).toEqual([1]);
    expect(await ids("external_id=e")).toEqual([1]);
    expect(await ids(`external_id=e&tag=${tag}&stage=${stage}&status=active`)).toEqual([1]);
    expect(await ids("external_id=e&status=blocked")).toEqual([]);
    expect(await ids(`external_id=e&tag=${crypto.randomUUID()}`)).toEqual([]);
    expect(await ids(`external_id=e&cursor=${page.body.next_cursor}`)).toEqual([]);
    expect(await ids(`stage=${stage}&tag=${tag}`)).toEqual([1]);
    expect(await ids("status=blocked")).toEqual([2]);
    expect((await workspace.send("GET", `${CONTACTS}?cursor=x`)).status).toBe(422);
  });
});

describe("a new contact", () => {
  it.each([
    [{}, ["created"]],
    [{ tags: true }, ["created", "tagged"]],
    [{ status: "opted_out" }, ["created", "opted_out"]],
    [{ status: "blocked" }, ["created"]],
    [{ tags: true, status: "opted_out" }, ["created", "tagged", "opted_out"]],
  ])("with %j is told as %j, however it is made", async (input, told) => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "VIP");
    const made = { ...input, ...("tags" in input && { tags: [tag] }), channel: "sms", name: "A" };
    await post(workspace, CONTACTS, made);
    await post(workspace, CONTACTS, { ...made, external_id: "upserted" });
    await post(workspace, `${CONTACTS}/import`, {
      contacts: [made, { ...made, external_id: "imported" }],
    });
    const { data } = (await workspace.send("GET", CONTACTS)).body;
    expect(data).toHaveLength(4);
    const events = await eventsOf(workspace);
    for (const { revision: _, window_expires_at: __, ...contact } of data) {
      expect(events.filter(([, , { id }]) => id === contact.id)).toEqual(
        told.map((what) => [
          `salesbot.contact.${what}`,
          "sms",
          { ...contact, custom_left_out: [], changed: expect.arrayContaining(["name", "channel"]) },
        ]),
      );
    }
    // The same again changes nothing, and tells nothing.
    await post(workspace, CONTACTS, { ...made, external_id: "upserted" });
    expect(await eventsOf(workspace)).toEqual(events);
  });

  it("is told once, however often its request is run", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "VIP");
    const body = { name: "Once", tags: [tag], status: "opted_out" };
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    await workspace.send("POST", CONTACTS, { headers, body });
    await workspace.send("POST", CONTACTS, { headers, body });
    expect(await eventsOf(workspace)).toHaveLength(3);
    // Cut off after its commit, and run again under the ids that the gate gave.
    const ctx = workIn(workspace.id);
    const input = ContactInput.parse(body);
    const first = await makeContact(ctx, input);
    expect(await makeContact(ctx, input)).toEqual(first);
    expect(await eventsOf(workspace)).toHaveLength(6);
  });
});

describe("a change of a contact", () => {
  it("is told in events of the contact's channel, with the contact as it is then", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "VIP");
    const contact = await createContact(workspace, { channel: "telegram" });
    const path = `${CONTACTS}/${contact.id}`;
    await change(workspace, "PATCH", path, { name: "Countess" });
    await change(workspace, "PATCH", path, { tags: [tag] });
    await change(workspace, "PATCH", path, { status: "opted_out", tags: [] });
    await change(workspace, "DELETE", path);
    const events = await eventsOf(workspace);
    expect(events.map(([type, channel]) => `${type} ${channel}`)).toEqual([
      "salesbot.contact.created telegram",
      "salesbot.contact.updated telegram",
      "salesbot.contact.updated telegram",
      "salesbot.contact.tagged telegram",
      "salesbot.contact.updated telegram",
      "salesbot.contact.tagged telegram",
      "salesbot.contact.opted_out telegram",
      "salesbot.contact.deleted telegram",
    ]);
    expect(events.map(([, , data]) => [data.id, data.name, data.tags, data.status])).toEqual([
      [contact.id, "Ada", [], "active"],
      [contact.id, "Countess", [], "active"],
      [contact.id, "Countess", [tag], "active"],
      [contact.id, "Countess", [tag], "active"],
      [contact.id, "Countess", [], "opted_out"],
      [contact.id, "Countess", [], "opted_out"],
      [contact.id, "Countess", [], "opted_out"],
      [contact.id, "Countess", [], "opted_out"],
    ]);
  });

  it("that changes nothing is no change: no event, the same revision", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, FULL);
    const path = `${CONTACTS}/${contact.id}`;
    const { body } = await change(workspace, "PATCH", path, {
      name: FULL.name,
      custom: { seats: 3 },
    });
    expect(body.data).toEqual(contact);
    expect(await eventsOf(workspace)).toHaveLength(1);
  });

  it("whatever times a contact is given fit its events too", () => {
    const times = fc.date({ min: new Date("-000001-01-01"), max: new Date(), noInvalidDate: true });
    const zones = fc.constantFrom("Z", "+14:00", "-12:00", "+05:45");
    fc.assert(
      fc.property(times, zones, (time, zone) => {
        const written = time.toISOString().replace("Z", zone);
        const read = ContactInput.safeParse({ last_active_at: written });
        if (!read.success || typeof read.data.last_active_at !== "number") return;
        const told = new Date(read.data.last_active_at).toISOString();
        expect([written, ContactEventData.shape.last_active_at.safeParse(told).success]).toEqual([
          written,
          true,
        ]);
      }),
      { examples: [[new Date("0000-01-01T00:00:00Z"), "+14:00"]] },
    );
  });
});
