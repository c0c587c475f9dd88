import type { Database } from "../../../db/client.ts";
import type { Consequence, Outcome } from "./retry-policy.ts";

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
  /** JSON; null once purged. */
  data: string | null;
}

/** Whom a lane sends to. */
export interface LaneTarget {
  id: string;
  kind: "endpoint" | "hook";
  url: string;
  enabled: boolean;
  /** Signs what is sent; null for a hook, which has none. */
  secret: Uint8Array | null;
  previousSecret: Uint8Array | null;
  previousSecretExpiresAt: number | null;
  failingSince: number | null;
}

/**
 * Ends what a lane that died left behind: its unfinished attempts are marked as interrupted and
 * their deliveries are due again. Only the lane itself may call it, before its first attempt.
 */
export async function recoverInterrupted(db: Database, targetId: string, now: number) {
  const d1 = db.$client;
  const unfinished = `SELECT attempt.delivery_id FROM delivery_attempts AS attempt
    JOIN deliveries ON deliveries.id = attempt.delivery_id
    WHERE deliveries.target_id = ?1 AND deliveries.status = 'pending'
      AND attempt.number = deliveries.attempts_count AND attempt.duration_ms IS NULL`;
  await d1.batch([
    d1
      .prepare(
        `UPDATE deliveries SET next_attempt_at = min(next_attempt_at, ?2)
         WHERE id IN (${unfinished})`,
      )
      .bind(targetId, now),
    d1
      .prepare(
        `UPDATE delivery_attempts SET error = 'interrupted', duration_ms = max(?2 - started_at, 0)
         WHERE duration_ms IS NULL AND delivery_id IN (${unfinished})`,
      )
      .bind(targetId, now),
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

interface TargetRow {
  id: string;
  kind: LaneTarget["kind"];
  url: string;
  enabled: number;
  secret: number[] | null;
  previous_secret: number[] | null;
  previous_secret_expires_at: number | null;
  failing_since: number | null;
}

/**
 * Takes up to `limit` due deliveries of a target: counts their next attempt and writes it down
 * as begun, in one transaction. Until `leaseUntil`, which must differ from call to call, they are
 * not due; a lane that dies in between leaves them to {@link recoverInterrupted}.
 */
export async function takeDue(
  db: Database,
  targetId: string,
  limit: number,
  now: number,
  leaseUntil: number,
): Promise<{ due: DueDelivery[]; target: LaneTarget | undefined }> {
  const d1 = db.$client;
  const taken = "target_id = ?1 AND status = 'pending' AND next_attempt_at = ?2";
  const [, , , dueRows, targetRows] = await d1.batch([
    d1
      .prepare(
        `UPDATE deliveries SET next_attempt_at = ?2, attempts_count = attempts_count + 1
         WHERE id IN (SELECT id FROM deliveries WHERE target_id = ?1 AND status = 'pending'
           AND next_attempt_at <= ?3 ORDER BY next_attempt_at, id LIMIT ?4)`,
      )
      .bind(targetId, leaseUntil, now, limit),
    d1
      .prepare(
        `INSERT INTO delivery_attempts (delivery_id, number, started_at, manual)
         SELECT id, attempts_count, ?3, attempts_count = 1 AND (test OR resend_of IS NOT NULL)
         FROM deliveries WHERE ${taken}`,
      )
      .bind(targetId, leaseUntil, now),
    // An attempt whose end could not be written down is over when the next one begins.
    d1
      .prepare(
        `UPDATE delivery_attempts SET error = 'interrupted', duration_ms = max(?3 - started_at, 0)
         WHERE duration_ms IS NULL AND (delivery_id, number) IN
           (SELECT id, attempts_count - 1 FROM deliveries WHERE ${taken})`,
      )
      .bind(targetId, leaseUntil, now),
    d1
      .prepare(
        `SELECT deliveries.id, deliveries.workspace_id, deliveries.attempts_count AS number,
           deliveries.event_id, deliveries.event, deliveries.channel, deliveries.test,
           events.created_at AS occurred_at, events.data
         FROM deliveries JOIN events ON events.id = deliveries.event_id
         WHERE deliveries.target_id = ?1 AND deliveries.status = 'pending'
           AND deliveries.next_attempt_at = ?2`,
      )
      .bind(targetId, leaseUntil),
    d1
      .prepare(
        `SELECT id, 'endpoint' AS kind, url, enabled, secret, previous_secret,
           previous_secret_expires_at, failing_since
         FROM webhook_endpoints WHERE id = ?1
         UNION ALL SELECT id, 'hook', target_url, 1, NULL, NULL, NULL, NULL
         FROM automation_hooks WHERE id = ?1`,
      )
      .bind(targetId),
  ]);
  const due = ((dueRows?.results ?? []) as DueRow[]).map((row) => ({
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
  return { due, target: toTarget((targetRows?.results as TargetRow[] | undefined)?.[0]) };
}

function toTarget(row: TargetRow | undefined): LaneTarget | undefined {
  return (
    row && {
      id: row.id,
      kind: row.kind,
      url: row.url,
      enabled: row.enabled === 1,
      secret: row.secret && new Uint8Array(row.secret),
      previousSecret: row.previous_secret && new Uint8Array(row.previous_secret),
      previousSecretExpiresAt: row.previous_secret_expires_at,
      failingSince: row.failing_since,
    }
  );
}

/** Writes down how an attempt ended and what follows, in one transaction; a second time is nothing. */
export async function recordAttempt(
  db: Database,
  delivery: Pick<DueDelivery, "id" | "number">,
  targetId: string,
  outcome: Outcome,
  consequence: Consequence,
  now: number,
): Promise<void> {
  const d1 = db.$client;
  const statements = [
    d1
      .prepare(
        `UPDATE deliveries SET status = ?3, next_attempt_at = ?4, delivered_at = ?5
         WHERE id = ?1 AND attempts_count = ?2 AND status = 'pending'`,
      )
      .bind(
        delivery.id,
        delivery.number,
        consequence.status,
        consequence.nextAttemptAt,
        consequence.status === "delivered" ? now : null,
      ),
    d1
      .prepare(
        `UPDATE delivery_attempts SET duration_ms = ?3, status_code = ?4, error = ?5,
           response_body = ?6 WHERE delivery_id = ?1 AND number = ?2 AND duration_ms IS NULL`,
      )
      .bind(
        delivery.id,
        delivery.number,
        outcome.durationMs,
        outcome.statusCode,
        outcome.error,
        outcome.responseBody,
      ),
    d1
      .prepare(
        outcome.error === null
          ? "UPDATE webhook_endpoints SET failing_since = NULL WHERE id = ?1 AND failing_since < ?2"
          : "UPDATE webhook_endpoints SET failing_since = ?2 WHERE id = ?1 AND failing_since IS NULL",
      )
      .bind(targetId, now),
  ];
  if (consequence.pause) {
    statements.push(
      d1
        .prepare(
          `UPDATE webhook_endpoints SET enabled = 0, disabled_reason = ?2,
             revision = lower(hex(randomblob(16))), updated_at = ?3 WHERE id = ?1 AND enabled = 1`,
        )
        .bind(targetId, consequence.pause, now),
      // A hook is not paused: whoever asked for it asks again.
      d1.prepare("DELETE FROM automation_hooks WHERE id = ?1").bind(targetId),
    );
  }
  await d1.batch(statements);
}

/** When the next delivery of a target is due; undefined when none is waiting. */
export async function nextDue(db: Database, targetId: string): Promise<number | undefined> {
  const row = await db.$client
    .prepare(
      "SELECT min(next_attempt_at) AS at FROM deliveries WHERE target_id = ? AND status = 'pending'",
    )
    .bind(targetId)
    .first<{ at: number | null }>();
  return row?.at ?? undefined;
}

/** Targets with deliveries that should have been attempted by `time`: their lane sleeps. */
export async function findOverdueTargets(
  db: Database,
  time: number,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT DISTINCT target_id AS id FROM deliveries
       WHERE status = 'pending' AND next_attempt_at <= ?
       UNION SELECT target_id FROM recoveries WHERE finished_at IS NULL LIMIT ?`,
    )
    .bind(time, limit)
    .all<{ id: string }>();
  return results.map((row) => row.id);
}
