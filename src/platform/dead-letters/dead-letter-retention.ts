import type { PlatformContext } from "../context/context.ts";
import { deleteOldest } from "../db/oldest.ts";
import { type Share, workInSlices } from "../slices.ts";
import { now } from "../time.ts";
import { deadLetters } from "./dead-letters.table.ts";

const KEPT_MILLISECONDS = 30 * 24 * 60 * 60_000;
/** 200 rows a second: a letter may be 128 KB, so fewer at once than of others. */
const SHARE: Share = { rows: 200, slices: 60 };

/** Deletes dead letters after 30 days. */
export async function purgeDeadLetters(ctx: PlatformContext): Promise<void> {
  const before = now() - KEPT_MILLISECONDS;
  await workInSlices(ctx, SHARE, (limit) => deleteOldest(ctx.db, deadLetters, before, limit));
}
