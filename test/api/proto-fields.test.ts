import { expect, it } from "vitest";
import { CONTACTS, createContact } from "../support/contacts.ts";
import { MESSAGES } from "../support/messages.ts";
import { createWorkspace } from "../support/workspace.ts";

const workspace = await createWorkspace();
const REFUSED = ["This name cannot be used."];

/** As text: written as an object in JavaScript it would say what the object descends from. */
function post(path: string, body: string) {
  return workspace.send("POST", path, { body });
}

it("a custom field named __proto__ is refused, not dropped, however it is written", async () => {
  for (const name of ["__proto__", "\\u005f_proto__"]) {
    const answer = await post(CONTACTS, `{"name": "Ada", "custom": {"seats": 1, "${name}": 5}}`);
    expect([answer.status, answer.body.errors]).toEqual([422, { "custom.__proto__": REFUSED }]);
  }
});

it("… in a change too, and in one row of an import without the others", async () => {
  const contact = await createContact(workspace, { custom: { seats: 7 } });
  const changed = await workspace.send("PATCH", `${CONTACTS}/${contact.id}`, {
    headers: { "If-Match": "*" },
    body: '{"custom": {"__proto__": {"seats": 9}}}',
  });
  expect([changed.status, changed.body.errors]).toEqual([422, { "custom.__proto__": REFUSED }]);
  const rows = '{"contacts": [{"name": "A", "custom": {"__proto__": 5}}, {"name": "B"}]}';
  const { status, body } = await post(`${CONTACTS}/import`, rows);
  expect([status, body.data]).toEqual([
    200,
    [
      { row: 0, status: "failed", id: null, errors: { "custom.__proto__": REFUSED } },
      { row: 1, status: "created", id: expect.any(String) },
    ],
  ]);
});

it("other names that objects have are fields like any", async () => {
  const names = ["constructor", "toString", "hasOwnProperty", "prototype", "__defineGetter__"];
  const custom = Object.fromEntries(names.map((name, at) => [name, at]));
  const contact = await createContact(workspace, { custom });
  expect(contact.custom).toEqual(custom);
});

it("a template's parameter named __proto__ is refused, not dropped", async () => {
  const contact = await createContact(workspace, { channel: "sms" });
  const answer = await post(
    MESSAGES,
    `{"contact": "${contact.id}", "template": {"name": "hello", "params": {"__proto__": "x"}}}`,
  );
  expect([answer.status, answer.body.errors]).toEqual([
    422,
    { "template.params.__proto__": REFUSED },
  ]);
});

it("an unknown field named __proto__ is refused as any unknown one", async () => {
  const answer = await post(CONTACTS, '{"name": "Ada", "__proto__": 5}');
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["__proto__"]]);
});
