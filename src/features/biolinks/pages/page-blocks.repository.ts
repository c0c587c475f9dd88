import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import { pageBlocks, pages } from "./pages.table.ts";

export type BlockRow = typeof pageBlocks.$inferSelect;

/** A page that has the revision which a write brings: what follows it in the batch holds on to that. */
export interface WrittenPage {
  id: string;
  workspaceId: string;
  revision: string;
}

/** SQL of it, by ?1 to ?3. */
const OF_WRITTEN_PAGE = "pages.id = ?1 AND pages.workspace_id = ?2 AND pages.revision = ?3";
const IS_WRITTEN = `EXISTS (SELECT 1 FROM pages WHERE ${OF_WRITTEN_PAGE})`;

/** The statement that writes blocks of a page: new ones, changed ones, tombstones that come back. */
export function blocksWriting(
  db: Database,
  { id, workspaceId, revision }: WrittenPage,
  blocks: BlockRow[],
): D1PreparedStatement {
  return db.$client
    .prepare(
      `INSERT INTO page_blocks (id, workspace_id, page_id, type, enabled, settings, visibility, name,
         published, revision, created_at, updated_at)
       SELECT block.value ->> 'id', pages.workspace_id, pages.id, block.value ->> 'type',
         block.value ->> 'enabled', block.value -> 'settings',
         nullif(block.value -> 'visibility', 'null'), block.value ->> 'name',
         block.value ->> 'published', block.value ->> 'revision', block.value ->> 'createdAt',
         block.value ->> 'updatedAt'
       FROM pages CROSS JOIN json_each(?4) AS block WHERE ${OF_WRITTEN_PAGE}
       ON CONFLICT (id) DO UPDATE SET enabled = excluded.enabled, settings = excluded.settings,
         visibility = excluded.visibility, name = excluded.name, revision = excluded.revision,
         updated_at = excluded.updated_at, deleted_at = NULL
         WHERE page_blocks.page_id = excluded.page_id`,
    )
    .bind(id, workspaceId, revision, JSON.stringify(blocks));
}

/**
 * The statements that take blocks off a page: what no version holds is gone, of the others a
 * tombstone stays.
 */
export function blocksBurying(
  db: Database,
  { id, workspaceId, revision }: WrittenPage,
  ids: string[],
  time: number,
): D1PreparedStatement[] {
  const which = `id IN (SELECT value FROM json_each(?4)) AND +page_id = ?1 AND ${IS_WRITTEN}`;
  const json = JSON.stringify(ids);
  const d1 = db.$client;
  return [
    d1
      .prepare(`DELETE FROM page_blocks WHERE ${which} AND published = 0`)
      .bind(id, workspaceId, revision, json),
    d1
      .prepare(
        `UPDATE page_blocks SET deleted_at = ?5, settings = '{}', visibility = NULL
         WHERE ${which} AND published = 1 AND deleted_at IS NULL`,
      )
      .bind(id, workspaceId, revision, json, time),
  ];
}

/** The statement that notes of a page's blocks that a version holds them. */
export function blocksPublishing(
  db: Database,
  { id, workspaceId, revision }: WrittenPage,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `UPDATE page_blocks SET published = 1 WHERE id IN (SELECT block.id FROM page_blocks AS block
         INDEXED BY page_blocks_live WHERE block.page_id = ?1 AND block.deleted_at IS NULL)
         AND published = 0 AND ${IS_WRITTEN}`,
    )
    .bind(id, workspaceId, revision);
}

/** A page's blocks, in no order; no tombstones. */
export async function findBlocks(
  db: Database,
  workspaceId: string,
  pageId: string,
): Promise<BlockRow[]> {
  return db
    .select()
    .from(pageBlocks)
    .where(
      and(
        eq(pageBlocks.pageId, pageId),
        eq(pageBlocks.workspaceId, workspaceId),
        isNull(pageBlocks.deletedAt),
      ),
    );
}

/** A deleted page's blocks stand until a job takes them away: they are no blocks any more. */
const HAS_PAGE = sql`EXISTS (SELECT 1 FROM ${pages} WHERE ${pages.id} = ${pageBlocks.pageId})`;

/** A block of a page that is there; no tombstone. */
export async function findBlock(
  db: Database,
  workspaceId: string,
  pageId: string,
  id: string,
): Promise<BlockRow | undefined> {
  const of = and(eq(pageBlocks.id, id), eq(pageBlocks.pageId, pageId));
  return db
    .select()
    .from(pageBlocks)
    .where(and(of, eq(pageBlocks.workspaceId, workspaceId), isNull(pageBlocks.deletedAt), HAS_PAGE))
    .get();
}
