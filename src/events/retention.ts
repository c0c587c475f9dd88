import type { Database } from "../db/client.ts";
import { now } from "../lib/clock.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const PAYLOAD_DAYS = 7;
const ROW_DAYS = 30;
/** Rows a statement and a minute: a backlog is worked off without holding the database up. */
const ROWS_AT_ONCE = 1000;

/** Empties payloads after 7 days, and deletes events, deliveries and their attempts after 30. */
export async function purgeOldEvents(db: Database): Promise<void> {
  const d1 = db.$client;
  const payloadsBefore = now() - PAYLOAD_DAYS * DAY_MILLISECONDS;
  const rowsBefore = now() - ROW_DAYS * DAY_MILLISECONDS;
  const oldDeliveries =
    "SELECT id FROM deliveries WHERE created_at < ?1 ORDER BY created_at LIMIT ?2";
  await d1.batch([
    d1
      .prepare(
        `UPDATE events SET data = NULL WHERE id IN (SELECT id FROM events
         WHERE created_at < ?1 AND data IS NOT NULL ORDER BY created_at LIMIT ?2)`,
      )
      .bind(payloadsBefore, ROWS_AT_ONCE),
    d1
      .prepare(`DELETE FROM delivery_attempts WHERE delivery_id IN (${oldDeliveries})`)
      .bind(rowsBefore, ROWS_AT_ONCE),
    d1
      .prepare(`DELETE FROM deliveries WHERE id IN (${oldDeliveries})`)
      .bind(rowsBefore, ROWS_AT_ONCE),
    d1
      .prepare(
        `DELETE FROM events WHERE id IN (SELECT id FROM events AS old WHERE created_at < ?1
           AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = old.id)
         ORDER BY created_at LIMIT ?2)`,
      )
      .bind(rowsBefore, ROWS_AT_ONCE),
  ]);
}
