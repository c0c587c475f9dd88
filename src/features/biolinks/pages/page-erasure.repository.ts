import type { WorkspacePlace } from "../../../access/workspaces/workspace-places.ports.ts";

/** Of versions, which may be of 256 KiB each. */
const ROWS = 100;

/** A workspace's pages: of each its blocks and versions, then the page. */
export const PAGES_OF_WORKSPACE: WorkspacePlace = {
  name: "pages",
  async eraseNext({ db, workspaceId }) {
    const d1 = db.$client;
    const page = await d1
      .prepare("SELECT id FROM pages WHERE workspace_id = ?1 ORDER BY id LIMIT 1")
      .bind(workspaceId)
      .first<{ id: string }>();
    if (!page) return undefined;
    const deleteSome = (table: string) =>
      d1
        .prepare(
          `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table}
             WHERE page_id = ?1 AND workspace_id = ?2 LIMIT ?3)`,
        )
        .bind(page.id, workspaceId, ROWS);
    await d1.batch([
      deleteSome("page_blocks"),
      deleteSome("page_versions"),
      d1
        .prepare(
          `DELETE FROM pages WHERE id = ?1 AND workspace_id = ?2
             AND NOT EXISTS (SELECT 1 FROM page_blocks WHERE page_blocks.page_id = ?1 AND page_blocks.workspace_id = ?2)
             AND NOT EXISTS (SELECT 1 FROM page_versions WHERE page_versions.page_id = ?1 AND page_versions.workspace_id = ?2)`,
        )
        .bind(page.id, workspaceId),
      // For what is left of it: nothing.
      d1
        .prepare(
          `DELETE FROM page_removals WHERE page_id = ?1 AND workspace_id = ?2
             AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.id = ?1)`,
        )
        .bind(page.id, workspaceId),
    ]);
    return "";
  },
};
