import { ApiError } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import { ifUnchanged, PATIENCE_MILLISECONDS, pauseByChance } from "../../../api/unchanged.ts";
import { findErased } from "../../../events/erasures.repository.ts";
import { announceEvents } from "../../../events/events.service.ts";
import type { ClientContext } from "../../../platform/context/context.ts";
import { isMissing, isReferenceConflict, isUniqueConflictOf } from "../../../platform/db/faults.ts";
import { newId, newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { type PreparedContact, prepareContact } from "../../salesbot/contacts/contact-offers.ts";
import { redrawSoon } from "../pages/page-product-changes.ts";
import { countReleased } from "./released-hit.ts";
import { contactOf } from "./submission-contact.ts";
import { findSubmission } from "./submission-inbox.repository.ts";
import { getSubmission } from "./submission-inbox.service.ts";
import { findNamedContact, releaseSubmission } from "./submission-release.repository.ts";
import { dueAt } from "./submission-times.ts";
import { receivedEvent } from "./submissions.presenter.ts";
import type { SubmissionRow } from "./submissions.repository.ts";

/**
 * Accepts what was held or taken for spam, as if the form had: with its contact, if the form makes
 * them, and with its event, once however often it is released. @throws 404, 409, 412
 */
export async function release(
  ctx: ClientContext,
  row: SubmissionRow,
  expected: ExpectedRevision,
): Promise<SubmissionRow> {
  return ifUnchanged(
    row,
    expected,
    (current) => (current.status === "accepted" ? Promise.resolve(current) : accept(ctx, current)),
    () => getSubmission(ctx, row.id),
  );
}

/** The submission as it is then; undefined: it is another by now. @throws 409 */
async function accept(ctx: ClientContext, row: SubmissionRow): Promise<SubmissionRow | undefined> {
  const startedAt = now();
  for (;;) {
    const accepted = await tryToAccept(ctx, row);
    if (accepted) return accepted;
    const current = await findSubmission(ctx.db, ctx.workspaceId, row.id);
    if (current?.revision !== row.revision) return undefined;
    // Its contact was changed or deleted meanwhile, or a tag is gone.
    const elapsed = now() - startedAt;
    if (elapsed >= PATIENCE_MILLISECONDS) {
      const message = "Its contact is being changed by others: try again.";
      throw new ApiError("conflict", { message });
    }
    await pauseByChance(elapsed);
  }
}

async function tryToAccept(
  ctx: ClientContext,
  row: SubmissionRow,
): Promise<SubmissionRow | undefined> {
  const contact = await contactFor(ctx, row);
  const accepted: SubmissionRow = {
    ...row,
    status: "accepted",
    contactId: contact?.id ?? row.contactId,
    isTold: true,
    dueAt: dueAt({ ...row, status: "accepted" }),
    revision: newRevision(),
  };
  const event = row.isTold ? undefined : receivedEvent(accepted);
  try {
    const release = { before: row, after: accepted, event, contact };
    const { wanted, host } = await releaseSubmission(ctx.db, release);
    ctx.waitUntil(announceEvents(ctx, wanted));
    // Its form may be full by it.
    ctx.waitUntil(redrawSoon(ctx));
    // What was accepted before, and is again, is counted already.
    if (!row.isTold) ctx.waitUntil(countReleased(ctx, accepted, host));
    return accepted;
  } catch (error) {
    if (isUniqueConflictOf(error, "submissions.block_id, submissions.only_email")) {
      const message = "The form takes one submission of each address, and has another of this.";
      throw new ApiError("conflict", { message });
    }
    if (isMissing(error, "submissions.id") || isReferenceConflict(error)) return undefined;
    throw error;
  }
}

/**
 * The contact that is there when it is accepted: the one that it names, or, where that was deleted
 * since, a new one. Undefined: its form makes none.
 */
async function contactFor(
  ctx: ClientContext,
  { contactId, contactRule, answers }: SubmissionRow,
): Promise<PreparedContact | undefined> {
  const { db, workspaceId } = ctx;
  if (!contactRule || !ctx.caller.features.includes("salesbot")) return undefined;
  if (contactId !== null) {
    const named = await findNamedContact(db, workspaceId, contactId);
    if (named) return named;
    // What its erasure goes by: the submission goes, too.
    if ((await findErased(db, workspaceId, [contactId])).has(contactId)) return undefined;
  }
  return prepareContact(ctx, newId(), contactOf(contactRule, answers));
}
