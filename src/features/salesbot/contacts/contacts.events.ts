import { z } from "@hono/zod-openapi";
import { defineEvent } from "../../../events/event-type.ts";
import { CONTACT_CHANNELS } from "./contact-channels.ts";
import { Contact } from "./contacts.schemas.ts";

/** Contacts without a channel have their events on this one, as every event needs one. */
export const CHANNEL_OF_NONE = "webchat";

/** A contact as its events tell of it, in at most 13 KB: most of that only with 100 tags. */
export const ContactEventData = Contact.omit({ revision: true, window_expires_at: true }).extend({
  // Both optional for the intake's sake: publishers of before 2026-11-22 do not send them.
  changed: z.array(z.string()).optional().openapi({
    description:
      "Always there in what Signpost itself tells. The names of the fields that changed, `custom.<name>` or, of more than 10 of them, `custom`; of a new contact those that it was given, of a deleted one none.",
  }),
  custom_left_out: z.array(z.string()).optional().openapi({
    description:
      "Always there in what Signpost itself tells. When `custom` is more than 4 KB, it is without the values of more than 40 bytes: these are their names. The contact itself has them.",
  }),
});
/** As we tell it. */
export type ContactEventData = Required<z.output<typeof ContactEventData>>;
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
  custom_left_out: [],
  changed: ["external_id", "name", "email", "phone", "channel", "tags", "custom.plan"],
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
  updated: define("updated", "A contact was changed, or wrote.", { changed: ["name"] }),
  deleted: defineEvent({
    name: "salesbot.contact.deleted",
    description:
      "A contact was deleted; the data is what it was last. Of one that was erased, only its `id`.",
    channels: CONTACT_CHANNELS,
    data: DeletedContactData,
    subjectField: "id",
    sample: { ...sample, changed: [] },
  }),
  tagged: define("tagged", "A contact was given tags or lost some, or was added with some.", {
    changed: ["tags"],
  }),
  optedOut: define("opted_out", "A contact asked for no more messages.", {
    status: "opted_out",
    changed: ["status"],
  }),
};
