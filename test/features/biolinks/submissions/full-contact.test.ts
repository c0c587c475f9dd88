import { describe, expect, it } from "vitest";
import {
  CONTACTS,
  change,
  createContact,
  createLabel,
  eventsOf,
  TAGS,
} from "../../../support/contacts.ts";
import { createForm, EMAIL, fillIn, submissionsOf } from "../../../support/forms.ts";
import { SUBMISSIONS } from "../../../support/submissions.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const QUESTIONS = ["q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9"];
/** Of 2,100 bytes: a contact has room for seven of them. */
const LONG = "語".repeat(700);
const MAX_BYTES = 16_384;
const ADA = { email: "ada@example.com", name: "Ada", phone: "+447700900123" };

/** A form with more to ask than a contact has room for, which tags its contacts. */
async function createLongForm(workspace: Workspace, spam: object = {}) {
  const tag = await createLabel(workspace, TAGS, "Newsletter");
  const fields = [
    EMAIL,
    { id: "name", type: "text", label: "Name" },
    { id: "phone", type: "phone", label: "Phone" },
    ...QUESTIONS.map((id) => ({ id, type: "textarea", label: id })),
  ];
  const custom = Object.fromEntries(QUESTIONS.map((id) => [id, id]));
  const map = { email: "email", name: "name", phone: "phone", custom };
  const contact = { create: true, map, tags: [tag] };
  return { form: await createForm(workspace, { fields, contact }, { spam }), tag };
}

/** Long answers to these questions. */
function longAnswers(questions: string[]): Record<string, string> {
  return Object.fromEntries(questions.map((id) => [id, LONG]));
}

async function onlyContact(workspace: Workspace) {
  const { data } = (await workspace.send("GET", CONTACTS)).body;
  expect(data).toHaveLength(1);
  return data[0];
}

/** Ada as her workspace has her already, without name and address, and with so many bytes to spare. */
async function createKnown(workspace: Workspace, bytesToSpare: number) {
  const parts = Array.from({ length: 15 }, (_, at) => [`own${at}`, "x".repeat(1000)]);
  const contact = await createContact(workspace, {
    ...{ external_id: `email:${ADA.email}`, name: null },
    custom: { ...Object.fromEntries(parts), more: "x".repeat(200), fill: "" },
  });
  // What is not counted: see contact-size.ts.
  const { id, revision, last_active_at, last_inbound_at, created_at, updated_at, ...rest } =
    contact;
  const { window_expires_at, ...counted } = rest;
  const bytes = new TextEncoder().encode(JSON.stringify(counted)).length;
  const fill = "x".repeat(MAX_BYTES - bytes - bytesToSpare);
  const filled = await change(workspace, "PATCH", `${CONTACTS}/${id}`, { custom: { fill } });
  expect(filled.status).toBe(200);
  return filled.body.data;
}

describe("answers that are too long for a contact", () => {
  it("cost a new one only those that do not fit, each in the order of the form's map", async () => {
    const workspace = await createWorkspace();
    const { form, tag } = await createLongForm(workspace);
    const sent = { ...ADA, ...longAnswers(QUESTIONS), q9: "Short" };
    expect((await fillIn(form, sent)).status).toBe(303);
    const contact = await onlyContact(workspace);
    expect(contact).toMatchObject({ ...ADA, tags: [tag] });
    expect(contact.custom).toEqual({ ...longAnswers(QUESTIONS.slice(0, 7)), q9: "Short" });
    expect(await submissionsOf(form)).toMatchObject([
      { status: "accepted", contact_id: contact.id, answers: sent },
    ]);
    const types = (await eventsOf(workspace)).map(([type]) => type);
    expect(types.filter((type) => type.startsWith("salesbot.contact"))).toEqual([
      "salesbot.contact.created",
      "salesbot.contact.tagged",
    ]);
  });

  it("cost a known one nothing that it has, nor its tag", async () => {
    const workspace = await createWorkspace();
    const { form, tag } = await createLongForm(workspace);
    const known = await createContact(workspace, {
      ...{ external_id: `email:${ADA.email}`, name: "Ada Lovelace" },
      custom: { q1: "Said before", own: "語".repeat(900) },
    });
    await fillIn(form, { ...ADA, ...longAnswers(QUESTIONS) });
    const contact = await onlyContact(workspace);
    expect(contact).toMatchObject({ id: known.id, name: "Ada Lovelace", tags: [tag] });
    expect(contact.email).toBe(ADA.email);
    const kept = longAnswers(QUESTIONS.slice(1, 7));
    expect(contact.custom).toEqual({ ...known.custom, ...kept });
    expect(await submissionsOf(form)).toMatchObject([{ contact_id: known.id }]);
  });

  it("cost nothing but themselves when what was held is released", async () => {
    const workspace = await createWorkspace();
    const { form, tag } = await createLongForm(workspace, { block_words: ["casino"] });
    await fillIn(form, { ...ADA, ...longAnswers(QUESTIONS), q9: "casino" });
    const [{ id, status }] = await submissionsOf(form);
    expect(status).toBe("held");
    const headers = { "If-Match": "*" };
    const path = `${SUBMISSIONS}/${id}/release`;
    expect((await workspace.send("POST", path, { headers })).status).toBe(200);
    const contact = await onlyContact(workspace);
    expect(contact).toMatchObject({ ...ADA, tags: [tag] });
    expect(Object.keys(contact.custom)).toEqual([...QUESTIONS.slice(0, 7), "q9"]);
  });
});

describe("a contact that is full already", () => {
  it("is tagged while there is room for that alone", async () => {
    const workspace = await createWorkspace();
    const { form, tag } = await createLongForm(workspace);
    const known = await createKnown(workspace, 100);
    await fillIn(form, { ...ADA, name: "A".repeat(200), q1: LONG });
    const contact = await onlyContact(workspace);
    expect(contact).toMatchObject({ id: known.id, name: null, email: null, tags: [tag] });
    expect(contact.custom).toEqual(known.custom);
  });

  it("stays as it is without that, and the submission is its own all the same", async () => {
    const workspace = await createWorkspace();
    const { form } = await createLongForm(workspace);
    const known = await createKnown(workspace, 20);
    expect((await fillIn(form, { ...ADA, q1: LONG })).status).toBe(303);
    expect(await onlyContact(workspace)).toEqual(known);
    expect(await submissionsOf(form)).toMatchObject([{ status: "accepted", contact_id: known.id }]);
  });
});

describe("a form that says more of a contact than it may have fields", () => {
  it("fills as many as there may be", async () => {
    const workspace = await createWorkspace();
    const names = Array.from({ length: 51 }, (_, at) => `name${at}`);
    const custom = Object.fromEntries(names.map((name) => [name, "email"]));
    const contact = { create: true, map: { email: "email", custom } };
    const form = await createForm(workspace, { contact });
    expect((await fillIn(form, { email: ADA.email })).status).toBe(303);
    const made = await onlyContact(workspace);
    expect(Object.keys(made.custom)).toEqual(names.slice(0, 50));
  });
});
