import { expect, it } from "vitest";
import { eventsOf } from "../../../support/contacts.ts";
import { createForm, fillIn, openForm, submissionsOf } from "../../../support/forms.ts";
import { HOSTILE_TEXTS } from "../../../support/hostile-texts.ts";
import { send } from "../../../support/http.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const TYPES = ["text", "textarea", "email", "phone", "number", "date", "hidden"];
const FIELDS = [
  ...TYPES.map((type) => ({ id: type, type, label: type })),
  { id: "select", type: "select", label: "select", options: ["A"] },
  { id: "multi_select", type: "multi_select", label: "multi", options: ["A"] },
  { id: "checkbox", type: "checkbox", label: "checkbox" },
  { id: "consent", type: "consent", label: "consent" },
];

it("whatever is sent in any field is kept as it is, or shown again as text", async () => {
  const workspace = await createWorkspace();
  const contact = {
    create: true,
    map: { name: "text", email: "email", custom: { a: "textarea" } },
  };
  const form = await createForm(workspace, { fields: FIELDS, contact });
  const texts = HOSTILE_TEXTS.filter((text) => text.trim() !== "" && [...text].length <= 200);
  let kept = 0;
  for (const text of texts) {
    const all = Object.fromEntries(FIELDS.map(({ id }) => [id, text]));
    const again = await fillIn(form, all);
    // No address, number or date is written so.
    expect([text, again.status]).toEqual([text, 422]);
    expect(again.text).not.toMatch(
      /<script(?! type="application\/ld\+json")|<img|<iframe|<svg|<[a-z][^>"]*\son/i,
    );
    const answer = await fillIn(form, { text, textarea: text, hidden: text });
    if (answer.status === 422) continue;
    kept++;
    const rows = await submissionsOf(form);
    expect(rows.at(-1).answers.textarea).toBe(text.replaceAll("\r\n", "\n").trim());
  }
  expect(kept).toBeGreaterThan(5);
  const told = (await eventsOf(workspace)).filter(([type]) => type.includes("submission"));
  expect(told.length).toBeGreaterThan(0);
});

it.each([
  ["no object", "[]", 422],
  ["broken", "{", 422],
  ["deep", `{"text":${"[".repeat(500)}${"]".repeat(500)}}`, 422],
  ["an object for a text", '{"text":{"a":1}}', 422],
  ["prototypes", '{"__proto__":{"text":"x"},"constructor":"x"}', 422],
  ["half a character", '{"text":"\\ud800"}', 422],
  ["U+0000", '{"text":"a\\u0000b"}', 422],
  ["too much", JSON.stringify({ text: "x".repeat(65 * 1024) }), 413],
])("JSON that is %s is refused, and nothing stored", async (_, body, status) => {
  const form = await createForm(await createWorkspace(), { fields: FIELDS });
  const token = await openForm(form);
  const headers = { "Content-Type": "application/json" };
  const sent = body.startsWith("{") ? body.replace("{", `{"_token":"${token}",`) : body;
  const answer = await send(form.url, { method: "POST", headers, body: sent });
  const nothing = body.includes("__proto__") ? 200 : status;
  expect(answer.status).toBe(nothing);
  expect(answer.headers.get("Content-Type")).toMatch(/^application\/json/);
  const rows = await submissionsOf(form);
  expect(rows.map(({ answers }) => answers)).toEqual(
    nothing === 200 ? [{ checkbox: false, consent: false }] : [],
  );
});

it("a form that is too long is refused as a page", async () => {
  const form = await createForm(await createWorkspace());
  const answer = await fillIn(form, { email: "a@example.com", wish: "x".repeat(70_000) });
  expect([answer.status, answer.headers.get("Content-Type")]).toEqual([
    413,
    "text/html; charset=utf-8",
  ]);
});

it("64 KiB are taken, and no byte more", async () => {
  const form = await createForm(await createWorkspace());
  const post = async (type: string, written: string, filler: string, bytes: number) => {
    const body = written.replace("TOKEN", await openForm(form)).padEnd(bytes, filler);
    const headers = { "Content-Type": type };
    return (await send(form.url, { method: "POST", headers, body })).status;
  };
  const limit = 64 * 1024;
  const json = '{"_token":"TOKEN","email":"ada@example.com"}';
  expect(await post("application/json", json, " ", limit)).toBe(200);
  expect(await post("application/json", json, " ", limit + 1)).toBe(413);
  const fields = "_token=TOKEN&email=bob@example.com";
  expect(await post("application/x-www-form-urlencoded", fields, "&", limit)).toBe(303);
  expect(await post("application/x-www-form-urlencoded", fields, "&", limit + 1)).toBe(413);
  expect(await submissionsOf(form)).toHaveLength(2);
});
