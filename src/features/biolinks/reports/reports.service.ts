import { ApiError } from "../../../api/errors.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import type { PlatformContext } from "../../../platform/context/context.ts";
import { sharedDatabase } from "../../../platform/db/client.ts";
import { newId } from "../../../platform/ids.ts";
import { type Share, workInSlices } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import type { ReportBook } from "../../../visitor/reports/report-book.ts";
import type { ReportRow, ReportStatus } from "./reports.repository.ts";
import * as repository from "./reports.repository.ts";
import type { ChangeReport } from "./reports.schemas.ts";

const HOUR = 60 * 60_000;
const KEPT_MILLISECONDS = 180 * 24 * HOUR;
const MOST_AN_HOUR = 5;
/** What the 21st says of a page, the 20 before it have said: it is thanked for, and not kept. */
const MOST_OPEN = 20;
/** 500 rows a second. */
const SHARE: Share = { rows: 1000, slices: 30 };

/** Where visitors' reports go. They are of all workspaces, for the operator. */
export const reportBook: ReportBook = {
  async take(env, { sender, ...report }) {
    const time = now();
    const row = { ...report, id: newId(), status: "open" as const, note: null };
    const limit = { sender, since: time - HOUR, most: MOST_AN_HOUR };
    const taken = await repository.takeReport(
      sharedDatabase(env),
      { ...row, createdAt: time, updatedAt: time },
      limit,
      MOST_OPEN,
    );
    if (taken.isTaken) return 0;
    return Math.max(1, Math.ceil((taken.firstAt + HOUR - time) / 1000));
  },
};

export async function listReports(
  { db }: PlatformContext,
  status: ReportStatus | undefined,
  page: PageRequest,
): Promise<ReportRow[]> {
  return repository.listReports(db, status, page);
}

/** @throws 404 */
export async function changeReport(
  { db }: PlatformContext,
  id: string,
  { status, note }: ChangeReport,
): Promise<ReportRow> {
  const changes = {
    ...(status && { status }),
    ...(note !== undefined && { note }),
    updatedAt: now(),
  };
  const report = await repository.updateReport(db, id, changes);
  if (!report) throw new ApiError("not_found", { message: "There is no such report." });
  return report;
}

/** Deletes reports 180 days after their last change, and who sent them after an hour. */
export async function purgeReports(ctx: PlatformContext): Promise<void> {
  const time = now();
  await workInSlices(ctx, SHARE, (limit) => repository.purgeTries(ctx.db, time - HOUR, limit));
  await workInSlices(ctx, SHARE, (limit) =>
    repository.purgeReports(ctx.db, time - KEPT_MILLISECONDS, limit),
  );
}
