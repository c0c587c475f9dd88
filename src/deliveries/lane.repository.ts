import { countingPending, hasRoom } from "../access/usage/usage.ports.ts";
import { workspaceAllows } from "../access/workspaces/workspaces.ports.ts";
import {
  EVENT_BYTES,
  findWanted,
  joinEventIfThere,
  productOf,
  SENDABLE_DATA,
} from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import type { Database } from "../platform/db/client.ts";
import type { BegunAttempt, DueDelivery, FinishedAttempt } from "./delivery-attempt.ts";
import { INTERRUPTED, PAYLOAD_PURGED } from "./retry-policy.ts";
import type { EndedAttempt, Target, TargetKind, TargetPort, TargetRef } from "./targets.ts";

/** Whose deliveries: one target of a workspace, with what its feature says of it. */
export interface Lane {
  ctx: Context;
  target: TargetRef;
  port: TargetPort;
}

/** So much of a response takes no room: all that is kept when the workspace has none. */
const SHORT_RESPONSE = 200;
const SHORT_HEADERS = 500;
/** What is read of payloads at a time: an isolate has 128 MB for all its lanes. */
const MOST_BYTES_READ = 2_000_000;

/**
 * SQL, of the pending deliveries of a lane: ?1 to ?3 are bound with {@link ofLane}. The index is
 * pinned: by the workspace's, all that the target was ever sent would be read.
 */
const PENDING = `FROM deliveries INDEXED BY deliveries_due
  WHERE target_id = ?1 AND target_kind = ?2 AND workspace_id = ?3 AND status = 'pending'`;

function ofLane({ ctx, target }: Pick<Lane, "ctx" | "target">): [string, string, string] {
  return [target.id, target.kind, ctx.workspaceId];
}

/** SQL of whether a delivery may be sent now, where {@link ofLane} is bound. */
function mayBeSent({ port }: Lane): string {
  const features = [`'${port.feature}'`, productOf("deliveries.event")];
  return workspaceAllows("?3", features);
}

/** Parks up to `limit` of a lane's deliveries that may not be sent now; how many those were. */
export async function parkClosed(lane: Lane, limit: number): Promise<number> {
  const parked = await lane.ctx.db.$client
    .prepare(
      `UPDATE deliveries SET status = 'parked'
       WHERE id IN (SELECT id ${PENDING} AND NOT ${mayBeSent(lane)} LIMIT ?4)
       RETURNING id`,
    )
    .bind(...ofLane(lane), limit)
    .all();
  // `meta.changes` would count what triggers change, too.
  return parked.results.length;
}

/** Ends up to `limit` deliveries of a lane whose target is gone; how many those were. */
export async function endForNobody(lane: Lane, limit: number): Promise<number> {
  const { results } = await lane.ctx.db.$client
    .prepare(
      `UPDATE deliveries SET status = 'failed', next_attempt_at = NULL
       WHERE id IN (SELECT id ${PENDING} LIMIT ?4) RETURNING id`,
    )
    .bind(...ofLane(lane), limit)
    .all();
  return results.length;
}

/** What a lane brings to the database, and what it wants from it. */
export interface Exchange {
  /** Attempts that are under way: shown, and their deliveries not due until `leaseUntil`. */
  begun: BegunAttempt[];
  finished: FinishedAttempt[];
  leaseUntil: number;
  /** How many due deliveries are wanted; those that the lane has already are no others. */
  wanted: number;
  held: string[];
}

export interface Exchanged {
  due: DueDelivery[];
  /** There may be more that are due. */
  isMore: boolean;
  /** Some that are due may not be sent now. */
  isClosed: boolean;
  /** Undefined when it is gone. */
  target: Target | undefined;
  /** When the next delivery is due of those that are not due yet. */
  nextDue: number | undefined;
  /** Some recovery is not finished. */
  isRecovering: boolean;
  /** An event that was written, and that somebody wants. */
  wantedEvent: string | undefined;
}

/**
 * Brings attempts to the database and reads what is due, in one round trip and transaction. Made a
 * second time with the same attempts it changes nothing.
 */
