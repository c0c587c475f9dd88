import { describe, expect, it } from "vitest";
import { isStorable, text, trimmedText } from "../../src/api/text.ts";
import {
  bodyWith,
  createTarget,
  describedOperations,
  fieldsOf,
  formsOf,
} from "../support/operations.ts";
import { createLink, createWorkspace } from "../support/workspace.ts";

/** One character of two UTF-16 units. */
const ASTRAL = "\u{1f30d}";
/** A rule of its own says what may be in them, and has tests of its own. */
const RULED = new Set(["destination", "host", "url", "target_url", "root_url", "not_found_url"]);

/**
 * What is judged by itself has tests of its own: a target of several forms, told apart by its `type`
 * (test/features/biolinks/qr-codes); rules, which are dropped, and rows, which fail alone, where
 * something is wrong with them (test/features/salesbot).
 */
const APART = /^(target|conditions|contacts)\./;

describe("a length", () => {
  it("counts characters in every field that is described with one", async () => {
    const { sendTo } = await createTarget();
    const tried: string[] = [];
    for (const operation of await describedOperations()) {
      for (const { field, schema } of operation.body ? fieldsOf(operation.body) : []) {
        const form = formsOf(schema).find(({ maxLength }) => maxLength !== undefined);
        if (APART.test(field.join("."))) continue;
        const isFree = form && !form.pattern && !form.format && !RULED.has(field.at(-1) ?? "");
        if (!isFree) continue;
        const maximum = form.maxLength as number;
        const name = field.join(".");
        const tooLong = `May have at most ${maximum} characters.`;
        const said = async (length: number) => {
          const { body } = await sendTo(operation, {
            body: bodyWith(field, ASTRAL.repeat(length)),
          });
          return [operation.operationId, name, String(body?.errors?.[name])];
        };
        const words = name === "custom.key" ? "at most 1000 characters" : tooLong;
        const same = [operation.operationId, name];
        expect(await said(maximum)).toEqual([...same, expect.not.stringContaining("at most")]);
        expect(await said(maximum + 1)).toEqual([...same, expect.stringContaining(words)]);
        tried.push(`${operation.operationId}.${name}`);
      }
      for (const [name, schema] of operation.query) {
        const maximum = formsOf(schema).find((form) => form.maxLength)?.maxLength;
        if (!maximum) continue;
        const errorsOf = async (length: number) => {
          const query = `?${name}=${encodeURIComponent(ASTRAL.repeat(length))}`;
          return (await sendTo(operation, { query })).body?.errors?.[name] ?? [];
        };
        // Another fault may be told beside: such a text is no e-mail address.
        const tooLong = `May have at most ${maximum} characters.`;
        expect([name, await errorsOf(maximum)]).toEqual([
          name,
          expect.not.arrayContaining([tooLong]),
        ]);
        expect([name, await errorsOf(maximum + 1)]).toEqual([
          name,
          expect.arrayContaining([tooLong]),
        ]);
        tried.push(`${operation.operationId}?${name}`);
      }
    }
    expect(tried).toEqual(
      expect.arrayContaining([
        "createLink.title",
        "createLink.settings.password",
        "updateLink.settings.utm.source",
        "listLinks?search",
        "createContact.name",
        "createContact.custom.key",
        "createTag.name",
        "createSegment.name",
        "sendMessage.text",
        "sendMessage.template.params.key",
        "createEndpoint.name",
        "createWorkspace.name",
        "issueKey.name",
      ]),
    );
  });

  it("of a title is 120 emoji, and is kept", async () => {
    const title = ASTRAL.repeat(120);
    const workspace = await createWorkspace();
    expect((await createLink(workspace, { title })).body.data.title).toBe(title);
    expect((await createLink(workspace, { title: title + ASTRAL })).body.errors).toEqual({
      title: ["May have at most 120 characters."],
    });
  });

  it("counts what is left when the blanks around it are gone", () => {
    const name = trimmedText(3);
    expect(name.parse(`  ${ASTRAL.repeat(3)}\n`)).toBe(ASTRAL.repeat(3));
    expect(name.safeParse("abcd").success).toBe(false);
    expect(name.safeParse(" ").success).toBe(false);
    expect(text(3, 2).safeParse(ASTRAL).success).toBe(false);
    expect(text(3, 2).safeParse(ASTRAL.repeat(2)).success).toBe(true);
  });
});

describe("a text that is stored", () => {
  it.each([
    ["a\u0000b", false],
    ["\ud800", false],
    ["\udf0d\ud83c", false],
    [ASTRAL, true],
    ["\n\t", true],
  ])("%j: %j", (given, expected) => {
    expect(isStorable(given)).toBe(expected);
  });

  it("is storable in every field", async () => {
    const { sendTo } = await createTarget();
    const tried = new Set<string>();
    for (const operation of await describedOperations()) {
      for (const { field, schema } of operation.body ? fieldsOf(operation.body) : []) {
        const form = formsOf(schema).find(({ maxLength }) => maxLength !== undefined);
        if (!form || operation.operationId === "publishEvent") continue;
        if (APART.test(field.join("."))) continue;
        const name = field.join(".");
        for (const wrong of ["a\u0000b", "a\ud800b"]) {
          const { status, body } = await sendTo(operation, { body: bodyWith(field, wrong) });
          expect([operation.operationId, name, wrong, status]).toEqual([
            operation.operationId,
            name,
            wrong,
            422,
          ]);
          expect(Object.keys(body.errors)).toContain(name);
        }
        tried.add(`${operation.operationId}.${name}`);
      }
    }
    for (const name of ["createEndpoint.name", "createWorkspace.name", "issueKey.name"]) {
      expect(tried).toContain(name);
    }
  });
});
