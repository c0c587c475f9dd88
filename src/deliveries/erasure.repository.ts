import type { ErasureRow } from "../events/erasures.repository.ts";
import { erasureAdvance } from "../events/erasures.repository.ts";
import { NEXT_OF_SUBJECT, SUBJECT_EVENTS_ERASURE } from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";

/**
 * Erases the next events of an erasure's subject, up to `limit`, in one transaction with where it
 * is then: what they say, and what receivers answered, who may have sent it back. What was to be
 * sent has failed then, and an attempt under way has ended: what it brings is not written down.
 * The position behind them; undefined: there are no more.
 */
export async function eraseNextEvents(
  { db, workspaceId }: Context,
  erasure: ErasureRow,
  limit: number,
  time: number,
): Promise<string | undefined> {
  const d1 = db.$client;
  const bound = [erasure.subject, erasure.position, limit, workspaceId];
  const { results } = await d1
    .prepare(NEXT_OF_SUBJECT)
    .bind(...bound)
    .all<{ id: string }>();
  const position = results.at(-1)?.id;
  if (position === undefined) return undefined;
  await d1.batch([
    d1
      .prepare(
        `UPDATE delivery_attempts SET response_body = NULL, response_headers = NULL,
           error = iif(duration_ms IS NULL, 'payload_purged', error),
           duration_ms = coalesce(duration_ms, max(?5 - started_at, 0))
         WHERE delivery_id IN (SELECT id FROM deliveries WHERE event_id IN (${NEXT_OF_SUBJECT}))`,
      )
      .bind(...bound, time),
    d1
      .prepare(
        `UPDATE deliveries SET status = 'failed', next_attempt_at = NULL
         WHERE event_id IN (${NEXT_OF_SUBJECT}) AND status IN ('pending', 'parked')`,
      )
      .bind(...bound),
    d1.prepare(SUBJECT_EVENTS_ERASURE).bind(...bound, time),
    erasureAdvance(db, erasure, { place: erasure.place, position, finishedAt: null }),
  ]);
  return position;
}
