/** What other features' statements need of the events table. */

import { hasRoom, refusalIfOverfull } from "../access/usage/usage.ports.ts";
import { countingNewEvents } from "../access/usage/usage-counting.ports.ts";
import type { Database } from "../platform/db/client.ts";
import type { EventProduct } from "./event-type.ts";
import { type EventRow, mayBeTold, productOf } from "./events.repository.ts";
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
  parkEvents,
  productOf,
  readNextEvents,
  SENDABLE_DATA,
  type WaitingEvent,
} from "./events.repository.ts";

/** SQL of an event's id if somebody waits for it: a column that {@link findWanted} looks for. */
const WANTED = "CASE WHEN events.fanned_out_at IS NULL THEN events.id END AS wanted_event";

/** SQL: it tells of somebody who is erased. The job that erases may have passed it. */
const IS_OF_ERASED = isErased("event.value ->> 'subject'", "event.value ->> 'workspaceId'");

/**
 * SQL that writes events in the batch of the change that causes them. `source` is what follows
 * FROM: a json_each named `event`, of event rows, joined to the records that were really changed.
 * What the batch answers says whether anybody wants one: see {@link findWanted}. Of who is erased
 * nothing is kept, and nobody is told.
 */
export function insertEventsFrom(source: string): string {
  return `INSERT INTO events (id, workspace_id, type, channel, test, subject, data, source_id,
      created_at, targets, fanned_out_at)
    SELECT event.value ->> 'id', event.value ->> 'workspaceId', event.value ->> 'type',
      event.value ->> 'channel', 0, event.value ->> 'subject',
      CASE WHEN NOT ${IS_OF_ERASED} THEN event.value -> 'data' END,
      event.value ->> 'sourceId', event.value ->> 'createdAt',
      (SELECT nullif(json_group_array(json_array(wanting.target_kind, wanting.target_id)), '[]')
       ${WANTING}),
      CASE WHEN ${IS_WANTED} AND NOT ${IS_OF_ERASED} THEN NULL ELSE event.value ->> 'createdAt' END
    FROM ${source} RETURNING ${WANTED}`;
}

/**
 * The statement that aborts a batch which has written an event of an overfull workspace: one event
 * after the other would take more than anything bounds. Where nobody wanted it, it asks no more.
 */
export function overfullEventRefusal(db: Database, eventId: string): D1PreparedStatement {
  const workspaceId = "(SELECT events.workspace_id FROM events WHERE events.id = ?1)";
  return db.$client.prepare(refusalIfOverfull(workspaceId)).bind(eventId);
}

/** The first event that somebody wants, of those that a batch wrote; whatever else it answered. */
export function findWanted(answers: D1Result[]): string | undefined {
  for (const { results } of answers) {
    for (const row of results as { wanted_event?: string | null }[]) {
      if (row.wanted_event) return row.wanted_event;
    }
  }
  return undefined;
}

/** Events as they stand, in the order in which they were given. */
export interface Inserted {
  ids: string[];
  wanted: string | undefined;
}

/** SQL of the events of ?1, in JSON, that were written. */
const WRITTEN = "json_each(?1) AS made CROSS JOIN events ON events.id = made.value ->> 'id'";

/** SQL at the end of an insertion: one whose source id stands already is that one. */
export const UNLESS_PUBLISHED =
  "ON CONFLICT (workspace_id, source_id) WHERE source_id IS NOT NULL DO NOTHING";

/**
 * Writes events that no change of ours causes, all or, if their workspace has no room, none. One
 * whose source id stands already is that one, and nothing is written.
 */
export async function insertEventsIfRoom(
  db: Database,
  workspaceId: string,
  events: EventRow[],
): Promise<Inserted | undefined> {
  const sources = events.flatMap(({ sourceId }) => sourceId ?? []);
  const json = JSON.stringify(events);
  const standing = db.$client
    .prepare(
      `SELECT source_id AS source, events.id, ${WANTED}
       FROM json_each(?1) AS asked CROSS JOIN events INDEXED BY events_source
         ON workspace_id = ?2 AND source_id = asked.value`,
    )
    .bind(JSON.stringify(sources), workspaceId);
  const count = countingNewEvents(db, workspaceId, json, WRITTEN);
  const isBulk = events.length > 2;
  const insert = isBulk ? INSERT_MANY : INSERT_FEW;
  const insertion = db.$client.prepare(insert).bind(json, workspaceId);
  const answers = await db.$client.batch<{ source: string; id: string }>([
    ...(isBulk ? [count.before, insertion, count.after] : [insertion]),
    ...(sources.length > 0 ? [standing] : []),
  ]);
  const written = answers[isBulk ? 1 : 0];
  const stood = sources.length > 0 ? answers.at(-1) : undefined;
  const bySource = new Map(stood?.results.map(({ source, id }) => [source, id]));
  const hadRoom = written !== undefined && written.results.length > 0;
  const ids = events.flatMap(({ id, sourceId }) => {
    if (sourceId !== null) return bySource.get(sourceId) ?? [];
    return hadRoom ? id : [];
  });
  return ids.length === events.length ? { ids, wanted: findWanted(answers) } : undefined;
}

/**
 * SQL of who wants an event when it is written, but the target that it is about. It is kept with the
 * event, since one who subscribes later does not get it; what nobody wants is settled as it is born.
 */
const WANTING = `FROM event_subscriptions AS wanting
  WHERE wanting.workspace_id = event.value ->> 'workspaceId'
    AND wanting.event = event.value ->> 'type'
    AND wanting.channel IN (event.value ->> 'channel', '*')
    AND wanting.target_id IS NOT event.value ->> 'about'`;

/** SQL of whether anybody wants an event, where {@link insertEventsFrom} writes it. */
export const IS_WANTED = `EXISTS (SELECT 1 ${WANTING})`;

/** SQL of whether a target, which is switched on, is subscribed to an event now: each by its SQL. */
export function isSubscribed(
  target: { workspaceId: string; kind: string; id: string },
  told: { event: string; channel: string },
): string {
  return `EXISTS (SELECT 1 FROM event_subscriptions AS subscribed
    WHERE subscribed.workspace_id = ${target.workspaceId} AND subscribed.event = ${told.event}
      AND subscribed.channel IN (${told.channel}, '*')
      AND subscribed.target_kind = ${target.kind} AND subscribed.target_id = ${target.id})`;
}

const insertIfRoom = (from: string) =>
  insertEventsFrom(`${from} WHERE ${hasRoom("?2")} ${UNLESS_PUBLISHED}`);
const INSERT_FEW = insertIfRoom("json_each(?1) AS event");
/** Parsed once instead of at each mention of an event; that costs one row read more for each. */
const INSERT_MANY = `WITH event AS MATERIALIZED (SELECT value FROM json_each(?1))
  ${insertIfRoom("event")}`;

/** An event of a target, which it does not get itself. */
export interface EventAbout extends EventRow {
  about: string;
}

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
