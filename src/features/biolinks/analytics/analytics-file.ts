import { BYTE_ORDER_MARK, csvLine } from "../../../api/csv.ts";
import type { ExportFormat } from "../../../api/exported-file.ts";
import type { AnalyticsRow } from "./analytics.schemas.ts";
import type { Question } from "./analytics-question.ts";
import type { PlacedRow } from "./analytics-rows.ts";

/** Rows as the lines of a file. */
export function linesOf(
  rows: Generator<PlacedRow>,
  question: Question,
  format: ExportFormat,
): Generator<string, undefined> {
  return format === "csv" ? csvLines(rows, question) : jsonLines(rows);
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
  yield BYTE_ORDER_MARK + csvLine(names);
  for (const { make } of rows) {
    const row = make();
    yield csvLine([
      ...own.map((name) => row[name]),
      ...before.map((name) => (row.previous as AnalyticsRow | null)?.[name]),
    ]);
  }
}
