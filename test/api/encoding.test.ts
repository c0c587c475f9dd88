import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseJsonObject } from "../../src/api/request-body.ts";
import { validateQuery } from "../../src/api/request-query.ts";
import type { Env } from "../../src/platform/config.ts";
import { CONTACTS, TAGS } from "../support/contacts.ts";
import { ADMIN_TOKEN, ORIGIN } from "../support/http.ts";
import { createWorkspace, issueKey, LINKS, sendAs } from "../support/workspace.ts";

const encoder = new TextEncoder();

/** A body with these bytes in a JSON text, before `"}`. */
function named(...bytes: number[]): Uint8Array {
  return new Uint8Array([...encoder.encode('{"name":"'), ...bytes, ...encoder.encode('"}')]);
}

const INVALID: [string, Uint8Array][] = [
  ["a byte that UTF-8 has not", named(0xff)],
  ["a character cut off", named(0xe2, 0x82)],
  ["a continuation without a start", named(0x80)],
  ["Latin-1", named(0xfc)],
  ["an overlong slash", named(0xc0, 0xaf)],
  ["half of a surrogate pair", named(0xed, 0xa0, 0x80)],
  ["a code point beyond the last", named(0xf4, 0x90, 0x80, 0x80)],
  [
    "UTF-16",
    new Uint8Array([0xff, 0xfe, ...[...'{"name":"a"}'].flatMap((c) => [c.charCodeAt(0), 0])]),
  ],
];

describe("a body", () => {
  it.each(INVALID)("is refused with %s, and nothing of it is stored", async (_case, body) => {
    const workspace = await createWorkspace();
    const answer = await workspace.send("POST", TAGS, { body });
    expect([answer.status, answer.body.code]).toEqual([422, "malformed_body"]);
    expect((await workspace.send("GET", TAGS)).body.data).toEqual([]);
  });

  it.each([
    ["a byte order mark before it", new Uint8Array([0xef, 0xbb, 0xbf, ...named(0x61)]), "a"],
    ["characters of four bytes", named(0xf0, 0x9f, 0x90, 0x8c), "🐌"],
    ["the replacement character itself", named(0xef, 0xbf, 0xbd), "\ufffd"],
  ])("is taken with %s", async (_case, body, name) => {
    const answer = await (await createWorkspace()).send("POST", TAGS, { body });
    expect([answer.status, answer.body.data.name]).toEqual([201, name]);
  });

  it("is malformed when it breaks off, which is no fault of the Worker's", async () => {
    const { default: worker } = await import("../../src/worker.ts");
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new Error("Network connection lost."));
      },
    });
    const request = new Request(`${ORIGIN}/admin/v1/workspaces`, {
      method: "POST",
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
      body: broken,
    });
    const answer = await worker.fetch(request, env as unknown as Env, createExecutionContext());
    expect([answer.status, await answer.json()]).toMatchObject([422, { code: "malformed_body" }]);
  });

  it("is read as it was written, whatever is in it", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(parseJsonObject(encoder.encode(text))).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe("a query", () => {
  it.each([
    ["search=%FF", "search"],
    ["search=a%E2%82", "search"],
    ["search=100%", "search"],
    ["search=%zz", "search"],
    ["search=a&cursor=%C0%AF", "cursor"],
    ["%73earch=%FF", "search"],
  ])("is refused with %s", async (query, field) => {
    const answer = await (await createWorkspace()).send("GET", `${LINKS}?${query}`);
    expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
    expect(answer.body.errors).toEqual({ [field]: ["Must be percent-encoded UTF-8."] });
  });

  it("may hold anything where no parameter is named so", async () => {
    const workspace = await createWorkspace();
    for (const query of [
      "other=%FF",
      "%FF=1",
      "&&=&limit=1",
      "search=%25FF",
      "search=%F0%9F%90%8C",
    ]) {
      expect([query, (await workspace.send("GET", `${LINKS}?${query}`)).status]).toEqual([
        query,
        200,
      ]);
    }
  });

  it("is read as browsers write it", () => {
    const schema = z.object({ a: z.string().optional(), b: z.string().optional() });
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
        const pairs: [string, string][] = [
          ["a", a],
          ["b", b],
          ["a", a],
          ["__proto__", b],
        ];
        const read = validateQuery(schema, `?${new URLSearchParams(pairs)}`);
        expect(read).toEqual({ a: a.toWellFormed(), b: b.toWellFormed() });
      }),
    );
  });
});

describe("a path", () => {
  it.each([
    `${LINKS}/%FF`,
    `${CONTACTS}/%E2%82`,
    "/automation/sample/%FF",
    "/automation/sample/%zz",
  ])("leads nowhere with %s in it", async (path) => {
    const { key } = await issueKey((await createWorkspace()).id);
    const answer = await sendAs(key, "GET", path);
    expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
    expect(answer.headers.get("X-Request-Id")).toBeTruthy();
  });
});
