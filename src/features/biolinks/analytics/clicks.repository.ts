import { and, eq, sql, sum } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import type { ClickKind } from "../../../visitor/clicks/click-packet.ts";
import type { ClickedLinks } from "./clicks.ports.ts";
import { linkClicks } from "./clicks.table.ts";

/** Link id, hour, kind, country, device, referrer, clicks, workspace id. */
export type CountedClicks = [string, number, ClickKind, string, string, string, number, string];

// Written by hand, because drizzle's batch does not take what `db.run` makes.
function additionOf({ linkExists }: Pick<ClickedLinks, "linkExists">): string {
  return `
    INSERT INTO link_clicks (link_id, hour, kind, country, device, referrer, workspace_id, clicks)
    SELECT row.value ->> 0, row.value ->> 1, row.value ->> 2, row.value ->> 3, row.value ->> 4,
      row.value ->> 5, row.value ->> 7, row.value ->> 6
    FROM json_each(?1) AS row
    WHERE ${linkExists("row.value ->> 0", "row.value ->> 7")}
      AND NOT EXISTS (SELECT 1 FROM click_packets WHERE id = ?2)
    ON CONFLICT (link_id, hour, kind, country, device, referrer)
    DO UPDATE SET clicks = clicks + excluded.clicks`;
}
const MARK_PACKET = "INSERT OR IGNORE INTO click_packets (id, created_at) VALUES (?1, ?2)";

/**
 * Adds packets' clicks to the hourly counts, each packet once: the counts and the marks that they
 * were counted are one transaction. Clicks of links that are gone are dropped.
 */
export async function addClicks(
  db: Database,
  packets: { id: string; counted: CountedClicks[] }[],
  links: Pick<ClickedLinks, "linkExists">,
  time: number,
): Promise<void> {
  const d1 = db.$client;
  const addition = additionOf(links);
  await d1.batch(
    packets.flatMap(({ id, counted }) => [
      d1.prepare(addition).bind(JSON.stringify(counted), id),
      d1.prepare(MARK_PACKET).bind(id, time),
    ]),
  );
}

export async function sumClicks(
  db: Database,
  workspaceId: string,
  linkId: string,
  kind: ClickKind,
): Promise<number> {
  const [row] = await db
    .select({ clicks: sum(linkClicks.clicks).mapWith(Number) })
    .from(linkClicks)
    .where(
      and(
        // The plus keeps the index of the workspace out: the key finds the link's own rows.
        sql`+${linkClicks.workspaceId} = ${workspaceId}`,
        eq(linkClicks.linkId, linkId),
        eq(linkClicks.kind, kind),
      ),
    );
  return row?.clicks ?? 0;
}

/** Forgets up to `limit` packets counted before `time`; how many it did. */
export async function forgetPackets(db: Database, time: number, limit: number): Promise<number> {
  const { meta } = await db.$client
    .prepare(
      `DELETE FROM click_packets WHERE rowid IN (SELECT rowid FROM click_packets WHERE created_at < ?1
       ORDER BY created_at LIMIT ?2)`,
    )
    .bind(time, limit)
    .run();
  return meta.changes;
}
