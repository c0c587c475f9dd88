import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import {
  CONTACTS,
  change,
  createContact,
  createLabel,
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
  type Workspace,
} from "../../../support/workspace.ts";

const GOOD = { field: "country", op: "eq", value: "GB" };
const CUSTOM = { field: "custom.plan", op: "contains", value: "pro" };
const TAGGED = { field: "tags", op: "has_any", value: ["tag"] };
const BAD = { field: "shoe_size", op: "eq", value: 44 };
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

async function namesIn(workspace: Workspace, id: string): Promise<string[]> {
  const { body } = await workspace.send("GET", `${SEGMENTS}/${id}/contacts`);
  return body.data.map(({ name }: { name: string }) => name);
}

describe("a segment", () => {
  it("is listed with as many others as a page has room for, and the rest on the next", async () => {
    const workspace = await createWorkspace();
    const value = Array(42).fill("en-abcdefgh-abcdefgh-abcdefgh-abcde");
    const groups = Array(10).fill({
      rules: Array(15).fill({ field: "language", op: "in", value }),
    });
    for (let n = 0; n < 6; n++) {
      const made = await post(workspace, SEGMENTS, { name: String(n), conditions: { groups } });
      expect([made.status, made.body.data.dropped_rules]).toEqual([201, []]);
    }
    const pages: string[][] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path: string = `${SEGMENTS}?limit=100${cursor && `&cursor=${cursor}`}`;
      const { body } = await workspace.send("GET", path);
      pages.push(body.data.map(({ name }: { name: string }) => name));
      cursor = body.next_cursor;
    }
    expect(pages).toEqual([["5", "4", "3", "2", "1"], ["0"]]);
  });

  it("names 500 tags and stages at most, and a rename writes none of them anew", async () => {
    const workspace = await createWorkspace();
    const { results } = await env.DB.prepare(
      `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 501)
       INSERT INTO stages (id, workspace_id, name, name_key, revision, created_at, updated_at)
       SELECT printf('0199c5f2-7c1e-7%03x-8000-', n) || substr(?1, 25), ?1, n, n, 'r', 0, 0 FROM each
       RETURNING id`,
    )
      .bind(workspace.id)
      .all<{ id: string }>();
    const named = (count: number) => {
      const ids = results.slice(0, count).map(({ id }) => id);
      const rules = Array.from({ length: Math.ceil(count / 100) }, (_, at) => ({
        field: "stage",
        op: "in",
        value: ids.slice(at * 100, at * 100 + 100),
      }));
      return { name: "Many", conditions: { groups: [{ match: "any", rules }] } };
    };
    const tooMany = await post(workspace, SEGMENTS, named(501));
    expect([tooMany.status, Object.keys(tooMany.body.errors)]).toEqual([422, ["conditions"]]);
    const { id } = (await post(workspace, SEGMENTS, named(500))).body.data;
    // Whatever is written after it has a later place.
    await post(workspace, SEGMENTS, named(1));
    const uses = () =>
      env.DB.prepare("SELECT rowid AS place FROM segment_uses WHERE segment_id = ? ORDER BY rowid")
        .bind(id)
        .all<{ place: number }>()
        .then((answer) => answer.results.map(({ place }) => place));
    const before = await uses();
    expect(before).toHaveLength(500);
    await change(workspace, "PATCH", `${SEGMENTS}/${id}`, { name: "Renamed" });
    expect(await uses()).toEqual(before);
    await change(workspace, "PATCH", `${SEGMENTS}/${id}`, {
      conditions: { groups: [{ rules: [{ field: "stage", op: "eq", value: results[500]?.id }] }] },
    });
    expect(await uses()).toHaveLength(1);
  });

  let workspace: Workspace;
  beforeAll(async () => {
    workspace = await createWorkspace({ plan: "business" });
  });

  it("needs a name only, and then holds every contact", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace);
    const { status, headers, body } = await post(workspace, SEGMENTS, { name: "All" });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(String),
      revision: expect.any(String),
      name: "All",
      stage: null,
      include_tags: [],
      exclude_tags: [],
      min_days_inactive: null,
      conditions: null,
      dropped_rules: [],
      contacts_count: 1,
      counted_at: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
    expect((await workspace.send("GET", `${SEGMENTS}/${body.data.id}`)).body).toEqual(body);
  });

  it("selects by stage, tags, inactivity and conditions together", async () => {
    const workspace = await createWorkspace();
    const [vip, beta, spam] = [
      await createLabel(workspace, TAGS, "VIP"),
      await createLabel(workspace, TAGS, "Beta"),
      await createLabel(workspace, TAGS, "Spam"),
    ];
    const stage = await createLabel(workspace, STAGES, "Won");
    const right = { tags: [vip, beta], stage, last_active_at: daysAgo(31), country: "GB" };
    await createContact(workspace, { ...right, name: "Right" });
    await createContact(workspace, { ...right, name: "One tag", tags: [vip] });
    await createContact(workspace, { ...right, name: "Spammer", tags: [vip, beta, spam] });
    await createContact(workspace, { ...right, name: "No stage", stage: null });
    await createContact(workspace, { ...right, name: "Active", last_active_at: daysAgo(29) });
    await createContact(workspace, { ...right, name: "New", last_active_at: null });
    await createContact(workspace, { ...right, name: "Abroad", country: "IE" });
    await createContact(workspace, { ...right, name: "Right too" });
    const segment = await post(workspace, SEGMENTS, {
      name: "Gone quiet",
      stage,
      include_tags: [vip, beta],
      exclude_tags: [spam],
      min_days_inactive: 30,
      conditions: { match: "all", groups: [{ match: "all", rules: [GOOD] }] },
    });
    expect(segment.body.data.contacts_count).toBe(2);
    expect(await namesIn(workspace, segment.body.data.id)).toEqual(["Right too", "Right"]);
    await createContact(workspace, { ...right, name: "Later" });
    expect(await namesIn(workspace, segment.body.data.id)).toEqual(["Later", "Right too", "Right"]);
  });

  it.each([
    ["eq", "en-us", ["1", "2"]],
    ["eq", "EN", ["3"]],
    ["neq", "en-US", ["3", "4"]],
    ["in", ["EN-US", "eN"], ["1", "2", "3"]],
    ["not_in", ["EN-us"], ["3", "4"]],
  ])("finds a language in any case: %s %j", async (op, value, names) => {
    const workspace = await createWorkspace();
    for (const [at, language] of ["en-US", "EN-us", "en", null].entries()) {
      await createContact(workspace, { name: String(at + 1), language });
    }
    const conditions = { groups: [{ rules: [{ field: "language", op, value }] }] };
    const { body } = await post(workspace, SEGMENTS, { name: "S", conditions });
    expect((await namesIn(workspace, body.data.id)).sort()).toEqual(names);
    expect(body.data.conditions.groups[0].rules[0].value).toEqual(value);
  });

  it.each([
    ["eq", true, ["true"]],
    ["eq", false, ["false"]],
    ["neq", true, ['"true"', "0", "1", "false", "none"]],
    ["neq", false, ['"true"', "0", "1", "none", "true"]],
    ["is_empty", undefined, ["none"]],
    ["is_not_empty", undefined, ['"true"', "0", "1", "false", "true"]],
    ["eq", 1, ["1"]],
    ["eq", "true", ['"true"']],
  ])("tells true and false of a custom field from all else: %s %j", async (op, value, names) => {
    const workspace = await createWorkspace();
    for (const beta of [true, false, 1, 0, "true"]) {
      await createContact(workspace, { name: JSON.stringify(beta), custom: { beta } });
    }
    await createContact(workspace, { name: "none" });
    const conditions = { groups: [{ rules: [{ field: "custom.beta", op, value }] }] };
    const { body } = await post(workspace, SEGMENTS, { name: "S", conditions });
    expect(body.data.dropped_rules).toEqual([]);
    expect((await namesIn(workspace, body.data.id)).sort()).toEqual(names);
  });

  it("keeps what the sanitiser keeps, and tells what it dropped", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace, { country: "GB" });
    await createContact(workspace, { country: "IE" });
    const { body } = await post(workspace, SEGMENTS, {
      name: "British",
      conditions: { match: "all", groups: [{ match: "any", rules: [BAD, GOOD], note: "x" }] },
    });
    expect(body.data.conditions).toEqual({
      match: "all",
      groups: [{ match: "any", rules: [GOOD] }],
    });
    expect(body.data.dropped_rules).toEqual([{ group: 0, rule: 0, reason: "unknown_field" }]);
    expect(body.data.contacts_count).toBe(1);
    const read = await workspace.send("GET", `${SEGMENTS}/${body.data.id}`);
    expect(read.body.data).toEqual({ ...body.data, dropped_rules: [] });
  });

  it("whose rules are all dropped selects nobody, also when it is saved again as it was read", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace);
    const conditions = { match: "all", groups: [{ match: "all", rules: [BAD] }] };
    const { body } = await post(workspace, SEGMENTS, { name: "Nobody", conditions });
    expect(body.data.contacts_count).toBe(0);
    const path = `${SEGMENTS}/${body.data.id}`;
    const again = await change(workspace, "PATCH", path, { conditions: body.data.conditions });
    expect(again.body.data.contacts_count).toBe(0);
    expect(await namesIn(workspace, body.data.id)).toEqual([]);
  });

  it.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: "x".repeat(121) }, "name"],
    [{ name: "A", stage: "won" }, "stage"],
    [{ name: "A", stage: crypto.randomUUID() }, "stage"],
    [{ name: "A", include_tags: "vip" }, "include_tags"],
    [{ name: "A", include_tags: [crypto.randomUUID()] }, "include_tags"],
    [{ name: "A", exclude_tags: [crypto.randomUUID()] }, "exclude_tags"],
    [{ name: "A", min_days_inactive: -1 }, "min_days_inactive"],
    [{ name: "A", min_days_inactive: 1.5 }, "min_days_inactive"],
    [{ name: "A", conditions: [] }, "conditions"],
    [{ name: "A", conditions: { match: "none" } }, "conditions.match"],
    [{ name: "A", conditions: { groups: Array(11).fill({ rules: [GOOD] }) } }, "conditions.groups"],
    [
      { name: "A", conditions: { groups: [{ rules: Array(16).fill(GOOD) }] } },
      "conditions.groups.0.rules",
    ],
    [
      {
        name: "A",
        conditions: {
          groups: [{ rules: [{ field: "tags", op: "has_none", value: [crypto.randomUUID()] }] }],
        },
      },
      "conditions",
    ],
    [{ name: "A", includeTags: [] }, "includeTags"],
  ])("is not saved as %j", async (input, field) => {
    const workspace = await createWorkspace();
    const { status, body } = await post(workspace, SEGMENTS, input);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect((await workspace.send("GET", SEGMENTS)).body.data).toEqual([]);
  });

  it("may not include and exclude the same tag, nor name another workspace's", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const tag = await createLabel(workspace, TAGS, "VIP");
    const foreign = await createLabel(other, TAGS, "VIP");
    const both = { name: "A", include_tags: [tag], exclude_tags: [tag] };
    expect((await post(workspace, SEGMENTS, both)).body.errors.exclude_tags).toBeDefined();
    const theirs = { name: "A", include_tags: [foreign] };
    expect((await post(workspace, SEGMENTS, theirs)).body.errors.include_tags).toBeDefined();
    const { body } = await post(workspace, SEGMENTS, { name: "A", include_tags: [tag] });
    const path = `${SEGMENTS}/${body.data.id}`;
    expect((await change(workspace, "PATCH", path, { exclude_tags: [tag] })).status).toBe(422);
  });

  it("may be as large as the limits allow", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace, { name: "Ada", custom: { a: "x" } });
    const long = "é".repeat(200);
    const plain = [
      ...Array(5).fill({ field: "name", op: "not_contains", value: long }),
      ...Array(5).fill({ field: "last_active_at", op: "is_empty" }),
      ...Array(5).fill({ field: "country", op: "not_in", value: Array(100).fill("GB") }),
    ];
    const custom = Array(15).fill({ field: "custom.a", op: "not_contains", value: long });
    for (const match of ["all", "any"]) {
      for (const groups of [
        Array(10).fill({ match, rules: plain }),
        Array(2).fill({ match, rules: custom }),
      ]) {
        const conditions = { match, groups };
        const { status, body } = await post(workspace, SEGMENTS, { name: "Large", conditions });
        expect([status, body.data.contacts_count, body.data.dropped_rules]).toEqual([201, 1, []]);
      }
    }
    const tags = await Promise.all(
      Array.from({ length: 20 }, (_, n) => createLabel(workspace, TAGS, `T${n}`)),
    );
    const labels = { include_tags: tags.slice(0, 10), exclude_tags: tags.slice(10) };
    await createContact(workspace, { tags: tags.slice(0, 10) });
    const tagged = await post(workspace, SEGMENTS, { name: "Tagged", ...labels });
    expect(tagged.body.data.contacts_count).toBe(1);
  });

  it.each([
    ["30 rules on custom fields", 30, CUSTOM, {}, 201],
    ["31 rules on custom fields", 31, CUSTOM, {}, 422],
    ["12 rules on tags", 12, TAGGED, {}, 201],
    ["13 rules on tags", 13, TAGGED, {}, 422],
    ["150 rules on other fields", 150, GOOD, {}, 201],
    ["29 on custom fields and tags left out", 29, CUSTOM, { exclude_tags: ["tag"] }, 422],
  ])("may ask so much of each contact, no more: %s", async (_, count, rule, more, expected) => {
    const tag = await createLabel(workspace, TAGS, crypto.randomUUID());
    const text = JSON.stringify({ rules: Array(count).fill(rule), more });
    const { rules, more: labels } = JSON.parse(text.replaceAll('"tag"', JSON.stringify(tag)));
    const groups = Array.from({ length: 10 }, (_, at) => ({
      rules: rules.slice(at * 15, at * 15 + 15),
    })).filter((group) => group.rules.length > 0);
    const input = { name: "Heavy", conditions: { match: "any", groups }, ...labels };
    for (const path of [SEGMENTS, `${SEGMENTS}/preview`]) {
      const { status, body } = await post(workspace, path, input);
      expect(status).toBe(expected === 201 && path !== SEGMENTS ? 200 : expected);
      if (expected === 422) expect(body.errors.conditions[0]).toContain("may weigh 300");
    }
  });

  it("that was saved before there was a limit may still be renamed, and counted", async () => {
    const { id } = (await post(workspace, SEGMENTS, { name: "Old" })).body.data;
    const conditions = {
      match: "all",
      groups: Array(10).fill({ match: "any", rules: Array(15).fill(CUSTOM) }),
    };
    await env.DB.prepare("UPDATE segments SET conditions = ?, contacts_count = 7 WHERE id = ?")
      .bind(JSON.stringify(conditions), id)
      .run();
    const path = `${SEGMENTS}/${id}`;
    const renamed = await change(workspace, "PATCH", path, { name: "New" });
    expect([renamed.status, renamed.body.data.contacts_count]).toEqual([200, 7]);
    expect(await namesIn(workspace, id)).toEqual([]);
    const changed = await change(workspace, "PATCH", path, { min_days_inactive: 7 });
    expect(changed.status).toBe(422);
  });

  it("is changed only where the request says so, and null takes a part away", async () => {
    const workspace = await createWorkspace();
    const stage = await createLabel(workspace, STAGES, "Won");
    const conditions = { match: "any", groups: [{ match: "all", rules: [GOOD] }] };
    const made = await post(workspace, SEGMENTS, { name: "A", stage, conditions });
    const path = `${SEGMENTS}/${made.body.data.id}`;
    const renamed = await change(workspace, "PATCH", path, { name: "B", min_days_inactive: 7 });
    expect(renamed.body.data).toMatchObject({ name: "B", stage, conditions, min_days_inactive: 7 });
    const cleared = { stage: null, conditions: null, min_days_inactive: null };
    const bare = await change(workspace, "PATCH", path, cleared);
    expect(bare.body.data).toMatchObject({ name: "B", ...cleared });
    expect((await workspace.send("GET", path)).body).toEqual(bare.body);
  });

  it("needs If-Match to be changed or deleted, and leaves its contacts", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace);
    const { id, revision } = (await post(workspace, SEGMENTS, { name: "A" })).body.data;
    const path = `${SEGMENTS}/${id}`;
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
    expect((await send("DELETE", `"${revision}"`)).status).toBe(412);
    expect((await send("DELETE", "*")).status).toBe(204);
    expect((await workspace.send("GET", path)).status).toBe(404);
    expect((await workspace.send("GET", `${path}/contacts`)).status).toBe(404);
    expect((await workspace.send("GET", CONTACTS)).body.data).toHaveLength(1);
  });

  it("needs no Idempotency-Key, and honours one that is sent", async () => {
    const workspace = await createWorkspace();
    const body = { name: "Once" };
    expect((await post(workspace, SEGMENTS, body)).status).toBe(201);
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const first = await workspace.send("POST", SEGMENTS, { headers, body });
    const second = await workspace.send("POST", SEGMENTS, { headers, body });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
    const other = await workspace.send("POST", SEGMENTS, { headers, body: { name: "Twice" } });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
    const wrong = { "Idempotency-Key": "short" };
    expect((await workspace.send("POST", SEGMENTS, { headers: wrong, body })).status).toBe(422);
    expect((await workspace.send("GET", SEGMENTS)).body.data).toHaveLength(2);
  });

  it("is another workspace's secret, and needs salesbot:contacts permissions", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    await createContact(other);
    const { id } = (await post(workspace, SEGMENTS, { name: "A" })).body.data;
    for (const path of [`${SEGMENTS}/${id}`, `${SEGMENTS}/${id}/contacts`]) {
      expect((await other.send("GET", path)).status).toBe(404);
    }
    expect((await change(other, "DELETE", `${SEGMENTS}/${id}`)).status).toBe(404);
    expect(await namesIn(workspace, id)).toEqual([]);
    const { key } = await issueKey(workspace.id, { permissions: ["salesbot:contacts:read"] });
    expect((await sendAs(key, "GET", SEGMENTS)).status).toBe(200);
    expect((await sendAs(key, "POST", SEGMENTS, { body: { name: "B" } })).status).toBe(403);
    expect((await sendAs(key, "POST", `${SEGMENTS}/preview`, { body: {} })).status).toBe(200);
    const off = await createWorkspace({ features: ["biolinks"] });
    expect((await off.send("GET", SEGMENTS)).status).toBe(404);
  });
});

