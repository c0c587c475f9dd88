import { ApiError } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import { eraseNextEvents } from "../../../deliveries/erasure.repository.ts";
import {
  type ErasureRow,
  erasureAdvance,
  findDueErasures,
  findErasure,
  postponeErasure,
} from "../../../events/erasures.repository.ts";
import { hasEventsOf } from "../../../events/events.ports.ts";
import {
  type Context,
  inWorkspace,
  type PlatformContext,
} from "../../../platform/context/context.ts";
import { isOverload } from "../../../platform/overload.ts";
import { shareOfTime } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import {
  claimNextSubmissions,
  eraseNextSubmissions,
  hasSubmissionsOf,
  removeNextSubmissions,
} from "../../biolinks/submissions/submissions.ports.ts";
import { type ContactRow, eraseContact } from "../contacts/contacts.service.ts";
import { hasMessagesOf } from "../messages/messages.ports.ts";
import { eraseNextMessages, insertErasure } from "./erasure.repository.ts";

/** Of a minute, whose jobs share the thousand queries of their invocation. */
const JOB_MILLISECONDS = 10_000;
const JOB_QUERIES = 150;
/** What was read, and its end. */
const QUERIES_A_SLICE = 2;
/** Of what follows an answer at once. */
const AT_ONCE_MILLISECONDS = 2_000;
const ERASURES_A_ROUND = 100;
const FAULT_PAUSE_MILLISECONDS = 10 * 60_000;
/** Of submissions, before the answer: of claiming them, and of deleting them. */
const SUBMISSIONS_MILLISECONDS = 5_000;
const CLAIMED_AT_ONCE = 500;
const REMOVED_AT_ONCE = 50;

interface Place {
  limit: number;
  eraseNext: typeof eraseNextMessages;
}

/**
 * Where data of a person are, in this order: no message that is erased makes an event any more. An
 * event has up to some hundred deliveries of eight attempts each.
 */
const PLACES: readonly Place[] = [
  { limit: 500, eraseNext: eraseNextMessages },
  { limit: 50, eraseNext: eraseNextEvents },
  // Most are gone before the answer; last, as erasures of before there were any know the others' places.
  { limit: REMOVED_AT_ONCE, eraseNext: eraseNextSubmissions },
];

/** @throws 404 */
export async function getErasure(ctx: Context, contactId: string): Promise<ErasureRow> {
  const erasure = await findErasure(ctx.db, ctx.workspaceId, contactId);
  if (!erasure) throw new ApiError("not_found", { message: "There is no such erasure." });
  return erasure;
}

/**
 * Takes a contact away at once with what it sent in forms, and begins to erase all else that is
 * stored of it. @throws 404, 412
 */
export async function startErasure(
  ctx: Context,
  contact: ContactRow,
  expected: ExpectedRevision,
): Promise<ErasureRow> {
  let claimed: string | null = null;
  try {
    await eraseContact(ctx, contact, expected, async (current) => {
      if (current.email !== claimed) await claimSubmissions(ctx, current);
      claimed = current.email;
    });
  } catch (error) {
    // Another request was faster: it was erased, or deleted, which is no reason to keep the rest.
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
    return startErasureOfDeleted(ctx, contact.id);
  }
  return beginWork(ctx, contact.id);
}

/**
 * While the contact stands it is known which address is its own. Whoever dies here has only said
 * whose the submissions are. @throws 503 when they are too many: sent again, it goes on
 */
async function claimSubmissions(ctx: Context, { id, email }: ContactRow): Promise<void> {
  if (email === null) return;
  const isTimeUp = shareOfTime(SUBMISSIONS_MILLISECONDS);
  let after: string | undefined = "";
  while (after !== undefined) {
    if (isTimeUp()) throw new ApiError("overloaded", { retryAfterSeconds: 1 });
    after = await claimNextSubmissions(ctx, { id, email }, { after, limit: CLAIMED_AT_ONCE });
  }
}

