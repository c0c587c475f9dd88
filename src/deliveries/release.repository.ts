import { pendingBudget } from "../access/usage/delivery-budget.ports.ts";
import { deferredOf, roomOf } from "./deferral.repository.ts";
import { mayBeSent, ofLane } from "./lane.repository.ts";
import type { Lane, Target } from "./targets.ts";

/** What a target that answers well has under way, or to come back soon; what waits longer failed before. */
const SOON_MILLISECONDS = 2 * 60_000;

/** Of one that answers well what waits after failures is no matter: it goes when its time comes. */
function countedUntil({ failingSince }: Pick<Target, "failingSince">, time: number): number {
  return failingSince === null ? time + SOON_MILLISECONDS : Number.MAX_SAFE_INTEGER;
}

/** How many of `wanted` more deliveries may be pending of a lane's target now. */
export async function findPendingRoom(
  { ctx: { db, workspaceId }, target }: Lane,
  conduct: Pick<Target, "failingSince">,
  wanted: number,
  time: number,
): Promise<number> {
  const room = await db.$client
    .prepare(
      `WITH allotment AS MATERIALIZED (${pendingBudget("?2")})
       SELECT ${roomOf("?1", "?3", "?4")} AS room FROM allotment`,
    )
    .bind(target.id, workspaceId, wanted, countedUntil(conduct, time))
    .first<number>("room");
  return room ?? 0;
}

/**
 * Has a lane's oldest deferred deliveries be pending, up to `limit` and as its target's share has
 * room, but `least` in any case; those that may not be sent now are parked instead. How many those were.
 */
export async function releaseDeferred(
  lane: Lane,
  conduct: Pick<Target, "failingSince">,
  { limit, least, now }: { limit: number; least: number; now: number },
): Promise<number> {
  const { results } = await lane.ctx.db.$client
    .prepare(
      `WITH allotment AS MATERIALIZED (${pendingBudget("?3")})
       UPDATE target_deliveries AS deliveries
       SET status = CASE WHEN ${mayBeSent(lane)} THEN 'pending' ELSE 'parked' END,
         next_attempt_at = max(next_attempt_at, ?4)
       WHERE target_id = ?1 AND id IN (SELECT id ${deferredOf("?1")}
         AND target_kind = ?2 AND workspace_id = ?3 ORDER BY id
         LIMIT (SELECT max(${roomOf("?1", "?5", "?6")}, ?7) FROM allotment))
       RETURNING id`,
    )
    .bind(...ofLane(lane), now, limit, countedUntil(conduct, now), least)
    .all();
  return results.length;
}
