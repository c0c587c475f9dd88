import { type AnyColumn, and, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./client.ts";

/** How many records a page looks at to find those of a filter that no index serves. */
const MOST_LOOKED_AT = 2000;
/** Sorts after every id. */
const BEFORE_ALL = "~";

type TableOf<Row> = SQLiteTable & { id: AnyColumn; $inferSelect: Row };

/** What is walked through, newest first, by an index in whose order ids are. */
interface Walk {
  /** SQL of the index's name, or of what is walked through instead of it: a join of the table. */
  index: string | SQL;
  /** The condition that the index serves. */
  is: SQL | undefined;
  /** SQL of what the index orders by, if not the id: in the same order as ids are. */
  order?: SQL;
  /** What is asked of each record besides. */
  filter: SQL | undefined;
  /** Columns that are left out, by name. */
  unread?: string[];
}

/** The columns, as what is read of SQL: the query builder does not see that it is of this table. */
function readingOf(table: SQLiteTable, unread: string[]): Record<string, SQL> {
  const all = Object.entries(getTableColumns(table));
  const columns = all.filter(([name]) => !unread.includes(name));
  return Object.fromEntries(
    columns.map(([name, column]) => [name, sql`${column}`.mapWith(column)]),
  );
}

/** What a walk found; `lastId` is what the next page begins after, null at the end. */
export interface Part<Row> {
  rows: Row[];
  lastId: string | null;
}

/**
 * A page of a list, by one statement that stops when the page is full. Where few records match
 * it may end early, and empty: it tells the last record that it looked at after those it found.
 */
export async function walk<Row extends { id: string }>(
  db: Database,
  table: TableOf<Row>,
  { index, is, order, filter, unread = [] }: Walk,
  { limit, beforeId }: { limit: number; beforeId: string | undefined },
): Promise<Part<Row>> {
  const place = order ?? sql`${table.id}`;
  const through = typeof index === "string" ? sql`${table} INDEXED BY ${sql.raw(index)}` : index;
  const source = sql`SELECT ${table}.* FROM ${through}
    WHERE ${and(is, lt(place, beforeId ?? BEFORE_ALL))} ORDER BY ${place} DESC`;
  const looked = sql`(${source} LIMIT ${MOST_LOOKED_AT}) AS ${table}`;
  const last = sql`(${source} LIMIT 1 OFFSET ${MOST_LOOKED_AT - 1}) AS ${table}`;
  const row = readingOf(table, unread);
  // The query builder knows no types of columns that stand in SQL.
  const found = (await db
    .select({ row, isLast: sql<number>`0` })
    .from(looked)
    .where(filter)
    .unionAll(db.select({ row, isLast: sql<number>`1` }).from(last))
    .limit(limit + 1)) as unknown as { row: Row; isLast: number }[];
  const rows = found.filter(({ isLast }) => !isLast).map(({ row }) => row);
  const end = found.find(({ isLast }) => isLast);
  if (rows.length <= limit) return { rows, lastId: end?.row.id ?? null };
  const shown = rows.slice(0, limit);
  return { rows: shown, lastId: shown.at(-1)?.id ?? null };
}