export async function exchange(lane: Lane, asked: Exchange, now: number): Promise<Exchanged> {
  const d1 = lane.ctx.db.$client;
  const { db, workspaceId } = lane.ctx;
  const statements = bringing(lane, asked, now);
  const answers = await d1.batch<Record<string, unknown>>([
    ...statements,
    d1
      .prepare(
        `SELECT * FROM (SELECT due.*, coalesce(events.created_at, 0) AS occurredAt,
             ${SENDABLE_DATA} AS data, count(*) OVER () AS looked,
             row_number() OVER inTurn AS nth, sum(coalesce(${EVENT_BYTES}, 0)) OVER inTurn AS bytes
           FROM (SELECT id, workspace_id AS workspaceId, attempts_count + 1 AS number,
              event_id AS eventId, event, channel, test,
              attempts_count = 0 AND (test OR resend_of IS NOT NULL) AS manual,
              ${mayBeSent(lane)} AS isOpen
            ${PENDING} AND next_attempt_at <= ?4 AND id NOT IN (SELECT value FROM json_each(?5))
            ORDER BY next_attempt_at, rowid LIMIT ?6) AS due
           ${joinEventIfThere("due.eventId")}
           WINDOW inTurn AS (ROWS UNBOUNDED PRECEDING))
         WHERE nth = 1 OR bytes <= ${MOST_BYTES_READ}`,
      )
      .bind(...ofLane(lane), now, JSON.stringify(asked.held), asked.wanted),
    lane.port.selection(db, workspaceId, lane.target.id),
    d1
      .prepare(
        `SELECT (SELECT min(next_attempt_at) ${PENDING} AND next_attempt_at > ?4) AS nextDue,
           EXISTS (SELECT 1 FROM recoveries INDEXED BY recoveries_open
             WHERE target_id = ?1 AND workspace_id = ?3 AND finished_at IS NULL) AS isRecovering`,
      )
      .bind(...ofLane(lane), now),
  ]);
  const [due, targets, state] = answers.slice(statements.length).map(({ results }) => results);
  const rows = (due ?? []) as unknown as DueRow[];
  const row = targets?.[0];
  const { nextDue, isRecovering } = (state?.[0] ?? {}) as { nextDue?: number; isRecovering?: 1 };
  return {
    due: rows.filter(({ isOpen }) => isOpen).map(readDue),
    isMore: rows.length >= asked.wanted || rows.length < (rows[0]?.looked ?? 0),
    isClosed: rows.some(({ isOpen }) => !isOpen),
    target: row && lane.port.read(row),
    nextDue: nextDue ?? undefined,
    isRecovering: Boolean(isRecovering),
    wantedEvent: findWanted(answers),
  };
}

type DueRow = Omit<DueDelivery, "test" | "manual"> &
  Record<"test" | "manual" | "isOpen", 0 | 1> & { looked: number };

function readDue(row: DueRow): DueDelivery {
  const { id, workspaceId, number, eventId, event, channel, occurredAt, data } = row;
  const [test, manual] = [row.test === 1, row.manual === 1];
  return { id, workspaceId, number, eventId, event, channel, test, manual, occurredAt, data };
}

/** The statements that write down attempts, all in one go, and what their target's feature notes. */
function bringing(
  { ctx, target, port }: Lane,
  asked: Exchange,
  now: number,
): D1PreparedStatement[] {
  const { begun, finished, leaseUntil } = asked;
  if (begun.length + finished.length === 0) return [];
  const { db, workspaceId } = ctx;
  const rows = JSON.stringify([
    ...begun.map((one) => ({ ...one, nextAttemptAt: leaseUntil })),
    ...finished.map(({ outcome, consequence, ...one }) => ({ ...one, ...outcome, ...consequence })),
  ]);
  const ref = { workspaceId, id: target.id };
  const noted = finished.length > 0 ? port.noting(db, ref, finished.map(toEnded), now) : [];
  const write = (sql: string) => db.$client.prepare(sql).bind(rows, workspaceId);
  const moved = write(DELIVERIES_MOVED_ON);
  const count = countingPending(write, PENDING_CHANGE);
  const isRetry = [...begun, ...finished].some(({ number }) => number > 1);
  return [
    ...noted,
    write(ATTEMPTS_WRITTEN),
    // An attempt whose end could not be written down is over when the next one begins.
    ...(isRetry ? [write(ATTEMPTS_INTERRUPTED)] : []),
    ...(finished.length > 2 ? [count.before, moved, count.after] : [moved]),
  ];
}

/** SQL of the attempts in ?1; ?2 is the workspace. */
const BROUGHT = `(SELECT value ->> 'id' AS id, value ->> 'number' AS number, value AS attempt
  FROM json_each(?1)) AS brought`;

