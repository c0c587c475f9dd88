import { describe, expect, it } from "vitest";
import { EMAIL, formSettings } from "../../../support/forms.ts";
import { createPage, PAGES, postBlock } from "../../../support/pages.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const text = (id: string, more: object = {}) => ({ id, type: "text", label: id, ...more });
const fields = (...all: object[]) => ({ fields: all });
const times = (count: number) => Array.from({ length: count }, (_, at) => text(`f${at}`));
const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`);
const CONSENT = { id: "ok", type: "consent", label: "I agree." };
const HIDDEN = { id: "from", type: "hidden", label: "From", required: true };
const MAP = { name: "wish", email: "email", phone: "wish", custom: { wish: "wish" } };
const ONE_OF_NONE = { fields: [text("name")], one_per_email: true };
const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const choice = (options: unknown) => ({ id: "a", type: "select", label: "A", options });

async function answered(settings: object) {
  const workspace = await createWorkspace();
  const page = await createPage(workspace);
  const block = { type: "form", settings: formSettings(settings) };
  const { status, body } = await postBlock(workspace, page.id, block);
  return [status, Object.keys(body.errors ?? {})];
}

describe("a form", () => {
  it.each([
    ["20 fields", fields(...times(20))],
    ["50 options", fields(choice(Array.from({ length: 50 }, (_, at) => `${at}`)))],
    ["a day", { retention_days: 1 }],
    ["730 days", { retention_days: 730 }],
    ["an https address to go on to", { success: { redirect: "https://example.com/thanks" } }],
    ["a consent of 1,000 characters", fields({ ...CONSENT, label: "l".repeat(1000) })],
    ["5,000 characters of an answer", fields(text("a", { max_length: 5000 }))],
    [
      "no second to wait, and a thousand an hour",
      { spam: { min_seconds: 0, max_per_ip_hour: 1000 } },
    ],
    ["a minute to wait", { spam: { min_seconds: 60 } }],
    ["what counts as spam left blank", { spam: " " }],
    ["100 blocked words", { spam: { block_words: words(100) } }],
    ["a field for each part of a contact", { contact: { map: MAP } }],
  ])("may have %s", async (_, settings) => {
    expect(await answered(settings)).toEqual([201, []]);
  });

  it.each([
    ["no field", "settings.fields", fields()],
    ["21 fields", "settings.fields", fields(...times(21))],
    ["an id twice", "settings.fields.1.id", fields(EMAIL, EMAIL)],
    ["an id like the token's", "settings.fields.0.id", fields(text("_token"))],
    ["a type of its own", "settings.fields.0.type", fields({ ...EMAIL, type: "password" })],
    ["a select without options", "settings.fields.0.options", fields(choice(undefined))],
    ["a select with no option", "settings.fields.0.options", fields(choice([]))],
    ["an option twice", "settings.fields.0.options", fields(choice(["S", "S"]))],
    ["options of a text", "settings.fields.0.options", fields(text("a", { options: ["S"] }))],
    ["51 options", "settings.fields.0.options", fields(choice(words(51)))],
    ["an id with capitals", "settings.fields.0.id", fields(text("Name"))],
    ["an id of 41", "settings.fields.0.id", fields(text("i".repeat(41)))],
    ["no label", "settings.fields.0.label", fields({ ...EMAIL, label: " " })],
    ["a label of 121", "settings.fields.0.label", fields({ ...EMAIL, label: "l".repeat(121) })],
    [
      "a consent of 1,001",
      "settings.fields.0.label",
      fields({ ...CONSENT, label: "l".repeat(1001) }),
    ],
    ["a consent that is ticked", "settings.fields.0.value", fields({ ...CONSENT, value: "yes" })],
    ["a hidden field to fill in", "settings.fields.0.required", fields(HIDDEN)],
    [
      "a hint of 121",
      "settings.fields.0.placeholder",
      fields(text("a", { placeholder: "p".repeat(121) })),
    ],
    ["answers of 5,001", "settings.fields.0.max_length", fields(text("a", { max_length: 5001 }))],
    ["answers of none", "settings.fields.0.max_length", fields(text("a", { max_length: 0 }))],
    ["a title of 121", "settings.title", { title: "t".repeat(121) }],
    ["no word on its button", "settings.submit_label", { submit_label: "" }],
    ["61 characters on its button", "settings.submit_label", { submit_label: "s".repeat(61) }],
    ["a message of 501", "settings.success.message", { success: { message: "m".repeat(501) } }],
    [
      "an address longer than it may be",
      "settings.fields.0.max_length",
      fields({ ...EMAIL, max_length: 9 }),
    ],
    ["nothing to say when it is sent", "settings.success", { success: {} }],
    [
      "two answers to that",
      "settings.success",
      { success: { message: "x", redirect: "https://example.com" } },
    ],
    [
      "an http redirect",
      "settings.success.redirect",
      { success: { redirect: "http://a.example" } },
    ],
    ["no day", "settings.retention_days", { retention_days: 0 }],
    ["731 days", "settings.retention_days", { retention_days: 731 }],
    ["61 seconds", "settings.spam.min_seconds", { spam: { min_seconds: 61 } }],
    ["no post an hour", "settings.spam.max_per_ip_hour", { spam: { max_per_ip_hour: 0 } }],
    ["1,001 posts an hour", "settings.spam.max_per_ip_hour", { spam: { max_per_ip_hour: 1001 } }],
    ["101 blocked words", "settings.spam.block_words", { spam: { block_words: words(101) } }],
    ["a word of 61", "settings.spam.block_words.0", { spam: { block_words: ["w".repeat(61)] } }],
    ["turnstile by half", "settings.spam.turnstile", { spam: { turnstile: "half" } }],
    ["a limit of none", "settings.limit", { limit: 0 }],
    ["an end that is no time", "settings.closes_at", { closes_at: "tomorrow" }],
    ["one of each address and no field for it", "settings.one_per_email", ONE_OF_NONE],
    [
      "a contact of a field that it has not",
      "settings.contact.map.name",
      { contact: { map: { name: "name" } } },
    ],
    ["a tag that is no id", "settings.contact.tags.0", { contact: { tags: ["news"] } }],
    ["21 tags", "settings.contact.tags", { contact: { tags: Array(21).fill(SOMEBODY) } }],
    ["a field that nobody knows", "settings.colour", { colour: "red" }],
  ])("with %s is refused with errors.%s", async (_, field, settings) => {
    expect(await answered(settings)).toEqual([422, [field]]);
  });

  it("says what it did not say: two seconds, five an hour, a year, and nothing else", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const settings = { submit_label: "Send", success: { message: "Thanks" }, fields: [EMAIL] };
    const { body } = await postBlock(workspace, page.id, { type: "form", settings });
    const read = await workspace.send("GET", `${PAGES}/${page.id}/blocks/${body.data.id}`);
    expect(read.body.data.settings).toEqual({
      ...settings,
      spam: { min_seconds: 2, max_per_ip_hour: 5, turnstile: false },
      retention_days: 365,
      one_per_email: false,
    });
  });
});
