import type { Database } from "../platform/db/client.ts";
import { deferringTargets } from "./deferral.repository.ts";
import { joinDelivery } from "./deliveries.ports.ts";
import type { TargetKind, TargetRef } from "./targets.ts";

const KINDS: ReadonlySet<string> = new Set<TargetKind>(["endpoint", "hook"]);

type Overdue = TargetRef & {
  workspaceId: string;
  /** Nothing of it is overdue: it may have room by now for what is deferred. */
  isDeferring: boolean;
};

export interface OverdueTargets {
  overdue: Overdue[];
  /** Behind which the next sweep goes on; empty: that was the end. */
  last: string;
}

/** SQL of up to ?3 targets with deliveries that wait, behind ?2, which is the first row. */
const WAITING_TARGETS = `waiting (target) AS (
  SELECT ?2
  UNION ALL SELECT (SELECT target_id FROM target_deliveries INDEXED BY target_deliveries_due
    WHERE status = 'pending' AND target_id > waiting.target ORDER BY target_id LIMIT 1)
  FROM waiting WHERE waiting.target IS NOT NULL LIMIT ?3 + 1)`;

/**
 * The statement that finds since when the longest overdue delivery should have been attempted, of up
 * to `limit` targets behind `after`; it answers `OldestWaiting`.
 */
export function longestOverdue(
  db: Database,
  time: number,
  after: string,
  limit: number,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `WITH RECURSIVE ${WAITING_TARGETS}
       SELECT min(due) AS oldest, iif(count(target) > ?3, max(target), NULL) AS last FROM (
         SELECT target, (SELECT next_attempt_at FROM target_deliveries
             INDEXED BY target_deliveries_due
             WHERE target_id = waiting.target AND status = 'pending' AND next_attempt_at <= ?1
             ORDER BY next_attempt_at LIMIT 1) AS due
         FROM waiting)`,
    )
    .bind(time, after, limit);
}

/**
 * Targets with deliveries that should have been attempted by `time`: their lane sleeps. Looked for
 * among up to `limit` targets that have anything waiting, deferred or to recover, in the order of
 * their ids, behind `after`: what each has waiting is not read.
 */
export async function findOverdueTargets(
  db: Database,
  time: number,
  after: string,
  limit: number,
): Promise<OverdueTargets> {
  const d1 = db.$client;
  const isOverdue = "status = 'pending' AND next_attempt_at <= ?1";
  const [walked, recovering, deferring] = await d1.batch<Overdue & { target: string | null }>([
    d1
      .prepare(
        `WITH RECURSIVE ${WAITING_TARGETS}, overdue (target, delivery) AS (
           SELECT target, (SELECT id FROM target_deliveries INDEXED BY target_deliveries_due
             WHERE target_id = waiting.target AND ${isOverdue} LIMIT 1) FROM waiting
         )
         SELECT target, workspace_id AS workspaceId, target_kind AS kind, target_id AS id
         FROM overdue LEFT ${joinDelivery("overdue.target", "overdue.delivery")}`,
      )
      .bind(time, after, limit),
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
      .bind(after, limit),
    // Room in their shares is others' end, too.
    deferringTargets(d1, after, limit),
  ]);
  const looked = walked?.results ?? [];
  const overdue = new Map<string, Overdue>();
  const add = (rows: Overdue[] = [], isDeferring = false) => {
    for (const { workspaceId, kind, id } of rows) {
      const name = `${kind}:${id}`;
      // A kind that only a later version knows has no lane here.
      if (KINDS.has(kind) && !overdue.has(name))
        overdue.set(name, { workspaceId, kind, id, isDeferring });
    }
  };
  add(looked);
  add(recovering?.results);
  add(deferring?.results, true);
  // Each begins with what it goes on behind. Fewer than were asked for: that was its end.
  const ends = [recovering, deferring].map(
    (one) => one?.results.filter(({ id }) => id > after).at(limit - 1)?.id,
  );
  const cutOff = [looked.at(limit)?.target, ...ends].filter((id) => typeof id === "string");
  // What one found behind the first cut is left to the next sweep, which finds all of it there.
  const [last = ""] = cutOff.sort();
  const found = [...overdue.values()].filter(({ id }) => last === "" || id <= last);
  return { overdue: found, last };
}
