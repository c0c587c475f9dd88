import { invalid } from "../../../api/errors.ts";
import { changesNothing } from "../../../api/unchanged.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import { newEvent } from "../../../events/events.service.ts";
import { newRevision } from "../../../platform/ids.ts";
import { assertStaysKnown } from "./contact-identity.ts";
import { hiddenFields } from "./contact-labels.repository.ts";
import { assertFits } from "./contact-size.ts";
import { changedFields } from "./contact-snapshot.ts";
import type { ContactWrite } from "./contact-writes.repository.ts";
import { CHANNEL_OF_NONE, contactEvents } from "./contacts.events.ts";
import { contactFields, eventData } from "./contacts.presenter.ts";
import type { ContactRow } from "./contacts.repository.ts";
import { type ContactInput, MAX_CUSTOM_FIELDS } from "./contacts.schemas.ts";
import type { CustomValue } from "./contacts.table.ts";

function blankContact(workspaceId: string, id: string, time: number): ContactRow {
  return {
    id,
    workspaceId,
    externalId: null,
    name: null,
    email: null,
    phone: null,
    channel: null,
    stageId: null,
    tags: [],
    country: null,
    language: null,
    custom: {},
    status: "active",
    lastActiveAt: null,
    lastInboundAt: null,
    revision: newRevision(),
    createdAt: time,
    updatedAt: time,
  };
}

/** A new contact and its events. @throws 422 */
export function creationOf(
  workspaceId: string,
  id: string,
  input: ContactInput,
  time: number,
): ContactWrite {
  const blank = blankContact(workspaceId, id, time);
  const contact = { ...blank, ...changesOf(blank, input) };
  assertStaysKnown(undefined, contact);
  assertFits(undefined, contact);
  const events = eventsOf("created", blank, contact);
  return { before: undefined, contact, events, saysActive: input.status === "active" };
}

/** A contact as an input changes it, with its events; undefined: nothing changes. @throws 422 */
export function updateOf(
  current: ContactRow,
  input: ContactInput,
  time: number,
): ContactWrite | undefined {
  const changes = changesOf(current, input);
  if (changesNothing(current, changes)) return undefined;
  const contact = { ...current, ...changes, revision: newRevision(), updatedAt: time };
  assertStaysKnown(current, contact);
  assertFits(current, contact);
  return {
    before: current,
    contact,
    events: eventsOf("updated", current, contact),
    saysActive: input.status === "active",
    ...(current.status === "opted_out" && { optedOutAs: current }),
  };
}

/** The same write of a contact that turns out to have opted out, whatever was sent. */
export function asOptedOut(write: ContactWrite): Pick<ContactWrite, "contact" | "events"> {
  const { before, contact } = write;
  const optedOut: ContactRow = { ...contact, status: "opted_out" };
  const blank = before ?? blankContact(contact.workspaceId, contact.id, contact.createdAt);
  return { contact: optedOut, events: eventsOf(before ? "updated" : "created", blank, optedOut) };
}

/**
 * The change itself, and what is told besides, since many listen to just that. With a change, a
 * contact loses what it hides: that is told with it, as nobody tells of it afterwards.
 */
function eventsOf(what: "created" | "updated", before: ContactRow, after: ContactRow): EventRow[] {
  const changed = [
    ...new Set([
      ...changedFields(contactFields(before), contactFields(after)),
      ...hiddenFields(before),
    ]),
  ];
  const isOptedOut = after.status === "opted_out" && before.status !== "opted_out";
  return [
    contactEvent(what, after, changed),
    ...(changed.includes("tags") ? [contactEvent("tagged", after, changed)] : []),
    ...(isOptedOut ? [contactEvent("optedOut", after, changed)] : []),
  ];
}

export function deletionEvent(contact: ContactRow): EventRow {
  const { channel } = contact;
  const data = eventData(contact, []);
  return newEvent(contact, contactEvents.deleted, { channel: channel ?? CHANNEL_OF_NONE, data });
}

/** The deletion of an erased contact: what is told is nothing of the person's, so it goes out. */
export function erasureEvent(contact: ContactRow): EventRow {
  const { id, channel } = contact;
  const told = { channel: channel ?? CHANNEL_OF_NONE, data: { id } };
  return { ...newEvent(contact, contactEvents.deleted, told), subject: null };
}

function contactEvent(
  what: Exclude<keyof typeof contactEvents, "deleted">,
  contact: ContactRow,
  changed: string[],
): EventRow {
  const channel = contact.channel ?? CHANNEL_OF_NONE;
  return newEvent(contact, contactEvents[what], { channel, data: eventData(contact, changed) });
}

function changesOf(current: ContactRow, input: ContactInput): Partial<ContactRow> {
  const given: { [Name in keyof ContactRow]?: ContactRow[Name] | undefined } = {
    externalId: input.external_id,
    name: input.name,
    email: input.email,
    phone: input.phone,
    channel: input.channel,
    stageId: input.stage,
    tags: input.tags && [...new Set(input.tags)].sort(),
    country: input.country,
    language: input.language,
    custom: input.custom && mergeCustom(current.custom, input.custom),
    status: input.status,
    lastActiveAt: input.last_active_at,
    lastInboundAt: input.last_inbound_at,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function mergeCustom(
  current: Record<string, CustomValue>,
  input: Record<string, CustomValue | null>,
): Record<string, CustomValue> {
  const merged = Object.entries({ ...current, ...input }).filter(
    (entry): entry is [string, CustomValue] => entry[1] !== null,
  );
  if (merged.length > MAX_CUSTOM_FIELDS) {
    throw invalid("custom", `A contact may have at most ${MAX_CUSTOM_FIELDS} custom fields.`);
  }
  return Object.fromEntries(merged);
}
