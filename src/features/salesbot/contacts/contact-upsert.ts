import { ApiError, ERRORS, type FieldErrors } from "../../../api/errors.ts";
import { PATIENCE_MILLISECONDS, pauseByChance } from "../../../api/unchanged.ts";
import { findErased } from "../../../events/erasures.repository.ts";
import { jsonBytes } from "../../../platform/bytes.ts";
import type { ClientContext, Context } from "../../../platform/context/context.ts";
import { isReferenceConflict, isStorageFull } from "../../../platform/db/faults.ts";
import { now } from "../../../platform/time.ts";
import { mapInTurns } from "../../../platform/turns.ts";
import { findForeignLabels } from "../labels/labels.service.ts";
import { type Consented, identitiesToList, writeConsented } from "./consented-writes.ts";
import { creationOf, updateOf } from "./contact-changes.ts";
import { findConsentErrors } from "./contact-consent.ts";
import { undoOptOuts } from "./contact-opt-outs.ts";
import type { ContactWrite } from "./contact-writes.repository.ts";
import { type ContactRow, findContacts } from "./contacts.repository.ts";
import type { ContactInput } from "./contacts.schemas.ts";
import { inOrder } from "./write-order.ts";

/** What is written in one batch: each of its statements gets less than the 2 MB that D1 takes. */
const PART_BYTES = 1_500_000;
/** The database does one batch at a time, of some 15 ms: others' requests come in between. */
const PART_ROWS = 25;
/** So long at most the database is left to others after a part: as long as that took. */
const MOST_REST_MILLISECONDS = 200;
/** Rows that are planned before the isolate's other requests have their turn. */
const ROWS_A_TURN = 50;
const WITHOUT_ROOM = failed(ERRORS.storage_full[1]);
const ERASED = "The contact that this request made was erased meanwhile.";
export const CONTENDED = "The contact is being changed by others: try again.";

/** A row to write: `id` is what the contact gets if it is new, on every run of the same request. */
export interface UpsertRow {
  id: string;
  input: ContactInput;
}

export type UpsertResult =
  | { status: "created" | "updated"; contact: ContactRow }
  | { status: "failed"; errors: FieldErrors; isForbidden?: true };

export interface Upserted {
  /** A result for each row. */
  results: UpsertResult[];
  /** One of the events of that, if somebody wants one. */
  wanted: string | undefined;
}

/**
 * Writes rows, each as a new contact or onto the one that has its external id, with its events.
 * Rows that others changed meanwhile are tried again. Run again for the same request, which gives
 * the same ids, it writes nothing twice.
 */
export async function upsertContacts(ctx: ClientContext, rows: UpsertRow[]): Promise<Upserted> {
  const results = new Map<UpsertRow, UpsertResult>();
  const startedAt = now();
  // Of all rounds: a row that is tried again undoes no opt-out of another one.
  const optedOut = new Set<string>();
  let foreign: ForeignReferences | undefined;
  let wanted: string | undefined;
  let isRetry = ctx.creates.resumed;
  for (;;) {
    const waiting = rows.filter((row) => !results.has(row));
    const inputs = waiting.map(({ input }) => input);
    // Both at once. Labels are looked up again only when one went since.
    const [known, looked] = await Promise.all([
      findCurrent(ctx, waiting, isRetry),
      foreign ?? findForeignReferences(ctx, inputs),
    ]);
    const plans = await plan(ctx, waiting, known, looked);
    for (const contact of plans.flatMap(saidOptedOut)) {
      for (const identity of await identitiesToList(ctx, contact)) optedOut.add(identity);
    }
    // First: what a row of these writes puts on the list stays there.
    await undoOptOuts(ctx, plans.flatMap(saidActive), optedOut);
    const writes = plans.flatMap(({ outcome }) => ("write" in outcome ? [outcome.write] : []));
    const { written, withoutRoom, isLabelGone, ...told } = await write(ctx, writes, optedOut);
    wanted ??= told.wanted;
    foreign = isLabelGone ? undefined : looked;
    isRetry = true;
    for (const { row, outcome } of plans) {
      if (!("write" in outcome)) results.set(row, outcome);
      else {
        const { id } = outcome.write.contact;
        const done = written.get(id);
        if (done) results.set(row, doneBy(done));
        else if (withoutRoom.has(id)) results.set(row, WITHOUT_ROOM);
      }
    }
    const elapsed = now() - startedAt;
    if (results.size === rows.length || elapsed >= PATIENCE_MILLISECONDS) break;
    await pauseByChance(elapsed);
  }
  const isNothingElse = rows.every((row) => results.get(row) === WITHOUT_ROOM);
  if (isNothingElse && rows.length > 0) throw new ApiError("storage_full");
  return { results: rows.map((row) => results.get(row) ?? failed(CONTENDED)), wanted };
}

function failed(problem: string): UpsertResult {
  return { status: "failed", errors: { row: [problem] } };
}

function doneBy({ before, contact }: ContactWrite): UpsertResult {
  return { status: before ? "updated" : "created", contact };
}

interface Written extends Consented {
  /** A tag or stage went after it was looked up. */
  isLabelGone: boolean;
  /** The ids of those for whose part the workspace had no room. */
  withoutRoom: Set<string>;
}

