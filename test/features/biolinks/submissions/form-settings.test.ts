import { describe, expect, it } from "vitest";
import { EMAIL, formSettings } from "../../../support/forms.ts";
import { createPage, postBlock } from "../../../support/pages.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const text = (id: string, more: object = {}) => ({ id, type: "text", label: id, ...more });
const fields = (...all: object[]) => ({ fields: all });
const times = (count: number) => Array.from({ length: count }, (_, at) => text(`f${at}`));
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
    ["a label of 121", "settings.fields.0.label", fields({ ...EMAIL, label: "l".repeat(121) })],
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
    ["a limit of none", "settings.limit", { limit: 0 }],
    ["a field that nobody knows", "settings.colour", { colour: "red" }],
  ])("with %s is refused with errors.%s", async (_, field, settings) => {
    expect(await answered(settings)).toEqual([422, [field]]);
  });
});
