import { describe, expect, it } from "vitest";
import { CONTACTS, post } from "../support/contacts.ts";
import { operate } from "../support/http.ts";
import { bodyWith, createTarget, describedOperations, fieldsOf } from "../support/operations.ts";
import { postQrCode } from "../support/qr-codes.ts";
import { createLink, createWorkspace } from "../support/workspace.ts";

const JARGON = /expected|received|invalid|input|regex|pattern|too (big|small)|unrecognized|string/i;
const WRONG: unknown[] = [
  -1,
  true,
  null,
  "nonsense!",
  "x".repeat(5000),
  [],
  Array(600).fill(5),
  { "a field": 1 },
];
/** How deep in a body something is wrong: further in, the same schemas are met again. */
const DEPTHS = [1, 2, 3];

describe("what is said of wrong fields", () => {
  it("is said in plain words, at the field as it was sent, in every operation", async () => {
    const messages = new Set<string>();
    const operations = (await describedOperations()).filter(({ body }) => body !== undefined);
    for (const depth of DEPTHS) {
      for (const wrong of [...WRONG, undefined]) {
        // Of its own, since changes of webhooks are counted by workspace.
        const { sendTo } = await createTarget();
        for (const operation of operations) {
          const fields = fieldsOf(operation.body ?? {}).filter(
            ({ field }) => field.length === depth,
          );
          if (fields.length === 0) continue;
          const body = fields.map(({ field }) => bodyWith(field, wrong)).reduce(merged);
          const answer = await sendTo(operation, { body });
          expect([operation.operationId, answer.status < 500]).toEqual([
            operation.operationId,
            true,
          ]);
          const sent = new Set(Object.keys(body));
          const described = fieldsOf(operation.body ?? {}).map(({ field }) => field[0]);
          for (const [name, said] of Object.entries(answer.body?.errors ?? {})) {
            const [first = ""] = name.split(".");
            expect([...sent, ...described, "endpoints"]).toContain(first);
            for (const message of said as string[]) {
              expect([operation.operationId, name, message]).toEqual([
                operation.operationId,
                name,
                expect.not.stringMatching(JARGON),
              ]);
              expect(message).toMatch(/\.$/);
              messages.add(message);
            }
          }
        }
      }
    }
    expect([...messages]).toEqual(
      expect.arrayContaining([
        "Is required.",
        "Must be a text.",
        "Must be a number.",
        "Must be true or false.",
        "Must be a list.",
        "Must be an object.",
        "Must be an id (UUID).",
        "Must be an e-mail address.",
        "Must be a time as 2026-11-21T08:00:00Z.",
        "Must be one of: active, paused.",
        "Must be one of: 301, 302, 303, 307, 308.",
        "May have at most 120 characters.",
        "May have at most 100 items.",
        "Must have at least 1 item.",
        "Must be at least 0.",
        "Unknown field.",
      ]),
    );
  });

  it("names which characters a custom field's name may have, at that field", async () => {
    const workspace = await createWorkspace();
    const answer = await post(workspace, CONTACTS, { name: "A", custom: { "Company Name": "x" } });
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      {
        "custom.Company Name": [
          "A custom field's name has 1 to 60 characters: letters, digits, - and _.",
        ],
      },
    ]);
  });

  it.each([
    [{ type: "fax" }, /^Must be one of: link, .*url, .+, phone\.$/],
    [{ type: 7 }, /^Must be one of: link, .*url, .+, phone\.$/],
    [{ type: " " }, /^May not be blank\.$/],
    [{}, /^Is required\.$/],
  ])("names the kinds that there are of what has one: %j", async (target, message) => {
    const { status, body } = await postQrCode(await createWorkspace(), { target });
    expect([status, body.errors]).toEqual([
      422,
      { "target.type": [expect.stringMatching(message)] },
    ]);
  });

  it("tells each fault of an inner field, and each unknown one", async () => {
    const workspace = await createWorkspace();
    const settings = { utm: { term: "x", source: 1 }, pixels: ["a", "b"], colour: "red" };
    const { body } = await createLink(workspace, { settings, tilte: "x" });
    expect(body.errors).toEqual({
      "settings.utm.term": ["Unknown field."],
      "settings.utm.source": ["Must be a text."],
      "settings.pixels.0": ["Must be an id (UUID)."],
      "settings.pixels.1": ["Must be an id (UUID)."],
      "settings.colour": ["Unknown field."],
      tilte: ["Unknown field."],
    });
  });
});

describe("times", () => {
  it.each([
    [{ expires_at: "2020-01-01T00:00:00Z" }, "Must be in the future."],
    [{ expires_at: "0000-06-01T00:00:00Z" }, "Must be a time of the years 1 to 9999."],
    [{ expires_at: "9999-12-31T23:59:59-01:00" }, "Must be a time of the years 1 to 9999."],
    [{ expires_at: "tomorrow" }, "Must be a time as 2026-11-21T08:00:00Z."],
  ])("no key is issued with %j", async (input, message) => {
    const { id } = await createWorkspace();
    const body = { name: "K", permissions: ["*"], ...input };
    const answer = await operate("POST", `/workspaces/${id}/keys`, body);
    expect([answer.status, answer.body.errors?.expires_at]).toEqual([422, [message]]);
  });

  it("a key may expire, or not", async () => {
    const { id } = await createWorkspace();
    for (const [given, expires_at] of [
      ["2999-01-01T01:00:00+01:00", "2999-01-01T00:00:00.000Z"],
      [" ", null],
      [null, null],
    ]) {
      const body = { name: "K", permissions: ["*"], expires_at: given };
      const answer = await operate("POST", `/workspaces/${id}/keys`, body);
      expect([answer.status, answer.body.data.expires_at]).toEqual([201, expires_at]);
    }
  });

  it("of the year 0 are no contact's, and no recovery's", async () => {
    const { workspace, ids } = await createTarget();
    const time = "0000-12-31T23:59:59Z";
    const message = ["Must be a time of the years 1 to 9999."];
    const contact = await post(workspace, CONTACTS, { name: "A", last_active_at: time });
    expect(contact.body.errors).toEqual({ last_active_at: message });
    const headers = { "If-Match": "*", "Idempotency-Key": crypto.randomUUID() };
    const recover = `/api/v1/workspace-webhooks/endpoints/${ids.endpoint}/recover`;
    const answer = await workspace.send("POST", recover, { headers, body: { since: time } });
    expect([answer.status, answer.body.errors]).toEqual([422, { since: message }]);
  });
});

/** Two bodies in one; the second wins where they are not both objects or lists. */
function merged(one: object, other: object): object {
  if (Array.isArray(one) && Array.isArray(other)) return [mergedValue(one[0], other[0])];
  const into: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) into[name] = mergedValue(into[name], value);
  return into;
}

function mergedValue(one: unknown, other: unknown): unknown {
  const isInner = (value: unknown) => typeof value === "object" && value !== null;
  return isInner(one) && isInner(other) ? merged(one as object, other as object) : other;
}
