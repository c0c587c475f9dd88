import type { PlatformContext } from "../../../platform/context/context.ts";
import { type Share, workInSlices } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import { TOMBSTONE_MONTHS } from "./page-limits.ts";
import { purgeTombstones as purge, removeSlice } from "./page-retention.repository.ts";

const MONTH_MILLISECONDS = 31 * 24 * 60 * 60_000;
/** 250 rows a second. */
const TOMBSTONES: Share = { rows: 1000, slices: 15 };
/** Of versions, which may be of 256 KiB each, fewer at a time. */
const HELD_BY_PAGES: Share = { rows: 100, slices: 60 };

/** Deletes what nothing can tell of any more: tombstones of blocks, 25 months after their deletion. */
export async function purgeTombstones(ctx: PlatformContext): Promise<void> {
  const before = now() - TOMBSTONE_MONTHS * MONTH_MILLISECONDS;
  await workInSlices(ctx, TOMBSTONES, (limit) => purge(ctx.db, before, limit));
}

/** Deletes the blocks and versions of pages that were deleted. */
export async function removeDeletedPages(ctx: PlatformContext): Promise<void> {
  await workInSlices(ctx, HELD_BY_PAGES, (limit) => removeSlice(ctx.db, limit));
}
