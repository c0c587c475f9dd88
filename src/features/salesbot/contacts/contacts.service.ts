import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { ifUnchanged } from "../../../api/unchanged.ts";
import { validate } from "../../../api/validation.ts";
import { announceEvents } from "../../../events/events.service.ts";
import type { ClientContext, Context } from "../../../platform/context/context.ts";
import { isReferenceConflict, isUniqueConflict } from "../../../platform/db/faults.ts";
import { deriveId } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { mapInTurns } from "../../../platform/turns.ts";
import { identitiesToList, writeConsented } from "./consented-writes.ts";
import { deletionEvent, erasureEvent, updateOf } from "./contact-changes.ts";
import { assertMayConsent, consentMissing } from "./contact-consent.ts";
import { findFilteredContact, toFilterScan } from "./contact-filter.repository.ts";
import { undoOptOuts } from "./contact-opt-outs.ts";
import { LIST_BUDGET, selectPage } from "./contact-scan.ts";
import {
  assertOwnReferences,
  CONTENDED,
  findForeignReferences,
  type UpsertResult,
  upsertContacts,
} from "./contact-upsert.ts";
import * as writes from "./contact-writes.repository.ts";
import type { ContactRow } from "./contacts.repository.ts";
import * as repository from "./contacts.repository.ts";
import { type ContactFilter, ContactInput, type ImportedRow } from "./contacts.schemas.ts";
import { MAX_FIELDS_OF_ROW, withinAnswer } from "./import-answer.ts";

export { hasOptedOut, listedAs } from "./contact-opt-outs.ts";
export type { ContactRow } from "./contacts.repository.ts";

export async function findContact(
  { db, workspaceId }: Context,
  id: string,
): Promise<ContactRow | undefined> {
  return repository.findContact(db, workspaceId, id);
}

/** @throws 404 */
export async function getContact(ctx: Context, id: string): Promise<ContactRow> {
  const contact = await findContact(ctx, id);
  if (!contact) throw new ApiError("not_found", { message: "There is no such contact." });
  return contact;
}

/** Newest first; `lastId` is where the list goes on, if it does: a page may end early. */
export async function listContacts(
  ctx: Context,
  filter: ContactFilter,
  page: PageRequest,
): Promise<{ contacts: ContactRow[]; lastId: string | null }> {
  const { external_id } = filter;
  if (external_id === undefined) {
    return selectPage(ctx, toFilterScan(filter), page, LIST_BUDGET);
  }
  const one = await findFilteredContact(ctx.db, ctx.workspaceId, { ...filter, external_id });
  const isBefore = one && (!page.beforeId || one.id < page.beforeId);
  return { contacts: isBefore ? [one] : [], lastId: null };
}

export async function listAllContacts(ctx: Context, page: PageRequest): Promise<ContactRow[]> {
  return repository.listAllContacts(ctx.db, ctx.workspaceId, page);
}

/** Makes a contact, or changes the one that has this external id. @throws 403, 422 */
export async function createContact(
  ctx: ClientContext,
  input: ContactInput,
): Promise<{ contact: ContactRow; isNew: boolean }> {
  const { id } = ctx.creates;
  const { results, wanted } = await upsertContacts(ctx, [{ id, input }]);
  const [result] = results;
  if (!result || result.status === "failed") {
    if (result?.isForbidden) throw consentMissing();
    const [why] = result?.errors.row ?? [];
    if (!result || why) throw new ApiError("conflict", { message: why ?? CONTENDED });
    throw new ApiError("validation_failed", { errors: result.errors });
  }
  announce(ctx, wanted);
  return { contact: result.contact, isNew: result.status === "created" };
}

/** So many rows are judged before others' requests have their turn: about 10 ms. */
const ROWS_A_TURN = 50;

/** Makes or changes a contact of each row that is right; the others are told why they are not. */
export async function importContacts(ctx: ClientContext, rows: unknown[]): Promise<ImportedRow[]> {
  const { id } = ctx.creates;
  const rowOfExternalId = new Map<string, number>();
  const ids = await Promise.all(rows.map((_, at) => deriveId(id, at)));
  const judged = await mapInTurns(rows, ROWS_A_TURN, (row, at) =>
    judgeRow(row, at, ids[at] ?? "", rowOfExternalId),
  );
  const right = judged.filter((row) => "input" in row);
  const { results, wanted } = await upsertContacts(ctx, right);
  const byRow = new Map(right.map((row, at) => [row, results[at]]));
  announce(ctx, wanted);
  return withinAnswer(
    judged.map((row, at) => presentRow(at, "input" in row ? byRow.get(row) : row)),
  );
}

