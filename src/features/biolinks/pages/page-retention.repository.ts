import type { Database } from "../../../platform/db/client.ts";

/** Deletes up to `limit` tombstones of blocks that were deleted before a time; how many it did. */
export async function purgeTombstones(
  db: Database,
  before: number,
  limit: number,
): Promise<number> {
  const { results } = await db.$client
    .prepare(
      `DELETE FROM page_blocks WHERE rowid IN (SELECT rowid FROM page_blocks
         INDEXED BY page_blocks_deleted WHERE deleted_at IS NOT NULL AND deleted_at < ?1
         ORDER BY deleted_at LIMIT ?2)
       RETURNING id`,
    )
    .bind(before, limit)
    .all();
  return results.length;
}

/**
 * Deletes up to `limit` blocks and as many versions of a deleted page, and forgets it when nothing
 * is left. How many rows that were, `limit` while there may be more.
 */
export async function removeSlice(db: Database, limit: number): Promise<number> {
  const d1 = db.$client;
  const removal = await d1
    .prepare(
      "SELECT page_id AS page, workspace_id AS workspace FROM page_removals ORDER BY page_id LIMIT 1",
    )
    .first<{ page: string; workspace: string }>();
  if (!removal) return 0;
  const { page, workspace } = removal;
  const [blocks, versions] = await d1.batch([
    d1
      .prepare(
        `DELETE FROM page_blocks WHERE rowid IN (SELECT rowid FROM page_blocks
           WHERE page_id = ?1 AND workspace_id = ?2 LIMIT ?3) RETURNING id`,
      )
      .bind(page, workspace, limit),
    d1
      .prepare(
        `DELETE FROM page_versions WHERE rowid IN (SELECT rowid FROM page_versions
           WHERE page_id = ?1 AND workspace_id = ?2 LIMIT ?3) RETURNING number`,
      )
      .bind(page, workspace, limit),
    d1
      .prepare(
        `DELETE FROM page_removals WHERE page_id = ?1 AND workspace_id = ?2
           AND NOT EXISTS (SELECT 1 FROM page_blocks WHERE page_blocks.page_id = ?1)
           AND NOT EXISTS (SELECT 1 FROM page_versions WHERE page_versions.page_id = ?1)`,
      )
      .bind(page, workspace),
  ]);
  const taken = (blocks?.results.length ?? 0) + (versions?.results.length ?? 0);
  // Another page may be next.
  return Math.max(taken, limit);
}