describe("the contacts of a segment", () => {
  it("come newest first and page by page, unmoved by contacts that are added meanwhile", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "VIP");
    for (const name of ["1", "2", "3", "4", "5"]) {
      await createContact(workspace, { name, tags: name === "3" ? [] : [tag] });
    }
    for (const input of [{ include_tags: [tag] }, { conditions: null, exclude_tags: [] }]) {
      const { id } = (await post(workspace, SEGMENTS, { name: "S", ...input })).body.data;
      const expected = input.include_tags ? ["5", "4", "2", "1"] : ["5", "4", "3", "2", "1"];
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const path: string = `${SEGMENTS}/${id}/contacts?limit=2${cursor && `&cursor=${cursor}`}`;
        const { body } = await workspace.send("GET", path);
        seen.push(...body.data.map(({ name }: { name: string }) => name));
        cursor = body.next_cursor;
        if (input.include_tags) await createContact(workspace, { name: "new", tags: [tag] });
      }
      expect(seen).toEqual(expected);
      await workspace.send("GET", `${SEGMENTS}/${id}/contacts`);
      if (input.include_tags) {
        for (const { id: added } of (await workspace.send("GET", `${CONTACTS}?limit=2`)).body
          .data) {
          await change(workspace, "DELETE", `${CONTACTS}/${added}`);
        }
      }
    }
  });
});

