import type { EventRow } from "../../events/events.repository.ts";
import { newEvent } from "../../events/events.service.ts";
import { toTimestamp } from "../../lib/clock.ts";
import type { MessageRow } from "./messages.repository.ts";
import type { Message } from "./messages.schemas.ts";

/** A message as its events tell of it. */
function eventData(row: MessageRow): Omit<Message, "sent_at" | "updated_at"> {
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

/** The event of a message being what it is now: `salesbot.message.<status>`. */
export function messageEvent(row: MessageRow): EventRow {
  return newEvent(row.workspaceId, {
    event: `salesbot.message.${row.status}`,
    channel: row.channel,
    data: eventData(row),
  });
}
