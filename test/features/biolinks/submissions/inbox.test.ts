import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newId } from "../../../../src/platform/ids.ts";
import { CONTACTS, change, post } from "../../../support/contacts.ts";
import { createForm, EMAIL, formSettings, openForm, sendForm } from "../../../support/forms.ts";
import { operate } from "../../../support/http.ts";
import { PAGES } from "../../../support/pages.ts";
import {
  createSubmission,
  newSubmission,
  SUBMISSIONS,
  storeSubmissions,
} from "../../../support/submissions.ts";
import { createWorkspace, issueKey, sendAs, type Workspace } from "../../../support/workspace.ts";

const DAY = 24 * 60 * 60_000;

async function idsOf(workspace: Workspace, query = ""): Promise<string[]> {
  const { status, body, text } = await workspace.send("GET", `${SUBMISSIONS}${query}`);
  if (status !== 200) throw new Error(text);
  return body.data.map(({ id }: { id: string }) => id);
}

describe("the inbox", () => {
  it("shows what was sent, newest first, page by page", async () => {
    const workspace = await createWorkspace();
    const rows = [];
    for (let at = 0; at < 5; at++) rows.push(await createSubmission(workspace));
    const ids = rows.map(({ id }) => id).reverse();
    expect(await idsOf(workspace)).toEqual(ids);
    const first = (await workspace.send("GET", `${SUBMISSIONS}?limit=3`)).body;
    const next = `?limit=3&cursor=${first.next_cursor}`;
    expect([
      ...first.data.map(({ id }: { id: string }) => id),
      ...(await idsOf(workspace, next)),
    ]).toEqual(ids);
    const read = await workspace.send("GET", `${SUBMISSIONS}/${rows[0]?.id}`);
    const row = rows[0] as (typeof rows)[number];
    expect(read.body.data).toEqual({
      id: row.id,
      revision: row.revision,
      page: row.pageId,
      block: row.blockId,
      block_name: null,
      page_version: 1,
      status: "accepted",
      spam_reasons: [],
      answers: { name: "Ada", email: "Ada@example.com" },
      fields: row.fields,
      consents: [],
      contact: null,
      country: "GB",
      referrer_host: "instagram.com",
      utm: { source: "instagram" },
      is_read: false,
      is_starred: false,
      created_at: new Date(row.createdAt).toISOString(),
    });
    expect(read.headers.get("ETag")).toBe(`"${row.revision}"`);
  });

  it("shows all that is known of what a form took, as its visitor saw it", async () => {
    const workspace = await createWorkspace();
    const text = "I agree to be written to.";
    const fields = [EMAIL, { id: "ok", type: "consent", label: text, required: true }];
    const contact = { create: true, map: { email: "email" } };
    const form = await createForm(workspace, { title: "Write to me", fields, contact });
    const from = { path: `${form.path}?utm_source=news&utm_medium=mail&utm_campaign=may` };
    const _token = await openForm(from, { Referer: "https://www.instagram.com/ada" });
    const headers = { "CF-IPCountry": "SE", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64)" };
    const before = Date.now();
    await sendForm(form, { _token, email: "Ada@example.com", ok: "yes" }, { headers });
    const block = `${PAGES}/${form.page}/blocks/${form.block}`;
    const changed = { settings: formSettings({ title: "Write to me" }) };
    expect((await change(workspace, "PATCH", block, changed)).status).toBe(200);
    const [told, ...more] = (await workspace.send("GET", SUBMISSIONS)).body.data;
    const [{ id: contactId }] = (await workspace.send("GET", CONTACTS)).body.data;
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
    expect([told, more]).toEqual([
      {
        id: expect.any(String),
        revision: expect.any(String),
        ...{ page: form.page, block: form.block, block_name: "Write to me", page_version: 1 },
        ...{ status: "accepted", spam_reasons: [] },
        answers: { email: "Ada@example.com", ok: true },
        fields: [EMAIL, { ...fields[1] }],
        consents: [{ field: "ok", text, hash: hash.join(""), given_at: told.created_at }],
        contact: contactId,
        ...{ country: "SE", referrer_host: "www.instagram.com" },
        utm: { source: "news", medium: "mail", campaign: "may" },
        ...{ is_read: false, is_starred: false },
        created_at: expect.any(String),
      },
      [],
    ]);
    expect(Date.parse(told.created_at)).toBeGreaterThanOrEqual(before);
  });

  it("is filtered, by one thing or by several", async () => {
    const workspace = await createWorkspace();
    const [page, block, contact] = [newId(), newId(), newId()];
    const plain = newSubmission(workspace);
    const ofBlock = newSubmission(workspace, { pageId: page, blockId: block, isRead: true });
    const spam = newSubmission(workspace, {
      pageId: page,
      status: "spam",
      spamReasons: ["honeypot"],
    });
    const held = newSubmission(workspace, { blockId: block, status: "held", isStarred: true });
    const ofContact = newSubmission(workspace, {
      contactId: contact,
      answers: { email: "bob@example.com" },
    });
    await storeSubmissions([plain, ofBlock, spam, held, ofContact]);
    const all = { plain, ofBlock, spam, held, ofContact };
    const cases: [string, (keyof typeof all)[]][] = [
      ["", ["ofContact", "held", "spam", "ofBlock", "plain"]],
      ["?status=spam", ["spam"]],
      ["?status=held", ["held"]],
      [`?page=${page}`, ["spam", "ofBlock"]],
      [`?block=${block}`, ["held", "ofBlock"]],
      [`?block=${block.toUpperCase()}&status=held`, ["held"]],
      [`?page=${page}&is_read=true`, ["ofBlock"]],
      ["?is_read=true", ["ofBlock"]],
      ["?is_read=false", ["ofContact", "held", "spam", "plain"]],
      ["?is_starred=true", ["held"]],
      ["?is_starred=false&status=accepted", ["ofContact", "ofBlock", "plain"]],
      [`?contact=${contact}`, ["ofContact"]],
      [`?contact=${contact}&status=spam`, []],
      ["?email=BOB@example.com", ["ofContact"]],
      ["?email=ada@example.com&status=accepted", ["ofBlock", "plain"]],
      ["?email=ada@example.com&limit=100", ["held", "spam", "ofBlock", "plain"]],
      ["?email=nobody@example.com", []],
      ["?status=", ["ofContact", "held", "spam", "ofBlock", "plain"]],
    ];
    for (const [query, names] of cases) {
      expect([query, await idsOf(workspace, query)]).toEqual([
        query,
        names.map((name) => all[name].id),
      ]);
    }
    const first = (await workspace.send("GET", `${SUBMISSIONS}?email=ada@example.com&limit=3`))
      .body;
    expect(await idsOf(workspace, `?email=ada@example.com&cursor=${first.next_cursor}`)).toEqual([
      plain.id,
    ]);
  });

  it("is filtered by time", async () => {
    const workspace = await createWorkspace();
    const first = Date.parse("2026-03-01T10:00:00Z");
    const idAt = (time: number) => {
      const hex = time.toString(16).padStart(12, "0");
      return `${hex.slice(0, 8)}-${hex.slice(8)}-${newId().slice(14)}`;
    };
    const rows = [0, 1, 2].map((day) => {
      const createdAt = first + day * DAY;
      return newSubmission(workspace, { id: idAt(createdAt), createdAt });
    });
    await storeSubmissions(rows);
    const ids = rows.map(({ id }) => id);
    const [since, until] = ["2026-03-02T10:00:00Z", "2026-03-03T10:00:00Z"];
    expect(await idsOf(workspace, `?since=${since}`)).toEqual([ids[2], ids[1]]);
    expect(await idsOf(workspace, `?since=${since}&until=${until}`)).toEqual([ids[1]]);
    expect(await idsOf(workspace, `?until=${until}&email=ada@example.com`)).toEqual([
      ids[1],
      ids[0],
    ]);
    expect(await idsOf(workspace, `?since=${until}&email=ada@example.com`)).toEqual([ids[2]]);
  });

  it.each([
    "status=lost",
    "page=home",
    "is_read=maybe",
    "email=ada",
    "since=yesterday",
    "limit=0",
    "cursor=x",
  ])("names the field at fault: %s", async (query) => {
    const { status, body } = await (await createWorkspace()).send("GET", `${SUBMISSIONS}?${query}`);
    expect([status, Object.keys(body.errors)]).toEqual([422, [query.split("=")[0]]]);
  });

  it("is another workspace's secret", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = await createSubmission(workspace);
    const one = `${SUBMISSIONS}/${id}`;
    expect(await idsOf(other)).toEqual([]);
    expect(await idsOf(other, "?email=ada@example.com")).toEqual([]);
    expect((await other.send("GET", one)).status).toBe(404);
    expect((await change(other, "PATCH", one, { is_read: true })).status).toBe(404);
    expect((await change(other, "DELETE", one)).status).toBe(404);
    expect((await post(other, `${one}/mark-spam`, {})).status).toBe(404);
    expect((await post(other, `${SUBMISSIONS}/bulk-delete`, { ids: [id] })).body.data).toEqual({
      deleted: [],
    });
    const erased = await post(other, `${SUBMISSIONS}/erase`, { email: "ada@example.com" });
    expect(erased.body.data).toEqual({ erased: 0, finished: true });
    expect(await idsOf(workspace)).toEqual([id]);
  });

  it("is read with one permission, and changed with another", async () => {
    const workspace = await createWorkspace();
    const { id } = await createSubmission(workspace);
    const one = `${SUBMISSIONS}/${id}`;
    const reading: [string, string][] = [
      ["GET", SUBMISSIONS],
      ["GET", one],
      ["GET", `${SUBMISSIONS}/export`],
    ];
    const writing: [string, string, object][] = [
      ["PATCH", one, { is_read: true }],
      ["POST", `${one}/mark-spam`, {}],
      ["POST", `${one}/release`, {}],
      ["POST", `${SUBMISSIONS}/bulk-delete`, { ids: [newId()] }],
      ["POST", `${SUBMISSIONS}/erase`, { email: "a@example.com" }],
      ["DELETE", one, {}],
    ];
    const { key: reader } = await issueKey(workspace.id, {
      permissions: ["biolinks:submissions:read"],
    });
    const { key: writer } = await issueKey(workspace.id, {
      permissions: ["biolinks:submissions:write"],
    });
    const headers = { "If-Match": "*" };
    for (const [method, path] of reading) {
      expect((await sendAs(reader, method, path)).status).toBe(200);
      expect((await sendAs(writer, method, path)).status).toBe(403);
    }
    for (const [method, path, body] of writing) {
      expect((await sendAs(reader, method, path, { headers, body })).status).toBe(403);
      expect((await sendAs(writer, method, path, { headers, body })).status).toBeLessThan(300);
    }
  });
});

