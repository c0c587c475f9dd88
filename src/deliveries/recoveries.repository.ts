import { and, asc, eq, isNull } from "drizzle-orm";
import { isSubscribed } from "../events/event-insertion.ports.ts";
import { joinEventIfThere } from "../events/events.ports.ts";
import type { Database } from "../platform/db/client.ts";
import { leastIdAt } from "../platform/ids.ts";
import { recoveries } from "./deliveries.table.ts";
import type { Lane } from "./targets.ts";

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

/** The gate, which gives ids, and who writes have clocks of their own. */
const CLOCKS_DIFFER_MILLISECONDS = 60_000;

const IS_SUBSCRIBED = isSubscribed(
  { workspaceId: "?1", kind: "'endpoint'", id: "?2" },
  { event: "failed.event", channel: "failed.channel" },
);

/**
 * SQL of whether a failed delivery is to be sent again: its event was sent to the endpoint no other
 * time since, is still stored, is no test, and the endpoint, which is switched on, is subscribed to
 * it. A job of older code begins a day before its time.
 */
const IS_WANTED = `failed.id >= ?4 AND failed.created_at < ?5 AND NOT failed.test
  AND events.data IS NOT NULL
  AND (?7 IS NULL OR failed.event IN (SELECT value FROM json_each(?7)))
  AND ${IS_SUBSCRIBED}
  AND NOT EXISTS (SELECT 1 FROM target_deliveries AS later INDEXED BY target_deliveries_unlisted
    WHERE later.listed = 0 AND later.event_id = failed.event_id AND later.target_id = ?2
      AND later.id > failed.id)`;

/** SQL of the next failed deliveries of a job's target, with their events. */
const NEXT_FAILED = `(SELECT id, event_id, event, channel, test, created_at
    FROM target_deliveries INDEXED BY target_deliveries_failed
    WHERE workspace_id = ?1 AND target_id = ?2 AND id > ?3 AND id < ?8 AND status = 'failed'
    ORDER BY id LIMIT ?6) AS failed
  ${joinEventIfThere("failed.event_id")}`;

function ofJob(job: RecoveryRow, limit: number): unknown[] {
  return [
    job.workspaceId,
    job.targetId,
    job.position,
    leastIdAt(job.since),
    job.createdAt,
    limit,
    job.events && JSON.stringify(job.events),
    leastIdAt(job.createdAt + CLOCKS_DIFFER_MILLISECONDS),
  ];
}

/** A failed delivery, and whether it is to be sent again. */
export interface LookedAt {
  id: string;
  isWanted: boolean;
}

/**
 * The next failed deliveries of a job's target, the oldest first; those to be sent are wanted.
 * Undefined while the target is paused, or gone, when none is.
 */
export async function findNextFailed(
  { ctx: { db, workspaceId }, target, port }: Lane,
  job: RecoveryRow,
  limit: number,
): Promise<LookedAt[] | undefined> {
  const d1 = db.$client;
  const [targets, failed] = await d1.batch<Record<string, unknown>>([
    port.selection(db, workspaceId, target.id),
    d1
      .prepare(`SELECT failed.id, ${IS_WANTED} AS wanted FROM ${NEXT_FAILED}`)
      .bind(...ofJob(job, limit)),
  ]);
  const row = targets?.results[0];
  if (!row || !port.read(row).enabled) return undefined;
  const rows = (failed?.results ?? []) as { id: string; wanted: number }[];
  const looked = rows.map(({ id, wanted }) => ({ id, isWanted: wanted === 1 }));
  return looked.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** How many are wanted of the next failed deliveries; `position` is the last that was looked at. */
export async function countNextFailed(
  db: Database,
  job: RecoveryRow,
  limit: number,
): Promise<{ looked: number; wanted: number; position: string }> {
  const count = await db.$client
    .prepare(
      `SELECT count(*) AS looked, coalesce(sum(${IS_WANTED}), 0) AS wanted,
         coalesce(max(failed.id), ?3) AS position FROM ${NEXT_FAILED}`,
    )
    .bind(...ofJob(job, limit))
    .first<{ looked: number; wanted: number; position: string }>();
  return count ?? { looked: 0, wanted: 0, position: job.position };
}

/** What a step of a job comes to. */
export interface RecoveryStep {
  /** `[new id, failed delivery]` each. */
  resends: [string, string][];
  /** The last delivery that was looked at. */
  position: string;
  isLast: boolean;
}

/** Makes a step's resends, and moves the job on. */
export async function advanceRecovery(
  db: Database,
  job: RecoveryRow,
  { resends, position, isLast }: RecoveryStep,
  now: number,
): Promise<void> {
  const d1 = db.$client;
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO target_deliveries (target_id, id, workspace_id, target_kind, event_id, listed,
           event, channel, test, resend_of, status, attempts_count, next_attempt_at, created_at,
           attempts)
         SELECT failed.target_id, row.value ->> 0, failed.workspace_id, failed.target_kind,
           failed.event_id, 0, failed.event, failed.channel, failed.test, failed.id, 'pending', 0,
           ?4, ?4, '{}'
         FROM json_each(?3) AS row CROSS JOIN target_deliveries AS failed
           ON failed.target_id = ?5 AND failed.id = row.value ->> 1
         WHERE EXISTS (SELECT 1 FROM recoveries
           WHERE id = ?1 AND position = ?2 AND finished_at IS NULL)`,
      )
      .bind(job.id, job.position, JSON.stringify(resends), now, job.targetId),
    d1
      .prepare(
        `UPDATE recoveries SET position = ?3, resent = resent + ?4, finished_at = ?5
         WHERE id = ?1 AND position = ?2 AND finished_at IS NULL`,
      )
      .bind(job.id, job.position, position, resends.length, isLast ? now : null),
  ]);
}

/** Ends up to `limit` recoveries of a target that is gone or paused; how many it did. */
export async function endRecoveries(
  { ctx: { db, workspaceId }, target, port }: Lane,
  { limit, now }: { limit: number; now: number },
): Promise<number> {
  // One that was switched on again by now may have been asked for another.
  const { meta } = await db.$client
    .prepare(
      `UPDATE recoveries SET finished_at = ?3
       WHERE id IN (SELECT id FROM recoveries INDEXED BY recoveries_open
         WHERE target_id = ?1 AND workspace_id = ?2 AND finished_at IS NULL ORDER BY id LIMIT ?4)
         AND NOT EXISTS (SELECT 1 FROM (SELECT 1) ${port.joinLive("?1", "?2", "?3")})`,
    )
    .bind(target.id, workspaceId, now, limit)
    .run();
  return meta.changes;
}

/** Deletes up to `limit` jobs started before a time, as their ids say; how many it did. */
export async function deleteOldRecoveries(
  db: Database,
  before: number,
  limit: number,
): Promise<number> {
  const { meta } = await db.$client
    .prepare(
      `DELETE FROM recoveries WHERE id IN
         (SELECT id FROM recoveries WHERE id < ?1 ORDER BY id LIMIT ?2)`,
    )
    .bind(leastIdAt(before), limit)
    .run();
  return meta.changes;
}
