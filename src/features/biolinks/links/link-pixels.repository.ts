import type { Database } from "../../../platform/db/client.ts";

/** The ids of the first of a workspace's links that use a pixel. */
export async function findLinksUsing(
  db: Database,
  workspaceId: string,
  pixelId: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT used.link_id AS id FROM link_pixels AS used
       CROSS JOIN links ON links.id = used.link_id AND links.workspace_id = ?2
       WHERE used.pixel_id = ?1 ORDER BY used.link_id LIMIT ?3`,
    )
    .bind(pixelId, workspaceId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** How many links use a pixel, counted up to a limit. */
export async function countLinksUsing(
  db: Database,
  pixelId: string,
  limit: number,
): Promise<number> {
  const count = await db.$client
    .prepare(
      `SELECT count(*) AS n FROM (SELECT 1 FROM link_pixels WHERE pixel_id = ?1 LIMIT ?2) AS used`,
    )
    .bind(pixelId, limit)
    .first<number>("n");
  return count ?? 0;
}

/** The links that are noted as using a pixel, be they there or not. */
export async function findNotedLinks(
  db: Database,
  pixelId: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare("SELECT link_id AS id FROM link_pixels WHERE pixel_id = ?1 ORDER BY link_id LIMIT ?2")
    .bind(pixelId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/**
 * Takes a pixel from links of a workspace that use it still, each with a new revision (`[id,
 * revision]`), whatever else was changed of them meanwhile. A note that is left is of no such link.
 */
export async function dropPixel(
  db: Database,
  workspaceId: string,
  pixelId: string,
  versions: [id: string, revision: string][],
  time: number,
): Promise<void> {
  const json = JSON.stringify(versions);
  // `+`: by the links' ids, not by an index of all of the workspace's.
  const d1 = db.$client;
  await d1.batch([
    d1
      .prepare(
        `UPDATE links SET revision = version.value ->> 1, updated_at = ?4,
           pixels = (SELECT json_group_array(chosen.value)
             FROM json_each(iif(json_valid(links.pixels), links.pixels, '[]')) AS chosen
             WHERE chosen.value <> ?2)
         FROM json_each(?1) AS version
         WHERE links.id = version.value ->> 0 AND +links.workspace_id = ?3
           AND EXISTS (SELECT 1 FROM link_pixels AS used
             WHERE used.pixel_id = ?2 AND used.link_id = links.id)`,
      )
      .bind(json, pixelId, workspaceId, time),
    d1
      .prepare(
        `DELETE FROM link_pixels WHERE pixel_id = ?2
           AND link_id IN (SELECT value ->> 0 FROM json_each(?1))`,
      )
      .bind(json, pixelId),
  ]);
}
