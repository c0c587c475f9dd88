import type { z } from "@hono/zod-openapi";
import { defineEvent } from "../../../events/event-type.ts";
import { CONTACT_CHANNELS } from "./contact-channels.ts";
import { Contact } from "./contacts.schemas.ts";

/** Contacts without a channel have their events on this one, as every event needs one. */
export const CHANNEL_OF_NONE = "webchat";

/** A contact as its events tell of it. */
export const ContactEventData = Contact.omit({ revision: true, window_expires_at: true });
export type ContactEventData = z.output<typeof ContactEventData>;
/** Of a contact that was erased its id is all that is told. */
const DeletedContactData = ContactEventData.partial().extend({ id: ContactEventData.shape.id });

const sample: ContactEventData = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11",
  external_id: "crm-1815",
  name: "Ada Lovelace",
  email: "ada@example.com",
  phone: "+447700900123",
  channel: "whatsapp",
  stage: null,
  tags: ["0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a22"],
  country: "GB",
  language: "en",
  custom: { plan: "pro" },
  status: "active",
  last_active_at: "2026-11-20T07:59:00.000Z",
  last_inbound_at: null,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

function define(action: string, description: string, more: Partial<ContactEventData> = {}) {
  return defineEvent({
    name: `salesbot.contact.${action}`,
    description,
    channels: CONTACT_CHANNELS,
    data: ContactEventData,
    subjectField: "id",
    sample: { ...sample, ...more },
  });
}

export const contactEvents = {
  created: define(
    "created",
    "A contact was added; one with tags, or opted out, is told as that too.",
  ),
  updated: define("updated", "A contact was changed, or wrote."),
  deleted: defineEvent({
    name: "salesbot.contact.deleted",
    description:
      "A contact was deleted; the data is what it was last. Of one that was erased, only its `id`.",
    channels: CONTACT_CHANNELS,
    data: DeletedContactData,
    subjectField: "id",
    sample,
  }),
  tagged: define("tagged", "A contact was given tags or lost some, or was added with some."),
  optedOut: define("opted_out", "A contact asked for no more messages.", { status: "opted_out" }),
};
