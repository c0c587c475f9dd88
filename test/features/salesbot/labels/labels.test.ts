import { describe, expect, it, vi } from "vitest";
import {
  CONTACTS,
  change,
  createContact,
  createLabel,
  eventsOf,
  post,
  SEGMENTS,
  STAGES,
  TAGS,
} from "../../../support/contacts.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
} from "../../../support/workspace.ts";

const ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

describe.each([
  ["tag", TAGS],
  ["stage", STAGES],
])("a %s", (kind, path) => {
  it("is created, read, listed, renamed and deleted", async () => {
    const workspace = await createWorkspace();
    const created = await post(workspace, path, { name: " VIP " });
    expect(created.status).toBe(201);
    const { id, revision } = created.body.data;
    expect(created.body.data).toEqual({
      id,
      revision,
      name: "VIP",
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const second = await createLabel(workspace, path, "Second");
    expect((await workspace.send("GET", `${path}/${id}`)).body).toEqual(created.body);
    const list = (await workspace.send("GET", path)).body;
    expect(list.data.map((label: { id: string }) => label.id)).toEqual([second, id]);
    const renamed = await workspace.send("PATCH", `${path}/${id}`, { body: { name: "Very" } });
    expect(renamed.body.data).toMatchObject({ id, name: "Very" });
    expect(renamed.body.data.revision).not.toBe(revision);
    expect((await workspace.send("DELETE", `${path}/${id}`)).status).toBe(204);
    expect((await workspace.send("GET", `${path}/${id}`)).status).toBe(404);
    expect((await workspace.send("DELETE", `${path}/${id}`)).status).toBe(404);
  });

  it("honours If-Match, and does without", async () => {
    const workspace = await createWorkspace();
    const id = await createLabel(workspace, path, "VIP");
    const headers = { "If-Match": '"old"' };
    const one = `${path}/${id}`;
    expect((await workspace.send("PATCH", one, { headers, body: { name: "B" } })).status).toBe(412);
    expect((await workspace.send("DELETE", one, { headers })).status).toBe(412);
  });

  it("has a name that is its own in the workspace, whatever its case", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    await createLabel(workspace, path, "Été");
    const id = await createLabel(workspace, path, "Winter");
    await createLabel(other, path, "Été");
    const taken = await post(workspace, path, { name: "ÉTÉ" });
    expect([taken.status, Object.keys(taken.body.errors)]).toEqual([422, ["name"]]);
    const renamed = await workspace.send("PATCH", `${path}/${id}`, { body: { name: "été" } });
    expect([renamed.status, Object.keys(renamed.body.errors)]).toEqual([422, ["name"]]);
    for (const name of ["", "  ", "x".repeat(61), 1, "\ud800"]) {
      expect((await post(workspace, path, { name })).status).toBe(422);
    }
  });

  it("is made once for an Idempotency-Key", async () => {
    const workspace = await createWorkspace();
    const send = () =>
      workspace.send("POST", path, {
        headers: { "Idempotency-Key": "one-and-the-same" },
        body: { name: "Once" },
      });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect((await post(workspace, path, { name: "Once" })).status).toBe(422);
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const taken = await workspace.send("POST", path, { headers, body: { name: "once" } });
    expect(taken.status).toBe(422);
  });

  it("is another workspace's secret, and needs salesbot:contacts permissions", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const id = await createLabel(workspace, path, "VIP");
    expect((await other.send("GET", `${path}/${id}`)).status).toBe(404);
    expect((await other.send("PATCH", `${path}/${id}`, { body: { name: "B" } })).status).toBe(404);
    expect((await other.send("DELETE", `${path}/${id}`)).status).toBe(404);
    expect((await workspace.send("GET", `${path}/${ID}`)).status).toBe(404);
    const { key } = await issueKey(workspace.id, { permissions: ["salesbot:contacts:read"] });
    expect((await sendAs(key, "GET", `${path}/${id}`)).status).toBe(200);
    expect((await sendAs(key, "DELETE", `${path}/${id}`)).status).toBe(403);
  });

  it("is taken from its contacts when it is deleted, each with its events", async () => {
    const workspace = await createWorkspace();
    const [id, other] = [
      await createLabel(workspace, path, "Gone"),
      await createLabel(workspace, path, "Stays"),
    ];
    const has = (label: string) => (kind === "tag" ? { tags: [label] } : { stage: label });
    const contact = await createContact(workspace, has(id));
    const bystander = await createContact(workspace, has(other));
    const events = await eventsOf(workspace);
    await workspace.send("DELETE", `${path}/${id}`);
    const { body } = await workspace.send("GET", `${CONTACTS}/${contact.id}`);
    expect(body.data).toMatchObject({ tags: [], stage: null });
    const told = await vi.waitFor(async () => {
      const since = (await eventsOf(workspace)).slice(events.length);
      if (since.length === 0) throw new Error("not told yet");
      return since;
    });
    expect(body.data.revision).not.toBe(contact.revision);
    const left = await workspace.send("GET", `${CONTACTS}/${bystander.id}`);
    expect(left.body.data).toEqual(bystander);
    const loss = { id: contact.id, tags: [], stage: null };
    const types = kind === "tag" ? ["updated", "tagged"] : ["updated"];
    expect(told.map(([type]) => type)).toEqual(types.map((type) => `salesbot.contact.${type}`));
    for (const [, , data] of told) expect(data).toMatchObject(loss);
  });

  it("stays while segments use it, wherever they name it: 409 with their names", async () => {
    const workspace = await createWorkspace();
    const id = await createLabel(workspace, path, "Used");
    const rule =
      kind === "tag"
        ? { field: "tags", op: "has_none", value: [id] }
        : { field: "stage", op: "neq", value: id };
    const inputs: object[] = [
      { conditions: { groups: [{ rules: [rule] }] } },
      ...(kind === "tag" ? [{ include_tags: [id] }, { exclude_tags: [id] }] : [{ stage: id }]),
    ];
    const contact = await createContact(workspace, kind === "tag" ? { tags: [id] } : { stage: id });
    for (const [at, input] of inputs.entries()) {
      const segment = (await post(workspace, SEGMENTS, { name: `S${at}`, ...input })).body.data;
      const refused = await workspace.send("DELETE", `${path}/${id}`);
      expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
      expect(refused.body.message).toContain(`“S${at}” (${segment.id})`);
      // The segment lets go of it.
      const conditions = null;
      const cleared = { include_tags: [], exclude_tags: [], stage: null, conditions };
      expect((await change(workspace, "PATCH", `${SEGMENTS}/${segment.id}`, cleared)).status).toBe(
        200,
      );
    }
    const unchanged = await workspace.send("GET", `${CONTACTS}/${contact.id}`);
    expect(unchanged.body.data).toEqual(contact);
    expect((await workspace.send("DELETE", `${path}/${id}`)).status).toBe(204);
  });

  it("names no more than ten of the segments that use it", async () => {
    const workspace = await createWorkspace();
    const id = await createLabel(workspace, path, "Used");
    const use = kind === "tag" ? { include_tags: [id] } : { stage: id };
    const names = Array.from({ length: 12 }, (_, at) => `S${at}`);
    for (const name of names) await post(workspace, SEGMENTS, { name, ...use });
    const { body } = await change(workspace, "DELETE", `${path}/${id}`);
    expect(names.filter((name) => body.message.includes(`“${name}”`))).toEqual(names.slice(0, 10));
    expect(body.message).toMatch(/\), and others\.$/);
  });

  it("is never both deleted and used, however close a segment and a contact come to it", async () => {
    const workspace = await createWorkspace();
    for (let race = 0; race < 12; race++) {
      const id = await createLabel(workspace, path, `Race ${race}`);
      const uses = kind === "tag" ? { include_tags: [id] } : { stage: id };
      const has = kind === "tag" ? { tags: [id] } : { stage: id };
      const [deleted, segment, contact] = await Promise.all([
        workspace.send("DELETE", `${path}/${id}`),
        post(workspace, SEGMENTS, { name: "S", ...uses }),
        post(workspace, CONTACTS, has),
      ]);
      expect([204, 409]).toContain(deleted.status);
      expect(deleted.status === 204).toBe(segment.status !== 201);
      expect([201, 409, 422]).toContain(contact.status);
      if (deleted.status !== 204 || contact.status !== 201) continue;
      const { data } = (await workspace.send("GET", `${CONTACTS}/${contact.body.data.id}`)).body;
      expect([data.tags, data.stage]).toEqual([[], null]);
    }
  });
});
