import type { Database } from "../../../platform/db/client.ts";
import { isMissing } from "../../../platform/db/faults.ts";
import { filesExist } from "../files/files.ports.ts";

/**
 * The statement that aborts a batch unless the workspace has all of some files: what was looked up
 * before may be deleted since. It writes nothing.
 */
export function missingFileRefusal(
  db: Database,
  workspaceId: string,
  ids: readonly string[],
): D1PreparedStatement {
  return db.$client
    .prepare(
      `INSERT INTO page_files (file_id, page_id, holder)
       SELECT NULL, '', '' WHERE NOT (${filesExist("?1", "?2")})`,
    )
    .bind(JSON.stringify(ids), workspaceId);
}

/** Whether it was that statement that aborted a batch. */
export function isFileGone(error: unknown): boolean {
  return isMissing(error, "page_files.file_id");
}

/** The first pages that use a file, in the order of their ids. */
export async function findPagesWithFile(
  db: Database,
  fileId: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT DISTINCT page_id AS id FROM page_files WHERE file_id = ?1 ORDER BY page_id LIMIT ?2`,
    )
    .bind(fileId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
