import { z } from "@hono/zod-openapi";
import { Blank, optional, withDefault } from "../../../api/blank.ts";
import { describedAs } from "../../../api/described-as.ts";
import { Id, idParams } from "../../../api/ids.ts";
import { openList } from "../../../api/open-list.ts";
import { record } from "../../../api/record.ts";
import { optionalText, text } from "../../../api/text.ts";
import { CONTACT_CHANNELS } from "../contacts/contact-channels.ts";
import { INBOUND_MESSAGE, MESSAGE, SEND_MESSAGE } from "./messages.examples.ts";

export const MAX_TEXT_LENGTH = 4096;

const EXAMPLE = "Your order is on its way.";
const Template = z
  .strictObject({
    name: text(120, 1),
    params: withDefault(record(text(60, 1), text(1000)), {}),
  })
  .openapi("MessageTemplate", { description: "A template that the channel's provider approved." });

const addressed = {
  contact: Id,
  channel: optional(z.enum(CONTACT_CHANNELS)).openapi({ description: "Default: the contact's." }),
};
const Text = text(MAX_TEXT_LENGTH, 1).openapi({ example: EXAMPLE });

const SendTextMessage = z
  .strictObject({ ...addressed, text: Text, template: Blank.optional() })
  .openapi("SendTextMessage");
const SendTemplateMessage = z
  .strictObject({ ...addressed, template: Template, text: Blank.optional() })
  .openapi("SendTemplateMessage");

/** Described as its two forms; judged at once, as neither could say what is wrong with both. */
export const SendMessage = describedAs(
  z.union([SendTextMessage, SendTemplateMessage]).openapi("SendMessage", { example: SEND_MESSAGE }),
  z
    .strictObject({
      ...addressed,
      text: optionalText(MAX_TEXT_LENGTH),
      template: optional(Template),
    })
    .superRefine((message, context) => {
      if ((message.text === undefined) !== (message.template === undefined)) return;
      const told = "Send either text or template.";
      context.addIssue({ code: "custom", path: ["text"], message: told });
    }),
);
export type SendMessage = z.output<typeof SendMessage>;

export const InboundMessage = z
  .strictObject({
    ...addressed,
    text: Text,
    external_id: optionalText(200).openapi({
      description: "The message's id at its channel: the same one counts once.",
    }),
  })
  .openapi("InboundMessage", { example: INBOUND_MESSAGE });
export type InboundMessage = z.output<typeof InboundMessage>;

/** Besides those that a connector answers of its own accord. */
const FAILURES = [
  ...["contact_blocked", "contact_deleted", "contact_erased", "contact_opted_out"],
  ...["channel_not_available", "messaging_window_closed", "connector_unreachable"],
  ...["rejected_by_connector", "internal_error"],
];
const Failure = openList("MessageFailure", FAILURES, "There may be others.");

export const Message = z
  .object({
    id: z.uuid(),
    contact: z.uuid(),
    channel: z.enum(CONTACT_CHANNELS),
    direction: z.enum(["outbound", "inbound"]),
    text: z.string().nullable(),
    template: z.object({ name: z.string(), params: z.record(z.string(), z.string()) }).nullable(),
    status: z.enum(["queued", "sent", "failed", "received"]),
    reason: z.union([Failure, z.null()]).openapi({ description: "Why it failed." }),
    sent_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Message", { example: MESSAGE });
export type Message = z.output<typeof Message>;

export const MessageAnswer = z.object({ data: Message });
export const MessageParams = idParams("message");
