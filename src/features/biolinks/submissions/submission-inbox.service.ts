import { ApiError } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import type { Context } from "../../../platform/context/context.ts";
import type { Part } from "../../../platform/db/walk.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { redrawSoon } from "../pages/page-product-changes.ts";
import { type BlockNames, findBlockNames } from "../pages/pages.ports.ts";
import * as repository from "./submission-inbox.repository.ts";
import type { SubmissionFilter, UpdateSubmission } from "./submission-inbox.schemas.ts";
import { removeSubmissions } from "./submission-removal.repository.ts";
import { dueAt, spamDueAt } from "./submission-times.ts";
import type { SubmissionRow } from "./submissions.repository.ts";

/** What the forms of submissions are called, or were. */
export async function namesOfBlocks(
  ctx: Context,
  rows: readonly SubmissionRow[],
): Promise<BlockNames> {
  return findBlockNames(
    ctx,
    rows.map(({ blockId }) => blockId),
  );
}

/** @throws 404 */
export async function getSubmission(
  { db, workspaceId }: Context,
  id: string,
): Promise<SubmissionRow> {
  const row = await repository.findSubmission(db, workspaceId, id);
  if (!row) throw new ApiError("not_found", { message: "There is no such submission." });
  return row;
}

/** Newest first; `lastId` is where the list goes on, if it does: a page may end early. */
export async function listSubmissions(
  { db, workspaceId }: Context,
  filter: SubmissionFilter,
  page: PageRequest,
): Promise<Part<SubmissionRow>> {
  return repository.listSubmissions(db, workspaceId, filter, page);
}

/** @throws 404, 412 */
export async function updateSubmission(
  ctx: Context,
  row: SubmissionRow,
  expected: ExpectedRevision,
  input: UpdateSubmission,
): Promise<SubmissionRow> {
  return write(ctx, row, expected, ({ isRead, isStarred }) => ({
    isRead: input.is_read ?? isRead,
    isStarred: input.is_starred ?? isStarred,
  }));
}

/** Marks what the form took for no spam; it goes in 30 days. What was told of it stays told. @throws 404, 412 */
export async function markSpam(
  ctx: Context,
  row: SubmissionRow,
  expected: ExpectedRevision,
): Promise<SubmissionRow> {
  const marked = await write(ctx, row, expected, (current) => {
    if (current.status === "spam") return {};
    const spamReasons = [...new Set([...current.spamReasons, "marked" as const])];
    return { status: "spam", spamReasons, dueAt: Math.min(dueAt(current), spamDueAt(now())) };
  });
  // Its form, if it was full, has a place again.
  ctx.waitUntil(redrawSoon(ctx));
  return marked;
}

async function write(
  ctx: Context,
  row: SubmissionRow,
  expected: ExpectedRevision,
  changesOf: (current: SubmissionRow) => Omit<repository.InboxChanges, "revision">,
): Promise<SubmissionRow> {
  return ifUnchanged(
    row,
    expected,
    async (current) => {
      const changes = changesOf(current);
      if (changesNothing(current, changes)) return current;
      const revision = newRevision();
      return repository.updateSubmission(ctx.db, current, { ...changes, revision });
    },
    () => getSubmission(ctx, row.id),
  );
}

/** Deletes a submission, and what its events and their receivers say of it. @throws 404, 412 */
export async function deleteSubmission(
  ctx: Context,
  row: SubmissionRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    row,
    expected,
    async (current) => {
      const removed = await removeSubmissions(ctx.db, [current], now());
      return removed.length > 0 || undefined;
    },
    () => getSubmission(ctx, row.id),
  );
}
