import type { ClientContext, Context } from "../../../platform/context/context.ts";
import { isStorageFull } from "../../../platform/db/faults.ts";
import { asOptedOut } from "./contact-changes.ts";
import { mayConsent } from "./contact-consent.ts";
import { identitiesIn } from "./contact-identity.ts";
import {
  type ContactWrite,
  contactStatements,
  type JudgedWrite,
  type Written,
  writeContacts,
} from "./contact-writes.repository.ts";
import type { ContactRow } from "./contacts.repository.ts";
import { hashIdentities } from "./opt-out-key.ts";
import { findOptOuts } from "./opt-outs.repository.ts";

/** What was written, by the contact's id, and one of its events, if somebody wants one. */
export interface Consented {
  written: Map<string, ContactWrite>;
  wanted: string | undefined;
}

/**
 * Writes contacts as {@link writeContacts} does, and keeps to the list of opt-outs: whoever goes by
 * what is on it is written as opted out, unless the caller may undo that and says so. The list costs
 * no question of its own but where it, or another writer, kept a write away. Who is among `optedOut`,
 * what other rows of the request have opted out, is opted out whatever is said; theirs are added.
 */
export async function writeConsented(
  ctx: ClientContext,
  writes: ContactWrite[],
  optedOut = new Set<string>(),
): Promise<Consented> {
  if (writes.length === 0) return { written: new Map(), wanted: undefined };
  const judged = optOutWithTheOthers(await judge(ctx, writes, optedOut), optedOut);
  const done = await writeContacts(ctx.db, judged, refusalOf(judged));
  for (const identity of addedBy(judged)) optedOut.add(identity);
  const left = judged.filter((one) => isBoundByList(one) && !done.ids.has(one.contact.id));
  const listed = await findOptOuts(
    ctx.db,
    ctx.workspaceId,
    left.flatMap(({ identities }) => identities),
  );
  const again = left.filter((one) => isAmong(listed, one)).map(toOptOut);
  const then =
    again.length > 0
      ? await writeContacts(ctx.db, again, refusalOf(again)).catch(noRoomAfter(done))
      : NOTHING;
  const written = [
    ...judged.filter(({ contact }) => done.ids.has(contact.id)),
    ...again.filter(({ contact }) => then.ids.has(contact.id)),
  ];
  return {
    written: new Map(written.map((one) => [one.contact.id, one])),
    wanted: done.wanted ?? then.wanted,
  };
}

/**
 * A change adds an event, which needs no room: so not even one that grows nothing goes on for ever.
 * What is new is refused by itself; nobody's opting out is refused, as a contact does so once.
 */
function refusalOf(writes: JudgedWrite[]) {
  const isBounded = (write: JudgedWrite) => !write.before || isBeingOptedOut(write);
  return { isRefusedWhenOverfull: !writes.every(isBounded) };
}

/** Whether a contact that was active opts out by a write. */
export function isBeingOptedOut({ before, contact }: ContactWrite): boolean {
  return before?.status === "active" && contact.status === "opted_out";
}

/** Whether a write is of somebody who has opted out, or does so by it. */
export function isOptOut({ contact, optedOutAs }: ContactWrite): boolean {
  return contact.status === "opted_out" || optedOutAs !== undefined;
}

/** Whether a write takes its person off the list: it says so, and the caller may. */
export function undoesOptOut({ caller }: ClientContext, { saysActive }: ContactWrite): boolean {
  return saysActive && mayConsent(caller);
}

const NOTHING: Written = { ids: new Set(), wanted: undefined };

/** No room for the second part is told by the next try: the first was written, and stays. */
function noRoomAfter(done: Written) {
  return (error: unknown): Written => {
    if (!isStorageFull(error) || done.ids.size === 0) throw error;
    return NOTHING;
  };
}

/**
 * The statements of a write, for a batch that writes more with it. Whoever is on the list of opt-outs
 * is written as opted out. When the list, or another writer, is faster, they write nothing: the
 * batch has to look.
 */
export async function consentedStatements(
  ctx: ClientContext,
  write: ContactWrite,
): Promise<D1PreparedStatement[]> {
  const judged = await judge(ctx, [write]);
  const identities = judged.filter(isBoundByList).flatMap((one) => one.identities);
  const listed = await findOptOuts(ctx.db, ctx.workspaceId, identities);
  return contactStatements(ctx.db, listed.size > 0 ? judged.map(toOptOut) : judged);
}

/** What a contact goes by, hashed, if it opted out: for the list, before the contact is gone. */
export async function identitiesToList(ctx: Context, contact: ContactRow): Promise<string[]> {
  return contact.status === "opted_out" ? hashIdentities(ctx, identitiesIn(contact)) : [];
}

async function judge(
  ctx: ClientContext,
  writes: ContactWrite[],
  optedOut: ReadonlySet<string> = new Set(),
): Promise<JudgedWrite[]> {
  const plain = writes.map(({ contact, optedOutAs }) => [
    ...new Set([...identitiesIn(contact), ...(optedOutAs ? identitiesIn(optedOutAs) : [])]),
  ]);
  const hashes = await hashIdentities(ctx, plain.flat());
  return writes.map((write, at) => {
    const identities = hashes.splice(0, plain[at]?.length ?? 0);
    if (undoesOptOut(ctx, write) && !isAmong(optedOut, { identities }))
      return { ...write, identities, optOut: "remove" };
    return { ...write, identities, optOut: isOptOut(write) ? "add" : null };
  });
}

function isBoundByList({ contact, optOut }: JudgedWrite): boolean {
  return contact.status === "active" && optOut !== "remove";
}

/** A row of an import that opts somebody out counts for the other rows of the same person. */
function optOutWithTheOthers(writes: JudgedWrite[], optedOut: ReadonlySet<string>): JudgedWrite[] {
  const added = new Set([...optedOut, ...addedBy(writes)]);
  return writes.map((write) =>
    isBoundByList(write) && isAmong(added, write) ? toOptOut(write) : write,
  );
}

function addedBy(writes: JudgedWrite[]): string[] {
  return writes.flatMap(({ optOut, identities }) => (optOut === "add" ? identities : []));
}

function isAmong(all: ReadonlySet<string>, { identities }: Pick<JudgedWrite, "identities">) {
  return identities.some((identity) => all.has(identity));
}

function toOptOut(write: JudgedWrite): JudgedWrite {
  return { ...write, ...asOptedOut(write), optOut: "add" };
}
