import type { PlatformContext } from "../platform/context/context.ts";
import { findJobPlace } from "../platform/db/job-places.ts";
import { type Share, workInSlices } from "../platform/slices.ts";
import { now } from "../platform/time.ts";
import { deleteOldEvents, emptyPayloads, findEventIds } from "./event-retention.repository.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const PAYLOAD_DAYS = 7;
const EVENT_DAYS = 30;
/** 250 rows a second. */
const SHARE: Share = { rows: 1000, slices: 15 };

const PAYLOADS_JOB = "purge_payloads";

/** Empties payloads after 7 days, as the events' ids say: it goes on where it was. */
export async function purgePayloads(ctx: PlatformContext): Promise<void> {
  const before = now() - PAYLOAD_DAYS * DAY_MILLISECONDS;
  let place = await findJobPlace(ctx.db, PAYLOADS_JOB);
  await workInSlices(ctx, SHARE, async (limit) => {
    const ids = await findEventIds(ctx.db, { after: place, before, limit });
    if (ids.length > 0) await emptyPayloads(ctx.db, ids, PAYLOADS_JOB);
    place = ids.at(-1) ?? place;
    return ids.length;
  });
}

/**
 * Deletes events after 30 days, as their ids say, whether or not a delivery of them, a resend
 * perhaps, is younger: it needs no more of its event than the payload, and does without that since
 * the 7th day.
 */
export async function purgeEvents(ctx: PlatformContext): Promise<void> {
  const before = now() - EVENT_DAYS * DAY_MILLISECONDS;
  await workInSlices(ctx, SHARE, (limit) => deleteOldEvents(ctx.db, before, limit));
}