async function write(
  ctx: ClientContext,
  writes: ContactWrite[],
  optedOut: Set<string>,
): Promise<Written> {
  const written = new Map<string, ContactWrite>();
  const withoutRoom = new Set<string>();
  let wanted: string | undefined;
  let isLabelGone = false;
  let tookMilliseconds = 0;
  const parts = inOrder(ctx, writes).flatMap((group) => inParts(group, PART_ROWS));
  for (const [at, part] of parts.entries()) {
    if (at > 0)
      await scheduler.wait(Math.min(Math.max(tookMilliseconds, 1), MOST_REST_MILLISECONDS));
    const begunAt = now();
    const done = await writeConsented(ctx, part, optedOut).catch((error: unknown) => {
      // The other parts may need none: an opt-out does not.
      if (isStorageFull(error)) for (const { contact } of part) withoutRoom.add(contact.id);
      // The next try finds which row had it.
      else if (isReferenceConflict(error)) isLabelGone = true;
      else throw error;
      return { written: new Map<string, ContactWrite>(), wanted: undefined };
    });
    tookMilliseconds = now() - begunAt;
    for (const [id, one] of done.written) written.set(id, one);
    wanted ??= done.wanted;
  }
  return { written, wanted, isLabelGone, withoutRoom };
}

export function inParts<Write extends ContactWrite>(writes: Write[], rows: number): Write[][] {
  const parts: Write[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const one of writes) {
    const bytes = jsonBytes([one.contact, one.events]);
    if (size + bytes > PART_BYTES || parts.at(-1)?.length === rows) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(one);
    size += bytes;
  }
  return parts;
}

interface Plan {
  row: UpsertRow;
  outcome: UpsertResult | { write: ContactWrite };
}

/** The contact of a row that changes nothing, and says that it is active. */
function saidActive({ row, outcome }: Plan): ContactRow[] {
  const isUnchanged = "status" in outcome && outcome.status === "updated";
  return isUnchanged && row.input.status === "active" ? [outcome.contact] : [];
}

/** The contact of a row that says that it opted out, whatever becomes of the row: others are bound by it. */
function saidOptedOut({ row, outcome }: Plan): ContactRow[] {
  if (row.input.status !== "opted_out") return [];
  if ("contact" in outcome) return [outcome.contact];
  return "write" in outcome ? [outcome.write.contact] : [];
}

/** What stands already of rows: contacts, and the ids of those that were erased. */
interface Known {
  contacts: ContactRow[];
  erased: Set<string>;
}

/**
 * The contacts that rows are onto, or, if they may have been tried before, have made. One that was
 * made and then erased is not made again: under its id nothing is ever told, nor erased anew.
 */
async function findCurrent(
  { db, workspaceId }: Context,
  rows: UpsertRow[],
  isRetry: boolean,
): Promise<Known> {
  const externalIds = rows.flatMap(({ input }) => input.external_id ?? []);
  const ids = isRetry ? rows.map(({ id }) => id) : [];
  const contacts = await findContacts(db, workspaceId, ids, externalIds);
  // Afterwards: what was erased before the contacts were read is known then.
  return { contacts, erased: await findErased(db, workspaceId, ids) };
}

function plan(
  ctx: ClientContext,
  rows: UpsertRow[],
  { contacts, erased }: Known,
  foreign: ForeignReferences,
): Promise<Plan[]> {
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  const byExternalId = new Map(contacts.map((contact) => [contact.externalId, contact]));
  const time = now();
  return mapInTurns(rows, ROWS_A_TURN, (row) => {
    // An earlier run of this request made it, and was cut off before it could answer.
    const made = byId.get(row.id);
    if (made) return { row, outcome: { status: "created", contact: made } };
    if (erased.has(row.id))
      return { row, outcome: { status: "failed", errors: { row: [ERASED] } } };
    const current = byExternalId.get(row.input.external_id ?? "");
    const errors = findConsentErrors(ctx.caller, current, row.input);
    if (errors) return { row, outcome: { status: "failed", errors, isForbidden: true } };
    try {
      assertOwnReferences(row.input, foreign);
      const write = current
        ? updateOf(current, row.input, time)
        : creationOf(ctx.workspaceId, row.id, row.input, time);
      if (write) return { row, outcome: { write } };
      return { row, outcome: { status: "updated", contact: current as ContactRow } };
    } catch (error) {
      if (!(error instanceof ApiError) || !error.errors) throw error;
      return { row, outcome: { status: "failed", errors: error.errors } };
    }
  });
}

/** What inputs name and the workspace has not. A tag's id is no stage's. */
export interface ForeignReferences {
  tags: ReadonlySet<string>;
  stages: ReadonlySet<string>;
}

export async function findForeignReferences(
  ctx: Context,
  inputs: ContactInput[],
): Promise<ForeignReferences> {
  const tags = [...new Set(inputs.flatMap((input) => input.tags ?? []))];
  const stages = [...new Set(inputs.flatMap((input) => input.stage ?? []))];
  const [foreignTags, foreignStages] = await Promise.all([
    findForeignLabels(ctx, "tag", tags),
    findForeignLabels(ctx, "stage", stages),
  ]);
  return { tags: new Set(foreignTags), stages: new Set(foreignStages) };
}

/** @throws 422 */
export function assertOwnReferences(input: ContactInput, foreign: ForeignReferences): void {
  const errors: FieldErrors = {};
  if (input.stage && foreign.stages.has(input.stage)) {
    errors.stage = ["The workspace has no such stage."];
  }
  const tags = [...new Set(input.tags)].filter((tag) => foreign.tags.has(tag));
  if (tags.length > 0) errors.tags = [`The workspace has no such tags: ${tags.join(", ")}.`];
  if (Object.keys(errors).length > 0) throw new ApiError("validation_failed", { errors });
}
