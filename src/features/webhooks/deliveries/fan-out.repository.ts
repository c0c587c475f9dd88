import type { Database } from "../../../db/client.ts";

/** By hand: the rows travel as one parameter, since D1 takes 100 of them. */
function insertDeliveriesTo(kind: "endpoint" | "hook", table: string, condition: string): string {
  return `
    INSERT INTO deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
      test, status, attempts_count, next_attempt_at, created_at)
    SELECT row.value ->> 0, events.workspace_id, '${kind}', target.id, events.id, events.type,
      events.channel, events.test, 'pending', 0, ?3, ?3
    FROM json_each(?2) AS row
    JOIN events ON events.id = ?1 AND events.fanned_out_at IS NULL
    JOIN ${table} AS target ON target.id = row.value ->> 1
      AND target.workspace_id = events.workspace_id AND ${condition}
    WHERE true ON CONFLICT DO NOTHING`;
}

const TO_ENDPOINTS = insertDeliveriesTo("endpoint", "webhook_endpoints", "target.enabled = 1");
const TO_HOOKS = insertDeliveriesTo("hook", "automation_hooks", "true");
const MARK_EVENT = "UPDATE events SET fanned_out_at = ?2 WHERE id = ?1 AND fanned_out_at IS NULL";

/** Deliveries to make of an event, `[delivery id, target id]` each. */
export interface NewDeliveries {
  endpoint: [string, string][];
  hook: [string, string][];
}

/** Makes an event's deliveries and marks it, both or neither. */
export async function insertDeliveries(
  db: Database,
  eventId: string,
  { endpoint, hook }: NewDeliveries,
  time: number,
): Promise<void> {
  const d1 = db.$client;
  const insert = (statement: string, made: [string, string][]) =>
    made.length > 0 ? [d1.prepare(statement).bind(eventId, JSON.stringify(made), time)] : [];
  await d1.batch([
    ...insert(TO_ENDPOINTS, endpoint),
    ...insert(TO_HOOKS, hook),
    d1.prepare(MARK_EVENT).bind(eventId, time),
  ]);
}
