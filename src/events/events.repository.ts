import { and, asc, eq, isNull, lt } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { events } from "./events.table.ts";

export type EventRow = typeof events.$inferSelect;

/** The statement, for a batch with the change that causes the event. */
export function eventInsert(db: Database, event: EventRow) {
  return db.insert(events).values(event);
}

/**
 * SQL that writes events with a change of many records at once: `source` joins those that were
 * changed to a json_each, named `event`, of their {@link EventRow}s.
 */
export function insertEventsFrom(source: string): string {
  return `INSERT INTO events (id, workspace_id, type, channel, test, data, created_at)
    SELECT event.value ->> 'id', event.value ->> 'workspaceId', event.value ->> 'type',
      event.value ->> 'channel', 0, event.value -> 'data', event.value ->> 'createdAt'
    FROM ${source}`;
}

export async function findEvent(db: Database, id: string): Promise<EventRow | undefined> {
  return db.select().from(events).where(eq(events.id, id)).get();
}

/** Events written before `time` that nobody has fanned out: their wake-up was lost. */
export async function findWaitingEvents(
  db: Database,
  time: number,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .select({ id: events.id })
    .from(events)
    .where(and(isNull(events.fannedOutAt), lt(events.createdAt, time)))
    .orderBy(asc(events.createdAt))
    .limit(limit);
  return rows.map((row) => row.id);
}
