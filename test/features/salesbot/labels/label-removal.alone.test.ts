import { env as bindings } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { takeLabel } from "../../../../src/features/salesbot/contacts/label-loss.ts";
import { removeDeletedLabels } from "../../../../src/features/salesbot/labels/label-removal.ts";
import type { LabelUsers } from "../../../../src/features/salesbot/labels/labels.ports.ts";
import type { Env } from "../../../../src/platform/config.ts";
import {
  CONTACTS,
  createContact,
  createLabel,
  eventsOf,
  post,
  SEGMENTS,
  STAGES,
  TAGS,
} from "../../../support/contacts.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { hear } from "../../../support/messages.ts";
import { tick, workIn } from "../../../support/work.ts";
import { createWorkspace, issueKey, sendAs, type Workspace } from "../../../support/workspace.ts";

const env = bindings as unknown as Env;
/** A slice, and as many as the request itself sees to. */
const SLICE = 500;
const AT_ONCE = 2 * SLICE;

type Kind = "tag" | "stage";
const PATHS = { tag: TAGS, stage: STAGES };

/** Contacts with a label, in the order of their ids, which sort before all that the API makes. */
async function addContacts(workspace: Workspace, kind: Kind, label: string, count: number) {
  const id = "printf('0190%04x-0000-7000-8000-', n) || substr(?2, 25)";
  const each =
    "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)";
  await env.DB.prepare(
    `${each} INSERT INTO contacts (id, workspace_id, name, stage_id, custom, status, revision,
       created_at, updated_at)
     SELECT ${id}, ?2, 'Ada', ?3, '{}', 'active', lower(hex(randomblob(16))), 0, 0 FROM each`,
  )
    .bind(count, workspace.id, kind === "stage" ? label : null)
    .run();
  if (kind === "stage") return;
  await env.DB.prepare(
    "INSERT INTO contact_tags (contact_id, tag_id) SELECT id, ?2 FROM contacts WHERE workspace_id = ?1",
  )
    .bind(workspace.id, label)
    .run();
}

/** A contact that has the label, too, and is the last to lose it. */
async function addLast(workspace: Workspace, kind: Kind, label: string) {
  return createContact(workspace, {
    ...(kind === "tag" ? { tags: [label] } : { stage: label }),
    channel: "sms",
    phone: "+447700900123",
  });
}

/** How many contacts a label stands with still, shown or not. */
async function standing(kind: Kind, label: string): Promise<number> {
  const counted = {
    tag: "SELECT count(*) AS n FROM contact_tags WHERE tag_id = ?",
    stage: "SELECT count(*) AS n FROM contacts WHERE stage_id = ?",
  };
  return (await env.DB.prepare(counted[kind]).bind(label).first<number>("n")) ?? 0;
}

async function isThere(kind: Kind, label: string): Promise<boolean> {
  return Boolean(await env.DB.prepare(`SELECT 1 FROM ${kind}s WHERE id = ?`).bind(label).first());
}

/** How many contacts were told to be updated, each once or not. */
async function updatesOf(workspace: Workspace) {
  const told = (await eventsOf(workspace)).filter(([type]) => type === "salesbot.contact.updated");
  return { told: told.length, contacts: new Set(told.map(([, , { id }]) => id)).size };
}

/** Deletes a label, and waits until the request has done its part. */
async function deleteLabel(workspace: Workspace, kind: Kind, label: string, left: number) {
  expect((await workspace.send("DELETE", `${PATHS[kind]}/${label}`)).status).toBe(204);
  await vi.waitFor(
    async () => {
      if ((await standing(kind, label)) > left) throw new Error("not done yet");
    },
    { timeout: 60_000, interval: 50 },
  );
}

