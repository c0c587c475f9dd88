/** What other features' statements need of the events table. */
import type { Database } from "../platform/db/client.ts";

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
  return `INSERT INTO events (id, workspace_id, type, channel, test, data, created_at)
    SELECT event.value ->> 'id', event.value ->> 'workspaceId', event.value ->> 'type',
      event.value ->> 'channel', 0, event.value -> 'data', event.value ->> 'createdAt'
    FROM ${source}`;
}

/** SQL that joins an event which nobody has fanned out yet, by the SQL of its id. */
export function joinUnannounced(id: string): string {
  return `JOIN events ON events.id = ${id} AND events.fanned_out_at IS NULL`;
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

/** The statement that marks events as fanned out. */
export function eventMark(db: Database, ids: string[], time: number): D1PreparedStatement {
  return db.$client
    .prepare(
      `UPDATE events SET fanned_out_at = ?2
       WHERE id IN (SELECT value FROM json_each(?1)) AND fanned_out_at IS NULL`,
    )
    .bind(JSON.stringify(ids), time);
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
