import { z } from "@hono/zod-openapi";
import { PageQuery } from "../../../api/pagination.ts";
import { text } from "../../../api/text.ts";
import { now } from "../../../platform/time.ts";
import { CONTACT_CHANNELS } from "./contact-channels.ts";
import { CONTACT_STATUSES } from "./contact-status.ts";

export const MAX_IMPORT_ROWS = 500;
export const MAX_CUSTOM_FIELDS = 50;
export const MAX_TAGS = 100;
/** Segments name custom fields in JSON paths, so the keys are plain. */
export const CUSTOM_KEY = /^[A-Za-z0-9_-]{1,60}$/;
export const COUNTRY = /^[A-Za-z]{2}$/;
export const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** A text that may be null; a blank one, as spreadsheets export it, is null too. */
function blankable<Schema extends z.ZodType>(schema: Schema, example: string) {
  return z
    .preprocess(
      (given) => (typeof given === "string" && given.trim() === "" ? null : given),
      schema.nullable(),
    )
    .optional()
    .openapi({ example });
}

const YEAR_ONE = Date.parse("0001-01-01T00:00:00Z");

/** A time that has come: nobody was active tomorrow. A minute is allowed for clocks that differ. */
const PastTime = z.iso
  .datetime({ offset: true })
  .refine((time) => Date.parse(time) <= now() + 60_000, { error: "Must not be in the future." })
  // In another zone a time of the year 0 can be one of a year before, which RFC 3339 has not.
  .refine((time) => Date.parse(time) >= YEAR_ONE, { error: "Must not be before the year 1." })
  .transform((time) => Date.parse(time))
  .nullable()
  .optional()
  .openapi({ type: ["string", "null"], format: "date-time" });

const CustomValue = z
  .union([text(1000), z.number(), z.boolean(), z.null()], {
    error: "Must be a text of at most 1000 characters, a number, true, false or null.",
  })
  .openapi({ description: "Null removes the field." });

export const ContactInput = z
  .strictObject({
    external_id: blankable(text(200), "crm-1815"),
    name: blankable(text(200), "Ada Lovelace"),
    email: blankable(z.email().max(254), "ada@example.com"),
    phone: blankable(
      z
        .string()
        .max(40)
        .regex(/^\+?[0-9][0-9 ()./-]*$/, {
          error: "Must be a telephone number, best as +447700900123.",
        }),
      "+447700900123",
    ),
    channel: z.enum(CONTACT_CHANNELS).nullable().optional().openapi({
      description: "Its events are on this channel; those of a contact without one on `webchat`.",
    }),
    stage: z.uuid().nullable().optional().openapi({ description: "The id of a stage." }),
    tags: z.array(z.uuid()).max(MAX_TAGS).optional().openapi({
      description: "Ids of tags; replaces those that the contact has.",
    }),
    country: blankable(z.string().toUpperCase().regex(COUNTRY), "GB"),
    language: blankable(z.string().max(35).regex(LANGUAGE), "en"),
    custom: z
      .record(z.string().regex(CUSTOM_KEY), CustomValue)
      .optional()
      .openapi({ description: "Fields of your own; those left out keep their values." }),
    status: z.enum(CONTACT_STATUSES).optional(),
    last_active_at: PastTime,
    last_inbound_at: PastTime,
  })
  .openapi("ContactInput", { description: "Fields left out keep their values." });
export type ContactInput = z.output<typeof ContactInput>;

export const ImportContacts = z
  .strictObject({
    contacts: z
      .array(z.unknown().openapi({ type: "object", additionalProperties: true }))
      .min(1)
      .max(MAX_IMPORT_ROWS)
      .openapi({
        description: `Up to ${MAX_IMPORT_ROWS} rows, each as a \`ContactInput\`; each is judged on its own.`,
        example: [{ external_id: "crm-1815", name: "Ada Lovelace" }],
      }),
  })
  .openapi("ImportContacts");

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
  .openapi("Contact");
export type Contact = z.output<typeof Contact>;

export const ContactAnswer = z.object({ data: Contact });
export const ContactParams = z.object({ contact: z.uuid() });

export const ImportAnswer = z.object({
  data: z.array(
    z
      .object({
        row: z.number().int().openapi({ description: "The row's place, from 0." }),
        status: z.enum(["created", "updated", "failed"]),
        id: z.uuid().nullable(),
        errors: z.record(z.string(), z.array(z.string())).optional(),
      })
      .openapi("ImportedRow"),
  ),
});
export type ImportedRow = z.output<typeof ImportAnswer>["data"][number];

export const ListContactsQuery = PageQuery.extend({
  external_id: z.string().max(200).optional(),
  email: z.string().max(254).optional().openapi({ description: "Whatever the case of A to Z." }),
  channel: z.enum(CONTACT_CHANNELS).optional(),
  stage: z.uuid().optional(),
  tag: z.uuid().optional(),
  status: z.enum(CONTACT_STATUSES).optional(),
});
export type ContactFilter = Omit<z.output<typeof ListContactsQuery>, "limit" | "cursor">;
