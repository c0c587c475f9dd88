import { eventPurge, payloadPurge } from "../events/events.ports.ts";
import type { PlatformContext } from "../platform/context/context.ts";

/** Of deliveries older than a time, the first few. ?1 is the time, ?2 how many. */
const OLD_DELIVERIES =
  "SELECT id FROM deliveries WHERE created_at < ?1 ORDER BY created_at LIMIT ?2";

/** Empties old payloads, and deletes old events, deliveries and attempts: up to `limit` of each. */
export async function purge(
  { db }: PlatformContext,
  before: { payloads: number; rows: number },
  limit: number,
): Promise<void> {
  const d1 = db.$client;
  await d1.batch([
    payloadPurge(db, before.payloads, limit),
    d1
      .prepare(`DELETE FROM delivery_attempts WHERE delivery_id IN (${OLD_DELIVERIES})`)
      .bind(before.rows, limit),
    d1.prepare(`DELETE FROM deliveries WHERE id IN (${OLD_DELIVERIES})`).bind(before.rows, limit),
    eventPurge(db, before.rows, limit, "EXISTS (SELECT 1 FROM deliveries WHERE event_id = old.id)"),
  ]);
}
