import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvCell, csvLine } from "../../src/api/csv.ts";
import { formulasIn, openInSpreadsheet, SEPARATORS } from "../support/spreadsheet.ts";

describe("a cell of CSV", () => {
  it.each([
    ["plain", "plain"],
    [0, "0"],
    [-1, "-1"],
    [null, ""],
    [undefined, ""],
    ["a,b", '"a,b"'],
    ["a;b", '"a;b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["=1+1", "'=1+1"],
    ["+49", "'+49"],
    ["-spring", "'-spring"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", '"\t\'=1"'],
    ["  =1", "  '=1"],
    ["\u00a0\u200b=1", "\u00a0\u200b'=1"],
    ["＝1", "'＝1"],
    ["a\n=1", '"a\n\'=1"'],
    ["a\n\n =1", '"a\n\n \'=1"'],
    ["a;=1;", '"a;\'=1;"'],
    ['a;"=1;', '"a;""\'=1;"'],
    ["a\t@1", '"a\t\'@1"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ["(other)", "(other)"],
    ["a, -b = c", '"a, -b = c"'],
    ["2026-11-01T00:00:00+01:00", "2026-11-01T00:00:00+01:00"],
  ])("%j is written %j", (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  const hostile = fc.string({
    unit: fc.constantFrom(..."=+-@＝＋－＠\t\r\n\v\u2028;,|\"' \u00a0\u200bab1"),
  });

  it.each(SEPARATORS)("runs nothing, whatever is in it, separated by %j", (separators) => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (texts) => {
        expect(formulasIn(csvLine(["id", ...texts, "end"]), separators)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it("is read as it was, but for apostrophes", () => {
    const plain = (text: string) => text.replaceAll("'", "");
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (texts) => {
        const lines = openInSpreadsheet(csvLine(["id", ...texts, "end"]));
        expect(lines.map((cells) => cells.map(plain))).toEqual([
          ["id", ...texts.map(plain), "end"],
        ]);
      }),
    );
  });

  it("takes time for what it holds, not for its square", () => {
    const blanks = "\n;".repeat(200_000);
    expect(csvCell(`${blanks}=1`)).toBe(`"${blanks}'=1"`);
  });
});
