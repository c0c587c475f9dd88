import type { EventRow } from "../../../events/events.ports.ts";
import { newEvent } from "../../../events/events.service.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { type MessageEventData, messageEvents } from "./messages.events.ts";
import type { MessageRow } from "./messages.repository.ts";
import type { Message } from "./messages.schemas.ts";

/** A message as its events tell of it. */
function eventData(row: MessageRow): MessageEventData {
  return {
    id: row.id,
    contact: row.contactId,
    channel: row.channel,
    direction: row.direction,
    text: row.text,
    template: row.template,
    status: row.status,
    reason: row.reason,
    created_at: toTimestamp(row.createdAt),
  };
}

/** A message as the API answers it. */
export function presentMessage(row: MessageRow): Message {
  return {
    ...eventData(row),
    sent_at: row.sentAt === null ? null : toTimestamp(row.sentAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}

/** The event of a message being what it is now. */
export function messageEvent(row: MessageRow): EventRow {
  return newEvent(row, messageEvents[row.status], { channel: row.channel, data: eventData(row) });
}
