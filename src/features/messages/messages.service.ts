import type { Database } from "../../db/client.ts";
import { isUniqueConflict } from "../../db/faults.ts";
import type { Env } from "../../env.ts";
import { announceEvents } from "../../events/events.service.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import { now } from "../../lib/clock.ts";
import { type ContactRow, findContact } from "../contacts/contacts.service.ts";
import type { ContactChannel } from "../webhooks/catalogue.ts";
import { wakeMessages } from "./message-sending.ts";
import { messageEvent } from "./messages.presenter.ts";
import type { MessageRow } from "./messages.repository.ts";
import * as repository from "./messages.repository.ts";
import type { InboundMessage, SendMessage } from "./messages.schemas.ts";
import { isWindowed, isWindowOpen, WINDOW_MILLISECONDS } from "./messaging-window.ts";

export interface MessageScope {
  env: Env;
  db: Database;
  workspaceId: string;
  waitUntil: (work: Promise<unknown>) => void;
}

/** @throws 404 */
export async function getMessage(
  { db, workspaceId }: Pick<MessageScope, "db" | "workspaceId">,
  id: string,
): Promise<MessageRow> {
  const message = await repository.findMessage(db, workspaceId, id);
  if (!message) throw new ApiError("not_found", { message: "There is no such message." });
  return message;
}

/**
 * Queues a message. Its identity comes from the gate: a run that follows one that was cut off finds the
 * message, and it goes out once. @throws 422, with `reason` if the contact may not be written to
 */
export async function sendMessage(
  scope: MessageScope,
  { id, resumed }: { id: string; resumed: boolean },
  input: SendMessage,
): Promise<MessageRow> {
  const findMade = () => repository.findMessage(scope.db, scope.workspaceId, id);
  const made = resumed ? await findMade() : undefined;
  if (made) return made;
  const isFree = input.template === undefined;
  const time = now();
  const channel = await channelFor(scope, input, isFree, time);
  const message: MessageRow = {
    ...blankMessage(scope.workspaceId, id, { ...input, channel }, time),
    template: input.template ?? null,
    direction: "outbound",
    status: "queued",
    nextAttemptAt: time,
  };
  const event = messageEvent(message);
  const heardSince = isFree && isWindowed(channel) ? time - WINDOW_MILLISECONDS : null;
  try {
    if (!(await repository.insertOutbound(scope.db, message, event, heardSince))) {
      // Something changed just now: the contact is looked at again, and says what.
      await channelFor(scope, input, isFree, now());
      throw new ApiError("conflict", { message: "The contact is being changed: try again." });
    }
  } catch (error) {
    const twin = isUniqueConflict(error) ? await findMade() : undefined;
    if (twin) return twin;
    throw error;
  }
  scope.waitUntil(announceEvents(scope.env, [event.id]));
  scope.waitUntil(wakeMessages(scope.env, [id]));
  return message;
}

/** The channel that a message to its contact takes. @throws 422 if it may not be sent */
async function channelFor(
  scope: MessageScope,
  input: SendMessage,
  isFree: boolean,
  time: number,
): Promise<ContactChannel> {
  const contact = await contactOf(scope, input.contact);
  const channel = input.channel ?? contact.channel;
  if (contact.status === "blocked") throw refusal("contact_blocked", "The contact is blocked.");
  if (contact.status === "opted_out") {
    throw refusal("contact_opted_out", "The contact asked for no more messages.");
  }
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
  scope: MessageScope,
  id: string,
  input: InboundMessage,
): Promise<{ message: MessageRow; isNew: boolean }> {
  const contact = await contactOf(scope, input.contact);
  const channel = input.channel ?? contact.channel;
  if (!channel) throw invalid("channel", "The contact has no channel.");
  const message: MessageRow = {
    ...blankMessage(scope.workspaceId, id, { ...input, channel }, now()),
    direction: "inbound",
    status: "received",
    externalId: input.external_id ?? null,
  };
  const event = messageEvent(message);
  if (await repository.insertInbound(scope.db, message, event)) {
    scope.waitUntil(announceEvents(scope.env, [event.id]));
    return { message, isNew: true };
  }
  const known = await repository.findInbound(scope.db, message);
  if (known) return { message: known, isNew: false };
  throw unknownContact();
}

function blankMessage(
  workspaceId: string,
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

async function contactOf({ db, workspaceId }: MessageScope, id: string): Promise<ContactRow> {
  const contact = await findContact(db, workspaceId, id);
  if (!contact) throw unknownContact();
  return contact;
}

function unknownContact(): ApiError {
  return invalid("contact", "The workspace has no such contact.");
}

function refusal(reason: string, message: string): ApiError {
  return new ApiError("message_refused", { reason, message });
}
