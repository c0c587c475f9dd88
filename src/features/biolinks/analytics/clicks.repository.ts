import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import { clickPackets, linkTotals } from "./clicks.table.ts";

/** Notes that packets were counted, those that are not noted yet. */
export async function markPackets(db: Database, ids: string[], time: number): Promise<void> {
  await db.$client
    .prepare(
      `INSERT INTO click_packets (id, created_at) SELECT value, ?2 FROM json_each(?1) WHERE true
       ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(ids), time)
    .run();
}

/** Which of some packets were counted, by their ids. */
export async function findCountedPackets(db: Database, ids: string[]): Promise<Set<string>> {
  const given = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const rows = await db
    .select({ id: clickPackets.id })
    .from(clickPackets)
    .where(sql`${clickPackets.id} IN ${given}`);
  return new Set(rows.map(({ id }) => id));
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
