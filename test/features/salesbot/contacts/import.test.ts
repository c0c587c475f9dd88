import { describe, expect, it } from "vitest";
import { importContacts } from "../../../../src/features/salesbot/contacts/contacts.service.ts";
import { CONTACTS, createContact, createLabel, eventsOf, TAGS } from "../../../support/contacts.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, newIdempotencyKey, type Workspace } from "../../../support/workspace.ts";

const IMPORT = `${CONTACTS}/import`;

function importRows(workspace: Workspace, contacts: unknown, headers: Record<string, string> = {}) {
  return workspace.send("POST", IMPORT, { headers, body: { contacts } });
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

  it("of nothing but faults is answered by less than the gate can remember", async () => {
    const workspace = await createWorkspace();
    const names = Array.from(
      { length: 99 },
      (_, at) => ` ${String.fromCharCode(33 + (at % 90))}${at}`,
    );
    const custom = Object.fromEntries(names.map((name) => [name, 1]));
    const rows = Array.from({ length: 230 }, () => ({ custom }));
    const { status, body, text } = await importRows(workspace, rows);
    expect([status, body.data.length]).toEqual([200, 230]);
    expect(Object.keys(body.data[0].errors)).toHaveLength(20);
    expect(text.length).toBeLessThan(1_000_000);
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

  it("onto contacts that are large takes as many statements as it needs", async () => {
    const workspace = await createWorkspace();
    const custom = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`field-${n}`, "ü".repeat(1000)]),
    );
    const ids = Array.from({ length: 60 }, (_, n) => ({ external_id: `large-${n}` }));
    for (let at = 0; at < ids.length; at += 2) {
      await importRows(
        workspace,
        ids.slice(at, at + 2).map((row) => ({ ...row, custom })),
      );
    }
    const { status, body } = await importRows(
      workspace,
      ids.map((row) => ({ ...row, name: "Renamed" })),
    );
    expect(status).toBe(200);
    expect(body.data.map((row: { status: string }) => row.status)).toEqual(
      Array(60).fill("updated"),
    );
    expect(new Set(await namesOf(workspace))).toEqual(new Set(["Renamed"]));
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
