/** What other features need of pages. */
import type { Context } from "../../../platform/context/context.ts";

/** What blocks are called, by their ids: also deleted ones, as long as their pages stand. */
export type BlockNames = ReadonlyMap<string, string>;

/** The names of some blocks, at most some thousands. */
export async function findBlockNames(
  { db, workspaceId }: Context,
  ids: Iterable<string>,
): Promise<BlockNames> {
  const asked = [...new Set(ids)];
  if (asked.length === 0) return new Map();
  const { results } = await db.$client
    .prepare(
      `SELECT page_blocks.id, page_blocks.name FROM json_each(?2) AS asked CROSS JOIN page_blocks
       ON page_blocks.id = asked.value AND +page_blocks.workspace_id = ?1`,
    )
    .bind(workspaceId, JSON.stringify(asked))
    .all<{ id: string; name: string }>();
  return new Map(results.map(({ id, name }) => [id, name]));
}

/** SQL of how many submissions a form has taken, or keeps as spam, by the SQL of its block's id. */
export function formCount(what: "accepted" | "spam", block: string): string {
  return `coalesce((SELECT ${what} FROM form_counts WHERE block_id = ${block}), 0)`;
}

/** SQL: no page uses a pixel, in its draft or for visitors, by the SQL of the pixel's id. */
export function unusedByPages(pixelId: string): string {
  return `NOT EXISTS (SELECT 1 FROM page_pixels WHERE page_pixels.pixel_id = ${pixelId})`;
}

/** SQL: no page uses a file, in its draft or for visitors, by the SQL of the file's id. */
export function fileUnusedByPages(fileId: string): string {
  return `NOT EXISTS (SELECT 1 FROM page_files WHERE page_files.file_id = ${fileId})`;
}

/** SQL that joins what visitors get of the page with a handle, by the SQL of its address. */
export function joinPageAt(as: string, address: string): string {
  return `JOIN page_renders AS ${as} ON ${as}.address = ${address}`;
}

/** SQL that joins what visitors get of the page at a domain's root, by the SQL of that address. */
export function joinPageAtRoot(as: string, address: string): string {
  return `JOIN page_renders AS ${as} ON ${as}.root_address = ${address}`;
}

/** SQL that joins what visitors get of a page, by the SQL of the page's id. */
export function joinPageRender(pageId: string): string {
  return `JOIN page_renders ON page_renders.page_id = ${pageId}`;
}

/** SQL of the stored hash of a page's password, by the SQL of the page's id; null when it has none. */
export function pagePasswordHash(id: string): string {
  return `(SELECT pages.password_hash FROM pages WHERE pages.id = ${id})`;
}

/** SQL that joins a page of a workspace, by the SQL of both ids. */
export function joinPage(as: string, id: string, workspaceId: string): string {
  return `JOIN pages AS ${as} ON ${as}.id = ${id} AND ${as}.workspace_id = ${workspaceId}`;
}

/**
 * SQL of a page's address: its URL on its domain, its path on the platform's host; null when there
 * is no page, or its domain is not among those that were joined. `page` and `domain` are what they are
 * joined as.
 */
export function pageAddress(page: string, domain: string): string {
  return `CASE WHEN ${page}.domain_id IS NULL THEN '/@' || ${page}.handle
    ELSE 'https://' || ${domain}.host || '/@' || ${page}.handle END`;
}
