import type { Database } from "../../../platform/db/client.ts";
import { findJobPlace, jobPlaceSaving } from "../../../platform/db/job-places.ts";
import {
  deleteAddresses,
  fromPageAddressesAfter,
  joinAddress,
  writeAddresses,
} from "../../../visitor/addresses/addresses.ports.ts";

const PAGES = "check_pages";
const ADDRESSES = "check_page_addresses";

/** What the address book says of a page: as the triggers of the migration `pages-data` write it. */
const DOCUMENT =
  "json_object('status', pages.status, 'disabled', pages.disabled, 'version', pages.published_version, 'hasPassword', pages.password_hash IS NOT NULL, 'sensitiveContent', pages.published_settings ->> 'sensitive_content', 'utm', pages.published_settings -> 'utm', 'pixels', pages.published_settings -> 'pixels')";

/** A page may stand at two addresses: that of its handle, 0, and its domain's root, 1. */
const BOTH = "json_each('[0,1]') AS one";
const PLACE = "CASE one.value WHEN 0 THEN coalesce(pages.domain_id, '') ELSE pages.domain_id END";
const SLUG_KEY = "CASE one.value WHEN 0 THEN '@' || pages.handle_key ELSE '' END";
const IS_THERE = `(pages.published_version IS NOT NULL
  AND (one.value = 0 OR (pages.domain_root = 1 AND pages.domain_id IS NOT NULL)))`;

/** Writes the addresses of the next pages that lack one, or have another; which pages these were. */
export async function mendPageAddresses(db: Database, limit: number): Promise<string[]> {
  const d1 = db.$client;
  const after = await findJobPlace(db, PAGES);
  const { results } = await d1
    .prepare(
      `SELECT pages.id, ${IS_THERE} AND (addresses.target_id IS NOT pages.id
           OR addresses.kind <> 'page' OR addresses.workspace_id <> pages.workspace_id
           OR addresses.document <> ${DOCUMENT}) AS differs
       FROM (SELECT id FROM pages WHERE id > ?1 ORDER BY id LIMIT ?2) AS page
         CROSS JOIN pages ON pages.id = page.id CROSS JOIN ${BOTH}
         LEFT ${joinAddress(PLACE, SLUG_KEY)}`,
    )
    .bind(after, limit)
    .all<{ id: string; differs: number }>();
  const differing = results.filter(({ differs }) => differs === 1).map(({ id }) => id);
  const pages = [...new Set(differing)];
  const mend = d1
    .prepare(
      writeAddresses(
        `SELECT ${PLACE}, ${SLUG_KEY}, 'page', pages.id, pages.workspace_id, ${DOCUMENT}
         FROM json_each(?1) AS chosen CROSS JOIN pages ON pages.id = chosen.value
         CROSS JOIN ${BOTH} WHERE ${IS_THERE}`,
      ),
    )
    .bind(JSON.stringify(pages));
  const next = results.length < 2 * limit ? "" : (results.at(-1)?.id ?? "");
  await saveAfter(db, pages.length > 0 ? [mend] : [], PAGES, after, next);
  return pages;
}

/** Deletes those of the next addresses of pages that no page has; which pages they were of. */
export async function dropStrayPageAddresses(db: Database, limit: number): Promise<string[]> {
  const d1 = db.$client;
  const after = await findJobPlace(db, ADDRESSES);
  const [targetId = "", place = "", slugKey = ""] = after === "" ? [] : JSON.parse(after);
  const isStray = `NOT EXISTS (SELECT 1 FROM pages CROSS JOIN ${BOTH}
    WHERE pages.id = addresses.target_id AND ${IS_THERE}
      AND ${PLACE} = addresses.place AND ${SLUG_KEY} = addresses.slug_key)`;
  const { results } = await d1
    .prepare(
      `SELECT addresses.place, addresses.slug_key AS slugKey, addresses.target_id AS targetId,
         ${isStray} AS stray
       ${fromPageAddressesAfter("?1", "?2", "?3")} LIMIT ?4`,
    )
    .bind(targetId, place, slugKey, limit)
    .all<{ place: string; slugKey: string; targetId: string; stray: number }>();
  const strays = results.filter(({ stray }) => stray === 1);
  const drop = d1
    .prepare(deleteAddresses("?1", `addresses.kind = 'page' AND ${isStray}`))
    .bind(JSON.stringify(strays.map((stray) => [stray.place, stray.slugKey])));
  const last = results.length < limit ? undefined : results.at(-1);
  const next = last ? JSON.stringify([last.targetId, last.place, last.slugKey]) : "";
  await saveAfter(db, strays.length > 0 ? [drop] : [], ADDRESSES, after, next);
  return strays.map((stray) => stray.targetId);
}

async function saveAfter(
  db: Database,
  work: D1PreparedStatement[],
  job: string,
  after: string,
  next: string,
): Promise<void> {
  const all = after === next ? work : [...work, jobPlaceSaving(db, job, next)];
  if (all.length > 0) await db.$client.batch(all);
}
