import type { Database } from "../platform/db/client.ts";

/** Of deliveries older than a time, the first few. ?1 is the time, ?2 how many. */
const old = (column: "id" | "rowid") =>
  `SELECT ${column} FROM deliveries WHERE created_at < ?1 ORDER BY created_at, rowid LIMIT ?2`;

/** Deletes up to `limit` deliveries made before a time, with their attempts; how many it did. */
export async function deleteOldDeliveries(
  db: Database,
  before: number,
  limit: number,
): Promise<number> {
  const d1 = db.$client;
  const [, deleted] = await d1.batch([
    d1
      .prepare(`DELETE FROM delivery_attempts WHERE delivery_id IN (${old("id")})`)
      .bind(before, limit),
    d1.prepare(`DELETE FROM deliveries WHERE rowid IN (${old("rowid")})`).bind(before, limit),
  ]);
  return deleted?.meta.changes ?? 0;
}
