import type { Context, PlatformContext } from "../platform/context/context.ts";
import { type Share, workInSlices } from "../platform/slices.ts";
import { now } from "../platform/time.ts";
import { addAnswerTimes, percentileOf } from "./answer-times.ts";
import {
  deleteOldHours,
  findHours,
  HOUR_MILLISECONDS,
  type HourMetrics,
  startOfHour,
} from "./target-metrics.repository.ts";

const SHOWN_MILLISECONDS = 24 * HOUR_MILLISECONDS;
/** Twice as long as they are shown. */
const KEPT_MILLISECONDS = 2 * SHOWN_MILLISECONDS;
/** 250 rows a second. */
const SHARE: Share = { rows: 1000, slices: 15 };

/** How the attempts at a target went in the last 24 hours and what was over of the hour before. */
export interface TargetMetrics {
  since: number;
  delivered: number;
  failed: number;
  /** Answer times, in milliseconds, of the attempts that got an answer; null: none did. */
  p50: number | null;
  p95: number | null;
}

/** The metrics of some targets of the workspace, by their ids. */
export async function findTargetMetrics(
  { db, workspaceId }: Context,
  ids: string[],
): Promise<(id: string) => TargetMetrics> {
  const since = startOfHour(now() - SHOWN_MILLISECONDS);
  const hours = ids.length === 0 ? [] : await findHours(db, workspaceId, ids, since);
  const byTarget = Map.groupBy(hours, ({ targetId }) => targetId);
  return (id) => sumOf(byTarget.get(id) ?? [], since);
}

function sumOf(hours: HourMetrics[], since: number): TargetMetrics {
  const times = addAnswerTimes(hours.map(({ answerTimes }) => answerTimes));
  return {
    since,
    delivered: hours.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: hours.reduce((sum, { failed }) => sum + failed, 0),
    p50: percentileOf(times, 0.5),
    p95: percentileOf(times, 0.95),
  };
}

/** Deletes metrics after two days. */
export async function purgeTargetMetrics(ctx: PlatformContext): Promise<void> {
  const before = now() - KEPT_MILLISECONDS;
  await workInSlices(ctx, SHARE, (limit) => deleteOldHours(ctx.db, before, limit));
}
