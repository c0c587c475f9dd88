import { hasRoom } from "../../../access/usage/usage.ports.ts";
import {
  findWanted,
  IS_KIND_WANTED,
  insertManyEventsFrom,
  UNLESS_PUBLISHED,
} from "../../../events/event-insertion.ports.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";

/** The events of ?1 with the names that their codes have now; null: the code is gone. */
const NAMED = `(SELECT json_set(summary.value, '$.data.name', (SELECT qr_codes.name FROM qr_codes
    WHERE qr_codes.id = summary.value ->> '$.data.qr_code' AND qr_codes.workspace_id = ?2)) AS value
  FROM json_each(?1) AS summary) AS event`;
const INSERT_SUMMARIES = insertManyEventsFrom(
  NAMED,
  `WHERE ${IS_KIND_WANTED} AND ${hasRoom("?2")} ${UNLESS_PUBLISHED}`,
);

/**
 * Writes summaries of a workspace's scans that somebody wants, each once, as long as the workspace
 * has room: strangers may scan all its codes every hour. The first, if there is any.
 */
export async function insertSummaries(
  db: Database,
  workspaceId: string,
  events: EventRow[],
): Promise<string | undefined> {
  const insertion = db.$client.prepare(INSERT_SUMMARIES);
  return findWanted([await insertion.bind(JSON.stringify(events), workspaceId).run()]);
}
