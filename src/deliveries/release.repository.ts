import { pendingBudget } from "../access/usage/usage.ports.ts";
import { deferredOf, roomOf } from "./deferral.repository.ts";
import { mayBeSent, ofLane } from "./lane.repository.ts";
import type { Lane } from "./targets.ts";

/** How many of `wanted` more deliveries may be pending of a lane's target now. */
export async function findPendingRoom(
  { ctx: { db, workspaceId }, target }: Lane,
  wanted: number,
): Promise<number> {
  const room = await db.$client
    .prepare(
      `WITH allotment AS MATERIALIZED (${pendingBudget("?2")}) SELECT ${roomOf("?1", "?3")} AS room
       FROM allotment`,
    )
    .bind(target.id, workspaceId, wanted)
    .first<number>("room");
  return room ?? 0;
}

/**
 * Has a lane's oldest deferred deliveries be pending, up to `limit` and as its target's share has
 * room; those that may not be sent now are parked instead. How many those were.
 */
export async function releaseDeferred(
  lane: Lane,
  { limit, now }: { limit: number; now: number },
): Promise<number> {
  const { results } = await lane.ctx.db.$client
    .prepare(
      `WITH allotment AS MATERIALIZED (${pendingBudget("?3")})
       UPDATE target_deliveries AS deliveries
       SET status = CASE WHEN ${mayBeSent(lane)} THEN 'pending' ELSE 'parked' END,
         next_attempt_at = max(next_attempt_at, ?4)
       WHERE target_id = ?1 AND id IN (SELECT id ${deferredOf("?1")}
         AND target_kind = ?2 AND workspace_id = ?3 ORDER BY id
         LIMIT (SELECT ${roomOf("?1", "?5")} FROM allotment))
       RETURNING id`,
    )
    .bind(...ofLane(lane), now, limit)
    .all();
  return results.length;
}
