import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../../src/platform/config.ts";
import { CONTACTS, change, post } from "../../../support/contacts.ts";
import {
  createForm,
  EMAIL,
  fillIn,
  openForm,
  sendForm,
  submissionsOf,
  WISH,
} from "../../../support/forms.ts";
import { newAddress, operate, send } from "../../../support/http.ts";
import { publishPage } from "../../../support/pages.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const SECOND = 1000;
const HOUR = 60 * 60 * SECOND;
const DAY = 24 * HOUR;
const ADA = { email: "ada@example.com", wish: "A bowl" };

afterEach(() => {
  vi.useRealTimers();
});

function setTime(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: time });
}

/** How long each submission is kept, in days, with its status. */
async function keptOf(form: { block: string }) {
  const rows = await submissionsOf(form);
  return rows.map(({ status, created_at, due_at }) => [status, (due_at - created_at) / DAY]);
}

describe("a form that says nothing of spam", () => {
  it("takes nobody for a person who is quicker than two seconds, and keeps who is for a year", async () => {
    const form = await createForm(await createWorkspace(), { spam: {} });
    const start = Date.now();
    setTime(start);
    const [quick, slow] = [await openForm(form), await openForm(form)];
    setTime(start + 1900);
    await sendForm(form, { _token: quick, ...ADA });
    setTime(start + 2000);
    await sendForm(form, { _token: slow, email: "bob@example.com" });
    expect(await keptOf(form)).toEqual([
      ["spam", 30],
      ["accepted", 365],
    ]);
  });

  it("takes five an hour of an address", async () => {
    const form = await createForm(await createWorkspace(), { spam: {} });
    const address = newAddress();
    const _token = await openForm(form);
    const statuses = [];
    for (let at = 0; at < 6; at++) {
      statuses.push((await sendForm(form, { _token, ...ADA }, { address })).status);
    }
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429]);
  });

  it("has forgotten who sent something an hour later, and is empty then", async () => {
    const form = await createForm(await createWorkspace(), { spam: {} });
    const posts = (env as unknown as Env).FORM_POSTS.getByName(form.block);
    const kept = () =>
      runInDurableObject(posts, async (_, { storage }) => [
        storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'posts'").toArray().length,
        await storage.getAlarm(),
      ]);
    const start = Date.now();
    setTime(start);
    const _token = await openForm(form);
    const address = newAddress();
    const sent = async () => (await sendForm(form, { _token, ...ADA }, { address })).status;
    for (let at = 0; at < 5; at++) await sent();
    setTime(start + HOUR - SECOND);
    expect(await sent()).toBe(429);
    expect(await kept()).toEqual([1, start + HOUR]);
    setTime(start + HOUR);
    expect(await runDurableObjectAlarm(posts)).toBe(true);
    expect(await kept()).toEqual([0, null]);
    expect(await sent()).toBe(303);
    expect(await kept()).toEqual([1, start + 2 * HOUR]);
  });
});