describe("a preview", () => {
  it("answers count and first contacts of a definition, and saves nothing", async () => {
    const workspace = await createWorkspace();
    for (let n = 0; n < 27; n++) await createContact(workspace, { country: n ? "GB" : "IE" });
    const conditions = { groups: [{ rules: [GOOD, BAD] }] };
    const { status, body } = await post(workspace, `${SEGMENTS}/preview`, { conditions });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      contacts_count: 26,
      more: false,
      conditions: { match: "all", groups: [{ match: "all", rules: [GOOD] }] },
      dropped_rules: [{ group: 0, rule: 1, reason: "unknown_field" }],
    });
    expect(body.data.contacts).toHaveLength(25);
    expect((await workspace.send("GET", SEGMENTS)).body.data).toEqual([]);
    const foreign = { include_tags: [crypto.randomUUID()] };
    expect((await post(workspace, `${SEGMENTS}/preview`, foreign)).status).toBe(422);
  });
});

describe("GET /segments/fields", () => {
  it("names every field with its operators, and the values where there are only some", async () => {
    const workspace = await createWorkspace();
    const { body } = await workspace.send("GET", `${SEGMENTS}/fields`);
    // biome-ignore lint/suspicious/noExplicitAny: as the API answers it
    const byName = new Map<string, any>(body.data.map((field: any) => [field.field, field]));
    expect([...byName.keys()]).toEqual([
      "name",
      "email",
      "phone",
      "channel",
      "country",
      "language",
      "status",
      "stage",
      "tags",
      "created_at",
      "updated_at",
      "last_active_at",
      "last_inbound_at",
      "custom.<key>",
    ]);
    expect(byName.get("status")).toEqual({
      field: "status",
      types: ["choice"],
      operators: ["eq", "neq", "in", "not_in", "is_empty", "is_not_empty"],
      values: ["active", "opted_out", "blocked"],
    });
    expect(byName.get("custom.<key>").types).toEqual(["text", "number", "boolean"]);
    expect(byName.get("custom.<key>").operators).toEqual(
      expect.arrayContaining(["contains", "between", "gte", "is_empty"]),
    );
  });
});
