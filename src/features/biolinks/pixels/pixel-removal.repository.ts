import type { Database } from "../../../platform/db/client.ts";
import type { PixelUsers } from "./pixels.ports.ts";
import type { PixelRow } from "./pixels.repository.ts";

/**
 * Deletes a pixel for everybody, if it still has this revision, whatever uses it: its links lose it
 * later, its access token is gone now. Whether it did.
 */
export async function markDeleted(
  db: Database,
  { id, workspaceId, revision }: PixelRow,
  time: number,
): Promise<boolean> {
  const { meta } = await db.$client
    .prepare(
      `UPDATE pixels SET deleted_at = ?4, access_token = NULL
       WHERE id = ?1 AND workspace_id = ?2 AND revision = ?3 AND deleted_at IS NULL`,
    )
    .bind(id, workspaceId, revision, time)
    .run();
  return meta.changes > 0;
}

/** The workspaces that have deleted pixels: the index is asked for one after the other. */
export async function findWorkspacesWithDeleted(db: Database, limit: number): Promise<string[]> {
  const after = (workspace: string) =>
    `(SELECT workspace_id FROM pixels INDEXED BY pixels_deleted
      WHERE workspace_id > ${workspace} AND deleted_at > 0 ORDER BY workspace_id LIMIT 1)`;
  const { results } = await db.$client
    .prepare(
      `WITH RECURSIVE removing (workspace) AS (
         SELECT ${after("''")}
         UNION ALL SELECT ${after("removing.workspace")} FROM removing WHERE removing.workspace IS NOT NULL
       )
       SELECT workspace FROM removing WHERE workspace IS NOT NULL LIMIT ?1`,
    )
    .bind(limit)
    .all<{ workspace: string }>();
  return results.map(({ workspace }) => workspace);
}

/** The deleted pixels of a workspace, those first that were deleted first. */
export async function findDeletedPixels(
  db: Database,
  workspaceId: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id FROM pixels INDEXED BY pixels_deleted
       WHERE workspace_id = ?1 AND deleted_at > 0 ORDER BY deleted_at LIMIT ?2`,
    )
    .bind(workspaceId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** Forgets a deleted pixel, if nothing uses it any more. */
export async function forgetPixel(
  db: Database,
  workspaceId: string,
  id: string,
  { unused }: Pick<PixelUsers, "unused">,
): Promise<void> {
  await db.$client
    .prepare(
      `DELETE FROM pixels WHERE id = ?1 AND workspace_id = ?2 AND deleted_at > 0
         AND ${unused("?1")}`,
    )
    .bind(id, workspaceId)
    .run();
}
