import type { Env } from "../../platform/config.ts";
import { type Database, sharedSession } from "../../platform/db/client.ts";
import { retryTransient } from "../../platform/db/retry.ts";
import { type Change, MOST_READ, type ReadChanges } from "./change-window.ts";

// Numbers have no gaps, so no more than that many.
const LATELY = `SELECT id, scope, name FROM address_changes
  WHERE id > (SELECT max(id) FROM address_changes) - ${MOST_READ}
  ORDER BY id LIMIT ${MOST_READ}`;
const SINCE = `SELECT id, scope, name FROM address_changes
  WHERE id >= ? ORDER BY id LIMIT ${MOST_READ}`;

/**
 * The changes from one on, that one included; without, the latest. In their order. They are read
 * from the primary: nothing tells how far behind a replica is.
 */
export async function findChanges(env: Env, from?: number): Promise<ReadChanges> {
  return retryTransient(async () => {
    const session = sharedSession(env, "primary");
    const query = from === undefined ? session.prepare(LATELY) : session.prepare(SINCE).bind(from);
    const { results } = await query.all<{ id: number; scope: Change[1]; name: string }>();
    const changes = results.map(({ id, scope, name }): Change => [id, scope, name]);
    return { changes, bookmark: session.getBookmark() };
  });
}

/**
 * Deletes the oldest changes, so many at a time, once the one after them is of before a number of
 * seconds ago. So the log stays without gaps, whatever the clock did, and goes on from that one.
 * How many.
 */
export async function deleteOldChanges(
  db: Database,
  seconds: number,
  count: number,
): Promise<number> {
  const end = "(SELECT min(id) FROM address_changes) + ?2";
  const deleted = await db.$client
    .prepare(
      `DELETE FROM address_changes WHERE id IN (
         SELECT id FROM address_changes WHERE id < ${end} ORDER BY id
         LIMIT CASE WHEN (SELECT at FROM address_changes WHERE id >= ${end} ORDER BY id LIMIT 1)
           < unixepoch() - ?1 THEN ?2 ELSE 0 END)`,
    )
    .bind(seconds, count)
    .run();
  return deleted.meta.changes;
}