describe("what is sent with a form", () => {
  it("is kept for as long as its maker says, and spam no longer than that", async () => {
    const form = await createForm(
      await createWorkspace(),
      { retention_days: 7 },
      {
        spam: { min_seconds: 60 },
      },
    );
    const start = Date.now();
    setTime(start);
    const [quick, slow] = [await openForm(form), await openForm(form)];
    await sendForm(form, { _token: quick, ...ADA });
    setTime(start + 60 * SECOND);
    await sendForm(form, { _token: slow, email: "bob@example.com" });
    expect(await keptOf(form)).toEqual([
      ["spam", 7],
      ["accepted", 7],
    ]);
  });

  it("is of each type what that type holds", async () => {
    const options = ["S", "M"];
    const fields = [
      { id: "name", type: "text", label: "Name" },
      EMAIL,
      { id: "phone", type: "phone", label: "Phone" },
      WISH,
      { id: "count", type: "number", label: "How many" },
      { id: "day", type: "date", label: "When" },
      { id: "size", type: "select", label: "Size", options },
      { id: "sizes", type: "multi_select", label: "Sizes", options },
      { id: "gift", type: "checkbox", label: "A gift" },
      { id: "ok", type: "consent", label: "I agree.", required: true },
      { id: "from", type: "hidden", label: "From" },
    ];
    const form = await createForm(await createWorkspace(), { fields });
    const { status } = await fillIn(form, {
      ...{ name: "Ada", email: "ada@example.com", phone: "+46701234567", wish: "A bowl" },
      ...{ count: "2.5", day: "2026-12-24", size: "S", sizes: ["S", "M"], gift: "on", ok: "on" },
      from: "shop",
    });
    expect(status).toBe(303);
    const [row] = await submissionsOf(form);
    expect(row.answers).toEqual({
      ...{ name: "Ada", email: "ada@example.com", phone: "+46701234567", wish: "A bowl" },
      ...{ count: 2.5, day: "2026-12-24", size: "S", sizes: ["S", "M"], gift: true, ok: true },
      from: "shop",
    });
    expect(JSON.parse(row.consents)).toEqual([expect.objectContaining({ text: "I agree." })]);
  });

  it.each([
    ["(555) 123-4567", "(555) 123-4567"],
    ["(020) 7946 0958", "(020) 7946 0958"],
    ["+1 555 123\u20114567", "+1 555 123-4567"],
    ["+49\u00a030\u202f901820", "+49 30 901820"],
    ["+(44) 20 7946 0958", "+(44) 20 7946 0958"],
  ])("may be the telephone number %s, of which a contact is made", async (phone, plain) => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace, {
      fields: [{ id: "phone", type: "phone", label: "Phone" }],
      contact: { create: true, map: { phone: "phone" } },
    });
    expect((await fillIn(form, { phone })).status).toBe(303);
    expect((await submissionsOf(form)).map(({ answers }) => answers.phone)).toEqual([plain]);
    const { data } = (await workspace.send("GET", CONTACTS)).body;
    expect(data.map((contact: { phone: string }) => contact.phone)).toEqual([plain]);
    // What is stored is what the API takes.
    const again = await change(workspace, "PATCH", `${CONTACTS}/${data[0].id}`, { phone: plain });
    expect(again.status).toBe(200);
  });

  it("knows whom older code named by an Italian number without its zero", async () => {
    const workspace = await createWorkspace();
    const known = { external_id: "phone:39669882342", name: "Ada" };
    expect((await post(workspace, CONTACTS, known)).status).toBe(201);
    const form = await createForm(workspace, {
      fields: [{ id: "phone", type: "phone", label: "Phone" }],
      contact: { create: true, map: { phone: "phone" } },
    });
    expect((await fillIn(form, { phone: "+39 (0)6 698 82342" })).status).toBe(303);
    const { data } = (await workspace.send("GET", CONTACTS)).body;
    expect(data.map(({ name }: { name: string }) => name)).toEqual(["Ada"]);
  });

  it("is a contact's telephone number also in a field of any text", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace, {
      fields: [{ id: "reach", type: "text", label: "How to reach you" }],
      contact: { create: true, map: { phone: "reach" } },
    });
    await fillIn(form, { reach: "(555)\u00a0123\u20134567" });
    const { data } = (await workspace.send("GET", CONTACTS)).body;
    expect(data.map((contact: { phone: string }) => contact.phone)).toEqual(["(555) 123-4567"]);
  });

  it.each(["call me", "((555) 1234567", ")555", "()", "+", "5".repeat(41)])(
    "is no telephone number where it is %s",
    async (phone) => {
      const fields = [{ id: "phone", type: "phone", label: "Phone" }];
      const form = await createForm(await createWorkspace(), { fields });
      expect((await fillIn(form, { phone })).status).toBe(422);
    },
  );

  it.each<[string, number | null]>([
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["-9007199254740991", Number.MIN_SAFE_INTEGER],
    ["1.5e3", 1500],
    ["6e23", 6e23],
    ["9007199254740993", null],
    ["-9007199254740993", null],
    ["9007199254740993.0", null],
    ["12345678901234567890", null],
  ])("is the number %s with all its digits, or refused", async (text, number) => {
    const fields = [{ id: "count", type: "number", label: "How many" }];
    const form = await createForm(await createWorkspace(), { fields });
    const { status, text: page } = await fillIn(form, { count: text });
    const kept = (await submissionsOf(form)).map(({ answers }) => answers.count);
    if (number !== null) return expect([status, kept]).toEqual([303, [number]]);
    expect([status, kept]).toEqual([422, []]);
    expect(page).toContain("Please write a number.");
  });

  it.each([
    [3, "accepted"],
    [4, "held"],
  ])("with %i addresses in it is %s", async (count, status) => {
    const form = await createForm(await createWorkspace());
    const wish = Array.from({ length: count }, (_, at) => `https://example.com/${at}`).join(" ");
    await fillIn(form, { ...ADA, wish });
    expect((await submissionsOf(form)).map((row) => row.status)).toEqual([status]);
  });

  it("a second time within ten minutes is spam, and later is none", async () => {
    const form = await createForm(await createWorkspace());
    const start = Date.now();
    for (const after of [0, 599 * SECOND, 1200 * SECOND]) {
      setTime(start + after);
      await fillIn(form, ADA);
    }
    const statuses = (await submissionsOf(form)).map(({ status }) => status);
    expect(statuses).toEqual(["accepted", "spam", "accepted"]);
  });

  it("as JSON is answered alike, be it spam or not", async () => {
    const form = await createForm(await createWorkspace(), {}, { spam: { min_seconds: 60 } });
    const start = Date.now();
    setTime(start);
    const [quick, slow] = [await openForm(form), await openForm(form)];
    const answerTo = async (_token: string, email: string) => {
      const headers = { "Content-Type": "application/json" };
      const body = { _token, email };
      const answer = await send(form.url, { method: "POST", headers, body });
      return [answer.status, answer.body, [...answer.headers.keys()].sort()];
    };
    const asSpam = await answerTo(quick, "ada@example.com");
    setTime(start + 60 * SECOND);
    expect(await answerTo(slow, "bob@example.com")).toEqual(asSpam);
    expect((await submissionsOf(form)).map(({ status }) => status)).toEqual(["spam", "accepted"]);
  });
});

describe("a form that is not there for its visitors", () => {
  it("is gone where the operator switched its page off", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace);
    const _token = await openForm(form);
    const path = `/workspaces/${workspace.id}/pages/${form.page}`;
    expect((await operate("PATCH", path, { disabled: true })).status).toBe(200);
    expect((await sendForm(form, { _token, ...ADA })).status).toBe(410);
    expect(await submissionsOf(form)).toEqual([]);
  });

  it("is not found where its block is switched off", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace);
    const _token = await openForm(form);
    const path = `/api/v1/biolinks/pages/${form.page}/blocks/${form.block}`;
    expect((await change(workspace, "PATCH", path, { enabled: false })).status).toBe(200);
    await publishPage(workspace, form.page);
    expect((await sendForm(form, { _token, ...ADA })).status).toBe(404);
    expect(await submissionsOf(form)).toEqual([]);
  });
});