describe("who is a member", () => {
  it("reads submissions, and changes them as an editor", async () => {
    const workspace = await createWorkspace();
    const { id } = await createSubmission(workspace);
    const statusesOf = async (role: string) => {
      const member = { email: `${crypto.randomUUID()}@example.com`, role };
      const made = await operate("POST", `/workspaces/${workspace.id}/members`, member);
      const { key } = await issueKey(workspace.id, { member: made.body.data.id });
      const headers = { "If-Match": "*" };
      return [
        (await sendAs(key, "GET", `${SUBMISSIONS}/${id}`)).status,
        (await sendAs(key, "PATCH", `${SUBMISSIONS}/${id}`, { headers, body: {} })).status,
      ];
    };
    expect(await statusesOf("viewer")).toEqual([200, 403]);
    expect(await statusesOf("editor")).toEqual([200, 200]);
  });
});

describe("a submission", () => {
  it("is marked as read and starred by whoever has its revision", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = await createSubmission(workspace);
    const one = `${SUBMISSIONS}/${id}`;
    const patch = (body: object, ifMatch?: string) =>
      workspace.send("PATCH", one, { headers: ifMatch ? { "If-Match": ifMatch } : {}, body });
    expect((await patch({ is_read: true })).status).toBe(428);
    const changed = await patch({ is_read: true }, `"${revision}"`);
    expect(changed.body.data).toMatchObject({ is_read: true, is_starred: false });
    expect(changed.body.data.revision).not.toBe(revision);
    expect((await patch({ is_starred: true }, `"${revision}"`)).status).toBe(412);
    const starred = await patch({ is_starred: true }, changed.headers.get("ETag") ?? "");
    expect(starred.body.data).toMatchObject({ is_read: true, is_starred: true });
    const same = await patch({ is_starred: true, is_read: "" }, "*");
    expect(same.body.data.revision).toBe(starred.body.data.revision);
    expect((await patch({ status: "accepted" }, "*")).body.errors).toEqual({
      status: [expect.any(String)],
    });
  });

  it("is marked as spam, once, and goes in thirty days", async () => {
    const workspace = await createWorkspace();
    const createdAt = Date.now() - 100 * DAY;
    const { id } = await createSubmission(workspace, { createdAt, retentionDays: 365 });
    const mark = (headers = {}) =>
      workspace.send("POST", `${SUBMISSIONS}/${id}/mark-spam`, { headers });
    expect((await mark({ "If-Match": '"stale"' })).status).toBe(412);
    const marked = await mark();
    expect(marked.body.data).toMatchObject({ status: "spam", spam_reasons: ["marked"] });
    expect((await mark()).body.data.revision).toBe(marked.body.data.revision);
    const due = await dueOf(id);
    expect(due - Date.now()).toBeGreaterThan(29 * DAY);
    expect(due - Date.now()).toBeLessThanOrEqual(30 * DAY);
  });

  it("goes no later for being marked as spam", async () => {
    const workspace = await createWorkspace();
    const row = await createSubmission(workspace, {
      retentionDays: 3,
      dueAt: Date.now() + 3 * DAY,
    });
    await post(workspace, `${SUBMISSIONS}/${row.id}/mark-spam`, {});
    expect(await dueOf(row.id)).toBe(row.createdAt + 3 * DAY);
  });
});

async function dueOf(id: string): Promise<number> {
  const sql = "SELECT due_at FROM submissions WHERE id = ?";
  return Number(await env.DB.prepare(sql).bind(id).first("due_at"));
}
