import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import { announceEvents } from "../../../events/events.service.ts";
import type { Context } from "../../../platform/context/context.ts";
import { newId } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import type { ContactChannel } from "../contacts/contact-channels.ts";
import {
  type ContactRow,
  findContact,
  hasOptedOut,
  listedAs,
} from "../contacts/contacts.service.ts";
import { isWindowed, isWindowOpen, WINDOW_MILLISECONDS } from "../contacts/messaging-window.ts";
import { wakeMessages } from "./message-wake-up.ts";
import { messageEvent } from "./messages.presenter.ts";
import type { MessageRow } from "./messages.repository.ts";
import * as repository from "./messages.repository.ts";
import type { InboundMessage, SendMessage } from "./messages.schemas.ts";

/** @throws 404 */
export async function getMessage({ db, workspaceId }: Context, id: string): Promise<MessageRow> {
  const message = await repository.findMessage(db, workspaceId, id);
  if (!message) throw new ApiError("not_found", { message: "There is no such message." });
  return message;
}

/** Queues a message, to go out once. @throws 422, with `reason` if the contact may not be written to */
export async function sendMessage(ctx: Context, input: SendMessage): Promise<MessageRow> {
  return createOnce(ctx, {
    find: (id) => repository.findMessage(ctx.db, ctx.workspaceId, id),
    insert: (id) => queueMessage(ctx, id, input),
  });
}

async function queueMessage(ctx: Context, id: string, input: SendMessage): Promise<MessageRow> {
  const isFree = input.template === undefined;
  const time = now();
  const contact = await contactOf(ctx, input.contact);
  const channel = channelFor(contact, input, isFree, time);
  const message: MessageRow = {
    ...blankMessage(ctx, id, { ...input, channel }, time),
    template: input.template ?? null,
    direction: "outbound",
    status: "queued",
    nextAttemptAt: time,
  };
  const event = messageEvent(message);
  const heardSince = isFree && isWindowed(channel) ? time - WINDOW_MILLISECONDS : null;
  const identities = await listedAs(ctx, contact);
  const guard = { heardSince, identities };
  const { isInserted, wanted } = await repository.insertOutbound(ctx.db, message, event, guard);
  if (!isInserted) {
    // Its person opted out as another contact, or something changed just now.
    const again = await contactOf(ctx, input.contact);
    channelFor(again, input, isFree, now());
    if (await hasOptedOut(ctx, again)) throw optedOut();
    throw new ApiError("conflict", { message: "The contact is being changed: try again." });
  }
  ctx.waitUntil(announceEvents(ctx, wanted));
  ctx.waitUntil(wakeMessages(ctx, [id]));
  return message;
}

/** The channel that a message to its contact takes. @throws 422 if it may not be sent */
function channelFor(
  contact: ContactRow,
  input: SendMessage,
  isFree: boolean,
  time: number,
): ContactChannel {
  const channel = input.channel ?? contact.channel;
  if (contact.status === "blocked") throw refusal("contact_blocked", "The contact is blocked.");
  if (contact.status === "opted_out") throw optedOut();
  if (!channel) {
    throw refusal("channel_not_available", "The contact has no channel, and none was given.");
  }
  if (isFree && !isWindowOpen(channel, contact.lastInboundAt, time)) {
    const message = "The contact did not write within 24 hours: only a template may be sent.";
    throw refusal("messaging_window_closed", message);
  }
  return channel;
}

/**
 * Records what a contact wrote, which opens the messaging window. The same external id on the same
 * channel is recorded once. @throws 422
 */
export async function receiveMessage(
  ctx: Context,
  input: InboundMessage,
): Promise<{ message: MessageRow; isNew: boolean }> {
  const contact = await contactOf(ctx, input.contact);
  const channel = input.channel ?? contact.channel;
  if (!channel) throw invalid("channel", "The contact has no channel.");
  const message: MessageRow = {
    ...blankMessage(ctx, newId(), { ...input, channel }, now()),
    direction: "inbound",
    status: "received",
    externalId: input.external_id ?? null,
  };
  const event = messageEvent(message);
  const inserted = await repository.insertInbound(ctx.db, message, event, newId());
  if (inserted.isInserted) {
    ctx.waitUntil(announceEvents(ctx, inserted.wanted));
    return { message, isNew: true };
  }
  const known = await repository.findInbound(ctx.db, message);
  if (known) return { message: known, isNew: false };
  throw unknownContact();
}

function blankMessage(
  { workspaceId }: Context,
  id: string,
  input: { contact: string; channel: ContactChannel; text?: string | undefined },
  time: number,
): Omit<MessageRow, "direction" | "status"> {
  return {
    id,
    workspaceId,
    contactId: input.contact,
    channel: input.channel,
    text: input.text ?? null,
    template: null,
    reason: null,
    externalId: null,
    attemptsCount: 0,
    nextAttemptAt: null,
    sentAt: null,
    createdAt: time,
    updatedAt: time,
  };
}

async function contactOf(ctx: Context, id: string): Promise<ContactRow> {
  const contact = await findContact(ctx, id);
  if (!contact) throw unknownContact();
  return contact;
}

function unknownContact(): ApiError {
  return invalid("contact", "The workspace has no such contact.");
}

function optedOut(): ApiError {
  return refusal("contact_opted_out", "The contact asked for no more messages.");
}

function refusal(reason: string, message: string): ApiError {
  return new ApiError("message_refused", { reason, message });
}
