import { findDeliveryAllowance } from "../access/usage/delivery-budget.ports.ts";
import { newId } from "../platform/ids.ts";
import { now } from "../platform/time.ts";
import { hasFormerDeliveries } from "./former-deliveries.repository.ts";
import { advanceRecovery, findNextFailed, findOpenRecovery } from "./recoveries.repository.ts";
import { findPendingRoom } from "./release.repository.ts";
import type { Lane, Target } from "./targets.ts";

/** So many failed deliveries are looked at in one step, */
const LOOKED_AT = 250;
/** and so many steps are made before others, and what is due, have their turn. */
const STEPS_A_RUN = 4;

/**
 * Carries on a target's recoveries: what failed is sent again, once. Each step moves the job on
 * in the transaction that makes its deliveries, so a step that is cut off leaves no half. Whether
 * there may be more to do at once: a workspace that has had its deliveries, or a target that has its
 * share of what is pending, waits for the sweep.
 */
export async function resendFailed(
  lane: Lane,
  conduct: Pick<Target, "failingSince">,
): Promise<boolean> {
  const { db, workspaceId } = lane.ctx;
  const { target } = lane;
  if (target.kind !== "endpoint") return false;
  for (let step = 0; step < STEPS_A_RUN; step++) {
    const job = await findOpenRecovery(db, workspaceId, target.id);
    if (!job) return false;
    // What is still to be moved would be passed over.
    if (await hasFormerDeliveries(db, { workspaceId, targetId: target.id })) return true;
    const { allowed } = await findDeliveryAllowance(db, workspaceId, now());
    if (allowed <= 0) return false;
    const limit = await findPendingRoom(lane, conduct, Math.min(allowed, LOOKED_AT), now());
    if (limit <= 0) return false;
    const looked = await findNextFailed(lane, job, limit);
    // It was paused just now: the lane, which looks again, ends the job if it still is.
    if (!looked) return true;
    const resends = looked
      .filter(({ isWanted }) => isWanted)
      .map(({ id }): [string, string] => [newId(), id]);
    const position = looked.at(-1)?.id ?? job.position;
    await advanceRecovery(db, job, { resends, position, isLast: looked.length < limit }, now());
  }
  return true;
}
