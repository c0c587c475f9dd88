/** How events are written: in the batch of the change that causes them, or by themselves. */

import { hasRoom, refusalIfOverfull } from "../access/usage/usage.ports.ts";
import { countingNewEvents } from "../access/usage/usage-counting.ports.ts";
import type { Database } from "../platform/db/client.ts";
import { type EventRow, isErased } from "./events.ports.ts";

/** SQL of an event's id if somebody waits for it: a column that {@link findWanted} looks for. */
const WANTED = "CASE WHEN events.fanned_out_at IS NULL THEN events.id END AS wanted_event";

/** SQL: it tells of somebody who is erased. The job that erases may have passed it. */
const IS_OF_ERASED = isErased("event.value ->> 'subject'", "event.value ->> 'workspaceId'");

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

/** SQL of the list of who wants an event, for its column; null when nobody does. */
const TARGETS = `(SELECT nullif(json_group_array(json_array(wanting.target_kind, wanting.target_id)), '[]')
  ${WANTING})`;

/**
 * SQL that writes events in the batch of the change that causes them, and answers what
 * {@link findWanted} looks for. `source` is what follows FROM: a json_each named `event`, of event
 * rows, joined to the records that were really changed. Of who is erased nothing is kept or told.
 */
export function insertEventsFrom(source: string): string {
  return insertion({ targets: TARGETS, isWanted: IS_WANTED, source });
}

/** With at least so many events, {@link insertManyEventsFrom} is cheaper than {@link insertEventsFrom}. */
export const MANY_EVENTS = 3;

/** SQL of what decides who wants an event: events of the same kind go to the same targets. */
const EVENT_KIND = `json_object(${["workspaceId", "type", "channel", "about"]
  .map((field) => `'${field}', event.value ->> '${field}'`)
  .join(", ")})`;

/**
 * The same for many events: who wants them is looked up once for each kind of event. `rest` is what
 * follows the join: a WHERE, which may use {@link IS_KIND_WANTED}, and ON CONFLICT.
 */
export function insertManyEventsFrom(source: string, rest = ""): string {
  return `WITH event AS MATERIALIZED (SELECT event.value, ${EVENT_KIND} AS kind FROM ${source}),
    kind AS MATERIALIZED (SELECT event.value, ${TARGETS} AS targets
      FROM (SELECT DISTINCT kind AS value FROM event) AS event)
    ${insertion({
      targets: "kind.targets",
      isWanted: IS_KIND_WANTED,
      source: `event CROSS JOIN kind ON kind.value = event.kind ${rest}`,
    })}`;
}

/** SQL of whether anybody wants an event, where {@link insertManyEventsFrom} writes it. */
export const IS_KIND_WANTED = "kind.targets IS NOT NULL";

function insertion(by: { targets: string; isWanted: string; source: string }): string {
  return `INSERT INTO events (id, workspace_id, type, channel, test, subject, data, source_id,
      created_at, targets, fanned_out_at)
    SELECT event.value ->> 'id', event.value ->> 'workspaceId', event.value ->> 'type',
      event.value ->> 'channel', 0, event.value ->> 'subject',
      CASE WHEN NOT ${IS_OF_ERASED} THEN event.value -> 'data' END,
      event.value ->> 'sourceId', event.value ->> 'createdAt', ${by.targets},
      CASE WHEN ${by.isWanted} AND NOT ${IS_OF_ERASED} THEN NULL ELSE event.value ->> 'createdAt' END
    FROM ${by.source} RETURNING ${WANTED}`;
}

/** An event of a target, which it does not get itself. */
export interface EventAbout extends EventRow {
  about: string;
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

const IF_ROOM = `WHERE ${hasRoom("?2")} ${UNLESS_PUBLISHED}`;
const INSERT_FEW = insertEventsFrom(`json_each(?1) AS event ${IF_ROOM}`);
const INSERT_MANY = insertManyEventsFrom("json_each(?1) AS event", IF_ROOM);

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
  const isBulk = events.length >= MANY_EVENTS;
  const insert = db.$client.prepare(isBulk ? INSERT_MANY : INSERT_FEW).bind(json, workspaceId);
  const answers = await db.$client.batch<{ source: string; id: string }>([
    ...(isBulk ? [count.before, insert, count.after] : [insert]),
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
