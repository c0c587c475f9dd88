import { and, desc, eq, lt } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import { deleteOldest } from "../../../platform/db/oldest.ts";
import { reports, reportTries } from "./reports.table.ts";

export type ReportRow = typeof reports.$inferSelect;
export type ReportStatus = ReportRow["status"];

/** What one sender may still do: so many since a time. */
export interface SenderLimit {
  sender: string;
  since: number;
  most: number;
}

/**
 * Writes a report, unless its sender has sent as many as it may; one of a target that has `mostOpen`
 * open ones is counted for its sender, and not kept. When the first of the sender's was, if refused.
 */
export async function takeReport(
  db: Database,
  row: ReportRow,
  { sender, since, most }: SenderLimit,
  mostOpen: number,
): Promise<{ isTaken: true } | { isTaken: false; firstAt: number }> {
  const d1 = db.$client;
  const { id, workspaceId, kind, targetId, url, reason, details, createdAt } = row;
  const [taken, , first] = await d1.batch<{ id: string; createdAt: number }>([
    d1
      .prepare(
        `INSERT INTO report_tries (id, sender, created_at) SELECT ?1, ?2, ?3
         WHERE (SELECT count(*) FROM (SELECT 1 FROM report_tries
           WHERE sender = ?2 AND created_at > ?4 LIMIT ?5)) < ?5
         RETURNING id`,
      )
      .bind(id, sender, createdAt, since, most),
    d1
      .prepare(
        `INSERT INTO reports (id, workspace_id, kind, target_id, url, reason, details, status,
           created_at, updated_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', ?8, ?8
         WHERE EXISTS (SELECT 1 FROM report_tries WHERE id = ?1)
           AND (SELECT count(*) FROM (SELECT 1 FROM reports
             WHERE target_id = ?4 AND status = 'open' LIMIT ?9)) < ?9`,
      )
      .bind(id, workspaceId, kind, targetId, url, reason, details, createdAt, mostOpen),
    d1
      .prepare(
        `SELECT id, created_at AS createdAt FROM report_tries
         WHERE sender = ?1 AND created_at > ?2 ORDER BY created_at LIMIT 1`,
      )
      .bind(sender, since),
  ]);
  if (taken?.results.length) return { isTaken: true };
  return { isTaken: false, firstAt: first?.results[0]?.createdAt ?? createdAt };
}

/** Newest first; one row more than the page holds. */
export async function listReports(
  db: Database,
  status: ReportStatus | undefined,
  page: PageRequest,
): Promise<ReportRow[]> {
  const before = page.beforeId ? lt(reports.id, page.beforeId) : undefined;
  return db
    .select()
    .from(reports)
    .where(and(status && eq(reports.status, status), before))
    .orderBy(desc(reports.id))
    .limit(page.limit + 1);
}

/** Changes a report; the row as it is then, or undefined when there is none. */
export async function updateReport(
  db: Database,
  id: string,
  changes: Partial<Pick<ReportRow, "status" | "note">> & Pick<ReportRow, "updatedAt">,
): Promise<ReportRow | undefined> {
  const [updated] = await db.update(reports).set(changes).where(eq(reports.id, id)).returning();
  return updated;
}

/** Deletes up to `limit` reports that were changed last before a time; how many it did. */
export async function purgeReports(db: Database, before: number, limit: number): Promise<number> {
  const { meta } = await db.$client
    .prepare(
      `DELETE FROM reports WHERE rowid IN (
         SELECT rowid FROM reports WHERE updated_at < ?1 ORDER BY updated_at LIMIT ?2)`,
    )
    .bind(before, limit)
    .run();
  return meta.changes;
}

/** Forgets up to `limit` of who reported before a time; how many it did. */
export async function purgeTries(db: Database, before: number, limit: number): Promise<number> {
  return deleteOldest(db, reportTries, before, limit);
}
