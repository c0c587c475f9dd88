import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/api/errors.ts";
import { expectRevision, isKnown } from "../../src/api/etag.ts";

const REVISION = "9f1c2ab04d5e4f6a";

/** What a conditional header says of a revision: any will do, this one will, or it will not. */
function judge(header: string, revision = REVISION): "any" | "this" | "none" {
  try {
    const { any } = expectRevision(header, revision);
    expect(isKnown(header, revision)).toBe(true);
    return any ? "any" : "this";
  } catch (error) {
    expect(error).toMatchObject({ code: "precondition_failed" });
    expect(isKnown(header, revision)).toBe(false);
    return "none";
  }
}

describe("If-Match and If-None-Match", () => {
  it.each([
    ["*", "any"],
    [" * ", "any"],
    ["\t*", "any"],
    [`"${REVISION}"`, "this"],
    [REVISION, "this"],
    [`W/"${REVISION}"`, "this"],
    [`W/${REVISION}`, "this"],
    [`  "${REVISION}"\t`, "this"],
    [`"x", "${REVISION}"`, "this"],
    [`"x","${REVISION}","y"`, "this"],
    [`"x", W/"${REVISION}"`, "this"],
    [`x, ${REVISION}`, "this"],
    [`,, "${REVISION}" ,`, "this"],
    [`"a, b", "${REVISION}"`, "this"],
    [`*, "${REVISION}"`, "this"],
    ['"x", *', "none"],
    ["*, *", "none"],
    ["**", "none"],
    ['"*"', "none"],
    ['W/"*"', "none"],
    ["W/*", "none"],
    [",", "none"],
    ['""', "none"],
    ['"', "none"],
    ["W/", "none"],
    ['W/""', "none"],
    ['"x"', "none"],
    [`"x ${REVISION}"`, "none"],
    [`"x, ${REVISION}, y"`, "none"],
    [`"x, "${REVISION}", y"`, "none"],
    [`"${REVISION}`, "none"],
    [`${REVISION}"`, "none"],
    [`"${REVISION}" "x"`, "none"],
    [`w/"${REVISION}"`, "none"],
    [`W/W/"${REVISION}"`, "none"],
    [`""${REVISION}""`, "none"],
    [`"${REVISION.toUpperCase()}"`, "none"],
    [`"${REVISION} "`, "none"],
  ])("%j names %s", (header, expected) => {
    expect(judge(header)).toBe(expected);
  });

  it("names nothing where a record has no revision to name", () => {
    for (const header of ['"x", ,', ",", "W/", "x"]) expect(judge(header, "")).toBe("none");
  });

  it.each([null, "", " "])("is missing when it is %j", (header) => {
    expect(isKnown(header, REVISION)).toBe(false);
    expect(() => expectRevision(header, REVISION)).toThrow(
      expect.objectContaining({ code: "precondition_required" }),
    );
  });
});

describe("a list of entity tags", () => {
  // RFC 9110, 8.8.3: any visible character but the double quote, and what is beyond ASCII.
  const opaque = fc
    .array(fc.oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })), {
      maxLength: 12,
    })
    .map((codes) => String.fromCharCode(...codes).replaceAll('"', ","));
  const blank = fc.stringMatching(/^[\t ]{0,3}$/);
  const weak = fc.constantFrom("", "W/");
  const revision = fc.uuid().map((id) => id.replaceAll("-", ""));
  const element = (tag: fc.Arbitrary<string>) =>
    fc.tuple(blank, weak, tag, blank).map(([a, mark, text, b]) => `${a}${mark}"${text}"${b}`);

  it("names a revision if and only if one of the tags is it", () => {
    const others = fc.array(fc.oneof(element(opaque), blank), { maxLength: 6 });
    fc.assert(
      fc.property(revision, others, others, fc.boolean(), (own, before, after, isThere) => {
        const list = [...before, ...(isThere ? [`W/"${own}"`] : ['"x"']), ...after].join(",");
        expect(judge(list, own)).toBe(isThere ? "this" : "none");
      }),
    );
  });

  it("is the same whatever its blanks, weak marks and order", () => {
    fc.assert(
      fc.property(revision, fc.array(opaque, { maxLength: 5 }), fc.nat(), (own, tags, at) => {
        const all = tags.toSpliced(at % (tags.length + 1), 0, own);
        const spelt = all.map((tag, n) => `${n % 2 ? " W/" : "\t"}"${tag}" `);
        expect(judge(spelt.join(","), own)).toBe("this");
        expect(judge(spelt.toReversed().join(" , "), own)).toBe("this");
      }),
    );
  });

  it("never throws what is no refusal, and never names by an asterisk within it", () => {
    const piece = fc.constantFrom("*", '"', ",", " ", "W/", "\\", "x", "\t", "ä", "\u0000");
    const header = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(header, (text) => {
        isKnown(text, REVISION);
        try {
          expectRevision(text, REVISION);
          expect(text.trim()).toBe("*");
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
    );
  });

  it("of any length is read in one go", () => {
    for (const part of [" ", '"', ",", "W/", "a ", '"a" ', '", ']) {
      // A reading that goes back and forth in it would not end within the test's time.
      expect(judge(`${part.repeat(1_000_000)}x`)).toBe("none");
    }
  });
});
