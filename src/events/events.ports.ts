/** What other features' statements need of the events table. */
import { hasRoom } from "../access/usage/usage.ports.ts";
import { workspaceAllows } from "../access/workspaces/workspaces.ports.ts";
import type { Database } from "../platform/db/client.ts";
import type { EventRow } from "./events.repository.ts";
import { PARKED } from "./events.table.ts";

export {
  countFailure,
  type EventRow,
  eventEnd,
  eventInsert,
  findEvent,
  findEventToFanOut,
  findEventWorkspace,
  findNextEvents,
  findWaitingEvents,
  findWaitingWorkspaces,
  type WaitingEvent,
} from "./events.repository.ts";

/**
 * SQL that writes events in the batch of the change that causes them. `source` is what follows
 * FROM: a json_each named `event`, of event rows, joined to the records that were really changed.
 */
export function insertEventsFrom(source: string): string {
  return `INSERT INTO events (id, workspace_id, type, channel, test, data, created_at, targets,
      fanned_out_at)
    SELECT event.value ->> 'id', event.value ->> 'workspaceId', event.value ->> 'type',
      event.value ->> 'channel', 0, event.value -> 'data', event.value ->> 'createdAt',
      (SELECT nullif(json_group_array(json_array(wanting.target_kind, wanting.target_id)), '[]')
       ${WANTING}),
      CASE WHEN EXISTS (SELECT 1 ${WANTING}) THEN NULL ELSE event.value ->> 'createdAt' END
    FROM ${source}`;
}

/** Writes an event that no change of ours causes, if its workspace has room. Whether it did. */
export async function insertEventIfRoom(db: Database, event: EventRow): Promise<boolean> {
  const ifRoom = `json_each(?1) AS event WHERE ${hasRoom("event.value ->> 'workspaceId'")}`;
  const added = await db.$client
    .prepare(insertEventsFrom(ifRoom))
    .bind(JSON.stringify([event]))
    .run();
  return added.meta.changes > 0;
}

/**
 * SQL of who wants an event when it is written. It is kept with the event, since one who subscribes
 * later does not get it; an event that nobody wants is settled as it is born.
 */
const WANTING = `FROM event_subscriptions AS wanting
  WHERE wanting.workspace_id = event.value ->> 'workspaceId'
    AND wanting.event = event.value ->> 'type'
    AND wanting.channel IN (event.value ->> 'channel', '*')`;

/** SQL of the product of an event, by the SQL of the event's name. */
export function productOf(event: string): string {
  return `substr(${event}, 1, instr(${event}, '.') - 1)`;
}

/** SQL of whether a workspace, by the SQL of its id, may have an event told now; else it is parked. */
function mayBeTold(workspaceId: string): string {
  return workspaceAllows(workspaceId, [productOf("events.type")]);
}

/** SQL that joins an event which is to be fanned out now, by the SQL of its id and workspace. */
export function joinUnannounced(id: string, workspaceId: string): string {
  return `JOIN events ON events.id = ${id} AND events.workspace_id = ${workspaceId}
    AND events.fanned_out_at IS NULL AND ${mayBeTold(workspaceId)}`;
}

/** SQL that joins the event of a delivery, for its payload. */
export function joinEvent(id: string): string {
  return `JOIN events ON events.id = ${id}`;
}

/** The same for a delivery that is to end even when its event is gone: as if it were purged. */
export function joinEventIfThere(id: string): string {
  return `LEFT ${joinEvent(id)}`;
}

/** SQL of what a joined event takes, for the workspace's usage. */
export const EVENT_BYTES = "events.bytes";

/**
 * The statement that marks events as fanned out or, those that may not be told now, as parked. The
 * plus: by the workspace's index all that waits would be read.
 */
export function eventMark(
  db: Database,
  workspaceId: string,
  ids: string[],
  time: number,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `UPDATE events SET fanned_out_at = CASE WHEN ${mayBeTold("?3")} THEN ?2 ELSE ${PARKED} END
       WHERE id IN (SELECT value FROM json_each(?1)) AND +workspace_id = ?3
         AND fanned_out_at IS NULL`,
    )
    .bind(JSON.stringify(ids), time, workspaceId);
}

/** The statement that empties the payloads of up to `limit` events made before a time. */
export function payloadPurge(db: Database, before: number, limit: number): D1PreparedStatement {
  return db.$client
    .prepare(
      `UPDATE events SET data = NULL WHERE id IN (SELECT id FROM events
       WHERE created_at < ?1 AND data IS NOT NULL ORDER BY created_at LIMIT ?2)`,
    )
    .bind(before, limit);
}

/** The statement that deletes up to `limit` events made before a time, but those that are `inUse`. */
export function eventPurge(
  db: Database,
  before: number,
  limit: number,
  inUse: string,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `DELETE FROM events WHERE id IN (SELECT id FROM events AS old WHERE created_at < ?1
         AND NOT ${inUse} ORDER BY created_at LIMIT ?2)`,
    )
    .bind(before, limit);
}
