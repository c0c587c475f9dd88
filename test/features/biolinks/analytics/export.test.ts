import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvCell } from "../../../../src/features/biolinks/analytics/analytics-file.ts";

/** What RFC 4180 makes of a line. */
function readCsvLine(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of `,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g)) {
    cells.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
  }
  return cells;
}

describe("a cell of CSV", () => {
  it.each([
    ["plain", "plain"],
    [0, "0"],
    [-1, "-1"],
    [null, ""],
    [undefined, ""],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["=1+1", "'=1+1"],
    ["+49", "'+49"],
    ["-spring", "'-spring"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["  =1", "'  =1"],
    ["＝1", "'＝1"],
    ["a\n=1", '"a\n\'=1"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ["(other)", "(other)"],
    ["2026-11-01T00:00:00+01:00", "2026-11-01T00:00:00+01:00"],
  ])("%j is written %j", (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  it("is read as it was, and never begins a formula", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."=+-@\t\r\n,\"' ab") }), (text) => {
        const [read = "", ...more] = readCsvLine(`${csvCell(text)},end`);
        expect(more).toEqual(["end"]);
        for (const line of read.split(/[\r\n]/)) expect(line.trimStart()).not.toMatch(/^[=+\-@]/);
        expect(read.replaceAll("'", "")).toBe(text.replaceAll("'", ""));
      }),
    );
  });
});
