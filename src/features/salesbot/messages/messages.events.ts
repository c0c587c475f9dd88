import type { z } from "@hono/zod-openapi";
import { defineEvent } from "../../../events/event-type.ts";
import { CONTACT_CHANNELS } from "../contacts/contact-channels.ts";
import { Message } from "./messages.schemas.ts";

/** A message as its events tell of it. */
const MessageEventData = Message.omit({ sent_at: true, updated_at: true });
export type MessageEventData = z.output<typeof MessageEventData>;

const sample: MessageEventData = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a33",
  contact: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11",
  channel: "whatsapp",
  direction: "outbound",
  text: "Your order is on its way.",
  template: null,
  status: "queued",
  reason: null,
  created_at: "2026-11-20T08:00:00.000Z",
};

function define(
  status: MessageEventData["status"],
  description: string,
  more: Partial<MessageEventData> = {},
) {
  return defineEvent({
    name: `salesbot.message.${status}`,
    description,
    channels: CONTACT_CHANNELS,
    data: MessageEventData,
    subjectField: "contact",
    sample: { ...sample, status, ...more },
  });
}

/** The event of a message becoming what its status says. */
export const messageEvents = {
  queued: define("queued", "A message was accepted for sending."),
  sent: define("sent", "A message went out."),
  failed: define("failed", "A message could not be sent.", { reason: "channel_not_available" }),
  received: define("received", "A contact wrote.", {
    direction: "inbound",
    text: "When will it arrive?",
  }),
};
