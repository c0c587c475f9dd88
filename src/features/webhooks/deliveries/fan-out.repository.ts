import type { Database } from "../../../db/client.ts";

// By hand: the rows travel as one parameter, since D1 takes 100 of them.
const INSERT_DELIVERIES = `
  INSERT INTO deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel, test,
    status, attempts_count, next_attempt_at, created_at)
  SELECT row.value ->> 0, events.workspace_id, 'endpoint', target.id, events.id, events.type,
    events.channel, events.test, 'pending', 0, ?3, ?3
  FROM json_each(?2) AS row
  JOIN events ON events.id = ?1 AND events.fanned_out_at IS NULL
  JOIN webhook_endpoints AS target ON target.id = row.value ->> 1
    AND target.workspace_id = events.workspace_id AND target.enabled = 1
  WHERE true ON CONFLICT DO NOTHING`;
const MARK_EVENT = "UPDATE events SET fanned_out_at = ?2 WHERE id = ?1 AND fanned_out_at IS NULL";

/** Makes an event's deliveries, `[delivery id, target id]` each, and marks it, both or neither. */
export async function insertDeliveries(
  db: Database,
  eventId: string,
  made: [string, string][],
  time: number,
): Promise<void> {
  const d1 = db.$client;
  await d1.batch([
    d1.prepare(INSERT_DELIVERIES).bind(eventId, JSON.stringify(made), time),
    d1.prepare(MARK_EVENT).bind(eventId, time),
  ]);
}
