import { type AnyColumn, and, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./client.ts";
import { readColumns } from "./read-columns.ts";

/** How many records a page looks at to find those of a filter that no index serves. */
const MOST_LOOKED_AT = 2000;
/** Sorts after every id. */
const BEFORE_ALL = "~";

type TableOf<Row> = SQLiteTable & { id: AnyColumn; $inferSelect: Row };

/** A table walked through in place of the one that is listed, and what joins that one to it. */
export interface Joined {
  table: SQLiteTable;
  join: SQL;
}

/** What is walked through, newest first, by an index in whose order ids are. */
export interface Walk {
  /** The index's name, or what is walked through instead of the table itself. */
  index: string | Joined;
  /** The condition that the index serves. */
  is: SQL | undefined;
  /** SQL of what the index orders by, if not the id: in the same order as ids are. */
  order?: SQL;
  /** What is asked of each record besides. */
  filter: SQL | undefined;
  /** Columns that are left out, by name. */
  unread?: string[];
}

interface Sources {
  /** SQL of all records of a walk, newest first, with their columns. */
  records: SQL;
  /** SQL of their ids as `id`: the index alone tells them, nothing is joined and no record read. */
  ids: SQL;
}

/** What a walk goes through, from the newest before an id on. */
export function sourcesOf(
  table: SQLiteTable & { id: AnyColumn },
  { index, is, order }: Pick<Walk, "index" | "is" | "order">,
  beforeId = BEFORE_ALL,
): Sources {
  const place = order ?? sql`${table.id}`;
  const walked =
    typeof index === "string" ? sql`${table} INDEXED BY ${sql.raw(index)}` : sql`${index.table}`;
  const through = typeof index === "string" ? walked : sql`${walked} ${index.join}`;
  const newestFirst = sql`WHERE ${and(is, lt(place, beforeId))} ORDER BY ${place} DESC`;
  return {
    records: sql`SELECT ${table}.* FROM ${through} ${newestFirst}`,
    ids: sql`SELECT ${place} AS id FROM ${walked} ${newestFirst}`,
  };
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
  { filter, unread = [], ...walked }: Walk,
  { limit, beforeId }: { limit: number; beforeId: string | undefined },
): Promise<Part<Row>> {
  const { records, ids } = sourcesOf(table, walked, beforeId);
  const looked = sql`(${records} LIMIT ${MOST_LOOKED_AT}) AS ${table}`;
  const last = sql`(${ids} LIMIT 1 OFFSET ${MOST_LOOKED_AT - 1}) AS last`;
  const row = readColumns(table, unread);
  const noRow = Object.fromEntries(Object.keys(row).map((name) => [name, sql`NULL`]));
  // The query builder knows no types of columns that stand in SQL.
  const found = (await db
    .select({ row, endsAt: sql<string | null>`NULL` })
    .from(looked)
    .where(filter)
    .unionAll(db.select({ row: noRow, endsAt: sql<string | null>`last.id` }).from(last))
    .limit(limit + 1)) as unknown as { row: Row; endsAt: string | null }[];
  const rows = found.filter(({ endsAt }) => endsAt === null).map(({ row }) => row);
  const end = found.find(({ endsAt }) => endsAt !== null);
  if (rows.length <= limit) return { rows, lastId: end?.endsAt ?? null };
  const shown = rows.slice(0, limit);
  return { rows: shown, lastId: shown.at(-1)?.id ?? null };
}