/** What the job would do a minute later: no webhook goes out with what the person sent. */
async function removeSubmissions(ctx: Context, contactId: string): Promise<void> {
  const isTimeUp = shareOfTime(SUBMISSIONS_MILLISECONDS);
  let removed = REMOVED_AT_ONCE;
  while (removed === REMOVED_AT_ONCE && !isTimeUp()) {
    removed = await removeNextSubmissions(ctx, contactId, REMOVED_AT_ONCE, now());
  }
}

/**
 * The same for a contact that was deleted, and has left messages or events behind; one that is
 * being erased already stays so. @throws 404 when nothing is known of it
 */
export async function startErasureOfDeleted(ctx: Context, contactId: string): Promise<ErasureRow> {
  const { db, workspaceId } = ctx;
  const known = await findErasure(db, workspaceId, contactId);
  if (known) return known;
  const isKnown =
    (await hasMessagesOf(db, workspaceId, contactId)) ||
    (await hasEventsOf(db, workspaceId, "salesbot", contactId)) ||
    (await hasSubmissionsOf(ctx, contactId));
  if (!isKnown) throw new ApiError("not_found", { message: "There is no such contact." });
  await insertErasure(ctx, contactId, now());
  return beginWork(ctx, contactId);
}

/** The job does the same each minute: whoever dies here costs that time. */
async function beginWork(ctx: Context, contactId: string): Promise<ErasureRow> {
  const erasure = await getErasure(ctx, contactId);
  await removeSubmissions(ctx, contactId);
  const until = now() + AT_ONCE_MILLISECONDS;
  ctx.waitUntil(eraseUntil(ctx, erasure, until).catch((fault) => noteFault(ctx, erasure, fault)));
  return erasure;
}

async function eraseUntil(ctx: Context, erasure: ErasureRow, until: number): Promise<void> {
  let at: ErasureRow | undefined = erasure;
  while (at && now() < until) at = await eraseSlice(ctx, at);
}

/**
 * Goes on with erasures: of each workspace the one that waits longest, a slice each in turn, so
 * that none waits for another's. One that meets a fault waits; the others go on.
 */
export async function eraseContacts(ctx: PlatformContext): Promise<void> {
  const isTimeUp = shareOfTime(JOB_MILLISECONDS);
  let round: ErasureRow[] = [];
  let unfinished: ErasureRow[] | undefined;
  for (let queries = 0; queries < JOB_QUERIES && !isTimeUp(); queries += QUERIES_A_SLICE) {
    if (round.length === 0) {
      // While none has ended there are no others whose turn it is.
      round = unfinished ?? (await findDueErasures(ctx.db, now(), ERASURES_A_ROUND));
      if (!unfinished) queries++;
      unfinished = [];
    }
    const erasure = round.shift();
    if (!erasure) return;
    const work = inWorkspace(ctx, erasure.workspaceId);
    const next = await eraseSlice(work, erasure).catch((fault: unknown) => {
      if (isOverload(fault)) throw fault;
      return noteFault(work, erasure, fault);
    });
    if (next) unfinished?.push(next);
    else unfinished = undefined;
  }
}

/** Erases a slice; the erasure as it is then, undefined when it is finished. */
async function eraseSlice(ctx: Context, erasure: ErasureRow): Promise<ErasureRow | undefined> {
  const place = PLACES[erasure.place];
  const position = await place?.eraseNext(ctx, erasure, place.limit, now());
  if (position !== undefined) return { ...erasure, position };
  const isLast = erasure.place >= PLACES.length - 1;
  const next = {
    place: erasure.place + 1,
    position: "",
    finishedAt: isLast ? now() : null,
  };
  await erasureAdvance(ctx.db, erasure, next).run();
  return isLast ? undefined : { ...erasure, ...next };
}

async function noteFault(ctx: Context, erasure: ErasureRow, fault: unknown): Promise<undefined> {
  ctx.log.error("erasure_faulted", { record: erasure.subject, fault });
  if (isOverload(fault)) return;
  await postponeErasure(ctx.db, erasure, now() + FAULT_PAUSE_MILLISECONDS).catch(
    (lost: unknown) => {
      ctx.log.error("erasure_faulted", { record: erasure.subject, fault: lost });
    },
  );
}
