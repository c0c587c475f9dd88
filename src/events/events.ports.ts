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
  findWaitingEvents,
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

/** The statement that marks an event as fanned out. */
export function eventMark(db: Database, id: string, time: number): D1PreparedStatement {
  return db.$client
    .prepare("UPDATE events SET fanned_out_at = ?2 WHERE id = ?1 AND fanned_out_at IS NULL")
    .bind(id, time);
}
