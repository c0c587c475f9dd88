import type { Database } from "../../platform/db/client.ts";

/** The table of workspaces' files, as its owner tells of it: it has `workspace_id` and `bytes`. */
export interface FileRecords {
  table: string;
  /** What a row takes of the stored bytes, whatever its file takes. */
  rowBytes: number;
}

export interface CountedFiles {
  id: string;
  files: number;
}

/** How many files the next workspaces are counted with. */
export async function findCountedFiles(
  db: Database,
  afterId: string,
  limit: number,
): Promise<CountedFiles[]> {
  const { results } = await db.$client
    .prepare("SELECT id, files FROM workspace_usage WHERE id > ?1 ORDER BY id LIMIT ?2")
    .bind(afterId, limit)
    .all<CountedFiles>();
  return results;
}

/**
 * Counts the files of some workspaces anew, and mends what was counted wrong; how many workspaces
 * that were. One statement, so no upload comes between what is read and what is written.
 */
export async function mendFileCounts(
  db: Database,
  { table, rowBytes }: FileRecords,
  ids: readonly string[],
): Promise<number> {
  const { meta } = await db.$client
    .prepare(
      `UPDATE workspace_usage SET files = found.files, file_bytes = found.bytes,
         stored_bytes = max(stored_bytes + ?2 * (found.files - workspace_usage.files), 0),
         other_bytes = max(other_bytes + ?2 * (found.files - workspace_usage.files), 0)
       FROM (SELECT asked.value AS id, count(record.id) AS files,
           coalesce(sum(record.bytes), 0) AS bytes
         FROM json_each(?1) AS asked LEFT JOIN ${table} AS record
           ON record.workspace_id = asked.value
         GROUP BY asked.value) AS found
       WHERE workspace_usage.id = found.id
         AND (workspace_usage.files <> found.files OR workspace_usage.file_bytes <> found.bytes)`,
    )
    .bind(JSON.stringify(ids), rowBytes)
    .run();
  return meta.changes;
}