type JudgedRow =
  | { id: string; input: ContactInput }
  | { status: "failed"; errors: ApiError["errors"] };

function judgeRow(
  row: unknown,
  at: number,
  id: string,
  rowOfExternalId: Map<string, number>,
): JudgedRow {
  try {
    if (typeof row !== "object" || row === null || Array.isArray(row)) {
      throw invalid("row", "Must be an object.");
    }
    const input = validate(ContactInput, row, [], MAX_FIELDS_OF_ROW);
    const { external_id } = input;
    const earlier = external_id ? rowOfExternalId.get(external_id) : undefined;
    if (earlier !== undefined) {
      throw invalid("external_id", `Row ${earlier} has this external id too.`);
    }
    if (external_id) rowOfExternalId.set(external_id, at);
    return { id, input };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: "failed", errors: error.errors };
  }
}

function presentRow(row: number, result: UpsertResult | JudgedRow | undefined): ImportedRow {
  if (result && "contact" in result) {
    return { row, status: result.status, id: result.contact.id };
  }
  const errors = result && "errors" in result ? result.errors : undefined;
  return { row, status: "failed", id: null, ...(errors && { errors }) };
}

/** @throws 403, 404, 412, 422 */
export async function updateContact(
  ctx: ClientContext,
  contact: ContactRow,
  expected: ExpectedRevision,
  input: ContactInput,
): Promise<ContactRow> {
  return ifUnchanged(
    contact,
    expected,
    async (current) => {
      // Of the contact as it is now: with `If-Match: *` it may have opted out since it was read.
      assertMayConsent(ctx.caller, current, input);
      assertOwnReferences(input, await findForeignReferences(ctx, [input]));
      const write = updateOf(current, input, now());
      if (!write) {
        if (input.status === "active") await undoOptOuts(ctx, [current]);
        return current;
      }
      const done = await writeConsented(ctx, [write]).catch((error: unknown) => {
        if (isUniqueConflict(error)) throw externalIdTaken();
        if (!isReferenceConflict(error)) throw error;
        throw new ApiError("conflict", { message: "A tag or stage was deleted just now." });
      });
      announce(ctx, done.wanted);
      return done.written.get(write.contact.id)?.contact;
    },
    () => getContact(ctx, contact.id),
  );
}

/** @throws 404, 412 */
export async function deleteContact(
  ctx: Context,
  contact: ContactRow,
  expected: ExpectedRevision,
): Promise<void> {
  await deleteAs(ctx, contact, expected, { isErasure: false });
}

/**
 * Deletes a contact and begins to erase what is stored of it elsewhere. `beforehand` is run with the
 * contact as it goes: should it change meanwhile, once more. @throws 404, 412
 */
export async function eraseContact(
  ctx: Context,
  contact: ContactRow,
  expected: ExpectedRevision,
  beforehand?: (current: ContactRow) => Promise<void>,
): Promise<void> {
  await deleteAs(ctx, contact, expected, { isErasure: true, beforehand });
}

interface DeletionKind {
  isErasure: boolean;
  beforehand?: ((current: ContactRow) => Promise<void>) | undefined;
}

async function deleteAs(
  ctx: Context,
  contact: ContactRow,
  expected: ExpectedRevision,
  { isErasure, beforehand }: DeletionKind,
): Promise<void> {
  await ifUnchanged(
    contact,
    expected,
    async (current) => {
      await beforehand?.(current);
      const event = isErasure ? erasureEvent(current) : deletionEvent(current);
      const identities = await identitiesToList(ctx, current);
      const deletion = { event, identities, isErasure };
      const { isDeleted, wanted } = await writes.deleteContact(ctx.db, current, deletion);
      announce(ctx, wanted);
      return isDeleted || undefined;
    },
    () => getContact(ctx, contact.id),
  );
}

function announce(ctx: Context, wanted: string | undefined): void {
  ctx.waitUntil(announceEvents(ctx, wanted));
}

function externalIdTaken(): ApiError {
  return invalid("external_id", "Another contact has this external id.");
}
