import type { Database } from "../../../platform/db/client.ts";
import type { LabelKind, LabelUsers } from "./labels.ports.ts";
import type { LabelRow } from "./labels.repository.ts";

/**
 * Deletes a label for everybody, if it still has this revision and no segment names it: its name is
 * free, its contacts lose it later. Whether it did.
 */
export async function markDeleted(
  db: Database,
  kind: LabelKind,
  { id, workspaceId, revision }: LabelRow,
  { unusedBySegments }: Pick<LabelUsers, "unusedBySegments">,
  time: number,
): Promise<boolean> {
  // No name begins with a space.
  const { meta } = await db.$client
    .prepare(
      `UPDATE ${kind}s SET deleted_at = ?4, name_key = ' ' || id
       WHERE id = ?1 AND workspace_id = ?2 AND revision = ?3 AND deleted_at IS NULL
         AND ${unusedBySegments(kind, "?1")}`,
    )
    .bind(id, workspaceId, revision, time)
    .run();
  return meta.changes > 0;
}

/** Forgets a deleted label that no contact has any more; none can get it anew. */
export async function forgetLabel(
  db: Database,
  kind: LabelKind,
  workspaceId: string,
  id: string,
): Promise<void> {
  await db.$client
    .prepare(`DELETE FROM ${kind}s WHERE id = ?1 AND workspace_id = ?2 AND deleted_at > 0`)
    .bind(id, workspaceId)
    .run();
}
