import type { Database } from "../platform/db/client.ts";
import { leastIdAt } from "../platform/ids.ts";

/** The first few deliveries whose ids are of before ?1; ?2: how many. */
const OLD = "SELECT id FROM deliveries WHERE id < ?1 ORDER BY id LIMIT ?2";

/**
 * Deletes up to `limit` deliveries made before a time, as their ids say, with their attempts; how
 * many it did.
 */
export async function deleteOldDeliveries(
  db: Database,
  before: number,
  limit: number,
): Promise<number> {
  const d1 = db.$client;
  const [, deleted] = await d1.batch([
    d1
      .prepare(`DELETE FROM delivery_attempts WHERE delivery_id IN (${OLD})`)
      .bind(leastIdAt(before), limit),
    d1.prepare(`DELETE FROM deliveries WHERE id IN (${OLD})`).bind(leastIdAt(before), limit),
  ]);
  return deleted?.meta.changes ?? 0;
}
