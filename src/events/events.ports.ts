/** What other features' statements need of the events table. */

import type { Database } from "../platform/db/client.ts";
import type { EventProduct } from "./event-type.ts";
import { mayBeTold, productOf } from "./events.repository.ts";
import { PARKED } from "./events.table.ts";

export {
  countFailure,
  type EventRow,
  eventEnd,
  eventInsert,
  findEvent,
  findEventWorkspace,
  findWaitingEvents,
  findWaitingWorkspaces,
  type NextEvents,
  nextEvents,
  type OldestWaiting,
  oldestWaitingEvent,
  parkEvents,
  productOf,
  readNextEvents,
  SENDABLE_DATA,
  type WaitingEvent,
} from "./events.repository.ts";

/** SQL that joins an event which is to be fanned out now, by the SQL of its id and workspace. */
export function joinUnannounced(id: string, workspaceId: string): string {
  return `JOIN events ON events.id = ${id} AND events.workspace_id = ${workspaceId}
    AND events.fanned_out_at IS NULL AND ${mayBeTold(workspaceId)}`;
}

/**
 * SQL that begins the erasure of a subject, in the batch that takes the contact away. `source` is
 * what follows FROM; ?1 is the subject, ?2 the workspace, `time` the SQL of the time.
 */
export function insertErasureFrom(source: string, time: string): string {
  return `INSERT INTO erasures (subject, workspace_id, place, position, due_at, created_at)
    SELECT ?1, ?2, 0, '', ${time}, ${time} FROM ${source} ON CONFLICT DO NOTHING`;
}

/** SQL of the next events of a subject, behind ?2; ?1 is the subject, ?3 how many, ?4 the workspace. */
export const NEXT_OF_SUBJECT = `SELECT id FROM events INDEXED BY events_subject
  WHERE subject = ?1 AND id > ?2 AND workspace_id = ?4 ORDER BY id LIMIT ?3`;

/**
 * SQL of the events of some subjects, by SQL of those: `id` and `workspace_id` each. A subject that is
 * no contact has two or so.
 */
export function eventsOfSubjects(subjects: string): string {
  return `SELECT events.id FROM (${subjects}) AS own CROSS JOIN events INDEXED BY events_subject
    ON events.subject = own.id AND events.workspace_id = own.workspace_id LIMIT 1000`;
}

/**
 * SQL that erases what events say, by SQL of their ids. Those that nobody told of stay untold,
 * parked ones too. ?5 is the time.
 */
export function eventsErasure(which: string): string {
  return `UPDATE events
    SET data = NULL, fanned_out_at = coalesce(nullif(fanned_out_at, ${PARKED}), ?5)
    WHERE id IN (${which})`;
}

/** SQL of whether a subject was, or is, erased: it and its workspace by their SQL. */
export function isErased(subject: string, workspaceId: string): string {
  return `EXISTS (SELECT 1 FROM erasures
    WHERE erasures.subject = ${subject} AND erasures.workspace_id = ${workspaceId})`;
}

/** SQL of whether an event, by the SQL of its id, tells of a subject that was, or is, erased. */
export function tellsOfErased(eventId: string): string {
  return `EXISTS (SELECT 1 FROM events CROSS JOIN erasures
    ON erasures.subject = events.subject AND erasures.workspace_id = events.workspace_id
    WHERE events.id = ${eventId})`;
}

/** Whether an event of a product tells of a subject: to another's the same id is something else. */
export async function hasEventsOf(
  db: Database,
  workspaceId: string,
  product: EventProduct,
  subject: string,
): Promise<boolean> {
  const found = await db.$client
    .prepare(
      `SELECT 1 FROM events INDEXED BY events_subject
       WHERE subject = ?2 AND workspace_id = ?1 AND ${productOf("type")} = ?3 LIMIT 1`,
    )
    .bind(workspaceId, subject, product)
    .first();
  return found !== null;
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

/** One of an event's deliveries, as the event lists it. */
export type ListedDelivery = [targetId: string, id: string];

/**
 * The statement that marks events as fanned out, with a list of their deliveries each, or those
 * that may not be told now as parked. Only those that are still to be fanned out.
 */
export function eventMark(
  db: Database,
  workspaceId: string,
  lists: Record<string, ListedDelivery[]>,
  time: number,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `UPDATE events SET fanned_out_at = CASE WHEN ${mayBeTold("?3")} THEN ?2 ELSE ${PARKED} END,
         deliveries = list.value
       FROM json_each(?1) AS list
       WHERE events.id = list.key AND +events.workspace_id = ?3 AND events.fanned_out_at IS NULL`,
    )
    .bind(JSON.stringify(lists), time, workspaceId);
}

/**
 * SQL of the deliveries that events list, `target_id` and `id` each, by the SQL of the events' ids.
 * Those that none lists are found by their own index.
 */
export function listedDeliveries(eventIds: string): string {
  return `SELECT listed.value ->> 0 AS target_id, listed.value ->> 1 AS id
    FROM events CROSS JOIN json_each(coalesce(events.deliveries, '[]')) AS listed
    WHERE events.id IN (${eventIds})`;
}
