import type { PlatformContext } from "../context/context.ts";
import { type Share, workInSlices } from "../slices.ts";
import { now } from "../time.ts";
import { deleteOldDeadLetters } from "./dead-letters.repository.ts";

const KEPT_MILLISECONDS = 30 * 24 * 60 * 60_000;
/** 200 rows a second: a letter may be 128 KB, so fewer at once than of others. */
const SHARE: Share = { rows: 200, slices: 60 };

/** Deletes dead letters after 30 days. */
export async function purgeDeadLetters(ctx: PlatformContext): Promise<void> {
  const before = now() - KEPT_MILLISECONDS;
  await workInSlices(ctx, SHARE, (limit) => deleteOldDeadLetters(ctx.db, before, limit));
}
