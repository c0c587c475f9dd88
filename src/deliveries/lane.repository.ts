import { hasRoom } from "../access/usage/usage.ports.ts";
import { workspaceAllows } from "../access/workspaces/workspaces.ports.ts";
import { joinEventIfThere, productOf, SENDABLE_DATA } from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import type { Database } from "../platform/db/client.ts";
import type { Outcome } from "../platform/outbound/retry-policy.ts";
import type { Consequence } from "./retry-policy.ts";
import type { Target, TargetKind, TargetPort, TargetRef } from "./targets.ts";

/** Whose deliveries: one target of a workspace, with what its feature says of it. */
export interface Lane {
  ctx: Context;
  target: TargetRef;
  port: TargetPort;
}

/** A delivery whose attempt has just been written down, with all that it takes to send it. */
export interface DueDelivery {
  id: string;
  workspaceId: string;
  number: number;
  eventId: string;
  event: string;
  channel: string;
  test: boolean;
  occurredAt: number;
  /** JSON; null once purged, or when the contact that it tells of is erased. */
  data: string | null;
}

/** So much of a response takes no room: all that is kept when the workspace has none. */
const SHORT_RESPONSE = 200;
/** Headers up to this take none either, and go whole or not at all: see migration 0024. */
const SHORT_HEADERS = 500;
/** So many of a lane's leases, and retries of the coming minute, are looked at when it begins. */
const LEASES_AT_ONCE = 1000;

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

/**
 * Ends what a lane that died left behind: its unfinished attempts are marked as interrupted and
 * their deliveries are due again. Only the lane itself may call it, before its first attempt.
 * What it held is due at the end of a lease, so by `leaseEnd`: what waits longer is not read.
 */
export async function recoverInterrupted(lane: Lane, now: number, leaseEnd: number): Promise<void> {
  const d1 = lane.ctx.db.$client;
  const unfinishedOf = (pending: string) => `SELECT attempt.delivery_id FROM
      (SELECT id, attempts_count ${PENDING} AND ${pending}) AS pending
    JOIN delivery_attempts AS attempt ON attempt.delivery_id = pending.id
      AND attempt.number = pending.attempts_count AND attempt.duration_ms IS NULL`;
  const leased = `next_attempt_at > ?4 AND next_attempt_at <= ?5
    ORDER BY next_attempt_at LIMIT ${LEASES_AT_ONCE}`;
  await d1.batch([
    d1
      .prepare(`UPDATE deliveries SET next_attempt_at = ?4 WHERE id IN (${unfinishedOf(leased)})`)
      .bind(...ofLane(lane), now, leaseEnd),
    // Of those that are due now, only what has just been brought forward is unfinished.
    d1
      .prepare(
        `UPDATE delivery_attempts SET error = 'interrupted', duration_ms = max(?4 - started_at, 0)
         WHERE duration_ms IS NULL
           AND delivery_id IN (${unfinishedOf("next_attempt_at = ?4")})`,
      )
      .bind(...ofLane(lane), now),
  ]);
}

interface DueRow {
  id: string;
  workspace_id: string;
  number: number;
  event_id: string;
  event: string;
  channel: string;
  test: number;
  occurred_at: number;
  data: string | null;
}

/**
 * Takes up to `limit` due deliveries of a target: counts their next attempt and writes it down
 * as begun, in one transaction. Those that may not be sent now are parked; `closed`: there were
 * some. Until `leaseUntil`, which must differ from call to call, they are
 * not due; a lane that dies in between leaves them to {@link recoverInterrupted}.
 */
