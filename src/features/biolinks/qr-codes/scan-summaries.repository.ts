import { hasRoom } from "../../../access/usage/usage.ports.ts";
import {
  findWanted,
  IS_WANTED,
  insertEventsFrom,
  UNLESS_PUBLISHED,
} from "../../../events/event-insertion.ports.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";

/** The events of ?1 with the names that their codes have now; null: the code is gone. */
const NAMED = `(SELECT json_set(summary.value, '$.data.name', (SELECT qr_codes.name FROM qr_codes
    WHERE qr_codes.id = summary.value ->> '$.data.qr_code' AND qr_codes.workspace_id = ?2)) AS value
  FROM json_each(?1) AS summary) AS event`;
const HAS_ROOM = hasRoom("event.value ->> 'workspaceId'");

/**
 * Writes summaries of a workspace's scans that somebody wants, each once, as long as the workspace
 * has room: strangers may scan all its codes every hour. The first, if there is any.
 */
export async function insertSummaries(
  db: Database,
  workspaceId: string,
  events: EventRow[],
): Promise<string | undefined> {
  const insertion = insertEventsFrom(
    `${NAMED} WHERE ${IS_WANTED} AND ${HAS_ROOM} ${UNLESS_PUBLISHED}`,
  );
  const statement = db.$client.prepare(insertion).bind(JSON.stringify(events), workspaceId);
  return findWanted([await statement.run()]);
}
