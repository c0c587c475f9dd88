/** SQL of what is deferred: deliveries whose target has its share of its workspace's pending ones. */
import { PENDING_SHARE } from "../access/usage/delivery-budget.ports.ts";
import { joinDelivery } from "./deliveries.ports.ts";

/** SQL of the deferred deliveries of a target, by its SQL, without more. */
export function deferredOf(target: string): string {
  return `FROM target_deliveries INDEXED BY target_deliveries_deferred
    WHERE target_id = ${target} AND status = 'deferred'`;
}

/** SQL of a time that is later than all others. */
export const EVER = "9e15";

/** SQL of whether a target, by its SQL, has deferred deliveries: what comes later waits behind them. */
export function hasDeferred(target: string): string {
  return `EXISTS (SELECT 1 ${deferredOf(target)})`;
}

/**
 * SQL of how many of `wanted` more deliveries may be pending of a target, each by its SQL, where
 * `allotment` is the one row of `pendingBudget`. What it has pending, and is due `until` then, is
 * counted up to the most that a share may be.
 */
export function roomOf(target: string, wanted: string, until: string): string {
  return `CASE WHEN ${wanted} <= allotment.free THEN ${wanted} ELSE min(${wanted}, max(0, allotment.share
    - (SELECT count(*) FROM (SELECT 1 FROM target_deliveries INDEXED BY target_deliveries_due
      WHERE target_id = ${target} AND status = 'pending' AND next_attempt_at <= ${until} LIMIT ${PENDING_SHARE.most})))) END`;
}

/**
 * The statement that finds up to `limit` targets with deferred deliveries, behind `after`, in the
 * order of their ids: what each has is not read.
 */
export function deferringTargets(d1: D1Database, after: string, limit: number) {
  return d1
    .prepare(
      `WITH RECURSIVE waiting (target) AS (
         SELECT ?1
         UNION ALL SELECT (SELECT target_id FROM target_deliveries
           INDEXED BY target_deliveries_deferred
           WHERE status = 'deferred' AND target_id > waiting.target ORDER BY target_id LIMIT 1)
         FROM waiting WHERE waiting.target IS NOT NULL LIMIT ?2 + 1
       ), deferring (target, delivery) AS (
         SELECT target, (SELECT id ${deferredOf("waiting.target")} LIMIT 1) FROM waiting
       )
       SELECT workspace_id AS workspaceId, target_kind AS kind, target_id AS id
       FROM deferring CROSS ${joinDelivery("deferring.target", "deferring.delivery")}`,
    )
    .bind(after, limit);
}
