import { and, desc, eq, lt } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { FileUser } from "./files.ports.ts";
import { disabledFiles, files } from "./files.table.ts";

export type FileRow = typeof files.$inferSelect;

export async function findFile(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<FileRow | undefined> {
  return db
    .select()
    .from(files)
    .where(and(eq(files.workspaceId, workspaceId), eq(files.id, id)))
    .get();
}

/** The workspace's file of a content. */
export async function findFileOf(
  db: Database,
  workspaceId: string,
  sha256: string,
): Promise<FileRow | undefined> {
  return db
    .select()
    .from(files)
    .where(and(eq(files.sha256, sha256), eq(files.workspaceId, workspaceId)))
    .get();
}

/** Newest first; one row more than the page holds. */
export async function listFiles(
  db: Database,
  workspaceId: string,
  page: PageRequest,
): Promise<FileRow[]> {
  const before = page.beforeId ? lt(files.id, page.beforeId) : undefined;
  return db
    .select()
    .from(files)
    .where(and(eq(files.workspaceId, workspaceId), before))
    .orderBy(desc(files.id))
    .limit(page.limit + 1);
}

/**
 * Inserts a file, unless the workspace has one of this content, or the content is just being removed
 * from R2; whether it did. @throws a unique conflict when the id exists, storage_full
 */
export async function insertFile(db: Database, row: FileRow): Promise<boolean> {
  const { meta } = await db.$client
    .prepare(
      `INSERT INTO files (id, workspace_id, sha256, type, bytes, width, height, created_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
       WHERE NOT EXISTS (SELECT 1 FROM file_removals WHERE sha256 = ?3)
       ON CONFLICT (sha256, workspace_id) DO NOTHING`,
    )
    .bind(
      row.id,
      row.workspaceId,
      row.sha256,
      row.type,
      row.bytes,
      row.width,
      row.height,
      row.createdAt,
    )
    .run();
  return meta.changes > 0;
}

/** Deletes a file if nothing uses it; whether it did. */
export async function deleteUnused(
  db: Database,
  { id, workspaceId }: FileRow,
  users: readonly Pick<FileUser, "unused">[],
): Promise<boolean> {
  const unused = users.map((user) => ` AND ${user.unused("?1")}`).join("");
  const { meta } = await db.$client
    .prepare(`DELETE FROM files WHERE id = ?1 AND workspace_id = ?2${unused}`)
    .bind(id, workspaceId)
    .run();
  return meta.changes > 0;
}

/** Takes a content out of service, or back into it. */
export async function setDisabled(
  db: Database,
  sha256: string,
  isDisabled: boolean,
  time: number,
): Promise<void> {
  if (!isDisabled) {
    await db.delete(disabledFiles).where(eq(disabledFiles.sha256, sha256));
    return;
  }
  await db.insert(disabledFiles).values({ sha256, disabledAt: time }).onConflictDoNothing();
}
