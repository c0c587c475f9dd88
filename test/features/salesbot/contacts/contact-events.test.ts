import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { ContactEventData } from "../../../../src/features/salesbot/contacts/contacts.events.ts";
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
import { hear } from "../../../support/messages.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const UUID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

let workspace: Workspace;
let tag: string;
let stage: string;
beforeAll(async () => {
  workspace = await createWorkspace();
  tag = await createLabel(workspace, TAGS, "VIP");
  stage = await createLabel(workspace, STAGES, "Won");
});

/** The events of one contact: what happened, and their data. */
async function toldOf(id: string) {
  const events = await eventsOf(workspace);
  return events.flatMap(([type, , data]) =>
    data.id === id ? [{ what: type.split(".").at(-1), ...data }] : [],
  );
}

async function changedOf(id: string) {
  return (await toldOf(id)).map(({ what, changed }) => [what, changed]);
}

describe("an event of a contact names what changed", () => {
  it("of a new one what it was given", async () => {
    const { id } = await createContact(workspace, {
      country: "GB",
      email: "",
      status: "active",
      tags: [tag],
      stage,
      custom: { plan: "pro", none: null },
    });
    const changed = ["name", "stage", "tags", "country", "custom.plan"];
    expect(await changedOf(id)).toEqual([
      ["created", changed],
      ["tagged", changed],
    ]);
  });

  it.each<[object, string[]]>([
    [{ name: "Bea", phone: null }, ["name"]],
    [{ external_id: crypto.randomUUID() }, ["external_id"]],
    [
      { custom: { seats: 4, plan: null, city: "York", same: 1 } },
      ["plan", "seats", "city"].map((key) => `custom.${key}`),
    ],
    [{ status: "blocked", last_inbound_at: "2026-11-20T08:00:00Z" }, ["status", "last_inbound_at"]],
    [
      { custom: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`k${at}`, at])) },
      Array.from({ length: 10 }, (_, at) => `custom.k${at}`),
    ],
    [
      { custom: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`k${at}`, at])) },
      ["custom"],
    ],
  ])("of a change to %j only what is another than before", async (input, changed) => {
    const custom = { plan: "pro", seats: 3, same: 1 };
    const { id } = await createContact(workspace, { custom });
    await change(workspace, "PATCH", `${CONTACTS}/${id}`, input);
    expect((await changedOf(id)).slice(1)).toEqual([["updated", changed]]);
  });

  it("of a row of an import, of a deletion and of an inbound message too", async () => {
    const external_id = crypto.randomUUID();
    const { id } = await createContact(workspace, { external_id, channel: "sms" });
    const row = { external_id, language: "en", status: "opted_out" };
    await post(workspace, `${CONTACTS}/import`, { contacts: [row] });
    await hear(workspace, id);
    const written = await change(workspace, "PATCH", `${CONTACTS}/${id}`, { status: "active" });
    expect(written.status).toBe(200);
    await change(workspace, "DELETE", `${CONTACTS}/${id}`);
    expect((await changedOf(id)).slice(1)).toEqual([
      ["updated", ["language", "status"]],
      ["opted_out", ["language", "status"]],
      ["updated", ["last_active_at", "last_inbound_at"]],
      ["updated", ["status"]],
      ["deleted", []],
    ]);
  });
});

describe("what an event tells of custom fields", () => {
  const large = {
    z: "x".repeat(1000),
    plan: "pro",
    seats: -0.1,
    huge: 1e21,
    beta: false,
    just: "x".repeat(38),
    longer: "x".repeat(39),
    escaped: '"'.repeat(19),
    "more-escaped": '"'.repeat(20),
    emoji: "👩".repeat(9),
    "more-emoji": "👩".repeat(10),
    a: "€".repeat(1000),
  };
  const short = ["plan", "seats", "huge", "beta", "just", "escaped", "emoji"];
  const told = Object.fromEntries(Object.entries(large).filter(([name]) => short.includes(name)));
  const leftOut = Object.keys(large).filter((name) => !short.includes(name));

  it("is all of them up to 4 KB, and else the short ones and the names of the others", async () => {
    const { id } = await createContact(workspace, { custom: large, channel: "sms" });
    await hear(workspace, id);
    await change(workspace, "PATCH", `${CONTACTS}/${id}`, { custom: { a: null } });
    const { a: _, ...rest } = large;
    const events = await toldOf(id);
    expect(events.map(({ custom }) => custom)).toEqual([told, told, rest]);
    const names = events.map(({ custom_left_out }) => custom_left_out);
    expect(names).toEqual([leftOut, leftOut, []]);
  });

  it("is cut at the same byte by an inbound message, whose event is made by the database", async () => {
    const { id } = await createContact(workspace, { channel: "sms" });
    for (const last of [61, 62]) {
      const custom = { a: "x".repeat(1000), b: "x".repeat(1000), c: "x".repeat(1000) };
      const filled = { ...custom, d: "x".repeat(999), e: "x".repeat(last) };
      const bytes = JSON.stringify(filled).length;
      await change(workspace, "PATCH", `${CONTACTS}/${id}`, { custom: filled });
      await hear(workspace, id);
      const [written, heard] = (await toldOf(id)).slice(-2);
      expect(heard.custom).toEqual(written.custom);
      expect(heard.custom_left_out).toEqual(written.custom_left_out);
      expect([bytes, heard.custom_left_out.length]).toEqual(last === 61 ? [4096, 0] : [4097, 5]);
    }
  });

  it("leaves an event below 13 KB, whatever the contact", async () => {
    const tags = Array.from(
      { length: 100 },
      (_, at) => `${UUID.slice(0, -3)}${String(at).padStart(3, "0")}`,
    );
    await env.DB.batch(
      tags.map((id) =>
        env.DB.prepare(
          `INSERT INTO tags (id, workspace_id, name, name_key, revision, created_at, updated_at)
           VALUES (?1, ?2, ?1, ?1, 'r', 0, 0)`,
        ).bind(id, workspace.id),
      ),
    );
    const custom = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [
        `${at}`.padEnd(60, "k"),
        "x".repeat(at < 8 ? 60 : 38),
      ]),
    );
    const { id } = await createContact(workspace, {
      external_id: "\u0001".repeat(200),
      name: "\u0001".repeat(200),
      email: `${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.io`,
      phone: "1".repeat(40),
      channel: "messenger",
      stage,
      tags,
      custom,
      status: "opted_out",
      last_active_at: "2026-11-20T08:00:00Z",
      last_inbound_at: "2026-11-20T08:00:00Z",
    });
    const names = Object.keys(custom).slice(10, 20);
    await change(workspace, "PATCH", `${CONTACTS}/${id}`, {
      custom: Object.fromEntries(names.map((name) => [name, "y"])),
    });
    for (const { what: _, ...data } of await toldOf(id)) {
      expect(data.custom_left_out).toHaveLength(8);
      expect(new TextEncoder().encode(JSON.stringify(data)).length).toBeLessThan(13 * 1024);
      expect(ContactEventData.parse(data)).toEqual(data);
    }
  });
});
