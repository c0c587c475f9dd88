/**
 * Rows that are deleted for everybody, and stand until they are taken from what uses them. Their
 * table has `deleted_at`, and an index `<table>_deleted` of those by workspace and that.
 */
import type { Database } from "./client.ts";

/** The workspaces that have deleted rows: the index is asked for one after the other. */
export async function findWorkspacesWithDeleted(
  db: Database,
  table: string,
  limit: number,
): Promise<string[]> {
  const after = (workspace: string) =>
    `(SELECT workspace_id FROM ${table} INDEXED BY ${table}_deleted
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

/** The ids of a workspace's deleted rows, those first that were deleted first. */
export async function findDeletedRows(
  db: Database,
  table: string,
  workspaceId: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id FROM ${table} INDEXED BY ${table}_deleted
       WHERE workspace_id = ?1 AND deleted_at > 0 ORDER BY deleted_at LIMIT ?2`,
    )
    .bind(workspaceId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
