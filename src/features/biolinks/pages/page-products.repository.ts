/** Which products, short links and posts published pages show, and which pages are to be drawn anew. */
import type { Database } from "../../../platform/db/client.ts";
import { now } from "../../../platform/time.ts";
import type { WrittenPage } from "./page-blocks.repository.ts";
import type { WrittenRender } from "./page-renders.repository.ts";
import type { PageRow } from "./pages.repository.ts";

/** SQL of a page that has the revision which a write brings, by ?1 to ?3. */
const IS_WRITTEN = `EXISTS (SELECT 1 FROM pages
  WHERE pages.id = ?1 AND pages.workspace_id = ?2 AND pages.revision = ?3)`;

/**
 * The statements that note what visitors of a page are shown: products, collections and short links by
 * their ids, the latest posts by their workspace's.
 */
export function showingWriting(
  db: Database,
  { id, workspaceId, revision }: WrittenPage,
  targets: readonly string[],
): D1PreparedStatement[] {
  const run = (sql: string, ...more: unknown[]) =>
    db.$client.prepare(sql).bind(id, workspaceId, revision, ...more);
  const json = JSON.stringify(targets);
  const forgetting = run(
    `DELETE FROM page_products WHERE page_id = ?1 AND ${IS_WRITTEN}
     AND target_id NOT IN (SELECT value FROM json_each(?4))`,
    json,
  );
  if (targets.length === 0) return [forgetting];
  return [
    forgetting,
    run(
      `INSERT INTO page_products (page_id, target_id) SELECT ?1, target.value
       FROM json_each(?4) AS target WHERE ${IS_WRITTEN} ON CONFLICT DO NOTHING`,
      json,
    ),
  ];
}

/**
 * The statement that has a page drawn once more, as what it was drawn of may have changed between that
 * and this write.
 */
export function redrawAsking(
  db: Database,
  { id, workspaceId, revision }: WrittenPage,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `INSERT INTO page_redraws (page_id, workspace_id, mark, due_at) SELECT ?1, ?2, NULL, ?4
       WHERE ${IS_WRITTEN}
       ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at)`,
    )
    .bind(id, workspaceId, revision, now());
}

/** Has a page drawn anew by the job: one row, however many ask for it. */
export async function requestRedraw(
  db: Database,
  workspaceId: string,
  pageId: string,
): Promise<void> {
  await db.$client
    .prepare(
      `INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
       SELECT id, workspace_id, NULL, ?3 FROM pages WHERE id = ?1 AND workspace_id = ?2
       ON CONFLICT DO NOTHING`,
    )
    .bind(pageId, workspaceId, now())
    .run();
}

/** A page that is to be drawn anew. */
export interface DueRedraw {
  pageId: string;
  workspaceId: string;
}

/** The next pages that are to be drawn anew, those that have waited longest first. */
export async function findDueRedraws(
  db: Database,
  time: number,
  limit: number,
): Promise<DueRedraw[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT page_id AS pageId, workspace_id AS workspaceId FROM page_redraws
       WHERE due_at <= ?1 ORDER BY due_at, page_id LIMIT ?2`,
    )
    .bind(time, limit)
    .all<DueRedraw>();
  return results;
}

/** The same of one workspace. */
export async function findDueRedrawsOf(
  db: Database,
  workspaceId: string,
  time: number,
  limit: number,
): Promise<DueRedraw[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT page_id AS pageId, workspace_id AS workspaceId FROM page_redraws
       WHERE workspace_id = ?1 AND due_at <= ?2 ORDER BY due_at, page_id LIMIT ?3`,
    )
    .bind(workspaceId, time, limit)
    .all<DueRedraw>();
  return results;
}

/**
 * Begins to draw a page anew: under a mark that a later change of what it shows takes off, and another
 * run replaces. It is due again at a time, should this run come to nothing. Whether it was asked for.
 */
export async function beginRedraw(
  db: Database,
  { pageId, workspaceId }: DueRedraw,
  mark: string,
  dueAt: number,
): Promise<boolean> {
  const { meta } = await db.$client
    .prepare(
      `UPDATE page_redraws SET mark = ?3, due_at = ?4 WHERE page_id = ?1 AND workspace_id = ?2`,
    )
    .bind(pageId, workspaceId, mark, dueAt)
    .run();
  return meta.changes > 0;
}

/**
 * Ends what began under a mark: with another rendering, if there is one and the page stands where it
 * stood, of the version that it was of. Where what it shows changed meanwhile, it stays to be done.
 * Whether the rendering was written.
 */
export async function endRedraw(
  db: Database,
  page: Pick<PageRow, "id" | "workspaceId" | "publishedVersion" | "handle" | "domainId">,
  mark: string,
  render?: WrittenRender,
): Promise<boolean> {
  const d1 = db.$client;
  const bound = [
    page.id,
    page.workspaceId,
    mark,
    page.publishedVersion,
    page.handle,
    page.domainId,
  ];
  const isSame = `EXISTS (SELECT 1 FROM pages WHERE pages.id = ?1 AND pages.workspace_id = ?2
    AND pages.published_version IS ?4 AND pages.handle = ?5 AND pages.domain_id IS ?6)`;
  const isMarked = `EXISTS (SELECT 1 FROM page_redraws
    WHERE page_redraws.page_id = ?1 AND page_redraws.mark = ?3)`;
  const answers = await d1.batch([
    ...(render
      ? [
          d1
            .prepare(
              `UPDATE page_renders SET render = ?7, bytes = ?8 WHERE page_id = ?1
               AND version = ?4 AND render <> ?7 AND ${isSame} AND ${isMarked}`,
            )
            .bind(...bound, render.json, render.bytes),
        ]
      : []),
    d1
      .prepare(
        `DELETE FROM page_redraws WHERE page_id = ?1 AND workspace_id = ?2 AND mark = ?3
         AND (${isSame} OR NOT EXISTS (SELECT 1 FROM pages WHERE pages.id = ?1))`,
      )
      .bind(...bound),
  ]);
  return render !== undefined && (answers[0]?.meta.changes ?? 0) > 0;
}
