import type { Database } from "../../../platform/db/client.ts";

/** The pages that are noted as using a pixel, be they there or not, in the order of their ids. */
export async function findPagesUsing(
  db: Database,
  pixelId: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare("SELECT page_id AS id FROM page_pixels WHERE pixel_id = ?1 ORDER BY page_id LIMIT ?2")
    .bind(pixelId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/**
 * Takes a pixel from pages of a workspace that use it still, from the draft and from what visitors
 * get, each with a new revision (`[id, revision]`). A note that is left is of no such page.
 */
export async function dropPixel(
  db: Database,
  workspaceId: string,
  pixelId: string,
  versions: [id: string, revision: string][],
  time: number,
): Promise<void> {
  const without = (list: string) =>
    `(SELECT json_group_array(chosen.value) FROM ${list} AS chosen WHERE chosen.value <> ?2)`;
  const json = JSON.stringify(versions);
  const d1 = db.$client;
  await d1.batch([
    d1
      .prepare(
        `UPDATE pages SET revision = version.value ->> 1, updated_at = ?4,
           pixels = ${without("json_each(pages.pixels)")},
           published_settings = CASE WHEN published_settings IS NOT NULL THEN
             json_set(published_settings, '$.pixels',
               json(${without("json_each(pages.published_settings, '$.pixels')")})) END
         FROM json_each(?1) AS version
         WHERE pages.id = version.value ->> 0 AND +pages.workspace_id = ?3
           AND EXISTS (SELECT 1 FROM page_pixels AS used
             WHERE used.pixel_id = ?2 AND used.page_id = pages.id)`,
      )
      .bind(json, pixelId, workspaceId, time),
    d1
      .prepare(
        `DELETE FROM page_pixels WHERE pixel_id = ?2
           AND page_id IN (SELECT value ->> 0 FROM json_each(?1))`,
      )
      .bind(json, pixelId),
  ]);
}
