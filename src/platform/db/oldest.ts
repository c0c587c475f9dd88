import { type AnyColumn, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./client.ts";

/** Deletes up to `limit` rows made before a time, the oldest first; how many it did. */
export async function deleteOldest(
  db: Database,
  table: SQLiteTable & { createdAt: AnyColumn },
  before: number,
  limit: number,
): Promise<number> {
  const name = getTableName(table);
  const { meta } = await db.$client
    .prepare(
      `DELETE FROM ${name} WHERE rowid IN (
         SELECT rowid FROM ${name} WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)`,
    )
    .bind(before, limit)
    .run();
  return meta.changes;
}
