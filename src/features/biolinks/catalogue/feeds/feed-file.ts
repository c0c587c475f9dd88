/** A feed's file, cut into slices that a step of an import takes each. */
import { invalid } from "../../../../api/errors.ts";
import { countCharacters } from "../../../../platform/characters.ts";
import { MAX_LINE_LENGTH } from "../products.schemas.ts";
import {
  type Delimiter,
  decodeText,
  findDelimiter,
  readRecord,
  UnreadableText,
} from "./delimited-text.ts";
import { type FeedColumn, readColumns } from "./feed-columns.ts";
import { unguardFormulas } from "./spreadsheet-texts.ts";

export const MAX_ROWS = 10_000;
const SLICE_ROWS = 200;
/** So that what a step writes fits into a statement's 2 MB, whatever its characters take. */
const SLICE_CHARACTERS = 300_000;
/** How many ids of the file a step compares with those of the workspace. */
const IDS_A_SLICE = 1000;

export interface FeedSlice {
  text: string;
  /** The first record's row, as spreadsheets count: the names are row 1. */
  firstRow: number;
  /** Rows whose id an earlier row has: `[row, earlier row]` each. */
  repeated: [number, number][];
}

export interface FeedFile {
  delimiter: Delimiter;
  columns: FeedColumn[];
  ignored: string[];
  /** Without empty ones. */
  rows: number;
  slices: FeedSlice[];
  /** All ids that products have, in the order in which the database sorts them, a list for each step. */
  ids: string[][];
}

/** @throws 422 */
export function readFeedFile(bytes: Uint8Array): FeedFile {
  try {
    return cutFile(decodeText(bytes));
  } catch (error) {
    throw error instanceof UnreadableText ? invalid("file", error.message) : error;
  }
}

function cutFile(text: string): FeedFile {
  const delimiter = findDelimiter(text);
  const head = readRowOf(text, 0, delimiter, 1);
  const { columns, ignored } = readColumns(head.cells);
  const idAt = columns.find(({ field }) => field === "id")?.at ?? 0;
  const rowsById = new Map<string, number>();
  const slices: FeedSlice[] = [];
  let slice = { start: head.end, firstRow: 2, repeated: [] as [number, number][] };
  let rows = 0;
  let row = 2;
  /** Rows of the slice that hold something: a file of empty lines makes no slices of them. */
  let held = 0;
  const cut = (end: number) => {
    const { start, ...rest } = slice;
    if (end > start) slices.push({ text: text.slice(start, end), ...rest });
    slice = { start: end, firstRow: row, repeated: [] };
    held = 0;
  };
  for (let at = head.end; at < text.length; row++) {
    const { cells, end } = readRowOf(text, at, delimiter, row);
    const isBlank = isEmpty(cells);
    const isFull = held >= SLICE_ROWS && !isBlank;
    if (isFull || end - slice.start > SLICE_CHARACTERS) cut(at);
    at = end;
    if (isBlank) continue;
    held++;
    rows++;
    if (rows > MAX_ROWS) {
      throw new UnreadableText(`There are more than ${MAX_ROWS.toLocaleString("en")} rows.`);
    }
    const id = unguardFormulas((cells[idAt] ?? "").trim()).trim();
    const earlier = rowsById.get(id);
    if (earlier !== undefined && id !== "") slice.repeated.push([row, earlier]);
    else rowsById.set(id, row);
  }
  cut(text.length);
  if (rows === 0) throw new UnreadableText("There is no row behind the names of the columns.");
  return {
    delimiter,
    columns,
    ignored,
    rows,
    slices,
    ids: inLists([...rowsById.keys()].filter(isFit)),
  };
}

function readRowOf(text: string, at: number, delimiter: Delimiter, row: number) {
  try {
    return readRecord(text, at, delimiter);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    throw new UnreadableText(`Row ${row} ${error.message}`);
  }
}

/** Whether a row holds nothing: such rows count, and are left out. */
function isEmpty(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/** The rows of a slice that hold something, each with where it stands in the file. */
export function readSlice(
  { text, firstRow }: Pick<FeedSlice, "text" | "firstRow">,
  delimiter: Delimiter,
): { row: number; cells: string[] }[] {
  const rows: { row: number; cells: string[] }[] = [];
  for (let at = 0, row = firstRow; at < text.length; row++) {
    const { cells, end } = readRecord(text, at, delimiter);
    if (!isEmpty(cells)) rows.push({ row, cells });
    at = end;
  }
  return rows;
}

/** The row of a longer id fails, and its length would be that of a step's list as well. */
function isFit(id: string): boolean {
  return countCharacters(id) <= MAX_LINE_LENGTH;
}

/** The database sorts texts by their bytes in UTF-8, which is by code points. */
function inLists(ids: string[]): string[][] {
  const sorted = ids.sort(byCodePoints);
  const lists: string[][] = [];
  for (let at = 0; at < sorted.length; at += IDS_A_SLICE) {
    lists.push(sorted.slice(at, at + IDS_A_SLICE));
  }
  return lists;
}

/** Code units sort otherwise only where half of a surrogate pair stands against what is above it. */
function byCodePoints(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
