/** CSV (RFC 4180) and tab separated values, one record after the other. */

/** A file that cannot be read: the message is for whoever sent it. */
export class UnreadableText extends Error {
  override readonly name = "UnreadableText";
}

/** What may stand between two values of a record. */
export type Delimiter = "," | ";" | "\t";

const DELIMITERS: readonly Delimiter[] = ["\t", ",", ";"];
/** More is no product: mostly a quote that is not closed where it should be. */
export const MAX_RECORD_CHARACTERS = 100_000;
const LINE_FEED = 0x0a;

/** Skips a byte order mark, and replaces nothing. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** The text of a file in UTF-8. @throws UnreadableText */
export function decodeText(bytes: Uint8Array): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new UnreadableText(`Line ${findWrongLine(bytes)} is not UTF-8. Save the file as UTF-8.`);
  }
  const zero = text.indexOf("\0");
  if (zero >= 0) throw new UnreadableText(`Line ${lineAt(text, zero)} holds the character U+0000.`);
  return text;
}

/** The first line that is not UTF-8. No character of UTF-8 holds the byte of a line's end. */
function findWrongLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; ; line++) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    if (found < 0) return line;
    start = end + 1;
  }
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

/** What separates the values of a file, by its first line: what stands there most often. */
export function findDelimiter(text: string): Delimiter {
  const [line = ""] = text.slice(0, MAX_RECORD_CHARACTERS).split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((one) => line.split(one).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** The values of a record, and where the next one begins. */
export interface TextRecord {
  cells: string[];
  end: number;
}

/**
 * The record that begins at a place, which is before the text's end. Quotes hold delimiters and line
 * ends, and two of them stand for one; within a value without quotes they mean nothing.
 * @throws UnreadableText
 */
export function readRecord(text: string, start: number, delimiter: Delimiter): TextRecord {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const value = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at, delimiter);
    cells.push(value.cell);
    at = value.end;
    if (at - start > MAX_RECORD_CHARACTERS) {
      throw new UnreadableText(
        `is longer than ${MAX_RECORD_CHARACTERS.toLocaleString("en")} characters: is a quote not closed?`,
      );
    }
    const next = text[at];
    if (next === delimiter) at++;
    else if (next === undefined || next === "\n") return { cells, end: at + 1 };
    else if (next === "\r") return { cells, end: at + (text[at + 1] === "\n" ? 2 : 1) };
    else {
      throw new UnreadableText(
        'has text behind a closing quote: a quote within a quoted value is written twice, "".',
      );
    }
  }
}

/** How many values there are, without blank ones at the end. */
export function filledLength(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "") + 1;
}

interface Value {
  cell: string;
  end: number;
}

function readPlain(text: string, start: number, delimiter: Delimiter): Value {
  let end = start;
  for (; end < text.length; end++) {
    const character = text[end];
    if (character === delimiter || character === "\n" || character === "\r") break;
  }
  return { cell: text.slice(start, end), end };
}

function readQuoted(text: string, start: number): Value {
  let from = start + 1;
  for (let at = from; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) throw new UnreadableText("has a quote that is never closed.");
    if (text[at + 1] === '"') continue;
    const cell = text.slice(from, at);
    from = at + 1;
    return { cell: cell.replaceAll('""', '"'), end: from };
  }
}

/** A value as it stands in a record. */
export function writeCell(value: string, delimiter: Delimiter = ","): string {
  const isPlain = !/["\r\n]/.test(value) && !value.includes(delimiter);
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}
