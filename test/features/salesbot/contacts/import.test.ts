import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { importContacts } from "../../../../src/features/salesbot/contacts/contacts.service.ts";
import {
  CONTACTS,
  createContact,
  createLabel,
  eventsOf,
  STAGES,
  TAGS,
} from "../../../support/contacts.ts";
import { type Cost, listenToCosts } from "../../../support/noted-statements.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, newIdempotencyKey, type Workspace } from "../../../support/workspace.ts";

const IMPORT = `${CONTACTS}/import`;

function importRows(workspace: Workspace, contacts: unknown, headers: Record<string, string> = {}) {
  return workspace.send("POST", IMPORT, { headers, body: { contacts } });
}

/** What an import itself costs the database, without what follows it; and its answer. */
async function rowsOf(workspace: Workspace, rows: object[]) {
  const costs: Cost[] = [];
  const stop = listenToCosts((cost) => costs.push(cost));
  const answer = await importContacts(workIn(workspace.id), rows);
  stop();
  // Events of before may be on their way meanwhile.
  const own = costs.filter(({ sql }) => /\b(contacts|contact_tags)\b/.test(sql));
  const rowsWritten = own.reduce((sum, cost) => sum + cost.rowsWritten, 0);
  return { answer, rowsWritten, roundTrips: new Set(own.map((cost) => cost.roundTrip)).size };
}

/** The round trips of an import, but for that which looks its tags up, and how many of its rows ended how. */
async function costOf(workspace: Workspace, rows: object[]) {
  const { answer, roundTrips } = await rowsOf(workspace, rows);
  const counts: Record<string, number> = {};
  for (const { status } of answer) counts[status] = (counts[status] ?? 0) + 1;
  return { roundTrips, ...counts };
}

async function namesOf(workspace: Workspace): Promise<string[]> {
  const { body } = await workspace.send("GET", `${CONTACTS}?limit=100`);
  return body.data.map(({ name }: { name: string }) => name);
}

