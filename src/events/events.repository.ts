import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { hourOf, isPaced } from "../access/usage/delivery-budget.ports.ts";
import { workspaceAllows } from "../access/workspaces/workspaces.ports.ts";
import type { Database } from "../platform/db/client.ts";
import { events, PARKED } from "./events.table.ts";

export type EventRow = typeof events.$inferSelect;

/**
 * SQL of the data of an event as it may be sent and shown: null from the moment that its subject is
 * erased, though the job has not come to it yet.
 */
export const SENDABLE_DATA = `iif(EXISTS (SELECT 1 FROM erasures
  WHERE erasures.subject = events.subject
    AND erasures.workspace_id = events.workspace_id), NULL, events.data)`;

/** The statement, for a batch with the change that causes the event. */
export function eventInsert(db: Database, event: EventRow) {
  return db.insert(events).values(event);
}

export async function findEvent(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<EventRow | undefined> {
  const data = sql<EventRow["data"]>`${sql.raw(SENDABLE_DATA)}`.mapWith(events.data);
  return db
    .select({ ...getTableColumns(events), data })
    .from(events)
    .where(and(eq(events.id, id), eq(events.workspaceId, workspaceId)))
    .get();
}

/** Whose an event is that a queue message names by its id alone. */
export async function findEventWorkspace(db: Database, id: string): Promise<string | undefined> {
  const row = await db
    .select({ workspaceId: events.workspaceId })
    .from(events)
    .where(eq(events.id, id))
    .get();
  return row?.workspaceId;
}

/** An event that nobody has fanned out, and what its targets are found by. */
export interface WaitingEvent {
  id: string;
  type: string;
  channel: string;
  /** Kind and id each; null: it does not say. */
  targets: [string, string][] | null;
}

/** As a statement written by hand answers it: the targets in JSON. */
type Raw<Event extends WaitingEvent> = Omit<Event, "targets"> & { targets: string | null };

function readTargets<Event extends WaitingEvent>({ targets, ...event }: Raw<Event>) {
  return { ...event, targets: targets && JSON.parse(targets) } as unknown as Event;
}

export interface OverdueEvent extends WaitingEvent {
  workspaceId: string;
  failures: number;
  createdAt: number;
}

const WAITING = "events INDEXED BY events_waiting_order";

/** SQL of the product of an event, by the SQL of the event's name. */
export function productOf(event: string): string {
  return `substr(${event}, 1, instr(${event}, '.') - 1)`;
}

/** SQL of whether a workspace, by the SQL of its id, may have an event told now; else it is parked. */
export function mayBeTold(workspaceId: string): string {
  return workspaceAllows(workspaceId, [productOf("events.type")]);
}

/** Those of a workspace that wait, the oldest first. */
export interface NextEvents {
  events: WaitingEvent[];
  /** The ids of those that may not be told now. */
  closed: string[];
  /** The first behind them. */
  more: string | undefined;
}

/** The characters of so many targets are read at a time: those of some 1,000 deliveries. */
const MOST_TARGETS = 50_000;

/**
 * The statement that reads the oldest events of a workspace that wait and never failed, for a batch:
 * `limit`, but fewer of those that go to many. Its answer goes to {@link readNextEvents}. Their
 * index is read so far only.
 */
export function nextEvents(db: Database, workspaceId: string, limit: number): D1PreparedStatement {
  return db.$client
    .prepare(
      `SELECT id, type, channel, iif(isOpen, targets, NULL) AS targets, isOpen, looked FROM (
         SELECT *, count(*) OVER () AS looked, row_number() OVER inTurn AS nth,
           sum(isOpen * coalesce(length(targets), 0)) OVER inTurn AS characters
         FROM (SELECT id, type, channel, targets, ${mayBeTold("?1")} AS isOpen FROM ${WAITING}
           WHERE workspace_id = ?1 AND fanned_out_at IS NULL AND failures = 0
           ORDER BY created_at LIMIT ?2 + 1)
         WINDOW inTurn AS (ROWS UNBOUNDED PRECEDING))
       WHERE nth <= 2 OR characters <= ${MOST_TARGETS}`,
    )
    .bind(workspaceId, limit);
}

export function readNextEvents(rows: unknown[], limit: number): NextEvents {
  const read = [...(rows as (Raw<WaitingEvent> & { isOpen: 0 | 1; looked: number })[])];
  const isAll = read.length <= limit && read.length === (read[0]?.looked ?? 0);
  const more = isAll ? undefined : read.pop()?.id;
  const open = read.filter(({ isOpen }) => isOpen);
  const closed = read.filter(({ isOpen }) => !isOpen);
  const events = open.map(({ id, type, channel, targets }) =>
    readTargets<WaitingEvent>({ id, type, channel, targets }),
  );
  return { events, closed: closed.map(({ id }) => id), more };
}

/** Parks those of some waiting events that may not be told now. */
export async function parkEvents(db: Database, workspaceId: string, ids: string[]): Promise<void> {
  await db.$client
    .prepare(
      `UPDATE events SET fanned_out_at = ${PARKED}
       WHERE id IN (SELECT value FROM json_each(?1)) AND +workspace_id = ?2
         AND fanned_out_at IS NULL AND NOT ${mayBeTold("?2")}`,
    )
    .bind(JSON.stringify(ids), workspaceId)
    .run();
}

/**
 * Up to `limit` workspaces with events that wait, in the order of their ids, behind `after`;
 * `isPaced`: it has had its deliveries for now. How many events each has waiting is not read.
 */
export async function findWaitingWorkspaces(
  db: Database,
  time: number,
  after: string,
  limit: number,
): Promise<{ id: string; isPaced: boolean }[]> {
  const { results } = await db.$client
    .prepare(
      `WITH RECURSIVE ${waitingWorkspaces()}
       SELECT id, ${isPaced("waiting.id", "?1")} AS paced FROM waiting WHERE id IS NOT NULL`,
    )
    .bind(hourOf(time), after, limit)
    .all<{ id: string; paced: number }>();
  return results.map(({ id, paced }) => ({ id, isPaced: paced === 1 }));
}

/** The oldest of what waits, of a part of those who have something waiting. */
export interface OldestWaiting {
  /** Milliseconds since 1970; null: nothing waits. */
  oldest: number | null;
  /** Behind which the next part begins; null: that was the last. */
  last: string | null;
}

/**
 * The statement that finds when the oldest event was written that waits, of up to `limit` workspaces
 * behind `after`, but those that have had their deliveries for now; it answers {@link OldestWaiting}.
 */
export function oldestWaitingEvent(
  db: Database,
  time: number,
  after: string,
  limit: number,
): D1PreparedStatement {
  // Of those that failed, the one that did so most often has waited longest, or nearly so.
  const first = (failures: string, order: string) => `(SELECT created_at FROM ${WAITING}
    WHERE workspace_id = waiting.id AND fanned_out_at IS NULL AND failures ${failures}
    ORDER BY ${order} LIMIT 1)`;
  return db.$client
    .prepare(
      `WITH RECURSIVE ${waitingWorkspaces()}
       SELECT min(CASE WHEN NOT ${isPaced("waiting.id", "?1")}
           THEN min(coalesce(${first("= 0", "created_at")}, 1e15),
             coalesce(${first("> 0", "failures DESC, created_at DESC")}, 1e15)) END) AS oldest,
         iif(count(id) = ?3, max(id), NULL) AS last
       FROM waiting WHERE id IS NOT NULL`,
    )
    .bind(hourOf(time), after, limit);
}

/** SQL of up to ?3 workspaces with events that wait, behind ?2: the index is asked for one after the other. */
function waitingWorkspaces(): string {
  const next = (place: string) => `(SELECT workspace_id FROM ${WAITING}
    WHERE fanned_out_at IS NULL AND workspace_id > ${place} ORDER BY workspace_id LIMIT 1)`;
  return `waiting (id) AS (
    SELECT ${next("?2")}
    UNION ALL SELECT ${next("waiting.id")} FROM waiting WHERE waiting.id IS NOT NULL LIMIT ?3)`;
}

/**
 * Of each of these workspaces up to `each` events written before `time` that wait, and as many of
 * those that failed. The oldest first.
 */
export async function findWaitingEvents(
  db: Database,
  workspaceIds: string[],
  time: number,
  each: number,
): Promise<OverdueEvent[]> {
  const waiting = (failures: string, order: string) => `SELECT id FROM (
    SELECT id FROM ${WAITING} WHERE workspace_id = turn.value AND fanned_out_at IS NULL
      AND failures ${failures} AND created_at < ?2 ORDER BY ${order} LIMIT ?3)`;
  const { results } = await db.$client
    .prepare(
      `SELECT events.id, events.type, channel, targets, workspace_id AS workspaceId, failures,
         created_at AS createdAt
       FROM json_each(?1) AS turn CROSS JOIN events ON events.id IN (
         ${waiting("= 0", "created_at")} UNION ALL ${waiting("> 0", "failures, created_at")})`,
    )
    .bind(JSON.stringify(workspaceIds), time, each)
    .all<Raw<OverdueEvent>>();
  const found = results.map(readTargets<OverdueEvent>);
  return found.sort((one, other) => one.createdAt - other.createdAt);
}

/** Counts that an event's fan-out met a fault; how many times that makes. */
export async function countFailure(db: Database, workspaceId: string, id: string): Promise<number> {
  const counted = await db
    .update(events)
    .set({ failures: sql`${events.failures} + 1` })
    .where(and(eq(events.id, id), eq(events.workspaceId, workspaceId)))
    .returning({ failures: events.failures })
    .get();
  return counted?.failures ?? 0;
}

/** The statement that ends an event which cannot be fanned out. */
export function eventEnd(db: Database, workspaceId: string, id: string, time: number) {
  return db
    .update(events)
    .set({ fannedOutAt: time })
    .where(and(eq(events.id, id), eq(events.workspaceId, workspaceId)));
}

/** Has up to `limit` parked events of some types wait for their fan-out again; their ids. */
export async function unparkEvents(
  db: Database,
  workspaceId: string,
  types: string[],
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `UPDATE events SET fanned_out_at = NULL WHERE id IN (
         SELECT id FROM events INDEXED BY events_parked
         WHERE workspace_id = ?1 AND fanned_out_at = ${PARKED}
           AND type IN (SELECT value FROM json_each(?2)) LIMIT ?3)
       RETURNING id`,
    )
    .bind(workspaceId, JSON.stringify(types), limit)
    .all<{ id: string }>();
  return results.map((row) => row.id);
}
