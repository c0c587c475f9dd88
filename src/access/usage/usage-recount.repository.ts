import type { Database } from "../../platform/db/client.ts";

/** A table that counts, as its owner tells of it. The order of all of them is a migration's too. */
export interface StoredRecords {
  table: string;
  /** The columns of its primary key, ids each: `id` if nothing is said. */
  key?: string[];
  /** SQL of what a row, `record`, takes. */
  bytes: string;
  /** What else is counted: the records themselves. */
  counted?: "contacts" | "links";
}

/** A table of which a workspace has few: they are not walked through, but added up at the end. */
export type FewRecords = Pick<StoredRecords, "table" | "bytes">;

export interface RecountPlace {
  stage: number;
  position: string;
  /** When the next pass may begin. */
  nextAt: number;
}

/** The place is part of each statement: a slice that two jobs began counts once. */
const HERE = "EXISTS (SELECT 1 FROM usage_recount WHERE id = 1 AND stage = ?1 AND position = ?2)";

export async function findRecountPlace(db: Database): Promise<RecountPlace | undefined> {
  const place = await db.$client
    .prepare("SELECT stage, position, next_at AS nextAt FROM usage_recount WHERE id = 1")
    .first<RecountPlace>();
  return place ?? undefined;
}

/** Counts the next records of a table, and moves the place behind them, in one transaction. */
export async function recountSlice(
  db: Database,
  { table, key = ["id"], bytes, counted }: StoredRecords,
  { stage, position }: RecountPlace,
  limit: number,
): Promise<void> {
  const columns = key.join(", ");
  const page = `SELECT ${key.join(" || ")} AS place, ${columns} FROM ${table}
    WHERE (${columns}) > (${key.map((_, at) => partOfPlace(at, key.length))})
    ORDER BY ${columns} LIMIT ?3`;
  const isOfPage = key.map((column) => `record.${column} = page.${column}`).join(" AND ");
  const records = counted ? `, recounted_${counted} = recounted_${counted} + slice.records` : "";
  const d1 = db.$client;
  await d1.batch([
    d1
      .prepare(
        `UPDATE workspace_usage SET recounted_bytes = recounted_bytes + slice.bytes ${records}
         FROM (SELECT record.workspace_id AS workspace, sum(${bytes}) AS bytes, count(*) AS records
           FROM (${page}) AS page CROSS JOIN ${table} AS record ON ${isOfPage}
           GROUP BY record.workspace_id) AS slice
         WHERE workspace_usage.id = slice.workspace AND ${HERE}`,
      )
      .bind(stage, position, limit),
    d1.prepare(advance(page)).bind(stage, position, limit),
  ]);
}

const ID_CHARACTERS = 36;

/** SQL of the nth id of the place ?2, which strings them together. */
function partOfPlace(at: number, of: number): string {
  return of === 1 ? "?2" : `substr(?2, ${at * ID_CHARACTERS + 1}, ${ID_CHARACTERS})`;
}

/** Takes over what was counted of the next workspaces; behind the last, the next pass begins. */
export async function finishSlice(
  db: Database,
  few: FewRecords[],
  { stage, position }: RecountPlace,
  limit: number,
  nextAt: number,
): Promise<void> {
  const page = `SELECT id AS place FROM workspace_usage WHERE id > ?2 ORDER BY id LIMIT ?3`;
  const taken = (kept: string, recounted: string, more = "") =>
    `${kept} = CASE recount_spoilt WHEN 0 THEN ${recounted}${more} ELSE ${kept} END, ${recounted} = 0`;
  const added = few.map(
    ({ table, bytes }) => ` + (SELECT coalesce(sum(${bytes}), 0) FROM ${table} AS record
      WHERE record.workspace_id = workspace_usage.id)`,
  );
  const d1 = db.$client;
  await d1.batch([
    d1
      .prepare(
        `UPDATE workspace_usage SET ${taken("stored_bytes", "recounted_bytes", ` + other_bytes${added.join("")}`)},
           ${taken("contacts", "recounted_contacts")}, ${taken("links", "recounted_links")},
           recount_spoilt = 0
         WHERE id IN (${page}) AND ${HERE}`,
      )
      .bind(stage, position, limit),
    d1.prepare(advance(page, "0", "?4")).bind(stage, position, limit, nextAt),
  ]);
}

/** SQL that moves the place behind a page, or to the next stage when the page is empty. */
function advance(page: string, next = "stage + 1", nextAt = "next_at"): string {
  return `UPDATE usage_recount SET
      stage = CASE WHEN EXISTS (${page}) THEN stage ELSE ${next} END,
      position = coalesce((SELECT max(place) FROM (${page})), ''), next_at = ${nextAt}
    WHERE id = 1 AND stage = ?1 AND position = ?2`;
}
