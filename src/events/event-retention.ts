import type { PlatformContext } from "../platform/context/context.ts";
import { deleteOldest } from "../platform/db/oldest.ts";
import { type Share, workInSlices } from "../platform/slices.ts";
import { now } from "../platform/time.ts";
import { emptyOldPayloads } from "./events.repository.ts";
import { events } from "./events.table.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const PAYLOAD_DAYS = 7;
const EVENT_DAYS = 30;
/** 250 rows a second. */
const SHARE: Share = { rows: 1000, slices: 15 };

/** Empties payloads after 7 days. */
export async function purgePayloads(ctx: PlatformContext): Promise<void> {
  const before = now() - PAYLOAD_DAYS * DAY_MILLISECONDS;
  await workInSlices(ctx, SHARE, (limit) => emptyOldPayloads(ctx.db, before, limit));
}

/**
 * Deletes events after 30 days, whether or not a delivery of them, a resend perhaps, is younger: it
 * needs no more of its event than the payload, and does without that since the 7th day.
 */
export async function purgeEvents(ctx: PlatformContext): Promise<void> {
  const before = now() - EVENT_DAYS * DAY_MILLISECONDS;
  await workInSlices(ctx, SHARE, (limit) => deleteOldest(ctx.db, events, before, limit));
}
