import { and, eq } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import { linkTotals } from "./clicks.table.ts";

/**
 * Takes packets for the ledgers, unless code of before 2026-11-22 has counted them: it notes their
 * ids, and counts none that is noted. Those taken are noted twice, so that they are still the
 * ledgers' when they come again. Answers which are.
 */
export async function claimPackets(
  db: Database,
  ids: string[],
  time: number,
): Promise<Set<string>> {
  const d1 = db.$client;
  const given = JSON.stringify(ids);
  const [, , claimed] = await d1.batch<{ id: string }>([
    d1
      .prepare(
        `INSERT INTO click_packets (id, created_at)
         SELECT 'ledger/' || value, ?2 FROM json_each(?1)
         WHERE NOT EXISTS (SELECT 1 FROM click_packets WHERE click_packets.id = value)
         ON CONFLICT DO NOTHING`,
      )
      .bind(given, time),
    d1
      .prepare(
        `INSERT INTO click_packets (id, created_at) SELECT value, ?2 FROM json_each(?1) WHERE true
         ON CONFLICT DO NOTHING`,
      )
      .bind(given, time),
    d1
      .prepare(
        `SELECT value AS id FROM json_each(?1) AS given
         CROSS JOIN click_packets ON click_packets.id = 'ledger/' || value`,
      )
      .bind(given),
  ]);
  return new Set(claimed?.results.map(({ id }) => id));
}

/** Visits of a link by people, ever. */
export async function findTotal(
  db: Database,
  workspaceId: string,
  linkId: string,
): Promise<number | undefined> {
  const total = await db
    .select({ clicks: linkTotals.clicks })
    .from(linkTotals)
    .where(and(eq(linkTotals.linkId, linkId), eq(linkTotals.workspaceId, workspaceId)))
    .get();
  return total?.clicks;
}

/** Deletes up to `limit` rows of clicks from before a day (since the epoch); how many it did. */
export async function deleteOldClicks(db: Database, day: number, limit: number): Promise<number> {
  const { meta } = await db.$client
    .prepare(
      `DELETE FROM link_clicks WHERE rowid IN (
         SELECT rowid FROM link_clicks INDEXED BY link_clicks_day
         WHERE hour / 86400000 < ?1 LIMIT ?2)`,
    )
    .bind(day, limit)
    .run();
  return meta.changes;
}

/** The same for what is known of links' days. */
export async function deleteOldDays(db: Database, day: number, limit: number): Promise<number> {
  const { meta } = await db.$client
    .prepare(
      `DELETE FROM link_days WHERE rowid IN (
         SELECT rowid FROM link_days WHERE day < ?1 LIMIT ?2)`,
    )
    .bind(day, limit)
    .run();
  return meta.changes;
}
