import { and, desc, eq, isNull, lt, sql } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { PixelUsers } from "./pixels.ports.ts";
import { pixels } from "./pixels.table.ts";

export type PixelRow = typeof pixels.$inferSelect;
export type PixelChanges = Partial<
  Pick<PixelRow, "name" | "tag" | "enabled" | "consent" | "accessToken" | "revision" | "updatedAt">
>;

/** Those of a workspace that are not deleted. */
function live(workspaceId: string) {
  return and(eq(pixels.workspaceId, workspaceId), isNull(pixels.deletedAt));
}

/**
 * Inserts a pixel unless the workspace has so many; whether it did.
 * @throws a unique conflict when the id exists
 */
export async function insertPixel(db: Database, row: PixelRow, limit: number): Promise<boolean> {
  const { meta } = await db.$client
    .prepare(
      `INSERT INTO pixels (id, workspace_id, name, provider, tag, enabled, consent, access_token,
         revision, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10
       WHERE (SELECT count(*) FROM pixels WHERE workspace_id = ?2 AND deleted_at IS NULL) < ?11`,
    )
    .bind(
      row.id,
      row.workspaceId,
      row.name,
      row.provider,
      row.tag,
      row.enabled ? 1 : 0,
      row.consent,
      row.accessToken,
      row.revision,
      row.createdAt,
      limit,
    )
    .run();
  return meta.changes > 0;
}

export async function findPixel(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<PixelRow | undefined> {
  return db
    .select()
    .from(pixels)
    .where(and(live(workspaceId), eq(pixels.id, id)))
    .get();
}

/** Which of these ids are pixels of the workspace. The ids travel as one parameter: D1 allows 100. */
export async function findPixelIds(
  db: Database,
  workspaceId: string,
  ids: string[],
): Promise<string[]> {
  const isAsked = sql`${pixels.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const rows = await db
    .select({ id: pixels.id })
    .from(pixels)
    .where(and(live(workspaceId), isAsked));
  return rows.map((row) => row.id);
}

/** Newest first; one row more than the page holds. */
export async function listPixels(
  db: Database,
  workspaceId: string,
  page: PageRequest,
): Promise<PixelRow[]> {
  const before = page.beforeId ? lt(pixels.id, page.beforeId) : undefined;
  return db
    .select()
    .from(pixels)
    .where(and(live(workspaceId), before))
    .orderBy(desc(pixels.id))
    .limit(page.limit + 1);
}

/** Changes a pixel if it still has this revision; the row as it is then, or undefined if not. */
export async function updatePixel(
  db: Database,
  { id, workspaceId, revision }: PixelRow,
  changes: PixelChanges,
): Promise<PixelRow | undefined> {
  return db
    .update(pixels)
    .set(changes)
    .where(and(live(workspaceId), eq(pixels.id, id), eq(pixels.revision, revision)))
    .returning()
    .get();
}

/** Deletes a pixel if it still has this revision and nothing uses it; whether it did. */
export async function deleteUnused(
  db: Database,
  { id, workspaceId, revision }: PixelRow,
  { unused }: Pick<PixelUsers, "unused">,
): Promise<boolean> {
  const { meta } = await db.$client
    .prepare(
      `DELETE FROM pixels WHERE id = ?1 AND workspace_id = ?2 AND revision = ?3
         AND deleted_at IS NULL AND ${unused("?1")}`,
    )
    .bind(id, workspaceId, revision)
    .run();
  return meta.changes > 0;
}