/** Not so any more when its contact was erased meanwhile: what was answered may tell of them. */
const IS_OPEN = "deliveries.status IN ('pending', 'parked')";

const ATTEMPTS_WRITTEN = `INSERT INTO delivery_attempts (delivery_id, number, started_at, manual,
    duration_ms, status_code, error, response_body, response_headers)
  SELECT brought.id, brought.number, attempt ->> 'startedAt', attempt ->> 'manual',
    iif(${IS_OPEN}, attempt ->> 'durationMs', coalesce(attempt ->> 'durationMs', 0)),
    attempt ->> 'statusCode', iif(${IS_OPEN}, attempt ->> 'error', '${PAYLOAD_PURGED}'),
    CASE WHEN NOT ${IS_OPEN} THEN NULL WHEN ${hasRoom("?2")} THEN attempt ->> 'responseBody'
      ELSE substr(attempt ->> 'responseBody', 1, ${SHORT_RESPONSE}) END,
    CASE WHEN ${IS_OPEN} AND (${hasRoom("?2")}
      OR length(attempt ->> 'responseHeaders') <= ${SHORT_HEADERS})
      THEN attempt ->> 'responseHeaders' END
  FROM ${BROUGHT} CROSS JOIN deliveries ON deliveries.id = brought.id
    AND +deliveries.workspace_id = ?2
  WHERE true ON CONFLICT (delivery_id, number) DO UPDATE SET duration_ms = excluded.duration_ms,
    status_code = excluded.status_code, error = excluded.error,
    response_body = excluded.response_body, response_headers = excluded.response_headers
  WHERE delivery_attempts.duration_ms IS NULL AND excluded.duration_ms IS NOT NULL`;

const ATTEMPTS_INTERRUPTED = `UPDATE delivery_attempts
  SET error = '${INTERRUPTED}', duration_ms = max(before.ended_at - started_at, 0)
  FROM (SELECT brought.id, brought.number - 1 AS number, attempt ->> 'startedAt' AS ended_at
    FROM ${BROUGHT} CROSS JOIN deliveries ON deliveries.id = brought.id
      AND +deliveries.workspace_id = ?2
    WHERE brought.number > 1) AS before
  WHERE delivery_id = before.id AND delivery_attempts.number = before.number
    AND duration_ms IS NULL`;

const IS_BROUGHT = `deliveries.id = brought.id AND +deliveries.workspace_id = ?2
  AND attempts_count <= brought.number AND ${IS_OPEN}`;

/** A delivery may have been parked while its attempt was under way. */
const DELIVERIES_MOVED_ON = `UPDATE deliveries SET attempts_count = brought.number,
    status = coalesce(attempt ->> 'status', status),
    next_attempt_at = attempt ->> 'nextAttemptAt',
    delivered_at = iif(attempt ->> 'status' = 'delivered', attempt ->> 'endedAt', NULL)
  FROM ${BROUGHT} WHERE ${IS_BROUGHT}`;

/** SQL of how many more deliveries are pending then. */
const PENDING_CHANGE = `(SELECT coalesce(sum(
    (coalesce(attempt ->> 'status', status) = 'pending') - (status = 'pending')), 0)
  FROM ${BROUGHT} CROSS JOIN deliveries ON ${IS_BROUGHT})`;

function toEnded({ outcome, consequence, ...attempt }: FinishedAttempt): EndedAttempt {
  const { id: deliveryId, number, eventId, event, channel, test, startedAt } = attempt;
  const { durationMs, statusCode, error } = outcome;
  const { status, stop } = consequence;
  const what = { deliveryId, number, eventId, event, channel, test };
  return { ...what, status, startedAt, durationMs, statusCode, error, stop };
}

/** A target's workspace and kind, as a pending delivery to it says; undefined: none is pending. */
export async function findPendingTarget(
  db: Database,
  targetId: string,
): Promise<{ workspaceId: string; kind: TargetKind } | undefined> {
  const row = await db.$client
    .prepare(
      `SELECT workspace_id AS workspaceId, target_kind AS kind FROM deliveries
       WHERE target_id = ? AND status = 'pending' LIMIT 1`,
    )
    .bind(targetId)
    .first<{ workspaceId: string; kind: TargetKind }>();
  return row ?? undefined;
}
