import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keptHeaders, MAX_HEADER_BYTES } from "../../../src/platform/outbound/kept-headers.ts";

const kept = (headers: [string, string][]) => JSON.parse(keptHeaders(new Headers(headers)));

describe("the headers of an answer", () => {
  it("are kept by their names in lower case, repeated ones as one", () => {
    expect(
      kept([
        ["X-Request-Id", "7f3a"],
        ["Vary", "Origin"],
        ["Retry-After", "120"],
        ["vary", "Accept"],
      ]),
    ).toEqual({ "retry-after": "120", vary: "Origin, Accept", "x-request-id": "7f3a" });
    expect(keptHeaders(new Headers())).toBe("{}");
  });

  it("are kept without the secrets that cookies are", () => {
    expect(
      kept([
        ["Set-Cookie", "session=secret; HttpOnly"],
        ["Set-Cookie", "other=secret"],
        ["Set-Cookie2", "old=secret"],
        ["Server", "x"],
      ]),
    ).toEqual({ server: "x" });
  });

  it("are whole: one that does not fit is left out, and hides none that follows", () => {
    const answered = kept([
      ["Content-Security-Policy", "x".repeat(3000)],
      ["X-Request-Id", "7f3a"],
    ]);
    expect(answered).toEqual({ "x-request-id": "7f3a" });
  });

  it("fill what there is to the last byte, and no more", () => {
    // What is not the value: {"a":"…"} and a comma.
    const most = MAX_HEADER_BYTES - '{"a":""},'.length;
    expect(kept([["a", "x".repeat(most)]])).toEqual({ a: "x".repeat(most) });
    expect(kept([["a", "x".repeat(most + 1)]])).toEqual({});
  });

  it("take 2 KiB at most as JSON, whatever they hold, and say what was said", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
    const value = fc.oneof(
      fc.stringMatching(/^[!-~]{0,700}$/),
      fc.constantFrom('"'.repeat(500), "\\".repeat(500)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 20 }), (entries) => {
        const headers = new Headers(entries);
        const json = keptHeaders(headers);
        expect(new TextEncoder().encode(json).length).toBeLessThanOrEqual(MAX_HEADER_BYTES);
        for (const [one, said] of Object.entries(JSON.parse(json)))
          expect(said).toBe(headers.get(one));
      }),
    );
  });
});
