import { describe, expect, it } from "vitest";
import { CONTACTS, createContact } from "../../../support/contacts.ts";
import { operate, type Send } from "../../../support/http.ts";
import { createWorkspace, issueKey, sendAs } from "../../../support/workspace.ts";

const CONSENT = "salesbot:contacts:consent";
const MESSAGE = `This needs the permission ${CONSENT}.`;
const PAST = "2026-11-01T08:00:00.000Z";

const workspace = await createWorkspace();
const { key: plainKey } = await issueKey(workspace.id, {
  permissions: ["salesbot:contacts:read", "salesbot:contacts:write"],
});
const { key: consentKey } = await issueKey(workspace.id, {
  permissions: ["salesbot:contacts:read", "salesbot:contacts:write", CONSENT],
});

async function editorKey(role: string): Promise<string> {
  const body = { email: `${crypto.randomUUID()}@example.com`, role };
  const member = await operate("POST", `/workspaces/${workspace.id}/members`, body);
  return (await issueKey(workspace.id, { member: member.body.data.id })).key;
}

/** As a program that may write contacts, and no more. */
function plain(method: string, path: string, body: object, more: Send = {}) {
  return sendAs(plainKey, method, path, { body, headers: { "If-Match": "*" }, ...more });
}

function refusal({ status, body }: Awaited<ReturnType<typeof plain>>) {
  return [status, body.code, body.message];
}
const REFUSED = [403, "forbidden", MESSAGE];

describe(`without ${CONSENT}`, () => {
  it.each(["opted_out", "blocked"])(
    "a contact that is %s does not become active",
    async (status) => {
      const { id, external_id } = await createContact(workspace, {
        status,
        external_id: crypto.randomUUID(),
      });
      expect(refusal(await plain("PATCH", `${CONTACTS}/${id}`, { status: "active" }))).toEqual(
        REFUSED,
      );
      expect(refusal(await plain("POST", CONTACTS, { external_id, status: "active" }))).toEqual(
        REFUSED,
      );
      const { body } = await workspace.send("GET", `${CONTACTS}/${id}`);
      expect(body.data.status).toBe(status);
    },
  );

  it("last_inbound_at is not set, moved or removed", async () => {
    const external_id = crypto.randomUUID();
    const { id } = await createContact(workspace, { external_id, last_inbound_at: PAST });
    for (const last_inbound_at of ["2026-11-02T08:00:00Z", null, ""]) {
      const changed = await plain("PATCH", `${CONTACTS}/${id}`, { last_inbound_at });
      expect([last_inbound_at, ...refusal(changed)]).toEqual([last_inbound_at, ...REFUSED]);
      const again = await plain("POST", CONTACTS, { external_id, last_inbound_at });
      expect([last_inbound_at, ...refusal(again)]).toEqual([last_inbound_at, ...REFUSED]);
    }
    const made = await plain("POST", CONTACTS, { name: "New", last_inbound_at: PAST });
    expect(refusal(made)).toEqual(REFUSED);
  });

  it("rows of an import that would do so fail, and the others are written", async () => {
    const external_id = crypto.randomUUID();
    const { id } = await createContact(workspace, { external_id, status: "opted_out" });
    const contacts = [
      { external_id, status: "active" },
      { name: "Heard from", last_inbound_at: PAST },
      { name: "Plain", status: "active", last_inbound_at: "" },
      { external_id: `${external_id}-2`, status: "blocked" },
    ];
    const { status, body } = await plain("POST", `${CONTACTS}/import`, { contacts });
    expect([status, body.data]).toEqual([
      200,
      [
        { row: 0, status: "failed", id: null, errors: { status: [MESSAGE] } },
        { row: 1, status: "failed", id: null, errors: { last_inbound_at: [MESSAGE] } },
        { row: 2, status: "created", id: expect.any(String) },
        { row: 3, status: "created", id: expect.any(String) },
      ],
    ]);
    expect((await workspace.send("GET", `${CONTACTS}/${id}`)).body.data.status).toBe("opted_out");
  });

  it("an opt-out and a block are noted, and what stands already may be said again", async () => {
    const { id } = await createContact(workspace, { last_inbound_at: PAST });
    for (const body of [
      { status: "active" },
      { last_inbound_at: "2026-11-01T09:00:00+01:00" },
      { status: "opted_out" },
      { status: "opted_out", name: "Grace" },
      { status: "blocked" },
      { status: "opted_out" },
    ]) {
      expect([body, (await plain("PATCH", `${CONTACTS}/${id}`, body)).status]).toEqual([body, 200]);
    }
    const made = { name: "New", status: "active", last_inbound_at: null };
    expect((await plain("POST", CONTACTS, made)).status).toBe(201);
  });

  it("404 comes before the 403, and 428, 412 and 422 after it", async () => {
    const { id } = await createContact(workspace, { status: "blocked" });
    const none = `${CONTACTS}/${crypto.randomUUID()}`;
    expect((await plain("PATCH", none, { status: "active" })).status).toBe(404);
    const wrong = { status: "active", name: 5 };
    for (const headers of [{}, { "If-Match": '"0"' }, { "If-Match": "*" }] as object[]) {
      const more = { headers: headers as Record<string, string> };
      expect(refusal(await plain("PATCH", `${CONTACTS}/${id}`, wrong, more))).toEqual(REFUSED);
    }
    const made = { last_inbound_at: PAST, name: 5 };
    expect(refusal(await plain("POST", CONTACTS, made))).toEqual(REFUSED);
  });
});

describe(CONSENT, () => {
  it("lets a key set last_inbound_at and make a contact active again", async () => {
    const { id } = await createContact(workspace, { status: "opted_out" });
    const changed = await sendAs(consentKey, "PATCH", `${CONTACTS}/${id}`, {
      body: { status: "active", last_inbound_at: PAST },
      headers: { "If-Match": "*" },
    });
    expect(changed.body.data).toMatchObject({ status: "active", last_inbound_at: PAST });
    const contacts = [{ name: "A", last_inbound_at: PAST }];
    const imported = await sendAs(consentKey, "POST", `${CONTACTS}/import`, { body: { contacts } });
    expect(imported.body.data).toMatchObject([{ status: "created" }]);
  });

  it.each([
    ["owner", 200],
    ["admin", 200],
    ["editor", 403],
  ])("is one of a key with all permissions of an %s: %i", async (role, status) => {
    const { id } = await createContact(workspace, { status: "opted_out" });
    const key = role === "owner" ? workspace.key : await editorKey(role);
    const changed = await sendAs(key, "PATCH", `${CONTACTS}/${id}`, {
      body: { status: "active" },
      headers: { "If-Match": "*" },
    });
    expect(changed.status).toBe(status);
  });

  it("is of no use without salesbot:contacts:write", async () => {
    const { id } = await createContact(workspace, { status: "opted_out" });
    const { key } = await issueKey(workspace.id, { permissions: [CONSENT] });
    const changed = await sendAs(key, "PATCH", `${CONTACTS}/${id}`, {
      body: { status: "active" },
      headers: { "If-Match": "*" },
    });
    expect(changed.status).toBe(403);
  });
});
