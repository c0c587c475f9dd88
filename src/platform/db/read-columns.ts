import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * A table's columns, but those named, for a query whose source is SQL: the query builder does not see
 * that such a source has the table's columns.
 */
export function readColumns(table: SQLiteTable, unread: string[] = []): Record<string, SQL> {
  const all = Object.entries(getTableColumns(table));
  const columns = all.filter(([name]) => !unread.includes(name));
  return Object.fromEntries(
    columns.map(([name, column]) => [name, sql`${column}`.mapWith(column)]),
  );
}
