import { and, asc, eq, isNull } from "drizzle-orm";
import { joinEvent } from "../events/events.ports.ts";
import type { Database } from "../platform/db/client.ts";
import { recoveries } from "./deliveries.table.ts";

export type RecoveryRow = typeof recoveries.$inferSelect;

/** @throws a unique conflict when the id exists */
export async function insertRecovery(db: Database, recovery: RecoveryRow): Promise<void> {
  await db.insert(recoveries).values(recovery);
}

export async function findRecovery(
  db: Database,
  workspaceId: string,
  targetId: string,
  id: string,
): Promise<RecoveryRow | undefined> {
  return db
    .select()
    .from(recoveries)
    .where(
      and(
        eq(recoveries.workspaceId, workspaceId),
        eq(recoveries.targetId, targetId),
        eq(recoveries.id, id),
      ),
    )
    .get();
}

export async function findOpenRecovery(
  db: Database,
  workspaceId: string,
  targetId: string,
): Promise<RecoveryRow | undefined> {
  return db
    .select()
    .from(recoveries)
    .where(
      and(
        eq(recoveries.targetId, targetId),
        eq(recoveries.workspaceId, workspaceId),
        isNull(recoveries.finishedAt),
      ),
    )
    .orderBy(asc(recoveries.id))
    .limit(1)
    .get();
}

/**
 * The failed deliveries that a job has not looked at yet, the oldest first: those of events that
 * reached the target no other way since, whose payload is still stored, and that are no tests.
 */
export async function findFailedSince(
  db: Database,
  job: RecoveryRow,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT failed.id FROM deliveries AS failed INDEXED BY deliveries_failed
       ${joinEvent("failed.event_id")} AND events.data IS NOT NULL
       WHERE failed.workspace_id = ?1 AND failed.target_id = ?2 AND failed.id > ?3
         AND failed.created_at >= ?4 AND failed.created_at < ?5 AND failed.status = 'failed'
         AND NOT failed.test
         AND (?7 IS NULL OR failed.event IN (SELECT value FROM json_each(?7)))
         AND NOT EXISTS (SELECT 1 FROM deliveries AS later INDEXED BY deliveries_event_target
           WHERE later.event_id = failed.event_id AND later.target_id = failed.target_id AND later.id > failed.id)
       ORDER BY failed.id LIMIT ?6`,
    )
    .bind(
      job.workspaceId,
      job.targetId,
      job.position,
      job.since,
      job.createdAt,
      limit,
      job.events && JSON.stringify(job.events),
    )
    .all<{ id: string }>();
  return results.map((row) => row.id);
}

/** Makes resends, `[new id, failed delivery]` each, and moves the job behind them; none ends it. */
export async function advanceRecovery(
  db: Database,
  job: RecoveryRow,
  resends: [string, string][],
  now: number,
): Promise<void> {
  const d1 = db.$client;
  const last = resends.at(-1);
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
           test, resend_of, status, attempts_count, next_attempt_at, created_at)
         SELECT row.value ->> 0, failed.workspace_id, failed.target_kind, failed.target_id,
           failed.event_id, failed.event, failed.channel, failed.test, failed.id, 'pending', 0,
           ?4, ?4
         FROM json_each(?3) AS row JOIN deliveries AS failed ON failed.id = row.value ->> 1
         WHERE EXISTS (SELECT 1 FROM recoveries WHERE id = ?1 AND position = ?2)`,
      )
      .bind(job.id, job.position, JSON.stringify(resends), now),
    d1
      .prepare(
        `UPDATE recoveries SET position = ?3, resent = resent + ?4, finished_at = ?5
         WHERE id = ?1 AND position = ?2 AND finished_at IS NULL`,
      )
      .bind(job.id, job.position, last?.[1] ?? job.position, resends.length, last ? null : now),
  ]);
}
