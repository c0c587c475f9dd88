import type { Context, PlatformContext } from "../../../platform/context/context.ts";
import { type Share, shareOfTime, workInSlices } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import {
  findDueSubmissions,
  findSubmissionsOfEmail,
  removeSubmissions,
} from "./submission-removal.repository.ts";

/** Removed in one transaction: each has two events, and each of those some hundred deliveries. */
const SLICE = 50;
/** 250 rows a second. Most are older than any event. */
const SHARE: Share = { rows: 200, slices: 75 };
const REQUEST_MILLISECONDS = 10_000;

/** Deletes those of some submissions that the workspace has; their ids. */
export async function deleteSubmissions(ctx: Context, ids: string[]): Promise<string[]> {
  const { db, workspaceId } = ctx;
  const wanted = [...new Set(ids)];
  const deleted: string[] = [];
  for (let at = 0; at < wanted.length; at += SLICE) {
    const doomed = wanted.slice(at, at + SLICE).map((id) => ({ id, workspaceId }));
    deleted.push(...(await removeSubmissions(db, doomed, now())));
  }
  return deleted;
}

/** Deletes what somebody sent, for as long as a request may take: `finished`, if that was all. */
export async function eraseSubmissionsOf(
  { db, workspaceId }: Context,
  email: string,
): Promise<{ erased: number; finished: boolean }> {
  const isTimeUp = shareOfTime(REQUEST_MILLISECONDS);
  const address = email.toLowerCase();
  let erased = 0;
  for (;;) {
    const ids = await findSubmissionsOfEmail(db, workspaceId, address, {
      after: "",
      limit: SLICE,
    });
    if (ids.length === 0) return { erased, finished: true };
    if (isTimeUp()) return { erased, finished: false };
    const doomed = ids.map((id) => ({ id, workspaceId }));
    erased += (await removeSubmissions(db, doomed, now())).length;
  }
}

/** Deletes submissions whose time is over: the form's retention, 30 days for spam. */
export async function purgeSubmissions(ctx: PlatformContext): Promise<void> {
  await workInSlices(ctx, SHARE, async (limit) => {
    const due = await findDueSubmissions(ctx.db, now(), limit);
    if (due.length > 0) await removeSubmissions(ctx.db, due, now());
    return due.length;
  });
}