export async function takeDue(
  lane: Lane,
  limit: number,
  now: number,
  leaseUntil: number,
): Promise<{ due: DueDelivery[]; target: Target | undefined; closed: boolean }> {
  const { db, workspaceId } = lane.ctx;
  const d1 = db.$client;
  const taken = `${PENDING} AND next_attempt_at = ?4`;
  const bound = [...ofLane(lane), leaseUntil];
  const [judged, , , dueRows, targetRows] = await d1.batch<Record<string, unknown>>([
    d1
      .prepare(
        `UPDATE deliveries SET status = iif(next.is_open, 'pending', 'parked'),
           next_attempt_at = iif(next.is_open, ?4, deliveries.next_attempt_at),
           attempts_count = attempts_count + next.is_open
         FROM (SELECT id AS next_id, ${mayBeSent(lane)} AS is_open ${PENDING}
           AND next_attempt_at <= ?5 ORDER BY next_attempt_at, rowid LIMIT ?6) AS next
         WHERE deliveries.id = next.next_id RETURNING status`,
      )
      .bind(...bound, now, limit),
    d1
      .prepare(
        `INSERT INTO delivery_attempts (delivery_id, number, started_at, manual)
         SELECT id, attempts_count, ?5, attempts_count = 1 AND (test OR resend_of IS NOT NULL)
         ${taken}`,
      )
      .bind(...bound, now),
    // An attempt whose end could not be written down is over when the next one begins.
    d1
      .prepare(
        `UPDATE delivery_attempts SET error = 'interrupted', duration_ms = max(?5 - started_at, 0)
         WHERE duration_ms IS NULL AND (delivery_id, number) IN
           (SELECT id, attempts_count - 1 ${taken})`,
      )
      .bind(...bound, now),
    d1
      .prepare(
        `SELECT due.*, coalesce(events.created_at, 0) AS occurred_at,
           ${SENDABLE_DATA} AS data FROM
           (SELECT id, workspace_id, attempts_count AS number, event_id, event, channel, test
            ${taken}) AS due
         ${joinEventIfThere("due.event_id")}`,
      )
      .bind(...bound),
    lane.port.selection(db, workspaceId, lane.target.id),
  ]);
  const due = ((dueRows?.results ?? []) as unknown as DueRow[]).map((row) => ({
    id: row.id,
    workspaceId: row.workspace_id,
    number: row.number,
    eventId: row.event_id,
    event: row.event,
    channel: row.channel,
    test: row.test === 1,
    occurredAt: row.occurred_at,
    data: row.data,
  }));
  const row = targetRows?.results[0];
  const closed = judged?.results.some(({ status }) => status === "parked") ?? false;
  return { due, target: row && lane.port.read(row), closed };
}

/**
 * Writes down how an attempt ended and what follows, in one transaction; a second time is nothing.
 * A delivery may have been parked while it was under way.
 */
export async function recordAttempt(
  { ctx, target, port }: Lane,
  delivery: DueDelivery,
  outcome: Outcome,
  consequence: Consequence,
  now: number,
): Promise<void> {
  const { db, workspaceId } = ctx;
  const d1 = db.$client;
  const ref = { workspaceId, id: target.id };
  const { id: deliveryId, number, eventId, event, channel, test } = delivery;
  const { durationMs, statusCode, error } = outcome;
  const { status, stop } = consequence;
  const startedAt = now - durationMs;
  const what = { deliveryId, number, eventId, event, channel, test };
  const ended = { ...what, status, startedAt, durationMs, statusCode, error, stop };
  await d1.batch([
    d1
      .prepare(
        `UPDATE deliveries SET status = ?3, next_attempt_at = ?4, delivered_at = ?5
         WHERE id = ?1 AND attempts_count = ?2 AND workspace_id = ?6
           AND status IN ('pending', 'parked')`,
      )
      .bind(
        delivery.id,
        delivery.number,
        consequence.status,
        consequence.nextAttemptAt,
        consequence.status === "delivered" ? now : null,
        workspaceId,
      ),
    d1
      .prepare(
        `UPDATE delivery_attempts SET duration_ms = ?3, status_code = ?4, error = ?5,
           response_body = iif(${hasRoom("?7")}, ?6, substr(?6, 1, ${SHORT_RESPONSE})),
           response_headers = iif(length(?8) <= ${SHORT_HEADERS} OR ${hasRoom("?7")}, ?8, NULL)
         WHERE delivery_id = ?1 AND number = ?2 AND duration_ms IS NULL`,
      )
      .bind(
        delivery.id,
        delivery.number,
        outcome.durationMs,
        outcome.statusCode,
        outcome.error,
        outcome.responseBody,
        workspaceId,
        outcome.responseHeaders ?? null,
      ),
    ...port.noting(db, ref, [ended], now).statements,
  ]);
}

/** When the next delivery of a target is due; undefined when none is waiting. */
export async function nextDue(lane: Lane): Promise<number | undefined> {
  const row = await lane.ctx.db.$client
    .prepare(`SELECT min(next_attempt_at) AS at ${PENDING}`)
    .bind(...ofLane(lane))
    .first<{ at: number | null }>();
  return row?.at ?? undefined;
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
