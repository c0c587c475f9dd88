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
