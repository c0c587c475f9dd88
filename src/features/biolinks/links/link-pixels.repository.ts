import { and, sql } from "drizzle-orm";
import {
  findWanted,
  IS_KIND_WANTED,
  IS_WANTED,
  insertManyEventsFrom,
} from "../../../events/event-insertion.ports.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { LinkRow } from "./links.repository.ts";
import { links } from "./links.table.ts";

/** The ids of the first of a workspace's links that use a pixel. */
export async function findLinksUsing(
  db: Database,
  workspaceId: string,
  pixelId: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT used.link_id AS id FROM link_pixels AS used
       CROSS JOIN links ON links.id = used.link_id AND links.workspace_id = ?2
       WHERE used.pixel_id = ?1 ORDER BY used.link_id LIMIT ?3`,
    )
    .bind(pixelId, workspaceId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** How many links use a pixel, counted up to a limit. */
export async function countLinksUsing(
  db: Database,
  pixelId: string,
  limit: number,
): Promise<number> {
  const count = await db.$client
    .prepare(
      `SELECT count(*) AS n FROM (SELECT 1 FROM link_pixels WHERE pixel_id = ?1 LIMIT ?2) AS used`,
    )
    .bind(pixelId, limit)
    .first<number>("n");
  return count ?? 0;
}

/** The links that are noted as using a pixel, be they there or not. */
export async function findNotedLinks(
  db: Database,
  pixelId: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare("SELECT link_id AS id FROM link_pixels WHERE pixel_id = ?1 ORDER BY link_id LIMIT ?2")
    .bind(pixelId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** Those of some links that a workspace has, if anybody wants to hear of an event like this one. */
export async function findIfWanted(
  db: Database,
  workspaceId: string,
  ids: string[],
  event: { workspaceId: string; type: string; channel: string },
): Promise<LinkRow[]> {
  const chosen = sql`${links.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const wanted = sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify([event])}) AS event
    WHERE ${sql.raw(IS_WANTED)})`;
  // `+`: by the links' ids, not by an index of all of the workspace's.
  const own = sql`+${links.workspaceId} = ${workspaceId}`;
  return db
    .select()
    .from(links)
    .where(and(chosen, own, wanted));
}

/** A link that loses a pixel, and the revision that it gets. */
export interface PixelLoss {
  id: string;
  revision: string;
  /** The revision of which its event tells: of another it loses the pixel later. */
  from?: string;
  event?: EventRow;
}

const USES = `EXISTS (SELECT 1 FROM link_pixels AS used
  WHERE used.pixel_id = ?2 AND used.link_id = links.id)`;

/**
 * Takes a pixel from links of a workspace that use it still, each with its event, if it is told. A
 * note that is left then, of a link that is not the workspace's, goes. The first event that somebody
 * wants.
 */
export async function dropPixel(
  db: Database,
  workspaceId: string,
  pixelId: string,
  losses: PixelLoss[],
  time: number,
): Promise<string | undefined> {
  const json = JSON.stringify(losses);
  const d1 = db.$client;
  const update = d1
    .prepare(
      `UPDATE links SET revision = loss.value ->> 'revision', updated_at = ?4,
         pixels = (SELECT json_group_array(chosen.value)
           FROM json_each(iif(json_valid(links.pixels), links.pixels, '[]')) AS chosen
           WHERE chosen.value <> ?2)
       FROM json_each(?1) AS loss
       WHERE links.id = loss.value ->> 'id' AND +links.workspace_id = ?3
         AND links.revision = coalesce(loss.value ->> 'from', links.revision) AND ${USES}`,
    )
    .bind(json, pixelId, workspaceId, time);
  const forget = d1
    .prepare(
      `DELETE FROM link_pixels WHERE pixel_id = ?2
         AND link_id IN (SELECT value ->> 'id' FROM json_each(?1))
         AND NOT EXISTS (SELECT 1 FROM links WHERE links.id = link_pixels.link_id
           AND +links.workspace_id = ?3 AND instr(links.pixels, ?2) > 0)`,
    )
    .bind(json, pixelId, workspaceId);
  const told = losses.filter(({ event }) => event);
  if (told.length === 0) {
    await d1.batch([update, forget]);
    return undefined;
  }
  const source = `(SELECT value -> 'event' AS value, value ->> 'revision' AS revision
      FROM json_each(?1)) AS event
    CROSS JOIN links ON links.id = event.value ->> '$.data.id' AND links.revision = event.revision
      AND +links.workspace_id = ?2`;
  const insertion = insertManyEventsFrom(source, `WHERE ${IS_KIND_WANTED}`);
  const events = d1.prepare(insertion).bind(JSON.stringify(told), workspaceId);
  return findWanted(await d1.batch([update, forget, events]));
}
