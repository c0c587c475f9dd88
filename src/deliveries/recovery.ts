import { findDeliveryAllowance } from "../access/usage/delivery-budget.ports.ts";
import { newId } from "../platform/ids.ts";
import { now } from "../platform/time.ts";
import { hasFormerDeliveries } from "./former-deliveries.repository.ts";
import {
  advanceRecovery,
  findNextFailed,
  findOpenRecovery,
  type LookedAt,
} from "./recoveries.repository.ts";
import { findPendingRoom } from "./release.repository.ts";
import type { Lane, Target } from "./targets.ts";

/** So many failed deliveries are looked at in one step; at first, where there is no room, a few. */
const LOOKED_AT = { most: 250, withoutRoom: 25 };
/** and so many steps are made before others, and what is due, have their turn. */
const STEPS_A_RUN = 4;

/**
 * Carries on a target's recoveries: what failed is sent again, once. Each step moves the job on
 * in the transaction that makes its deliveries, so a step that is cut off leaves no half. Whether
 * there may be more to do at once: a workspace that has had its deliveries, or a target that has its
 * share of what is pending, waits for the sweep. `least`: how many are sent where there is no room,
 * asked for only if some are wanted.
 */
export async function resendFailed(
  lane: Lane,
  conduct: Pick<Target, "failingSince">,
  least: () => number,
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
    const room = await findPendingRoom(lane, conduct, Math.min(allowed, LOOKED_AT.most), now());
    const limit = room > 0 || step > 0 ? LOOKED_AT.most : LOOKED_AT.withoutRoom;
    const looked = await findNextFailed(lane, job, limit);
    // It was paused just now: the lane, which looks again, ends the job if it still is.
    if (!looked) return true;
    const isWanted = looked.some((one) => one.isWanted);
    const taken = upToWanted(looked, room === 0 && isWanted ? least() : room);
    const isLast = taken.length === looked.length && looked.length < limit;
    const position = taken.at(-1)?.id ?? job.position;
    const wanted = taken.filter((one) => one.isWanted);
    const resends = wanted.map(({ id }): [string, string] => [newId(), id]);
    if (taken.length > 0 || isLast)
      await advanceRecovery(db, job, { resends, position, isLast }, now());
    if (taken.length < looked.length) return false;
  }
  return true;
}

/** From the first on, as far as no more than `most` are to be sent. */
function upToWanted(looked: LookedAt[], most: number): LookedAt[] {
  let wanted = 0;
  const end = looked.findIndex(({ isWanted }) => isWanted && ++wanted > most);
  return end < 0 ? looked : looked.slice(0, end);
}
