import { z } from "@hono/zod-openapi";
import { isBlank, nullable, optional } from "../../../api/blank.ts";
import { describedAs } from "../../../api/described-as.ts";
import { Id, idParams } from "../../../api/ids.ts";
import { PageQuery } from "../../../api/pagination.ts";
import { record } from "../../../api/record.ts";
import { nullableText, optionalText, text } from "../../../api/text.ts";
import { Time } from "../../../api/times.ts";
import { now } from "../../../platform/time.ts";
import { CONTACT_CHANNELS } from "./contact-channels.ts";
import { CONTACT_STATUSES } from "./contact-status.ts";
import { CONTACT, CONTACT_INPUT, IMPORT_CONTACTS, IMPORTED_ROW } from "./contacts.examples.ts";

export const MAX_IMPORT_ROWS = 500;
export const MAX_CUSTOM_FIELDS = 50;
export const MAX_TAGS = 100;
/** Of all but its times, as JSON in UTF-8. */
export const MAX_CONTACT_BYTES = 16_384;
export const CUSTOM_VALUE_CHARACTERS = 1000;
/** Segments name custom fields in JSON paths, so the keys are plain. */
export const CUSTOM_KEY = /^[A-Za-z0-9_-]{1,60}$/;
export const COUNTRY = /^[A-Za-z]{2}$/;
export const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** A time that has come: nobody was active tomorrow. A minute is allowed for clocks that differ. */
const PastTime = nullable(
  Time.refine((time) => time <= now() + 60_000, { error: "Must not be in the future." }),
);

const CustomValue = z
  .union([text(1000), z.number(), z.boolean(), z.null()], {
    error: "Must be a text of at most 1000 characters, a number, true, false or null.",
  })
  .transform((value) => (isBlank(value) ? null : value))
  .openapi({ description: "Null or blank removes the field." });

export const ContactInput = z
  .strictObject({
    external_id: nullableText(200).openapi({ example: "crm-1815" }),
    name: nullableText(200).openapi({ example: "Ada Lovelace" }),
    email: nullable(z.email().max(254)).openapi({ example: "ada@example.com" }),
    phone: nullable(
      z
        .string()
        .max(40)
        .regex(/^\+?\(?[0-9][0-9 ()./-]*$/, {
          error: "Must be a telephone number, best as +447700900123.",
        }),
    ).openapi({ example: "+447700900123" }),
    channel: nullable(z.enum(CONTACT_CHANNELS)).openapi({
      description: "Its events are on this channel; those of a contact without one on `webchat`.",
    }),
    stage: nullable(Id).openapi({ description: "The id of a stage." }),
    tags: optional(z.array(Id).max(MAX_TAGS)).openapi({
      description: "Ids of tags; replaces those that the contact has.",
    }),
    country: nullable(
      z.string().regex(COUNTRY, { error: "Must be a country's two letters, as GB." }).toUpperCase(),
    ).openapi({ example: "GB" }),
    language: nullable(
      z.string().max(35).regex(LANGUAGE, { error: "Must be a language tag, as en or pt-BR." }),
    ).openapi({ example: "en" }),
    custom: optional(
      record(
        z.string().regex(CUSTOM_KEY, {
          error: "A custom field's name has 1 to 60 characters: letters, digits, - and _.",
        }),
        CustomValue,
        { propertyNames: { pattern: CUSTOM_KEY.source } },
      ),
    ).openapi({
      description: `Fields of your own, of any name but \`__proto__\`; those left out keep their values. At most ${MAX_CUSTOM_FIELDS}, with those that are kept.`,
    }),
    status: optional(z.enum(CONTACT_STATUSES)),
    last_active_at: PastTime,
    last_inbound_at: PastTime.openapi({
      description: "When the contact last wrote, which opens its messaging window.",
    }),
  })
  .openapi("ContactInput", {
    example: CONTACT_INPUT,
    description:
      "Fields left out keep their values. A contact has at least one of `name`, `email`, `phone` and `external_id`, and is at most 16 KB: 16,384 bytes of JSON, in UTF-8 and without `revision` and times.",
  });
export type ContactInput = z.output<typeof ContactInput>;

export const ImportContacts = z
  .strictObject({
    contacts: z
      .array(describedAs(ContactInput, z.unknown()))
      .min(1)
      .max(MAX_IMPORT_ROWS)
      .openapi({
        description: `Up to ${MAX_IMPORT_ROWS} rows; each is judged on its own.`,
      }),
  })
  .openapi("ImportContacts", { example: IMPORT_CONTACTS });

export const Contact = z
  .object({
    id: z.uuid(),
    revision: z.string(),
    external_id: z.string().nullable().openapi({ description: "Your own id of the contact." }),
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    channel: z.enum(CONTACT_CHANNELS).nullable(),
    stage: z.uuid().nullable(),
    tags: z.array(z.uuid()),
    country: z.string().nullable(),
    language: z.string().nullable(),
    custom: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    status: z.enum(CONTACT_STATUSES),
    last_active_at: z.iso.datetime().nullable(),
    last_inbound_at: z.iso.datetime().nullable(),
    window_expires_at: z.iso.datetime().nullable().openapi({
      description:
        "Until then free text may be sent on whatsapp, instagram and messenger; null if the contact never wrote.",
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Contact", { example: CONTACT });
export type Contact = z.output<typeof Contact>;

export const ContactAnswer = z.object({ data: Contact });
export const ContactParams = idParams("contact");

export const ImportAnswer = z.object({
  data: z.array(
    z
      .object({
        row: z.number().int().openapi({ description: "The row's place, from 0." }),
        status: z.enum(["created", "updated", "failed"]),
        id: z.uuid().nullable(),
        errors: z.record(z.string(), z.array(z.string())).optional(),
      })
      .openapi("ImportedRow", { example: IMPORTED_ROW }),
  ),
});
export type ImportedRow = z.output<typeof ImportAnswer>["data"][number];

export const ListContactsQuery = PageQuery.extend({
  external_id: optionalText(200).openapi({ description: "Only the one with this id of yours." }),
  email: optionalText(254).openapi({ description: "Whatever the case of A to Z." }),
  channel: optional(z.enum(CONTACT_CHANNELS)).openapi({
    description: "Only those whose channel it is.",
  }),
  stage: optional(Id).openapi({ description: "Only those in this stage: its id." }),
  tag: optional(Id).openapi({ description: "Only those with this tag: its id." }),
  status: optional(z.enum(CONTACT_STATUSES)).openapi({
    description: "Only those with this status.",
  }),
});
export type ContactFilter = Omit<z.output<typeof ListContactsQuery>, "limit" | "cursor">;
