import type { Database } from "../../../platform/db/client.ts";

/** Link id, hour, kind, country, device, referrer, clicks. */
export type MovedRow = [string, number, string, string, string, string, number];

export interface ClickMove {
  id: string;
  workspaceId: string;
  rows: MovedRow[];
}

/**
 * Takes up to `limit` of the oldest rows out of the counts of before, into a move for each workspace,
 * in one transaction: rows that code of before adds to later are new ones, and moved later. By day,
 * as what a ledger has of one is kept together.
 */
export async function beginMoves(db: Database, id: string, limit: number): Promise<number> {
  const d1 = db.$client;
  const { results } = await d1
    .prepare(
      `SELECT rowid AS number FROM link_clicks INDEXED BY link_clicks_day
       ORDER BY hour / 86400000, link_id, referrer, rowid LIMIT ?`,
    )
    .bind(limit)
    .all<{ number: number }>();
  if (results.length === 0) return 0;
  const rows = JSON.stringify(results.map(({ number }) => number));
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO click_moves (id, workspace_id, clicks)
         SELECT ?1, workspace_id, json_group_array(
           json_array(link_id, hour, kind, country, device, referrer, clicks))
         FROM json_each(?2) AS wanted CROSS JOIN link_clicks ON link_clicks.rowid = wanted.value
         GROUP BY workspace_id`,
      )
      .bind(id, rows),
    d1
      .prepare("DELETE FROM link_clicks WHERE rowid IN (SELECT value FROM json_each(?))")
      .bind(rows),
  ]);
  return results.length;
}

/**
 * The same of totals, up to `limit` after a link's: where a link has no rows left, and its workspace
 * no move on its way, they are of rows that were old enough to go. Answers the last link that it
 * looked at; undefined when there is none.
 */
export async function beginTotalMoves(
  db: Database,
  id: string,
  { after, limit }: { after: string; limit: number },
): Promise<string | undefined> {
  const d1 = db.$client;
  const { results } = await d1
    .prepare("SELECT link_id AS link FROM link_totals WHERE link_id > ? ORDER BY link_id LIMIT ?")
    .bind(after, limit)
    .all<{ link: string }>();
  if (results.length === 0) return undefined;
  await d1
    .prepare(
      `INSERT INTO click_moves (id, workspace_id, clicks)
       SELECT ?1, workspace_id, json_group_array(
         json_array(link_id, 0, 'human', '', '', '', clicks))
       FROM json_each(?2) AS wanted CROSS JOIN link_totals ON link_totals.link_id = wanted.value
       WHERE NOT EXISTS (SELECT 1 FROM link_clicks WHERE link_clicks.link_id = link_totals.link_id)
         AND link_totals.workspace_id NOT IN (SELECT workspace_id FROM click_moves)
       GROUP BY workspace_id`,
    )
    .bind(id, JSON.stringify(results.map(({ link }) => link)))
    .run();
  return results.at(-1)?.link;
}

/** Moves that wait, the oldest first; those `after` one that was found before. */
export async function findMoves(
  db: Database,
  limit: number,
  after: Omit<ClickMove, "rows"> | undefined,
): Promise<ClickMove[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id, workspace_id AS workspaceId, clicks FROM click_moves
       WHERE (id, workspace_id) > (?, ?) ORDER BY id, workspace_id LIMIT ?`,
    )
    .bind(after?.id ?? "", after?.workspaceId ?? "", limit)
    .all<{ id: string; workspaceId: string; clicks: string }>();
  return results.map(({ id, workspaceId, clicks }) => ({
    id,
    workspaceId,
    rows: JSON.parse(clicks),
  }));
}

/** A move is in its ledger: the totals lose what the ledger has now. Of two runs one does it. */
export async function endMove(
  db: Database,
  { id, workspaceId }: Omit<ClickMove, "rows">,
): Promise<void> {
  const d1 = db.$client;
  const moved = `FROM click_moves CROSS JOIN json_each(click_moves.clicks) AS moved
    WHERE click_moves.id = ?1 AND click_moves.workspace_id = ?2`;
  const write = (sql: string) => d1.prepare(sql).bind(id, workspaceId);
  await d1.batch([
    write(
      `UPDATE link_totals SET clicks = link_totals.clicks - gone.clicks
       FROM (SELECT moved.value ->> 0 AS link_id, sum(moved.value ->> 6) AS clicks ${moved}
         AND moved.value ->> 2 = 'human' GROUP BY 1) AS gone
       WHERE link_totals.link_id = gone.link_id`,
    ),
    write(
      `DELETE FROM link_totals WHERE clicks <= 0
       AND link_id IN (SELECT moved.value ->> 0 ${moved})`,
    ),
    write("DELETE FROM click_moves WHERE id = ?1 AND workspace_id = ?2"),
  ]);
}
