import type { Database } from "../../../platform/db/client.ts";
import type { WrittenPage } from "./page-blocks.repository.ts";
import { PAGE_PLACES, placeColumns } from "./page-places.ts";

/** SQL of a page that has the revision which a write brings, by ?1 to ?3. */
const OF_WRITTEN_PAGE = "pages.id = ?1 AND pages.workspace_id = ?2 AND pages.revision = ?3";

/** A rendering as it is stored. */
export interface WrittenRender {
  version: number;
  json: string;
  bytes: number;
}

/** The statement that gives visitors a page's rendering. */
export function renderWriting(
  db: Database,
  { id, workspaceId, revision }: WrittenPage,
  { version, json, bytes }: WrittenRender,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `INSERT INTO page_renders (page_id, version, render, bytes, ${placeColumns()})
       SELECT pages.id, ?4, ?5, ?6, ${PAGE_PLACES} FROM pages
       WHERE ${OF_WRITTEN_PAGE}
       ON CONFLICT (page_id) DO UPDATE SET version = excluded.version, render = excluded.render,
         bytes = excluded.bytes, (${placeColumns()}) = (${placeColumns("excluded.")})`,
    )
    .bind(id, workspaceId, revision, version, json, bytes);
}

/** The statement that forgets the rendering of a page that is off line. */
export function renderDropping(
  db: Database,
  { id, workspaceId, revision }: WrittenPage,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `DELETE FROM page_renders WHERE page_id = ?1
       AND EXISTS (SELECT 1 FROM pages WHERE ${OF_WRITTEN_PAGE})`,
    )
    .bind(id, workspaceId, revision);
}

/** A page's rendering, without what it is. */
export interface DrawnPage {
  pageId: string;
  workspaceId: string;
}

/** Some of the pages that other code than this drew. */
export async function findDrawnOtherwise(
  db: Database,
  code: string,
  limit: number,
): Promise<DrawnPage[]> {
  const found = (comparison: "<" | ">") =>
    db.$client
      .prepare(
        `SELECT page_id AS pageId, workspace_id AS workspaceId FROM page_renders
           INDEXED BY page_renders_code WHERE code ${comparison} ?1 ORDER BY code LIMIT ?2`,
      )
      .bind(code, limit);
  const [before, after] = await db.$client.batch<DrawnPage>([found("<"), found(">")]);
  return [...(before?.results ?? []), ...(after?.results ?? [])].slice(0, limit);
}

/** Leaves a page as other code drew it, so that it holds up no other: what it is says this code. */
export async function keepAsDrawn(
  db: Database,
  { pageId, workspaceId }: DrawnPage,
  code: string,
): Promise<void> {
  await db.$client
    .prepare(
      `UPDATE page_renders SET render = CASE WHEN json_valid(render)
         THEN json_set(render, '$.code', ?3) ELSE json_object('code', ?3) END
       WHERE page_id = ?1 AND workspace_id = ?2`,
    )
    .bind(pageId, workspaceId, code)
    .run();
}
