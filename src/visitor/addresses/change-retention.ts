import type { PlatformContext } from "../../platform/context/context.ts";
import { workInSlices } from "../../platform/slices.ts";
import { deleteOldChanges } from "./changes.repository.ts";

/** Isolates look each few seconds; what is in a shared cache is good for as long as the log goes back. */
const KEPT_SECONDS = 60 * 60;
/** 250 changes a second. */
const SHARE = { rows: 250, slices: 60 };

/** Deletes what changed for visitors more than an hour ago. */
export async function purgeAddressChanges(ctx: PlatformContext): Promise<void> {
  await workInSlices(ctx, SHARE, (limit) => deleteOldChanges(ctx.db, KEPT_SECONDS, limit));
}
