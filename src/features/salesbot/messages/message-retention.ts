import type { PlatformContext } from "../../../platform/context/context.ts";
import { deleteOldest } from "../../../platform/db/oldest.ts";
import { type Share, workInSlices } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import { messages } from "./messages.table.ts";

const KEPT_MILLISECONDS = 180 * 24 * 60 * 60 * 1000;
/** 250 rows a second. */
const SHARE: Share = { rows: 1000, slices: 15 };

/** Deletes messages after 180 days, whatever became of them. */
export async function purgeMessages(ctx: PlatformContext): Promise<void> {
  const before = now() - KEPT_MILLISECONDS;
  await workInSlices(ctx, SHARE, (limit) => deleteOldest(ctx.db, messages, before, limit));
}
