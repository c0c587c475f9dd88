import type { Database } from "../platform/db/client.ts";
import { jobPlaceSaving } from "../platform/db/job-places.ts";
import { leastIdAt } from "../platform/ids.ts";

/** The ids of the next events behind one that were made before a time, as their ids say. */
export async function findEventIds(
  db: Database,
  { after, before, limit }: { after: string; before: number; limit: number },
): Promise<string[]> {
  const { results } = await db.$client
    .prepare("SELECT id FROM events WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?3")
    .bind(after, leastIdAt(before), limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** Empties the payloads of events, in their order, and says how far the job has come. */
export async function emptyPayloads(db: Database, ids: string[], job: string): Promise<void> {
  const d1 = db.$client;
  await d1.batch([
    d1
      .prepare(
        `UPDATE events SET data = NULL
         WHERE id IN (SELECT value FROM json_each(?1)) AND data IS NOT NULL`,
      )
      .bind(JSON.stringify(ids)),
    jobPlaceSaving(db, job, ids.at(-1) ?? ""),
  ]);
}

/** Deletes up to `limit` events made before a time, as their ids say; how many it did. */
export async function deleteOldEvents(
  db: Database,
  before: number,
  limit: number,
): Promise<number> {
  const { results } = await db.$client
    .prepare(
      `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id < ?1 ORDER BY id LIMIT ?2)
       RETURNING id`,
    )
    .bind(leastIdAt(before), limit)
    .all();
  return results.length;
}
