/** What an import tells of each row: it is kept for who repeats it under its key. */
import { jsonBytes } from "../../../platform/bytes.ts";
import type { ImportedRow } from "./contacts.schemas.ts";

/** So that a thousand answers of imports are kept of a workspace, which the gate keeps 64 MB of. */
const MOST_BYTES = 63 * 1024;
/** Of a row that is wrong so many fields are told, the fewer the more there is to tell. */
const FIELDS_OF_ROW = [20, 10, 5, 2, 1];
export const MAX_FIELDS_OF_ROW = Math.max(...FIELDS_OF_ROW);
const UNTOLD = { row: ["Wrong, as too many are to tell how: send fewer at once."] };

export function withinAnswer(rows: ImportedRow[]): ImportedRow[] {
  for (const fields of FIELDS_OF_ROW) {
    const told = rows.map((row) => withErrors(row, fewer(row.errors, fields)));
    if (jsonBytes(told) <= MOST_BYTES) return told;
  }
  return firstTold(rows);
}

/** Of the first rows a field each, as many as there is room for; of the others that they are wrong. */
function firstTold(rows: ImportedRow[]): ImportedRow[] {
  const untold = rows.map((row) => withErrors(row, row.errors && UNTOLD));
  let room = MOST_BYTES - jsonBytes(untold);
  return rows.map((row) => {
    const told = withErrors(row, fewer(row.errors, 1));
    const more = row.errors ? jsonBytes(told.errors) - jsonBytes(UNTOLD) : 0;
    if (more > room) return withErrors(row, UNTOLD);
    room -= more;
    return told;
  });
}

function fewer(errors: ImportedRow["errors"], fields: number): ImportedRow["errors"] {
  return errors && Object.fromEntries(Object.entries(errors).slice(0, fields));
}

function withErrors(row: ImportedRow, errors: ImportedRow["errors"]): ImportedRow {
  return errors ? { ...row, errors } : row;
}
