/** What strangers say of themselves, as in a form: less than what a member may say of a contact. */
import type { Caller, ClientContext, Context } from "../../../platform/context/context.ts";
import { sha256Hex } from "../../../platform/crypto/digest.ts";
import { now } from "../../../platform/time.ts";
import { findForeignLabels } from "../labels/labels.service.ts";
import { consentedStatements } from "./consented-writes.ts";
import { creationOf, updateOf } from "./contact-changes.ts";
import { identitiesIn } from "./contact-identity.ts";
import { ifAllowed, withCustomThatFits } from "./contact-offer-fit.ts";
import type { ContactWrite } from "./contact-writes.repository.ts";
import { standingContact } from "./contacts.ports.ts";
import { type ContactRow, findContacts } from "./contacts.repository.ts";
import { type ContactInput, MAX_CUSTOM_FIELDS, MAX_TAGS } from "./contacts.schemas.ts";
import { hashIdentities } from "./opt-out-key.ts";
import { findOptOuts } from "./opt-outs.repository.ts";

/** Who may nothing: an opt-out stays, whatever a stranger says. */
const STRANGER: Caller = { keyId: "", permissions: [], features: [] };
const MAX_EXTERNAL_ID = 200;

export interface ContactOffer {
  name?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  custom: Record<string, string | number | boolean>;
  tags: readonly string[];
}

/** A contact that a batch is to write, or only to find. */
export interface PreparedContact {
  id: string;
  statements: D1PreparedStatement[];
  /** SQL of whether it stands after them as was planned, and its parameters. */
  stands: { sql: (first: number) => string; bound: string[] };
}

/**
 * Makes ready a contact of what is offered: the one that has the same email address (or, without
 * one, number), or a new one with this id. What a contact says already stays. Tags that are gone and
 * custom values without room are left out. Undefined: nothing is offered to know a contact by.
 */
export async function prepareContact(
  ctx: Context,
  id: string,
  offered: ContactOffer,
): Promise<PreparedContact | undefined> {
  const offer = await withoutOptedOut(ctx, offered);
  const stranger: ClientContext = { ...ctx, caller: STRANGER, creates: { id, resumed: false } };
  const externalIds = await externalIdsOf(offer);
  const [known, tags] = await Promise.all([
    externalIds.length === 0 ? [] : findContacts(ctx.db, ctx.workspaceId, [], externalIds),
    ownTags(ctx, offer.tags),
  ]);
  const [externalId = null] = externalIds;
  const current = known.find((contact) => contact.externalId === externalId) ?? known[0];
  const write = current
    ? additionTo(current, { ...offer, tags })
    : creationFrom(ctx, id, { ...offer, tags }, externalId);
  if (!write) return current && prepared(current, []);
  return prepared(write.contact, await consentedStatements(stranger, write));
}

function prepared(contact: ContactRow, statements: D1PreparedStatement[]): PreparedContact {
  const { id, workspaceId, revision } = contact;
  const isWritten = statements.length > 0;
  return {
    id,
    statements,
    stands: {
      sql: (first) => standingContact(first, isWritten),
      bound: [id, workspaceId, ...(isWritten ? [revision] : [])],
    },
  };
}

/**
 * Without its number, where that or the address is of somebody who opted out: nothing says that both
 * are of one person, and by the number a stranger could opt out whoever has the address.
 */
async function withoutOptedOut(ctx: Context, offer: ContactOffer): Promise<ContactOffer> {
  const { email, phone, ...rest } = offer;
  if (email === undefined || phone === undefined) return offer;
  const identities = identitiesIn({ name: null, externalId: null, email, phone });
  const listed = await findOptOuts(ctx.db, ctx.workspaceId, await hashIdentities(ctx, identities));
  return listed.size > 0 ? { ...rest, email } : offer;
}

/**
 * By what the same person's next offer is found: what the contact is unique by. What follows the first
 * is how older code wrote it.
 */
async function externalIdsOf({ email, phone }: ContactOffer): Promise<string[]> {
  const of = { name: null, externalId: null };
  const identities = email
    ? identitiesIn({ ...of, email, phone: null })
    : identitiesIn({ ...of, email: null, phone: phone ?? null });
  return Promise.all(
    identities.map(async (identity) =>
      identity.length <= MAX_EXTERNAL_ID ? identity : `sha256:${await sha256Hex(identity)}`,
    ),
  );
}

async function ownTags(ctx: Context, tags: readonly string[]): Promise<string[]> {
  const foreign = new Set(await findForeignLabels(ctx, "tag", [...tags]));
  return tags.filter((tag) => !foreign.has(tag));
}

/** Where not all custom values fit, each that still does is kept, in the order of the form's map. */
function creationFrom(
  { workspaceId }: Context,
  id: string,
  { name, email, phone, custom, tags }: ContactOffer,
  externalId: string | null,
): ContactWrite | undefined {
  const input: ContactInput = {
    ...{ external_id: externalId, name, email, phone },
    tags: tags.slice(0, MAX_TAGS),
  };
  const first = Object.fromEntries(Object.entries(custom).slice(0, MAX_CUSTOM_FIELDS));
  const time = now();
  return withCustomThatFits(first, (fitting) =>
    creationOf(workspaceId, id, { ...input, custom: fitting }, time),
  )?.write;
}

/**
 * What the contact does not say yet, but for a number: who knows an address could give their own.
 * One that is too full for its name or address may still have room for tags.
 */
function additionTo(
  current: ContactRow,
  { name, email, custom, tags: offered }: ContactOffer,
): ContactWrite | undefined {
  const missing = Object.entries(custom).filter(([key]) => !Object.hasOwn(current.custom, key));
  const room = Math.max(MAX_CUSTOM_FIELDS - Object.keys(current.custom).length, 0);
  const tags = [...new Set([...current.tags, ...offered])].slice(0, MAX_TAGS);
  const input: ContactInput = {
    ...(current.name === null && { name }),
    ...(current.email === null && { email }),
    tags,
  };
  const time = now();
  const allowed =
    withCustomThatFits(Object.fromEntries(missing.slice(0, room)), (fitting) =>
      updateOf(current, { ...input, custom: fitting }, time),
    ) ?? ifAllowed(() => updateOf(current, { tags }, time));
  return allowed?.write;
}
