import type { Database } from "../../db/client.ts";
import { isReferenceConflict, isUniqueConflict } from "../../db/faults.ts";
import type { Env } from "../../env.ts";
import { announceEvents } from "../../events/events.service.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import type { ExpectedRevision } from "../../http/etag.ts";
import type { Page } from "../../http/pagination.ts";
import { ifUnchanged } from "../../http/unchanged.ts";
import { validate } from "../../http/validation.ts";
import { now } from "../../lib/clock.ts";
import { deriveId } from "../../lib/ids.ts";
import { deletionEvent, updateOf } from "./contact-changes.ts";
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

/** For messages, which note in their own batch that a contact wrote. */
export { contactHeardFrom } from "./contact-writes.repository.ts";
export type { ContactQuery, ContactRow } from "./contacts.repository.ts";
/** For segments, which say which contacts by a query of their own. */
export {
  countContacts,
  findContact,
  selectContacts,
  TAGGED_CONTACTS,
} from "./contacts.repository.ts";

export interface ContactScope {
  env: Env;
  db: Database;
  workspaceId: string;
  waitUntil: (work: Promise<unknown>) => void;
}

/** @throws 404 */
export async function getContact(
  { db, workspaceId }: Pick<ContactScope, "db" | "workspaceId">,
  id: string,
): Promise<ContactRow> {
  const contact = await repository.findContact(db, workspaceId, id);
  if (!contact) throw new ApiError("not_found", { message: "There is no such contact." });
  return contact;
}

export async function listContacts(
  scope: ContactScope,
  filter: ContactFilter,
  page: Page,
): Promise<ContactRow[]> {
  const query = repository.toContactQuery(filter);
  return repository.selectContacts(scope.db, scope.workspaceId, query, page);
}

/**
 * Makes a contact, or changes the one that has this external id. `id` comes from the gate: a run
 * that follows one that was cut off finds what that one made. @throws 422
 */
export async function createContact(
  scope: ContactScope,
  id: string,
  input: ContactInput,
): Promise<{ contact: ContactRow; isNew: boolean }> {
  const [result] = await upsertContacts(scope, [{ id, input }]);
  if (!result || result.status === "failed") {
    if (!result || result.errors.row) throw new ApiError("conflict", { message: CONTENDED });
    throw new ApiError("validation_failed", { errors: result.errors });
  }
  announce(scope, result.eventIds);
  return { contact: result.contact, isNew: result.status === "created" };
}

/** Makes or changes a contact of each row that is right; the others are told why they are not. */
export async function importContacts(
  scope: ContactScope,
  id: string,
  rows: Record<string, unknown>[],
): Promise<ImportedRow[]> {
  const seen = new Set<string>();
  const ids = await Promise.all(rows.map((_, at) => deriveId(id, at)));
  const judged = rows.map((row, at) => judgeRow(row, ids[at] ?? "", seen));
  const right = judged.filter((row) => "input" in row);
  const results = await upsertContacts(scope, right);
  const byRow = new Map(right.map((row, at) => [row, results[at]]));
  announce(
    scope,
    results.flatMap((result) => (result.status === "failed" ? [] : result.eventIds)),
  );
  return judged.map((row, at) => presentRow(at, "input" in row ? byRow.get(row) : row));
}

type JudgedRow =
  | { id: string; input: ContactInput }
  | { status: "failed"; errors: ApiError["errors"] };

function judgeRow(row: Record<string, unknown>, id: string, seen: Set<string>): JudgedRow {
  try {
    const input = validate(ContactInput, row);
    if (input.external_id && seen.has(input.external_id)) {
      throw invalid("external_id", "An earlier row has this external id.");
    }
    if (input.external_id) seen.add(input.external_id);
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

/** @throws 404, 412, 422 */
export async function updateContact(
  scope: ContactScope,
  contact: ContactRow,
  expected: ExpectedRevision,
  input: ContactInput,
): Promise<ContactRow> {
  return ifUnchanged(
    contact,
    expected,
    async (current) => {
      assertOwnReferences(input, await findForeignReferences(scope, [input]));
      const write = updateOf(current, input, now());
      if (!write) return current;
      const written = await writes.writeContacts(scope.db, [write]).catch((error: unknown) => {
        if (isUniqueConflict(error)) throw externalIdTaken();
        if (!isReferenceConflict(error)) throw error;
        throw new ApiError("conflict", { message: "A tag or stage was deleted just now." });
      });
      if (!written.has(write.contact.id)) return undefined;
      announce(
        scope,
        write.events.map(({ id }) => id),
      );
      return write.contact;
    },
    () => getContact(scope, contact.id),
  );
}

/** @throws 404, 412 */
export async function deleteContact(
  scope: ContactScope,
  contact: ContactRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    contact,
    expected,
    async (current) => {
      const event = deletionEvent(current);
      const deleted = await writes.deleteContact(scope.db, current, event);
      if (deleted) announce(scope, [event.id]);
      return deleted || undefined;
    },
    () => getContact(scope, contact.id),
  );
}

function announce(scope: ContactScope, eventIds: string[]): void {
  scope.waitUntil(announceEvents(scope.env, eventIds));
}

function externalIdTaken(): ApiError {
  return invalid("external_id", "Another contact has this external id.");
}
