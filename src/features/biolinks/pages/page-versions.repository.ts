import { and, desc, eq, lt } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import type { WrittenPage } from "./page-blocks.repository.ts";
import { KEPT_VERSIONS } from "./page-limits.ts";
import { pageVersions } from "./pages.table.ts";

export type VersionRow = typeof pageVersions.$inferSelect;
export type VersionSummary = Omit<VersionRow, "document">;

/** The statements that write a version of a page, and delete the one that is then too many. */
export function versionWriting(
  db: Database,
  { id, workspaceId, revision }: WrittenPage,
  { number, document, hash, bytes, createdAt }: Omit<VersionRow, "pageId" | "workspaceId">,
): D1PreparedStatement[] {
  const isWritten = "pages.id = ?1 AND pages.workspace_id = ?2 AND pages.revision = ?3";
  const d1 = db.$client;
  return [
    d1
      .prepare(
        `INSERT INTO page_versions (page_id, number, workspace_id, document, hash, bytes, created_at)
         SELECT pages.id, ?4, pages.workspace_id, ?5, ?6, ?7, ?8 FROM pages WHERE ${isWritten}`,
      )
      .bind(id, workspaceId, revision, number, JSON.stringify(document), hash, bytes, createdAt),
    d1
      .prepare(
        `DELETE FROM page_versions WHERE page_id = ?1 AND number = ?4
         AND EXISTS (SELECT 1 FROM pages WHERE ${isWritten})`,
      )
      .bind(id, workspaceId, revision, number - KEPT_VERSIONS),
  ];
}

function ofPage(workspaceId: string, pageId: string) {
  return and(eq(pageVersions.pageId, pageId), eq(pageVersions.workspaceId, workspaceId));
}

export async function findVersion(
  db: Database,
  workspaceId: string,
  pageId: string,
  number: number,
): Promise<VersionRow | undefined> {
  const is = and(ofPage(workspaceId, pageId), eq(pageVersions.number, number));
  return db.select().from(pageVersions).where(is).get();
}

export async function findVersionHash(
  db: Database,
  workspaceId: string,
  pageId: string,
  number: number,
): Promise<string | undefined> {
  const is = and(ofPage(workspaceId, pageId), eq(pageVersions.number, number));
  const found = await db.select({ hash: pageVersions.hash }).from(pageVersions).where(is).get();
  return found?.hash;
}

/** Newest first, without their documents; one more than is asked for. */
export async function listVersions(
  db: Database,
  workspaceId: string,
  pageId: string,
  { limit, before }: { limit: number; before: number | undefined },
): Promise<VersionSummary[]> {
  const { number, hash, bytes, createdAt } = pageVersions;
  const columns = { pageId: pageVersions.pageId, workspaceId: pageVersions.workspaceId };
  return db
    .select({ ...columns, number, hash, bytes, createdAt })
    .from(pageVersions)
    .where(and(ofPage(workspaceId, pageId), before === undefined ? undefined : lt(number, before)))
    .orderBy(desc(number))
    .limit(limit + 1);
}
