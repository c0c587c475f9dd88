import type { ErasureRow } from "../events/erasures.repository.ts";
import { erasureAdvance } from "../events/erasures.repository.ts";
import { eventsErasure, listedDeliveries, NEXT_OF_SUBJECT } from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import type { Database } from "../platform/db/client.ts";

const IS_OPEN = "status IN ('pending', 'parked', 'deferred')";

/** SQL of attempts without what receivers answered; ?5 is the time. */
const ERASED_ATTEMPTS = `(SELECT json_group_object(one.key, json_set(one.value,
    '$.responseBody', NULL, '$.responseHeaders', NULL,
    '$.error', iif(one.value ->> 'durationMs' IS NULL, 'payload_purged', one.value ->> 'error'),
    '$.durationMs', coalesce(one.value ->> 'durationMs', max(?5 - (one.value ->> 'startedAt'), 0))))
  FROM json_each(target_deliveries.attempts) AS one)`;

/**
 * The statements that erase events, by SQL of their ids and what is bound in it, ?5 the time: what
 * they say, and what receivers answered, who may have sent it back. What was to be sent has failed
 * then, and an attempt under way has ended: what it brings is not written down.
 */
export function eventErasures(
  db: Database,
  which: string,
  bound: [unknown, unknown, unknown, unknown, time: number],
): D1PreparedStatement[] {
  const run = (sql: string) => db.$client.prepare(sql).bind(...bound);
  const erase = (deliveries: string) =>
    run(`UPDATE target_deliveries SET attempts = ${ERASED_ATTEMPTS},
        next_attempt_at = iif(${IS_OPEN}, NULL, next_attempt_at),
        status = iif(${IS_OPEN}, 'failed', status)
      WHERE (target_id, id) IN (${deliveries})`);
  return [
    // Apart: of both together SQLite would read the whole table.
    erase(listedDeliveries(which)),
    erase(`SELECT target_id, id
      FROM target_deliveries AS unlisted INDEXED BY target_deliveries_unlisted
      WHERE unlisted.listed = 0 AND unlisted.event_id IN (${which})`),
    run(eventsErasure(which)),
  ];
}

/**
 * Erases the next events of an erasure's subject, up to `limit`, in one transaction with where it
 * is then. The position behind them; undefined: there are no more.
 */
export async function eraseNextEvents(
  { db, workspaceId }: Context,
  erasure: ErasureRow,
  limit: number,
  time: number,
): Promise<string | undefined> {
  const d1 = db.$client;
  const { subject, place } = erasure;
  const { results } = await d1
    .prepare(NEXT_OF_SUBJECT)
    .bind(subject, erasure.position, limit, workspaceId)
    .all<{ id: string }>();
  const position = results.at(-1)?.id;
  if (position === undefined) return undefined;
  await d1.batch([
    ...eventErasures(db, NEXT_OF_SUBJECT, [subject, erasure.position, limit, workspaceId, time]),
    erasureAdvance(db, erasure, { place, position, finishedAt: null }),
  ]);
  return position;
}
