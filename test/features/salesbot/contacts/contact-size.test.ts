import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { CONTACTS, change, createContact, eventsOf, post } from "../../../support/contacts.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const MAX_BYTES = 16_384;
const NOT_COUNTED = [
  "id",
  "revision",
  "last_active_at",
  "last_inbound_at",
  "window_expires_at",
  "created_at",
  "updated_at",
];

/** What counts of a contact, as it is answered, towards how large it may be. */
function bytesOf(contact: object): number {
  const counted = Object.entries(contact).filter(([name]) => !NOT_COUNTED.includes(name));
  return new TextEncoder().encode(JSON.stringify(Object.fromEntries(counted))).length;
}

/** Custom fields of so many characters each. */
function customOf(count: number, characters: number, character = "x") {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`field-${at}`, character.repeat(characters)]),
  );
}

let workspace: Workspace;
beforeAll(async () => {
  workspace = await createWorkspace();
});

/** A contact stored before there was a limit. */
async function storeLarge(characters = 1000): Promise<{ path: string; id: string }> {
  const { id } = await createContact(workspace);
  await env.DB.prepare("UPDATE contacts SET custom = ? WHERE id = ?")
    .bind(JSON.stringify(customOf(50, characters)), id)
    .run();
  return { path: `${CONTACTS}/${id}`, id };
}

describe("a contact of more than 16 KB", () => {
  it.each([
    ["of many fields", customOf(17, 1000)],
    ["of characters of three bytes", customOf(6, 1000, "€")],
    ["of characters that JSON escapes", customOf(3, 1000, "\u0001")],
  ])("%s is not made, and told which field to shorten", async (_, custom) => {
    const { status, body } = await post(workspace, CONTACTS, { name: "Large", custom });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["custom"]]);
    expect(body.errors.custom[0]).toMatch(/16384 bytes.*`field-0`/);
  });

  it("is told in its row of an import; the other rows are written", async () => {
    const { body } = await post(workspace, `${CONTACTS}/import`, {
      contacts: [{ name: "Large", custom: customOf(17, 1000) }, { name: "Small" }],
    });
    expect(body.data).toMatchObject([
      { status: "failed", errors: { custom: [expect.stringContaining("16384 bytes")] } },
      { status: "created" },
    ]);
  });

  it("is what no PATCH, POST or import makes of one that stands", async () => {
    const contact = await createContact(workspace, {
      external_id: "grows",
      custom: customOf(15, 1000),
    });
    const more = { custom: { "field-15": "x".repeat(1000), "field-16": "x".repeat(1000) } };
    const path = `${CONTACTS}/${contact.id}`;
    const again = { external_id: "grows", ...more };
    const patched = await change(workspace, "PATCH", path, more);
    const posted = await post(workspace, CONTACTS, again);
    const imported = await post(workspace, `${CONTACTS}/import`, { contacts: [again] });
    expect([patched.status, posted.status]).toEqual([422, 422]);
    expect(patched.body.errors).toEqual(posted.body.errors);
    expect(imported.body.data[0].errors).toEqual(posted.body.errors);
    expect((await workspace.send("GET", path)).body.data).toEqual(contact);
  });

  it("is not what changes at once make together", async () => {
    const { id } = await createContact(workspace);
    const path = `${CONTACTS}/${id}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        change(workspace, "PATCH", path, { custom: { [`by-${at}`]: "x".repeat(1000) } }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(16);
    expect(statuses.filter((status) => status === 422)).toHaveLength(4);
    expect(bytesOf((await workspace.send("GET", path)).body.data)).toBeLessThanOrEqual(MAX_BYTES);
  });

  it("may shrink or stay as large if it was stored before, and not grow", async () => {
    const { path } = await storeLarge();
    const patch = async (input: object) => (await change(workspace, "PATCH", path, input)).status;
    expect(await patch({ name: "Bob" })).toBe(200);
    expect(await patch({ name: "Robert" })).toBe(422);
    expect(await patch({ last_active_at: "2026-11-20T08:00:00Z" })).toBe(200);
    expect(await patch({ custom: { "field-0": null }, name: "Robert" })).toBe(200);
    const { id: _, ...stored } = (await workspace.send("GET", path)).body.data;
    expect(bytesOf(stored)).toBeGreaterThan(MAX_BYTES);
  });
});

describe("a contact of 16 KB", () => {
  it("is made, and not with a byte more", async () => {
    const input = (characters: number) => ({
      name: "A",
      custom: { ...customOf(15, 1000), more: "x".repeat(100), fill: "x".repeat(characters) },
    });
    const fixed = bytesOf(await createContact(workspace, input(1))) - 1;
    const fits = MAX_BYTES - fixed;
    const made = await post(workspace, CONTACTS, input(fits));
    expect([made.status, bytesOf(made.body.data)]).toEqual([201, MAX_BYTES]);
    expect((await post(workspace, CONTACTS, input(fits + 1))).status).toBe(422);
  });
});

describe("an import of few bytes", () => {
  it("adds few bytes, however large the contacts are", async () => {
    const owner = await createWorkspace();
    const contacts = Array.from({ length: 300 }, (_, at) => ({ external_id: `c${at}`, name: "a" }));
    await post(owner, `${CONTACTS}/import`, { contacts });
    // As large as there could be before there was a limit: 150 KB each.
    await env.DB.prepare("UPDATE contacts SET custom = ? WHERE workspace_id = ?")
      .bind(JSON.stringify(customOf(50, 1000, "€")), owner.id)
      .run();
    const before = (await eventsOf(owner)).length;
    const renamed = contacts.map((contact) => ({ ...contact, name: "b" }));
    const { body } = await post(owner, `${CONTACTS}/import`, { contacts: renamed });
    expect(new Set(body.data.map((row: { status: string }) => row.status))).toEqual(
      new Set(["updated"]),
    );
    const told = (await eventsOf(owner)).slice(before);
    expect(told).toHaveLength(300);
    expect(JSON.stringify(told).length).toBeLessThan(450_000);
  });
});
