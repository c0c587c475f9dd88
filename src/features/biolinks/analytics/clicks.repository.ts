import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import { isUniqueConflict } from "../../../platform/db/faults.ts";
import type { CountedDay } from "./click-counts.ts";
import type { ClickedLinks } from "./clicks.ports.ts";
import { clickPackets, linkTotals } from "./clicks.table.ts";
import { OTHER } from "./referrer.ts";

/** Of a link and day (UTC); what comes after them is counted as `(other)`. */
export const MAX_REFERRERS = 1000;
/** Likewise, of rows; each hour and kind may have one more, in which all is `(other)`. */
export const MAX_ROWS = 5000;

// Written by hand, because drizzle's batch does not take what `db.run` makes. A click whose row or
// referrer is there already has no need of room. Triggers count what is added. Materialized, or each
// row would look for its link in all of the parameter.
function additionOf({ linkExists }: Pick<ClickedLinks, "linkExists">): string {
  return `
    WITH part AS MATERIALIZED (
      SELECT value ->> 0 AS link, value ->> 1 AS workspace, value ->> 2 AS day, value -> 3 AS added
      FROM json_each(?1)),
    placed AS (
      SELECT link, workspace, row.value ->> 0 AS hour, row.value ->> 1 AS kind,
        row.value ->> 2 AS country, row.value ->> 3 AS device, row.value ->> 5 AS clicks,
        coalesce(link_days.rows, 0) + row.key < ${MAX_ROWS} AS has_room,
        CASE WHEN coalesce(link_days.referrers, 0) + (row.value ->> 6) <= ${MAX_REFERRERS} OR EXISTS (
            SELECT 1 FROM link_clicks INDEXED BY link_clicks_day
            WHERE hour / 86400000 = part.day AND link_id = link AND referrer = row.value ->> 4)
          THEN row.value ->> 4 ELSE '${OTHER}' END AS referrer
      FROM part
      LEFT JOIN link_days ON link_days.link_id = link AND link_days.day = part.day
      CROSS JOIN json_each(part.added) AS row
      WHERE ${linkExists("link", "workspace")}),
    bounded AS (
      SELECT *, has_room OR EXISTS (
          SELECT 1 FROM link_clicks AS known WHERE known.link_id = link AND known.hour = placed.hour
            AND known.kind = placed.kind AND known.country = placed.country
            AND known.device = placed.device AND known.referrer = placed.referrer) AS fits
      FROM placed)
    INSERT INTO link_clicks (link_id, hour, kind, country, device, referrer, workspace_id, clicks)
    SELECT link, hour, kind, iif(fits, country, '${OTHER}'), iif(fits, device, '${OTHER}'),
      iif(fits, referrer, '${OTHER}'), workspace, clicks
    FROM bounded WHERE true
    ON CONFLICT (link_id, hour, kind, country, device, referrer)
    DO UPDATE SET clicks = clicks + excluded.clicks`;
}
const MARK_PACKETS = `
  INSERT INTO click_packets (id, created_at) SELECT value, ?2 FROM json_each(?1)`;

/**
 * Adds packets' clicks to the hourly counts: the counts and the marks that the packets were counted
 * are one transaction. Clicks of links that are gone are dropped. False, and nothing is added, when
 * any of the packets was counted before.
 */
export async function addClicks(
  db: Database,
  packetIds: string[],
  parts: CountedDay[][],
  links: Pick<ClickedLinks, "linkExists">,
  time: number,
): Promise<boolean> {
  const d1 = db.$client;
  const addition = d1.prepare(additionOf(links));
  try {
    await d1.batch([
      d1.prepare(MARK_PACKETS).bind(JSON.stringify(packetIds), time),
      ...parts.map((part) => addition.bind(JSON.stringify(part))),
    ]);
    return true;
  } catch (fault) {
    if (isUniqueConflict(fault)) return false;
    throw fault;
  }
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
