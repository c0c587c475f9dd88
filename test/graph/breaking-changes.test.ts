import { describe, expect, it } from "vitest";
import { breakingChanges, type Description } from "../../scripts/breaking-changes.ts";

/** A small API; `change` makes a newer one of it. */
function described(): Description {
  return {
    components: {
      schemas: {
        Thing: {
          type: "object",
          properties: {
            id: { type: "string", format: "uuid" },
            size: { type: ["integer", "null"] },
            status: { type: "string", enum: ["on", "off"] },
            reason: { anyOf: [{ type: "string", enum: ["old"] }, { type: "string" }] },
            parts: { type: "array", items: { $ref: "#/components/schemas/Thing" } },
          },
          required: ["id", "status"],
        },
        CreateThing: {
          type: "object",
          properties: {
            name: { type: "string", maxLength: 60 },
            status: { type: "string", enum: ["on", "off"] },
            more: { type: "object" },
          },
          required: ["name"],
          additionalProperties: false,
        },
      },
    },
    paths: {
      "/things/{thing}": {
        post: {
          operationId: "makeThing",
          parameters: [{ name: "limit", in: "query", schema: { type: "integer", maximum: 100 } }],
          requestBody: {
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/CreateThing" } },
            },
          },
          responses: {
            201: {
              headers: { Location: {} },
              content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
            },
          },
        },
      },
    },
    webhooks: {
      "thing.made": {
        post: {
          operationId: "onThingMade",
          requestBody: {
            content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
          },
          responses: {},
        },
      },
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each change reaches elsewhere
type Change = (newer: any) => void;

function changesOf(change: Change): string[] {
  const newer = described();
  change(newer);
  return breakingChanges(described(), newer);
}

// biome-ignore lint/suspicious/noExplicitAny: as above
const thing = (newer: any) => newer.components.schemas.Thing;
// biome-ignore lint/suspicious/noExplicitAny: as above
const input = (newer: any) => newer.components.schemas.CreateThing;
// biome-ignore lint/suspicious/noExplicitAny: as above
const make = (newer: any) => newer.paths["/things/{thing}"].post;

describe("what breaks programs that were made before", () => {
  it.each<[string, Change, string]>([
    ["a path that goes", (newer) => delete newer.paths["/things/{thing}"], "is gone"],
    ["an operation's name", (newer) => (make(newer).operationId = "other"), "is other now"],
    [
      "a parameter that goes",
      (newer) => (make(newer).parameters = []),
      "limit: the parameter is gone",
    ],
    [
      "a parameter that must be sent",
      (newer) =>
        make(newer).parameters.push({ name: "key", in: "header", required: true, schema: {} }),
      "key: a new parameter must be sent",
    ],
    [
      "a limit that is lowered",
      (newer) => (make(newer).parameters[0].schema.maximum = 50),
      "limit: maximum is 50 now",
    ],
    [
      "a status that is not answered",
      (newer) => (make(newer).responses = { 202: make(newer).responses[201] }),
      "201: is not answered any more",
    ],
    [
      "a field of an answer that goes",
      (newer) => delete thing(newer).properties.size,
      ".size: is gone",
    ],
    [
      "a field of an answer that may be missing",
      (newer) => (thing(newer).required = ["id"]),
      ".status: may be missing now",
    ],
    [
      "a field of an answer that may be null",
      (newer) => (thing(newer).properties.id = { type: ["string", "null"] }),
      ".id: null is new in answers",
    ],
    [
      "another type in an answer",
      (newer) => (thing(newer).properties.id = { type: "integer" }),
      ".id: integer is new in answers",
    ],
    [
      "a new value of a closed list in an answer",
      (newer) => thing(newer).properties.status.enum.push("idle"),
      ".status: idle is new in answers",
    ],
    [
      "a field that must be sent",
      (newer) => input(newer).required.push("status"),
      ".status: must be sent now",
    ],
    [
      "a field that is not taken",
      (newer) => delete input(newer).properties.status,
      ".status: is gone",
    ],
    [
      "a value that is not taken",
      (newer) => (input(newer).properties.status = { type: "string", enum: ["on"] }),
      ".status: off is not taken any more",
    ],
    [
      "a shorter text",
      (newer) => (input(newer).properties.name = { type: "string", maxLength: 50 }),
      ".name: maxLength is 50 now",
    ],
    [
      "a pattern that a text must match",
      (newer) => (input(newer).properties.name.pattern = "^a"),
      ".name: pattern is ^a now",
    ],
    [
      "a format that a text must have",
      (newer) => (input(newer).properties.name.format = "uri"),
      ".name: format is uri now",
    ],
    [
      "a format that answers do not keep",
      (newer) => delete thing(newer).properties.id.format,
      ".id: format is any now",
    ],
    [
      "unknown fields that are refused",
      (newer) => (input(newer).properties.more.additionalProperties = false),
      ".more: additionalProperties is false now",
    ],
    [
      "a header of an answer that goes",
      (newer) => (make(newer).responses[201].headers = {}),
      "201: the header Location is gone",
    ],
    [
      "an event that goes",
      (newer) => delete newer.webhooks["thing.made"],
      "onThingMade: POST thing.made is gone",
    ],
  ])("%s", (_, change, expected) => {
    const found = changesOf(change);
    expect(found.join("\n")).toContain(expected);
  });
});

describe("what breaks nobody", () => {
  it.each<[string, Change]>([
    ["nothing", () => {}],
    [
      "another name of a path's parameter",
      (newer) => {
        newer.paths["/things/{id}"] = newer.paths["/things/{thing}"];
        delete newer.paths["/things/{thing}"];
      },
    ],
    ["a new operation", (newer) => (newer.paths["/other"] = { get: make(newer) })],
    ["a new field of an answer", (newer) => (thing(newer).properties.more = {})],
    [
      "a new field that may be sent",
      (newer) => (input(newer).properties.extra = { type: "string" }),
    ],
    ["a new value that is taken", (newer) => input(newer).properties.status.enum.push("idle")],
    [
      "a new value of a list that is open",
      (newer) => (thing(newer).properties.reason.anyOf[0].enum as string[]).push("new"),
    ],
    ["a longer text", (newer) => (input(newer).properties.name.maxLength = 80)],
  ])("%s", (_, change) => {
    expect(changesOf(change)).toEqual([]);
  });
});
