import { type Delimiter, filledLength } from "./delimited-text.ts";
import type { FeedColumn } from "./feed-columns.ts";
import type { RowError } from "./feed-row.ts";

const DELIMITER_NAMES: Readonly<Record<Delimiter, string>> = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
};

/**
 * What is wrong with a row that has more values than there are columns: mostly a value that holds the
 * delimiter, without quotes. No column is to blame, so the id's is named.
 */
export function findSurplus(
  columns: readonly FeedColumn[],
  cells: readonly string[],
  delimiter: Delimiter,
): RowError | undefined {
  const id = columns.find(({ field }) => field === "id");
  const values = filledLength(cells);
  if (!id?.headerColumns || values <= id.headerColumns) return undefined;
  const named = id.headerColumns === 1 ? "1 column" : `${id.headerColumns} columns`;
  const message = `The row has ${values} values, the header has ${named}: put quotes around a value with a ${DELIMITER_NAMES[delimiter]}.`;
  return { field: id.name, message };
}
