import { BYTE_ORDER_MARK, csvLine } from "../../../api/csv.ts";
import type { ExportFormat } from "../../../api/exported-file.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import type { AnalyticsRow } from "./analytics.schemas.ts";
import type { Question } from "./analytics-question.ts";
import type { PlacedRow } from "./analytics-rows.ts";
import { nameField } from "./row-names.ts";

/** Named at once. */
const SLICE = 1000;

/** Rows as the lines of a file; `name` says what those in them are called. */
export async function* linesOf(
  rows: Generator<PlacedRow>,
  question: Question,
  format: ExportFormat,
  name: (rows: AnalyticsRow[]) => Promise<AnalyticsRow[]>,
): AsyncGenerator<string, undefined> {
  const { line, head } = format === "csv" ? csvOf(question) : { line: jsonOf, head: undefined };
  if (head !== undefined) yield head;
  for (const slice of slicesOf(rows)) {
    const named = await retryTransient(() => name(slice));
    for (const row of named) yield line(row);
  }
}

function* slicesOf(rows: Generator<PlacedRow>): Generator<AnalyticsRow[]> {
  let slice: AnalyticsRow[] = [];
  for (const { make } of rows) {
    slice.push(make());
    if (slice.length < SLICE) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

function jsonOf(row: AnalyticsRow): string {
  return `${JSON.stringify(row)}\n`;
}

function csvOf({ interval, groupBy, metrics, previous }: Question) {
  const start = interval ? (["start"] as const) : [];
  const groups = groupBy.flatMap((name) => [name, nameField(name) ?? []].flat());
  const own = [...start, ...groups, ...metrics];
  const before = previous ? [...start, ...metrics] : [];
  const names = [...own, ...before.map((name) => `previous_${name}`)];
  const line = (row: AnalyticsRow) =>
    csvLine([
      ...own.map((name) => row[name]),
      ...before.map((name) => (row.previous as AnalyticsRow | null)?.[name]),
    ]);
  return { line, head: BYTE_ORDER_MARK + csvLine(names) };
}
