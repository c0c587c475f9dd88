import { and, eq, isNull, sql } from "drizzle-orm";
import { hasRoom, hourOf, isPaced } from "../access/usage/usage.ports.ts";
import type { Database } from "../platform/db/client.ts";
import { events } from "./events.table.ts";

export type EventRow = typeof events.$inferSelect;

/** The statement, for a batch with the change that causes the event. */
export function eventInsert(db: Database, event: EventRow) {
  return db.insert(events).values(event);
}

/** Adds an event that no change of ours causes, if its workspace has room. Whether it did. */
export async function insertEventIfRoom(db: Database, event: EventRow): Promise<boolean> {
  const { id, workspaceId, type, channel, data, createdAt } = event;
  const added = await db.$client
    .prepare(
      `INSERT INTO events (id, workspace_id, type, channel, test, data, created_at)
       SELECT ?1, ?2, ?3, ?4, 0, ?5, ?6 WHERE ${hasRoom("?2")}`,
    )
    .bind(id, workspaceId, type, channel, JSON.stringify(data), createdAt)
    .run();
  return added.meta.changes > 0;
}

export async function findEvent(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<EventRow | undefined> {
  return db
    .select()
    .from(events)
    .where(and(eq(events.id, id), eq(events.workspaceId, workspaceId)))
    .get();
}

/** By which an event's targets are found; undefined once it is fanned out. Its data is not read. */
export async function findEventToFanOut(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<WaitingEvent | undefined> {
  return db
    .select({ id: events.id, type: events.type, channel: events.channel })
    .from(events)
    .where(and(eq(events.id, id), eq(events.workspaceId, workspaceId), isNull(events.fannedOutAt)))
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
}

export interface OverdueEvent extends WaitingEvent {
  workspaceId: string;
  failures: number;
  createdAt: number;
}

const WAITING = "events INDEXED BY events_waiting_order";

/** The oldest events of a workspace that wait and never failed: their index is read so far only. */
export async function findNextEvents(
  db: Database,
  workspaceId: string,
  limit: number,
): Promise<WaitingEvent[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id, type, channel FROM ${WAITING}
       WHERE workspace_id = ?1 AND fanned_out_at IS NULL AND failures = 0
       ORDER BY created_at LIMIT ?2`,
    )
    .bind(workspaceId, limit)
    .all<WaitingEvent>();
  return results;
}

/**
 * Workspaces with events that wait, but those that have had their deliveries for now. The index is
 * asked for one after the other: how many events each has waiting is not read. When they are too
 * many, chance shares them out.
 */
export async function findWaitingWorkspaces(
  db: Database,
  time: number,
  limit: number,
): Promise<string[]> {
  const next = (after: string) => `(SELECT workspace_id FROM ${WAITING}
    WHERE fanned_out_at IS NULL AND workspace_id > ${after} ORDER BY workspace_id LIMIT 1)`;
  const { results } = await db.$client
    .prepare(
      `WITH RECURSIVE waiting (id) AS (
         SELECT ${next("''")}
         UNION ALL SELECT ${next("waiting.id")} FROM waiting WHERE waiting.id IS NOT NULL
       )
       SELECT id FROM waiting WHERE id IS NOT NULL AND NOT ${isPaced("waiting.id", "?1")}
       ORDER BY random() LIMIT ?2`,
    )
    .bind(hourOf(time), limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
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
      `SELECT events.id, events.type, events.channel, workspace_id AS workspaceId, failures,
         created_at AS createdAt
       FROM json_each(?1) AS turn CROSS JOIN events ON events.id IN (
         ${waiting("= 0", "created_at")} UNION ALL ${waiting("> 0", "failures, created_at")})`,
    )
    .bind(JSON.stringify(workspaceIds), time, each)
    .all<OverdueEvent>();
  return results.sort((one, other) => one.createdAt - other.createdAt);
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
