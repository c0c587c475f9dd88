import type { Database } from "../../../platform/db/client.ts";
import { findJobPlace, jobPlaceSaving } from "../../../platform/db/job-places.ts";
import { tellOfWorkspaces } from "../../../visitor/addresses/addresses.ports.ts";
import { PAGE_PLACES, placeColumns } from "./page-places.ts";

const JOB = "check_page_renders";

/**
 * Fills in, or corrects, what the next renderings say of their pages. Returns the pages whose rendering
 * was wrong, or left behind: one that says nothing was drawn by code of before, which is no fault.
 * Each is read whole, up to 1 MiB, and written anew if it differs.
 */
export async function mendPageRenders(db: Database, limit: number): Promise<string[]> {
  const d1 = db.$client;
  const after = await findJobPlace(db, JOB);
  const { results } = await d1
    .prepare(
      `SELECT render.page_id AS id, render.address IS NULL AND render.root_address IS NULL
           AND render.document IS NULL AS isBare, pages.id IS NULL AS isStray,
         (${placeColumns("render.")}) IS NOT (${PAGE_PLACES}) AS differs
       FROM page_renders AS render LEFT JOIN pages ON pages.id = render.page_id
       WHERE render.page_id > ?1 ORDER BY render.page_id LIMIT ?2`,
    )
    .bind(after, limit)
    .all<{ id: string; isBare: number; isStray: number; differs: number }>();
  const found = results.filter(({ differs }) => differs === 1);
  const differing = found.map(({ id }) => id);
  const wrong = found
    .filter(({ isBare, isStray }) => isBare === 0 || isStray === 1)
    .map(({ id }) => id);
  const chosen = "page_id IN (SELECT value FROM json_each(?1))";
  const drop = `DELETE FROM page_renders WHERE ${chosen}
    AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.id = page_renders.page_id)`;
  // First none of them claims an address: two may have claimed each other's. What another one claims
  // stays empty until that is corrected: such a page is found by the address book.
  const clear = `UPDATE page_renders SET address = NULL, root_address = NULL WHERE ${chosen}`;
  const fill = `UPDATE OR IGNORE page_renders SET (${placeColumns()}) =
    (SELECT ${PAGE_PLACES} FROM pages WHERE pages.id = page_renders.page_id) WHERE ${chosen}`;
  const tell = tellOfWorkspaces(`SELECT workspace_id FROM page_renders WHERE ${chosen}`);
  const bind = (sql: string, ids: string[]) =>
    ids.length > 0 ? [d1.prepare(sql).bind(JSON.stringify(ids))] : [];
  const next = results.length < limit ? "" : (results.at(-1)?.id ?? "");
  const work = [
    ...bind(clear, wrong),
    ...bind(tell, wrong),
    ...bind(drop, wrong),
    ...bind(fill, differing),
    ...(after === next ? [] : [jobPlaceSaving(db, JOB, next)]),
  ];
  if (work.length > 0) await d1.batch(work);
  return wrong;
}
