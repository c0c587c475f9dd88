/**
 * The contacts of a workspace, of a stage or with a tag, walked through newest first in slices: one
 * statement looks at no more contacts than it is told to, however few of them it is to find.
 */
import type { Database } from "../../../platform/db/client.ts";
import { ownLabel } from "../labels/labels.ports.ts";
import { type ContactRow, SELECTED, type SelectedRow, toContact } from "./contacts.repository.ts";

/** Which contacts: SQL where ?1 is the workspace and ?2 the JSON of all values. */
export interface ContactScan {
  source: "workspace" | "stage" | "tag";
  /** SQL of the id of the stage or the tag. */
  key: string;
  where: string;
  /** Nothing is asked of the contacts of the source. */
  takesAll: boolean;
  values: string;
  /** What judging one contact costs. */
  weight: number;
}

/** Sorts after every id. */
export const BEFORE_ALL = "~";

/** The part of a source that a statement looks at. */
export interface Slice {
  /** The contacts older than this one. */
  beforeId: string;
  contacts: number;
}

/** How far a statement came. */
interface Looked {
  rowsRead: number;
  /** How many contacts were looked at: fewer than the slice when there are no more. */
  looked: number;
  lastId: string | null;
}

const OF_WORKSPACE = "contacts.workspace_id = ?1";

/** SQL of where a source's contacts are read from, in an order that `id` has too. */
function sourceSql({ source, key }: ContactScan) {
  switch (source) {
    case "workspace":
      return {
        from: "contacts INDEXED BY contacts_workspace",
        id: "contacts.id",
        is: OF_WORKSPACE,
      };
    case "stage": {
      const is = `${OF_WORKSPACE} AND contacts.stage_id = ${key}`;
      return { from: "contacts INDEXED BY contacts_stage", id: "contacts.id", is };
    }
    case "tag": {
      const from = "contact_tags INDEXED BY contact_tags_tag";
      // Where a walk goes on is told: it goes through no other workspace's contacts.
      const is = `contact_tags.tag_id = ${ownLabel("tag", key, "?1")}`;
      return { from, id: "contact_tags.contact_id", is };
    }
  }
}

/** SQL of the ids of a slice, which ?3 and ?4 say: read from an index alone. */
function sliceSql(scan: ContactScan): string {
  const { from, id, is } = sourceSql(scan);
  return `(SELECT ${id} AS id FROM ${from} WHERE ${is} AND ${id} < ?3
    ORDER BY ${id} DESC LIMIT ?4)`;
}

/** How many of a slice meet the scan's conditions. */
export async function countSlice(
  db: Database,
  workspaceId: string,
  scan: ContactScan,
  { beforeId, contacts }: Slice,
): Promise<Looked & { found: number }> {
  const { results, meta } = await db.$client
    .prepare(
      `SELECT count(*) FILTER (WHERE ${OF_WORKSPACE} AND ${scan.where}) AS found,
         count(*) AS looked, min(slice.id) AS lastId
       FROM ${sliceSql(scan)} AS slice CROSS JOIN contacts ON contacts.id = slice.id`,
    )
    .bind(workspaceId, scan.values, beforeId, contacts)
    .all<{ found: number; looked: number; lastId: string | null }>();
  const [{ found, looked, lastId } = { found: 0, looked: 0, lastId: null }] = results;
  return { found, looked, lastId, rowsRead: meta.rows_read };
}

/** The first contacts of a slice that meet the scan's conditions. */
export async function selectSlice(
  db: Database,
  workspaceId: string,
  scan: ContactScan,
  { beforeId, contacts }: Slice,
  limit: number,
): Promise<Looked & { found: ContactRow[] }> {
  const { from, id, is } = sourceSql(scan);
  const joined =
    scan.source === "tag" ? "CROSS JOIN contacts ON contacts.id = contact_tags.contact_id" : "";
  const least = `(SELECT min(id) FROM ${sliceSql(scan)})`;
  const bound = [workspaceId, scan.values, beforeId, contacts];
  const d1 = db.$client;
  const [end, page] = await d1.batch<SelectedRow & { looked: number; lastId: string | null }>([
    d1
      .prepare(`SELECT count(*) AS looked, min(id) AS lastId FROM ${sliceSql(scan)}`)
      .bind(...bound),
    d1
      .prepare(
        `SELECT ${SELECTED} FROM ${from} ${joined}
         WHERE ${is} AND ${id} < ?3 AND ${id} >= ${least} AND ${OF_WORKSPACE} AND ${scan.where}
         ORDER BY ${id} DESC LIMIT ?5`,
      )
      .bind(...bound, limit),
  ]);
  return {
    found: (page?.results ?? []).map(toContact),
    looked: end?.results[0]?.looked ?? 0,
    lastId: end?.results[0]?.lastId ?? null,
    rowsRead: (page?.meta.rows_read ?? 0) + (end?.meta.rows_read ?? 0),
  };
}
