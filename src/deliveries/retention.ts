import type { PlatformContext } from "../platform/context/context.ts";
import { type Share, workInSlices } from "../platform/slices.ts";
import { now } from "../platform/time.ts";
import { deleteOldRecoveries } from "./recoveries.repository.ts";
import { deleteOldDeliveries } from "./retention.repository.ts";

const KEPT_MILLISECONDS = 30 * 24 * 60 * 60 * 1000;
/** 250 rows a second, each with its attempts. */
const SHARE: Share = { rows: 500, slices: 30 };

/** Deletes deliveries after 30 days, with their attempts, and recoveries: nothing is left of what they sent. */
export async function purgeDeliveries(ctx: PlatformContext): Promise<void> {
  const before = now() - KEPT_MILLISECONDS;
  await workInSlices(ctx, SHARE, (limit) => deleteOldDeliveries(ctx.db, before, limit));
  await workInSlices(ctx, SHARE, (limit) => deleteOldRecoveries(ctx.db, before, limit));
}