describe.each<Kind>(["tag", "stage"])("a %s that many contacts have", (kind) => {
  it("is gone for every read at once, and from the last contact some minutes later", async () => {
    const workspace = await createWorkspace();
    const label = await createLabel(workspace, PATHS[kind], "Many");
    await addContacts(workspace, kind, label, AT_ONCE + 9);
    const contact = await addLast(workspace, kind, label);
    const one = `${CONTACTS}/${contact.id}`;
    const headers = { "If-None-Match": `"${contact.revision}"` };
    const counted = async (rule: object) => {
      const conditions = { groups: [{ rules: [rule] }] };
      const preview = await post(workspace, `${SEGMENTS}/preview`, { conditions });
      return preview.body.data.contacts_count ?? preview.body.data.count;
    };
    const field = kind === "tag" ? "tags" : "stage";
    expect((await workspace.send("GET", one, { headers })).status).toBe(304);
    expect(await counted({ field, op: "is_not_empty" })).toBe(AT_ONCE + 10);

    await deleteLabel(workspace, kind, label, 10);
    expect(await standing(kind, label)).toBe(10);
    const shown = await workspace.send("GET", one, { headers });
    expect([shown.status, shown.body.data]).toEqual([
      200,
      { ...contact, tags: [], stage: null, revision: expect.any(String) },
    ]);
    expect(shown.body.data.revision).not.toBe(contact.revision);
    const list = async (query: string) =>
      (await workspace.send("GET", `${CONTACTS}?${query}`)).body.data;
    expect((await list("limit=1"))[0]).toEqual(shown.body.data);
    expect(await list(`${kind}=${label}`)).toEqual([]);
    expect((await workspace.send("GET", PATHS[kind])).body.data).toEqual([]);
    expect((await workspace.send("GET", `${PATHS[kind]}/${label}`)).status).toBe(404);
    expect((await workspace.send("DELETE", `${PATHS[kind]}/${label}`)).status).toBe(404);
    const input = { body: { name: "Back" } };
    expect((await workspace.send("PATCH", `${PATHS[kind]}/${label}`, input)).status).toBe(404);
    expect(await counted({ field, op: "is_not_empty" })).toBe(0);
    expect(await counted({ field, op: "is_empty" })).toBe(AT_ONCE + 10);
    const uses = kind === "tag" ? { include_tags: [label] } : { stage: label };
    expect((await post(workspace, SEGMENTS, { name: "S", ...uses })).status).toBe(422);
    const has = kind === "tag" ? { tags: [label] } : { stage: label };
    expect((await post(workspace, CONTACTS, { name: "New", ...has })).status).toBe(422);
    const namesake = await createLabel(workspace, PATHS[kind], "Many");
    expect(namesake).not.toBe(label);

    // What happens to it meanwhile tells of it as it is shown.
    await hear(workspace, contact.id);
    const [, , heard] = (await eventsOf(workspace)).at(-1) ?? [];
    expect(heard).toMatchObject({ id: contact.id, tags: [], stage: null });

    await tick();
    expect(await standing(kind, label)).toBe(0);
    expect(await isThere(kind, label)).toBe(false);
    expect(await isThere(kind, namesake)).toBe(true);
    const updates = await updatesOf(workspace);
    expect(updates).toEqual({ told: AT_ONCE + 11, contacts: AT_ONCE + 10 });
    const after = (await workspace.send("GET", one)).body.data;
    expect(after).toMatchObject({ tags: [], stage: null });
    const revisions = await env.DB.prepare(
      "SELECT count(DISTINCT revision) AS n, min(updated_at) AS at FROM contacts WHERE workspace_id = ?",
    )
      .bind(workspace.id)
      .first<{ n: number; at: number }>();
    expect(revisions?.n).toBe(AT_ONCE + 10);
    expect(revisions?.at).toBeGreaterThan(0);
  });

  it("may be written to meanwhile by whoever saw it without, and by nobody who did not", async () => {
    const workspace = await createWorkspace();
    const label = await createLabel(workspace, PATHS[kind], "Many");
    await addContacts(workspace, kind, label, AT_ONCE);
    const [contact, doomed] = [
      await addLast(workspace, kind, label),
      await addLast(workspace, kind, label),
    ];
    await deleteLabel(workspace, kind, label, 2);
    const change = (method: "PATCH" | "DELETE", id: string, revision: string, body?: object) =>
      workspace.send(method, `${CONTACTS}/${id}`, {
        headers: { "If-Match": `"${revision}"` },
        ...(body && { body }),
      });
    const seen = async (id: string) => (await workspace.send("GET", `${CONTACTS}/${id}`)).body.data;
    expect((await change("PATCH", contact.id, contact.revision, { name: "B" })).status).toBe(412);
    const { revision } = await seen(contact.id);
    const changed = await change("PATCH", contact.id, revision, { name: "B" });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toMatchObject({ name: "B", tags: [], stage: null });
    expect(await seen(contact.id)).toEqual(changed.body.data);
    // Nobody tells of the label afterwards, so the change says that it went, too.
    const field = kind === "tag" ? "tags" : "stage";
    const told = (await eventsOf(workspace)).filter(([, , data]) => data.name === "B");
    expect(told.map(([type, , { changed }]) => [type, changed])).toEqual([
      ["salesbot.contact.updated", ["name", field]],
      ...(kind === "tag" ? [["salesbot.contact.tagged", ["name", field]]] : []),
    ]);
    expect((await change("DELETE", doomed.id, doomed.revision)).status).toBe(412);
    const now = await seen(doomed.id);
    expect((await change("DELETE", doomed.id, now.revision)).status).toBe(204);
    expect(await standing(kind, label)).toBe(0);
    await tick();
    expect(await isThere(kind, label)).toBe(false);
    // Told once: it lost the label with the change of its own.
    expect(await updatesOf(workspace)).toEqual({ told: AT_ONCE + 1, contacts: AT_ONCE + 1 });
  });

  it("is hidden through imports, opt-outs and erasure, each with the revision that is shown then", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace, { phone: "+447700900999", status: "opted_out" });
    const label = await createLabel(workspace, PATHS[kind], "Many");
    const hide = async (external_id: string) => {
      const has = kind === "tag" ? { tags: [label] } : { stage: label };
      const { id } = await createContact(workspace, { external_id, ...has });
      return `${CONTACTS}/${id}`;
    };
    const [upserted, imported, optedOut, erased] = [
      await hide("upserted"),
      await hide("imported"),
      await hide("opted-out"),
      await hide("erased"),
    ];
    // As if the job had yet to come to them.
    await env.DB.prepare(`UPDATE ${kind}s SET deleted_at = 1 WHERE id = ?`).bind(label).run();
    const seen = async (path: string) => (await workspace.send("GET", path)).body.data;
    const none = { tags: [], stage: null };

    const upsert = await post(workspace, CONTACTS, { external_id: "upserted", name: "B" });
    expect([upsert.status, upsert.body.data]).toEqual([200, await seen(upserted)]);
    const rows = [{ external_id: "imported", name: "B", last_active_at: "2026-01-01T00:00:00Z" }];
    await post(workspace, `${CONTACTS}/import`, { contacts: rows });
    expect(await seen(imported)).toMatchObject({ name: "B", ...none });
    const { key } = await issueKey(workspace.id, { permissions: ["salesbot:contacts:write"] });
    const changed = await sendAs(key, "PATCH", optedOut, {
      headers: { "If-Match": `"${(await seen(optedOut)).revision}"` },
      body: { phone: "+447700900999" },
    });
    expect(changed.body.data).toMatchObject({ status: "opted_out", ...none });
    expect(changed.body.data).toEqual(await seen(optedOut));
    const again = await workspace.send("PATCH", optedOut, {
      headers: { "If-Match": `"${changed.body.data.revision}"` },
      body: { name: "C" },
    });
    expect(again.status).toBe(200);
    const { revision } = await seen(erased);
    const headers = { "If-Match": `"${revision}"` };
    expect((await workspace.send("POST", `${erased}/erase`, { headers })).status).toBe(202);
    expect(await standing(kind, label)).toBe(0);
    await tick();
    expect(await isThere(kind, label)).toBe(false);
  });

  it.each(["undone", "done"] as const)(
    "is gone on with after a slice was cut off: %s",
    async (fault) => {
      const workspace = await createWorkspace();
      const label = await createLabel(workspace, PATHS[kind], "Many");
      const count = AT_ONCE + 2 * SLICE + 20;
      await addContacts(workspace, kind, label, count);
      await deleteLabel(workspace, kind, label, count - AT_ONCE);
      const broken = faulting(CONNECTION_LOST);
      let batches = 0;
      broken.faultOf = (what) => (what === "batch" && ++batches === 2 ? fault : undefined);
      const cut = { env: broken.env, log: workIn(workspace.id).log };
      await removeDeletedLabels({ ...workIn(workspace.id), ...cut }, { takeLabel });
      const left = await standing(kind, label);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(count - AT_ONCE);
      await tick();
      expect([await standing(kind, label), await isThere(kind, label)]).toEqual([0, false]);
      expect(await updatesOf(workspace)).toEqual({ told: count, contacts: count });
    },
  );
});

