import { toBytes } from "../../../platform/bytes.ts";
import type { AnalyticsRow } from "./analytics.schemas.ts";
import type { Question } from "./analytics-question.ts";
import type { PlacedRow } from "./analytics-rows.ts";

export const MEDIA_TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;
export const CONTENT_TYPES = { ...MEDIA_TYPES, csv: "text/csv; charset=utf-8" } as const;
export type FileFormat = keyof typeof MEDIA_TYPES;

/** How much text is made at once: rows that nobody takes are not made. */
const CHUNK_CHARACTERS = 32_768;
/** Spreadsheets take a file without it for one of their own encoding. */
const BYTE_ORDER_MARK = "\u{FEFF}";
const LINE_END = "\r\n";

/** Rows as a file, made while it is read. */
export function fileOf(
  rows: Generator<PlacedRow>,
  question: Question,
  format: FileFormat,
): ReadableStream<Uint8Array> {
  const lines = format === "csv" ? csvLines(rows, question) : jsonLines(rows);
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      let chunk = "";
      for (;;) {
        const { value, done } = lines.next();
        if (!done) chunk += value;
        if (done || chunk.length >= CHUNK_CHARACTERS) {
          if (chunk !== "") controller.enqueue(toBytes(chunk));
          if (done) controller.close();
          return;
        }
      }
    },
  });
}

function* jsonLines(rows: Generator<PlacedRow>): Generator<string, undefined> {
  for (const { make } of rows) yield `${JSON.stringify(make())}\n`;
}

function* csvLines(
  rows: Generator<PlacedRow>,
  { interval, groupBy, metrics, previous }: Question,
): Generator<string, undefined> {
  const own = [...(interval ? (["start"] as const) : []), ...groupBy, ...metrics];
  const before = previous ? [...(interval ? (["start"] as const) : []), ...metrics] : [];
  const names = [...own, ...before.map((name) => `previous_${name}`)];
  yield BYTE_ORDER_MARK + names.join(",") + LINE_END;
  for (const { make } of rows) {
    const row = make();
    const cells = [
      ...own.map((name) => csvCell(row[name])),
      ...before.map((name) => csvCell((row.previous as AnalyticsRow | null)?.[name])),
    ];
    yield cells.join(",") + LINE_END;
  }
}

/** What spreadsheets take for a formula, also behind blanks and on a later line of a cell. */
const FORMULA = /(?<=^|[\r\n])(?=\s*[=+\-@\t＝＋－＠])/g;

/** A cell as RFC 4180 writes it; texts that could be run as a formula begin with an apostrophe. */
export function csvCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const harmless = value.replaceAll(FORMULA, "'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
