import { describe, expect, it } from "vitest";
import { Id } from "../../src/api/ids.ts";
import { CONTACTS, post, SEGMENTS } from "../support/contacts.ts";
import { operate } from "../support/http.ts";
import { createTarget, describedOperations } from "../support/operations.ts";

describe("an id", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("may be a UUID of version %i, in any case", (version) => {
    const id = `0198C5F2-7c1e-${version}A4b-9D35-5b1f6c0e2a11`;
    expect(Id.parse(id)).toBe(id.toLowerCase());
  });

  it("may be in any case in every path", async () => {
    const { sendTo, ids } = await createTarget();
    const read = (await describedOperations()).filter(
      ({ method, path }) => method === "GET" && path.endsWith("}"),
    );
    const known = read.filter(({ path }) =>
      path.match(/\{(\w+)\}/g)?.every((name) => name === "{id}" || name.slice(1, -1) in ids),
    );
    expect(known.length).toBeGreaterThan(6);
    for (const operation of known) {
      const { status } = await sendTo(operation, { isUpperCase: true });
      expect([operation.path, status]).toEqual([operation.path, 200]);
    }
  });

  it("may be in any case in bodies, filters, rules and rows, and is answered as it was made", async () => {
    const { workspace, ids } = await createTarget();
    const { tag, stage, member, contact } = ids;
    const upper = (id = "") => id.toUpperCase();
    const input = { name: "B", tags: [upper(tag), tag], stage: upper(stage) };
    const made = await post(workspace, CONTACTS, input);
    expect(made.body.data).toMatchObject({ tags: [tag], stage });
    const imported = await post(workspace, `${CONTACTS}/import`, { contacts: [input] });
    expect(imported.body.data[0].status).toBe("created");
    for (const query of [`tag=${upper(tag)}`, `stage=${upper(stage)}`]) {
      expect((await workspace.send("GET", `${CONTACTS}?${query}`)).body.data).toHaveLength(2);
    }
    const rules = [
      { field: "stage", op: "eq", value: upper(stage) },
      { field: "stage", op: "in", value: [upper(stage)] },
      { field: "tags", op: "has_any", value: [upper(tag)] },
    ];
    const segment = {
      name: "Upper",
      stage: upper(stage),
      include_tags: [upper(tag), tag],
      conditions: { groups: [{ rules }] },
    };
    const saved = await post(workspace, SEGMENTS, segment);
    expect(saved.body.data).toMatchObject({
      stage,
      include_tags: [tag],
      contacts_count: 2,
      dropped_rules: [],
    });
    const both = { name: "Both", include_tags: [tag], exclude_tags: [upper(tag)] };
    expect((await post(workspace, SEGMENTS, both)).body.errors).toHaveProperty("exclude_tags");
    const key = { name: "K", permissions: ["*"], member: upper(member) };
    const issued = await operate("POST", `/workspaces/${upper(workspace.id)}/keys`, key);
    expect(issued.body.data.member).toBe(member);
    const message = { contact: upper(contact), channel: "sms", text: "Hello" };
    const inbound = `/workspaces/${workspace.id}/messages/inbound`;
    expect((await operate("POST", inbound, message)).body.data.contact).toBe(contact);
    const sent = await workspace.send("POST", "/api/v1/messages", { body: message });
    expect(sent.body.data.contact).toBe(contact);
  });
});
