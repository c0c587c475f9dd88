import type { Database } from "../platform/db/client.ts";
import type { TargetKind, TargetRef } from "./targets.ts";

const KINDS: ReadonlySet<string> = new Set<TargetKind>(["endpoint", "hook"]);

type Overdue = TargetRef & { workspaceId: string };

/** How much of what waits a sweep looks at. */
export interface SweepShare {
  /** Targets that have anything waiting, in the order of their ids, behind `after`; likewise jobs. */
  targets: number;
  /** Deliveries that are overdue, the oldest first. */
  deliveries: number;
}

/**
 * Targets with deliveries that should have been attempted by `time`: their lane sleeps. Those of the
 * oldest deliveries, and of a part of all that wait, behind `after`: so no target's many can keep
 * the others' away, and what all have waiting is not read. The next sweep goes on behind `last`.
 */
export async function findOverdueTargets(
  db: Database,
  time: number,
  after: string,
  share: SweepShare,
): Promise<{ overdue: Overdue[]; last: string }> {
  const d1 = db.$client;
  const isOverdue = "status = 'pending' AND next_attempt_at <= ?1";
  const [walked, oldest, recovering] = await d1.batch<Overdue & { target: string | null }>([
    d1
      .prepare(
        `WITH RECURSIVE waiting (target) AS (
           SELECT ?2 WHERE EXISTS (
             SELECT 1 FROM deliveries INDEXED BY deliveries_overdue WHERE ${isOverdue})
           UNION ALL SELECT (SELECT target_id FROM deliveries INDEXED BY deliveries_due
             WHERE status = 'pending' AND target_id > waiting.target ORDER BY target_id LIMIT 1)
           FROM waiting WHERE waiting.target IS NOT NULL LIMIT ?3 + 1
         ), overdue (target, delivery) AS (
           SELECT target, (SELECT id FROM deliveries INDEXED BY deliveries_due
             WHERE target_id = waiting.target AND ${isOverdue} LIMIT 1) FROM waiting
         )
         SELECT target, workspace_id AS workspaceId, target_kind AS kind, target_id AS id
         FROM overdue LEFT JOIN deliveries ON deliveries.id = overdue.delivery`,
      )
      .bind(time, after, share.targets),
    d1
      .prepare(
        `SELECT workspace_id AS workspaceId, target_kind AS kind, target_id AS id
         FROM deliveries INDEXED BY deliveries_overdue WHERE ${isOverdue}
         ORDER BY next_attempt_at LIMIT ?2`,
      )
      .bind(time, share.deliveries),
    d1
      .prepare(
        `WITH RECURSIVE waiting (target) AS (
           SELECT ?1
           UNION ALL SELECT (SELECT target_id FROM recoveries INDEXED BY recoveries_open
             WHERE finished_at IS NULL AND target_id > waiting.target ORDER BY target_id LIMIT 1)
           FROM waiting WHERE waiting.target IS NOT NULL LIMIT ?2 + 1
         ), recovering (job) AS (
           SELECT (SELECT id FROM recoveries INDEXED BY recoveries_open
             WHERE target_id = waiting.target AND finished_at IS NULL LIMIT 1) FROM waiting
         )
         SELECT workspace_id AS workspaceId, 'endpoint' AS kind, target_id AS id
         FROM recovering CROSS JOIN recoveries ON recoveries.id = recovering.job`,
      )
      .bind(after, share.targets),
  ]);
  const looked = walked?.results ?? [];
  const found = [...looked, ...(oldest?.results ?? []), ...(recovering?.results ?? [])];
  const overdue = new Map<string, Overdue>();
  for (const { workspaceId, kind, id } of found) {
    // A kind that only a later version knows has no lane here.
    if (KINDS.has(kind)) overdue.set(`${kind}:${id}`, { workspaceId, kind, id });
  }
  // Fewer than were asked for: that was the end.
  return { overdue: [...overdue.values()], last: looked.at(share.targets)?.target ?? "" };
}
