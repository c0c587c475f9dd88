import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textOf } from "../../../src/platform/dns/txt-record.ts";

describe("the text of a TXT record", () => {
  it.each([
    ["token=abc", "token=abc"],
    ['"token=abc"', "token=abc"],
    ['"token" "=abc"', "token=abc"],
    ['"to\\"ken\\\\"', 'to"ken\\'],
    ['""', ""],
    ["", ""],
    ['"token" "=abc', "token"],
    ['"token', '"token'],
    ['"token\\"', '"token\\"'],
  ])("of %j is %j", (data, text) => {
    expect(textOf(data)).toBe(text);
  });

  it("is what the grammar of quoted strings says", () => {
    const strings = fc.array(fc.string({ unit: fc.constantFrom("a", '"', "\\", " ", "=") }));
    fc.assert(
      fc.property(strings, (parts) => {
        fc.pre(parts.length > 0);
        const quoted = parts.map((part) => `"${part.replaceAll(/["\\]/g, "\\$&")}"`).join(" ");
        expect(textOf(quoted)).toBe(parts.join(""));
      }),
    );
  });

  // Read again from each quotation mark on, this takes 10^13 steps: the test would not end.
  it.each([
    ["a string that never ends, of escaped quotation marks", `"${'\\"'.repeat(4_000_000)}`],
    ["nothing but backslashes", `"${"\\".repeat(8_000_001)}`],
    ["strings without number", '"a" '.repeat(2_000_000)],
  ])("is read in one pass: %s", (_, data) => {
    expect(textOf(data).length).toBeGreaterThan(0);
  });
});
