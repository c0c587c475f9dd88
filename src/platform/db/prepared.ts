import type { Database } from "./client.ts";

/** A statement of the query builder's, for a batch with one that is written by hand. */
export function prepared(
  db: Database,
  query: { toSQL(): { sql: string; params: unknown[] } },
): D1PreparedStatement {
  const { sql, params } = query.toSQL();
  return db.$client.prepare(sql).bind(...params);
}
