import type { Database } from "../platform/db/client.ts";
import type { TargetKind, TargetRef } from "./targets.ts";

/**
 * Has up to `limit` parked deliveries to targets of a kind be due again, of some events. Answers
 * the target of each.
 */
export async function unparkDeliveries(
  db: Database,
  workspaceId: string,
  told: { kind: TargetKind; events: string[] },
  { limit, now }: { limit: number; now: number },
): Promise<TargetRef[]> {
  const { results } = await db.$client
    .prepare(
      `UPDATE target_deliveries SET status = 'pending', next_attempt_at = max(next_attempt_at, ?5)
       WHERE (target_id, id) IN (
         SELECT target_id, id FROM target_deliveries INDEXED BY target_deliveries_parked
         WHERE workspace_id = ?1 AND status = 'parked' AND target_kind = ?2
           AND event IN (SELECT value FROM json_each(?3)) LIMIT ?4)
       RETURNING target_kind AS kind, target_id AS id`,
    )
    .bind(workspaceId, told.kind, JSON.stringify(told.events), limit, now)
    .all<TargetRef>();
  return results;
}
