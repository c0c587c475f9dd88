import type { PlatformContext } from "../platform/context/context.ts";
import { findJobPlace } from "../platform/db/job-places.ts";
import { type Share, workInSlices } from "../platform/slices.ts";
import { now } from "../platform/time.ts";
import { deleteOldRecoveries } from "./recoveries.repository.ts";
import { deleteOldDeliveries } from "./retention.repository.ts";

const KEPT_MILLISECONDS = 30 * 24 * 60 * 60 * 1000;
/** 250 rows a second, each with its attempts. */
const SHARE: Share = { rows: 500, slices: 30 };
/** Of so many targets a slice at most: all of 10,000 in 20 minutes, then it rests. */
const TARGETS_A_SLICE = 500;
const REST_MILLISECONDS = 60 * 60 * 1000;
const JOB = "purge_deliveries";
/** Where it is between two walks, with when the next one begins: no target is called so. */
const RESTING = "resting until ";

/** Deletes deliveries after 30 days, with their attempts, and recoveries: nothing is left of what they sent. */
export async function purgeDeliveries(ctx: PlatformContext): Promise<void> {
  const before = now() - KEPT_MILLISECONDS;
  await walkThroughTargets(ctx, before);
  await workInSlices(ctx, SHARE, (limit) => deleteOldRecoveries(ctx.db, before, limit));
}

async function walkThroughTargets(ctx: PlatformContext, before: number): Promise<void> {
  let place = await findJobPlace(ctx.db, JOB);
  if (place.startsWith(RESTING)) {
    if (now() < Number(place.slice(RESTING.length))) return;
    place = "";
  }
  const atEnd = `${RESTING}${now() + REST_MILLISECONDS}`;
  await workInSlices(ctx, SHARE, async (limit) => {
    const share = { job: JOB, place, targets: TARGETS_A_SLICE, limit, atEnd };
    const slice = await deleteOldDeliveries(ctx.db, before, share);
    place = slice.place;
    return slice.deleted;
  });
}