describe("an import of contacts", () => {
  it("answers for each row what became of it, and writes those that are right", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "VIP");
    const known = await createContact(workspace, { external_id: "known", phone: "+441" });
    const { status, body } = await importRows(workspace, [
      { name: "New", tags: [tag], custom: { seats: 2 } },
      { external_id: "known", name: "Changed" },
      { email: "nonsense", country: "Britain" },
      { external_id: "fresh", name: "Fresh" },
      { external_id: "fresh", name: "Fresh again" },
      { name: "Foreign", tags: [crypto.randomUUID()] },
      { name: "Typo", nmae: "x" },
    ]);
    expect(status).toBe(200);
    expect(body.data.map((row: { row: number; status: string }) => [row.row, row.status])).toEqual([
      [0, "created"],
      [1, "updated"],
      [2, "failed"],
      [3, "created"],
      [4, "failed"],
      [5, "failed"],
      [6, "failed"],
    ]);
    const errors = body.data.map((row: { errors?: object }) => Object.keys(row.errors ?? {}));
    expect(errors).toEqual([[], [], ["email", "country"], [], ["external_id"], ["tags"], ["nmae"]]);
    expect(body.data[1].id).toBe(known.id);
    expect(body.data[2].id).toBeNull();
    expect(await namesOf(workspace)).toEqual(["Fresh", "New", "Changed"]);
    const made = await workspace.send("GET", `${CONTACTS}/${body.data[0].id}`);
    expect(made.body.data).toMatchObject({ name: "New", tags: [tag], custom: { seats: 2 } });
    const changed = await workspace.send("GET", `${CONTACTS}/${known.id}`);
    expect(changed.body.data).toMatchObject({ name: "Changed", phone: "+441" });
    const told = (await eventsOf(workspace)).map(([type, , data]) => `${type} ${data.name}`);
    expect(told.sort()).toEqual([
      "salesbot.contact.created Ada",
      "salesbot.contact.created Fresh",
      "salesbot.contact.created New",
      "salesbot.contact.tagged New",
      "salesbot.contact.updated Changed",
    ]);
  });

  it("says of each row all that is wrong with it", async () => {
    const workspace = await createWorkspace();
    const foreign = crypto.randomUUID();
    const { body } = await importRows(workspace, [
      { external_id: "a", name: "A" },
      { name: "Both", stage: foreign, tags: [foreign, foreign] },
      { external_id: "a", name: "B" },
      ...[null, "Ada", ["Ada"]],
      { name: "Last" },
    ]);
    const noObject = { status: "failed", id: null, errors: { row: ["Must be an object."] } };
    expect(body.data.slice(3)).toEqual([
      { row: 3, ...noObject },
      { row: 4, ...noObject },
      { row: 5, ...noObject },
      { row: 6, status: "created", id: expect.any(String) },
    ]);
    expect(body.data.slice(1, 3)).toEqual([
      {
        row: 1,
        status: "failed",
        id: null,
        errors: {
          stage: ["The workspace has no such stage."],
          tags: [`The workspace has no such tags: ${foreign}.`],
        },
      },
      {
        row: 2,
        status: "failed",
        id: null,
        errors: { external_id: ["Row 0 has this external id too."] },
      },
    ]);
  });

  it("blames no right row for another that has a tag for its stage, or a stage for its tag", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "New");
    const stage = await createLabel(workspace, STAGES, "Lead");
    const { body } = await importRows(workspace, [
      { name: "Ada", tags: [tag] },
      { name: "Bob", stage },
      { name: "Cem", stage: tag },
      { name: "Dag", tags: [stage] },
    ]);
    const outcomes = body.data.map(({ status, errors }: { status: string; errors?: object }) => [
      status,
      ...Object.keys(errors ?? {}),
    ]);
    expect(outcomes).toEqual([["created"], ["created"], ["failed", "stage"], ["failed", "tags"]]);
  });

  it("of nothing but faults is answered by less than the gate can remember", async () => {
    const workspace = await createWorkspace();
    const names = Array.from(
      { length: 99 },
      (_, at) => ` ${String.fromCharCode(33 + (at % 90))}${at}`,
    );
    const custom = Object.fromEntries(names.map((name) => [name, 1]));
    const faulty: [number, object, number][] = [
      [3, { custom }, 20],
      [230, { custom }, 2],
      [500, { custom: { [` ${"x".repeat(70)}`]: 1 } }, 1],
    ];
    for (const [length, row, told] of faulty) {
      const rows = Array.from({ length }, () => row);
      const headers = { "Idempotency-Key": newIdempotencyKey() };
      const { status, body } = await importRows(workspace, rows, headers);
      expect([status, body.data.length]).toEqual([200, length]);
      const again = await importRows(workspace, rows, headers);
      expect(again.headers.get("Idempotency-Replayed")).toBe("true");
      expect(again.body).toEqual(body);
      expect(Object.keys(body.data[0].errors)).toHaveLength(told);
      for (const { errors } of body.data) expect(Object.keys(errors).length).toBeGreaterThan(0);
    }
  });

  it("takes 500 rows at once, in their order, and not 501, none, or something else", async () => {
    const workspace = await createWorkspace();
    const rows = Array.from({ length: 501 }, (_, n) => ({ name: `Contact ${n}` }));
    const { status, body } = await importRows(workspace, rows.slice(0, 500));
    expect(status).toBe(200);
    expect(new Set(body.data.map((row: { status: string }) => row.status))).toEqual(
      new Set(["created"]),
    );
    expect((await namesOf(workspace)).slice(0, 3)).toEqual([
      "Contact 499",
      "Contact 498",
      "Contact 497",
    ]);
    expect(await eventsOf(workspace)).toHaveLength(500);
    for (const wrong of [rows, [], "all", undefined]) {
      const refused = await importRows(workspace, wrong);
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["contacts"]]);
    }
  });

  it("is done once for an Idempotency-Key, and replayed", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const rows = [{ name: "A" }, { external_id: "b", name: "B" }];
    const first = await importRows(workspace, rows, headers);
    const second = await importRows(workspace, rows, headers);
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
    expect(second.body).toEqual(first.body);
    expect(await namesOf(workspace)).toEqual(["B", "A"]);
  });

  it("that is run again, since its first run was cut off after its commit, writes nothing twice", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace, { external_id: "known" });
    const rows = [
      { name: "New", status: "opted_out" },
      { external_id: "known", name: "B" },
      { external_id: "x" },
    ];
    const ctx = workIn(workspace.id);
    const first = await importContacts(ctx, rows);
    const events = await eventsOf(workspace);
    expect(first.map(({ status }) => status)).toEqual(["created", "updated", "created"]);
    expect(await importContacts(ctx, rows)).toEqual(first);
    expect(await eventsOf(workspace)).toEqual(events);
    expect(await namesOf(workspace)).toHaveLength(3);
  });

  it("of 500 takes as many round trips as its rows and bytes need: 21 if these are few", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "VIP");
    const rows = Array.from({ length: 500 }, (_, n) => ({ external_id: `id-${n}`, tags: [tag] }));
    expect(await costOf(workspace, rows)).toEqual({ roundTrips: 21, created: 500 });
    const custom = Object.fromEntries(
      Array.from({ length: 16 }, (_, n) => [`field-${n}`, "ü".repeat(480)]),
    );
    await env.DB.prepare("UPDATE contacts SET custom = ? WHERE workspace_id = ?")
      .bind(JSON.stringify(custom), workspace.id)
      .run();
    const renamed = rows.map(({ external_id }) => ({ external_id, name: "Renamed", tags: [tag] }));
    expect(await costOf(workspace, renamed)).toEqual({ roundTrips: 21, updated: 500 });
    expect(new Set(await namesOf(workspace))).toEqual(new Set(["Renamed"]));
    expect(await costOf(workspace, renamed)).toEqual({ roundTrips: 1, updated: 500 });
  });

  it("writes no more than what changes: not the tags that stay, nor what indexes hold", async () => {
    const workspace = await createWorkspace();
    const tags = [];
    for (let n = 0; n < 20; n++) tags.push(await createLabel(workspace, TAGS, `tag ${n}`));
    const [first, ...rest] = tags;
    const known = { external_id: "known", tags };
    const { rowsWritten: made } = await rowsOf(workspace, [known]);
    expect(made).toBeGreaterThan(40);
    const changes = [{ name: "B" }, { tags: rest }, { tags: [first, ...rest] }, { country: "GB" }];
    const costs = [];
    for (const change of changes) {
      costs.push((await rowsOf(workspace, [{ ...known, ...change }])).rowsWritten);
    }
    // A contact; each event with two indexes; a tag with two when it is given. And the usage: one
    // for a contact that grows, and for its event, or three for all when tags change.
    expect(costs).toEqual([6, 11, 13, 5]);
  });

  it("made at once by many makes each external id one contact", async () => {
    const workspace = await createWorkspace();
    const rows = Array.from({ length: 50 }, (_, n) => ({ external_id: `id-${n}`, name: "N" }));
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, by) =>
        importRows(
          workspace,
          rows.map((row) => ({ ...row, custom: { [`by${by}`]: true } })),
        ),
      ),
    );
    const created = answers.flatMap(({ body }) =>
      body.data.filter((row: { status: string }) => row.status === "created"),
    );
    expect(created).toHaveLength(50);
    const { body } = await workspace.send("GET", `${CONTACTS}?limit=100`);
    expect(body.data).toHaveLength(50);
  });
});
