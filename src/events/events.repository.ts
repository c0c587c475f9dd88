import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
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

/** An event with its targets; undefined once it is fanned out, or parked. Its data is not read. */
export async function findEventToFanOut(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<Pick<EventRow, "type" | "channel" | "targets"> | undefined> {
  return db
    .select({ type: events.type, channel: events.channel, targets: events.targets })
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

/**
 * Events written before `time` that nobody has fanned out: their wake-up was lost. Those that
 * failed come last, so that they hold up none of the others.
 */
export async function findWaitingEvents(
  db: Database,
  time: number,
  limit: number,
): Promise<{ id: string; workspaceId: string }[]> {
  const waiting = (failures: string, order: string) => `SELECT * FROM (
    SELECT id, workspace_id AS workspaceId FROM events INDEXED BY events_waiting_order
    WHERE fanned_out_at IS NULL AND failures ${failures} AND created_at < ?1
    ORDER BY ${order} LIMIT ?2)`;
  const { results } = await db.$client
    .prepare(
      `${waiting("= 0", "created_at")} UNION ALL ${waiting("> 0", "failures, created_at")} LIMIT ?2`,
    )
    .bind(time, limit)
    .all<{ id: string; workspaceId: string }>();
  return results;
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

/** Those of some events that wait to be fanned out: the others nobody wants. */
export async function findWanted(db: Database, ids: string[]): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT events.id FROM json_each(?1) AS told CROSS JOIN events ON events.id = told.value
       WHERE events.fanned_out_at IS NULL`,
    )
    .bind(JSON.stringify(ids))
    .all<{ id: string }>();
  return results.map((row) => row.id);
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

/** Empties the payloads of up to `limit` events made before a time; of how many it did. */
export async function emptyOldPayloads(
  db: Database,
  before: number,
  limit: number,
): Promise<number> {
  const { meta } = await db.$client
    .prepare(
      `UPDATE events SET data = NULL WHERE rowid IN (SELECT rowid FROM events
       WHERE created_at < ?1 AND data IS NOT NULL ORDER BY created_at LIMIT ?2)`,
    )
    .bind(before, limit)
    .run();
  return meta.changes;
}

/** Deletes up to `limit` events made before a time; how many it did. */
export async function deleteOldEvents(
  db: Database,
  before: number,
  limit: number,
): Promise<number> {
  const { meta } = await db.$client
    .prepare(
      `DELETE FROM events WHERE rowid IN (SELECT rowid FROM events WHERE created_at < ?1
       ORDER BY created_at LIMIT ?2)`,
    )
    .bind(before, limit)
    .run();
  return meta.changes;
}