it("workspaces take turns, a slice of 500 each, and a minute has 25: 200 contacts a second", async () => {
  const workspaces = [await createWorkspace(), await createWorkspace()];
  for (const workspace of workspaces) {
    const label = await createLabel(workspace, TAGS, "Many");
    await addContacts(workspace, "tag", label, 3 * SLICE);
    await env.DB.prepare("UPDATE tags SET deleted_at = 1 WHERE id = ?").bind(label).run();
  }
  const [first = { id: "" }] = workspaces;
  const turns: string[] = [];
  const noting: Pick<LabelUsers, "takeLabel"> = {
    takeLabel: async (ctx, label, page) => {
      turns.push(ctx.workspaceId);
      const taken = await takeLabel(ctx, label, page);
      expect(taken.found).toBeLessThanOrEqual(SLICE);
      return taken;
    },
  };
  await removeDeletedLabels(workIn(first.id), noting);
  const ids = workspaces.map(({ id }) => id);
  const ours = turns.filter((id) => ids.includes(id));
  for (let at = 0; at < 6; at += 2) expect(new Set(ours.slice(at, at + 2)).size).toBe(2);

  const endless: string[] = [];
  const label = await createLabel(workspaces[0] as Workspace, TAGS, "Endless");
  await env.DB.prepare("UPDATE tags SET deleted_at = 1 WHERE id = ?").bind(label).run();
  await removeDeletedLabels(workIn(first.id), {
    takeLabel: async (ctx, _label, { limit }) => {
      endless.push(ctx.workspaceId);
      return { found: limit, taken: limit, last: "x" };
    },
  });
  expect(endless.length * SLICE).toBeGreaterThanOrEqual(200 * 60);
});
