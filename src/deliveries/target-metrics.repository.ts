import type { Database } from "../platform/db/client.ts";
import { type AnswerTimes, bucketOf } from "./answer-times.ts";
import { hasNotEnded } from "./deliveries.ports.ts";
import { isOfReceiver } from "./ended-attempts.ts";
import type { EndedAttempt } from "./targets.ts";

export const HOUR_MILLISECONDS = 60 * 60 * 1000;

// The buckets of an hour are added up by name, since most have few.
const COUNT_ATTEMPTS = `
  WITH fresh AS (
    SELECT one.value ->> 2 AS hour, one.value ->> 3 AS delivered, one.value ->> 4 AS bucket
    FROM json_each(?3) AS one WHERE ${hasNotEnded("?2", "one.value ->> 0", "one.value ->> 1")}),
  counted AS (
    SELECT hour, bucket, sum(delivered) AS delivered, count(*) AS n FROM fresh GROUP BY hour, bucket)
  INSERT INTO target_metrics (workspace_id, target_id, hour, delivered, failed, answer_times)
  SELECT ?1, ?2, hour, sum(delivered), sum(n) - sum(delivered),
    json_group_object(bucket, n) FILTER (WHERE bucket IS NOT NULL)
  FROM counted GROUP BY hour
  ON CONFLICT (workspace_id, target_id, hour) DO UPDATE SET
    delivered = delivered + excluded.delivered, failed = failed + excluded.failed,
    answer_times = (SELECT json_group_object(bucket, n) FROM (SELECT key AS bucket, sum(value) AS n
      FROM (SELECT key, value FROM json_each(target_metrics.answer_times)
        UNION ALL SELECT key, value FROM json_each(excluded.answer_times)) GROUP BY key))`;

/**
 * What counts ended attempts, for the batch that brings them to the database, in front of its own
 * statements: those that stand there with an end were counted by the batch that brought it.
 */
export function attemptCounts(
  db: Database,
  { workspaceId, id }: { workspaceId: string; id: string },
  ended: EndedAttempt[],
): D1PreparedStatement[] {
  // What was not sent says nothing of how the endpoint does.
  const sent = ended.filter(isOfReceiver);
  if (sent.length === 0) return [];
  const told = sent.map(({ deliveryId, number, startedAt, durationMs, statusCode, error }) => {
    const hour = startOfHour(startedAt + durationMs);
    const bucket = statusCode === null ? null : bucketOf(durationMs);
    return [deliveryId, number, hour, error === null ? 1 : 0, bucket];
  });
  return [db.$client.prepare(COUNT_ATTEMPTS).bind(workspaceId, id, JSON.stringify(told))];
}

/** The start of the hour of a time. */
export function startOfHour(time: number): number {
  return time - (time % HOUR_MILLISECONDS);
}

export interface HourMetrics {
  targetId: string;
  delivered: number;
  failed: number;
  answerTimes: AnswerTimes;
}

/** The hours of some targets since the start of one, in no order. */
export async function findHours(
  db: Database,
  workspaceId: string,
  targetIds: string[],
  since: number,
): Promise<HourMetrics[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT target_id AS targetId, delivered, failed, answer_times AS answerTimes
       FROM json_each(?2) AS asked CROSS JOIN target_metrics
         ON workspace_id = ?1 AND target_id = asked.value AND hour >= ?3`,
    )
    .bind(workspaceId, JSON.stringify(targetIds), since)
    .all<Omit<HourMetrics, "answerTimes"> & { answerTimes: string }>();
  return results.map((row) => ({ ...row, answerTimes: JSON.parse(row.answerTimes) }));
}

/** Deletes up to `limit` hours from before one; how many it did. */
export async function deleteOldHours(db: Database, before: number, limit: number): Promise<number> {
  const { meta } = await db.$client
    .prepare(
      `DELETE FROM target_metrics WHERE rowid IN (
         SELECT rowid FROM target_metrics WHERE hour < ?1 ORDER BY hour LIMIT ?2)`,
    )
    .bind(before, limit)
    .run();
  return meta.changes;
}
