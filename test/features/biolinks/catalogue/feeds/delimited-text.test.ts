import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Delimiter,
  decodeText,
  findDelimiter,
  MAX_RECORD_CHARACTERS,
  readRecord,
  UnreadableText,
  writeCell,
} from "../../../../../src/features/biolinks/catalogue/feeds/delimited-text.ts";

function readAll(text: string, delimiter: Delimiter = ","): string[][] {
  const records: string[][] = [];
  for (let at = 0; at < text.length; ) {
    const { cells, end } = readRecord(text, at, delimiter);
    records.push(cells);
    at = end;
  }
  return records;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("reading records", () => {
  it.each<[string, string, string[][]]>([
    [
      "line feeds",
      "a,b\n1,2\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "carriage returns and line feeds",
      "a,b\r\n1,2\r\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "carriage returns alone",
      "a,b\r1,2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "no line end at the end",
      "a,b\n1,2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "empty values",
      ",,\n,x,",
      [
        ["", "", ""],
        ["", "x", ""],
      ],
    ],
    ["an empty line", "a\n\nb\n", [["a"], [""], ["b"]]],
    ["a delimiter in quotes", '"a,b",c', [["a,b", "c"]]],
    ["line ends in quotes", '"a\r\nb\nc",d\ne', [["a\r\nb\nc", "d"], ["e"]]],
    ["doubled quotes", '"say ""hi""",""""', [['say "hi"', '"']]],
    ["an empty value in quotes", '"",a', [["", "a"]]],
    ["quotes within a plain value", '5" screen,6"', [['5" screen', '6"']]],
    ["a quoted value at the very end", 'a,"b"', [["a", "b"]]],
  ])("understands %s", (_, text, records) => {
    expect(readAll(text)).toEqual(records);
  });

  it("separates by tabs and semicolons", () => {
    expect(readAll('a\t"b\tc"\td,e', "\t")).toEqual([["a", "b\tc", "d,e"]]);
    expect(readAll("a;b,c", ";")).toEqual([["a", "b,c"]]);
  });

  it.each([
    ["a quote that is never closed", 'a,"b\nc', /never closed/],
    ["text behind a closing quote", '"a"b,c', /written twice/],
    ["a record without an end", `"${"x".repeat(MAX_RECORD_CHARACTERS)}"`, /quote not closed/],
  ])("refuses %s", (_, text, message) => {
    expect(() => readAll(text)).toThrow(UnreadableText);
    expect(() => readAll(text)).toThrow(message);
  });

  it("gives back whatever was written", () => {
    const cell = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom('"', ",", ";", "\t", "\n", "\r", "a", " ") }),
    );
    const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1 });
    fc.assert(
      fc.property(records, fc.constantFrom<Delimiter>(",", ";", "\t"), (rows, delimiter) => {
        const lines = rows.map((row) => row.map((one) => writeCell(one, delimiter)));
        const text = lines.map((line) => `${line.join(delimiter)}\r\n`).join("");
        expect(readAll(text, delimiter)).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });

  it("reads any text to its end, or says what is wrong", () => {
    const text = fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", "a") });
    fc.assert(
      fc.property(text, (any) => {
        try {
          readAll(any);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableText);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("the text of a file", () => {
  it("skips a byte order mark", () => {
    expect(decodeText(bytesOf("\u{FEFF}id,title"))).toBe("id,title");
  });

  it.each([
    ["Latin 1", bytesOf("id,title\n1,Tea\n2,Caf").length, [0xe9, 0x0a], /Line 3 is not UTF-8/],
    ["UTF-16", 0, [0xff, 0xfe, 0x69, 0x00], /Line 1 is not UTF-8/],
    ["a character that breaks off at the end", 0, [0x61, 0x0a, 0xc3], /Line 2 is not UTF-8/],
  ])("names the line that is %s", (_, prefix, wrong, message) => {
    const head = bytesOf("id,title\n1,Tea\n2,Caf").subarray(0, prefix);
    expect(() => decodeText(new Uint8Array([...head, ...wrong]))).toThrow(message);
  });

  it("refuses what the database does not give back", () => {
    expect(() => decodeText(bytesOf("id\na\nb\0"))).toThrow("Line 3 holds the character U+0000.");
  });
});

describe("the delimiter of a file", () => {
  it.each([
    ["id,title,price\n", ","],
    ["id\ttitle\tprice, in full\n", "\t"],
    ["id;title;price\r\n", ";"],
    ["id\n1,2,3", "\t"],
  ])("of %j is %j", (text, delimiter) => {
    expect(findDelimiter(text)).toBe(delimiter);
  });
});
