import { hasRoom } from "../access/usage/usage.ports.ts";
import { countingMovedDeliveries } from "../access/usage/usage-counting.ports.ts";
import { joinDelivery } from "./deliveries.ports.ts";
import type { BegunAttempt, FinishedAttempt } from "./delivery-attempt.ts";
import { INTERRUPTED, PAYLOAD_PURGED } from "./retry-policy.ts";
import type { EndedAttempt, Lane } from "./targets.ts";

/** So much of a response takes no room: all that is kept when the workspace has none. */
const SHORT_RESPONSE = 200;
const SHORT_HEADERS = 500;

/** What a lane brings to the database. */
export interface Brought {
  /** Attempts that are under way: shown, and their deliveries not due until `leaseUntil`. */
  begun: BegunAttempt[];
  finished: FinishedAttempt[];
  leaseUntil: number;
}

/** The statements that write down attempts, all in one go, and what their target's feature notes. */
export function bringing(
  { ctx, target, port }: Lane,
  brought: Brought,
  now: number,
): D1PreparedStatement[] {
  const { begun, finished, leaseUntil } = brought;
  if (begun.length + finished.length === 0) return [];
  const { db, workspaceId } = ctx;
  const targetId = target.id;
  const rows = JSON.stringify([
    ...begun.map((one) => rowOf(targetId, one, leaseUntil)),
    ...finished.map((one) => rowOf(targetId, one, one.consequence.nextAttemptAt)),
  ]);
  const ref = { workspaceId, id: target.id };
  const noted = finished.length > 0 ? port.noting(db, ref, finished.map(toEnded), now) : [];
  const moved = db.$client.prepare(DELIVERIES_MOVED_ON).bind(rows, workspaceId);
  if (finished.length < 3) return [...noted, moved];
  const ids = JSON.stringify([...begun, ...finished].map(({ id }) => id));
  const write = (sql: string) => db.$client.prepare(sql).bind(ids, workspaceId, targetId);
  const count = countingMovedDeliveries(write, MOVED);
  return [...noted, count.before, moved, count.after];
}

/**
 * SQL of the deliveries whose ids are in ?1, to the target ?3 of the workspace ?2. The CROSS JOIN
 * looks each of them up by its key.
 */
const MOVED = `json_each(?1) AS brought CROSS ${joinDelivery("?3", "brought.value")}
  AND +deliveries.workspace_id = ?2`;

/**
 * An attempt for SQL. It names the target too: were it bound apart, SQLite might read all that the
 * target was ever sent. For the same reason there is a plus before the workspace's id.
 */
function rowOf(
  targetId: string,
  one: BegunAttempt | FinishedAttempt,
  nextAttemptAt: number | null,
) {
  const { id, number, startedAt, manual } = one;
  const { outcome, consequence, endedAt }: Partial<FinishedAttempt> = one;
  const { durationMs = null, statusCode = null, error = null } = outcome ?? {};
  const { responseBody = null, responseHeaders = null } = outcome ?? {};
  const kept = { startedAt, durationMs, statusCode, error, responseBody, responseHeaders, manual };
  const status = consequence?.status ?? null;
  const deliveredAt = status === "delivered" ? endedAt : null;
  return [targetId, id, number, startedAt, durationMs, status, nextAttemptAt, deliveredAt, kept];
}

/** SQL of the attempts in ?1, each read once, not at every mention. */
const BROUGHT = `given AS MATERIALIZED (SELECT value AS attempt FROM json_each(?1)),
  brought AS MATERIALIZED (SELECT attempt ->> 0 AS targetId, attempt ->> 1 AS id,
    attempt ->> 2 AS number, attempt ->> 3 AS startedAt, attempt ->> 4 AS durationMs,
    attempt ->> 5 AS status, attempt ->> 6 AS nextAttemptAt, attempt ->> 7 AS deliveredAt,
    attempt -> 8 AS kept, '$."' || (attempt ->> 2) || '"' AS place,
    '$."' || (attempt ->> 2 - 1) || '"' AS placeBefore FROM given)`;

/** Not so any more when its contact was erased meanwhile: what was answered may tell of them. */
const IS_OPEN = "deliveries.status IN ('pending', 'parked')";

/** SQL of an attempt as it is kept. */
const KEPT = `CASE
  WHEN NOT ${IS_OPEN} THEN json_set(kept, '$.durationMs', coalesce(brought.durationMs, 0),
    '$.error', '${PAYLOAD_PURGED}', '$.responseBody', NULL, '$.responseHeaders', NULL)
  WHEN ${hasRoom("?2")} THEN kept
  ELSE json_set(kept, '$.responseBody', substr(kept ->> 'responseBody', 1, ${SHORT_RESPONSE}),
    '$.responseHeaders', iif(length(kept ->> 'responseHeaders') <= ${SHORT_HEADERS},
      kept ->> 'responseHeaders', NULL)) END`;

const hasEnd = (place: string) => `deliveries.attempts ->> (${place} || '.durationMs') IS NOT NULL`;
const isKept = (place: string) => `deliveries.attempts -> ${place} IS NOT NULL`;

/** An attempt whose end could not be written down is over when the next one begins. */
const WITH_INTERRUPTED = `CASE
  WHEN ${isKept("placeBefore")} AND NOT ${hasEnd("placeBefore")} THEN json_set(deliveries.attempts,
    placeBefore || '.error', '${INTERRUPTED}', placeBefore || '.durationMs',
    max(brought.startedAt - deliveries.attempts ->> (placeBefore || '.startedAt'), 0))
  ELSE deliveries.attempts END`;

/** What stands there with its end stays as it is. */
const ATTEMPTS = `CASE WHEN ${hasEnd("place")}
    OR (${isKept("place")} AND brought.durationMs IS NULL) THEN deliveries.attempts
  ELSE json_set(${WITH_INTERRUPTED}, place, json(${KEPT})) END`;

const MOVES = `(deliveries.attempts_count <= brought.number AND ${IS_OPEN})`;
const ifMoved = (value: string, column: string) =>
  `${column} = iif(${MOVES}, ${value}, deliveries.${column})`;

/** A delivery may have been parked while its attempt was under way. */
const DELIVERIES_MOVED_ON = `WITH ${BROUGHT} UPDATE target_deliveries AS deliveries SET attempts = ${ATTEMPTS},
    ${ifMoved("brought.number", "attempts_count")},
    ${ifMoved("coalesce(brought.status, deliveries.status)", "status")},
    ${ifMoved("brought.nextAttemptAt", "next_attempt_at")},
    ${ifMoved("brought.deliveredAt", "delivered_at")}
  FROM brought
  WHERE deliveries.target_id = brought.targetId AND deliveries.id = brought.id
    AND +deliveries.workspace_id = ?2`;

function toEnded({ outcome, consequence, ...attempt }: FinishedAttempt): EndedAttempt {
  const { id: deliveryId, number, eventId, event, channel, test, startedAt, isErased } = attempt;
  const { durationMs, statusCode, error } = outcome;
  const { status, stop } = consequence;
  const what = { deliveryId, number, eventId, event, channel, test };
  return { ...what, status, startedAt, durationMs, statusCode, error, isErased, stop };
}
