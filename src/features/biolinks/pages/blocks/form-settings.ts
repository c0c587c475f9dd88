import { z } from "@hono/zod-openapi";
import { optional, withDefault } from "../../../../api/blank.ts";
import { Id } from "../../../../api/ids.ts";
import { record } from "../../../../api/record.ts";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { Moment, WebAddress } from "./block-fields.ts";

export const FIELD_TYPES = [
  "text",
  "email",
  "phone",
  "textarea",
  "number",
  "date",
  "select",
  "multi_select",
  "checkbox",
  "consent",
  "hidden",
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

const FieldId = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, {
    error: "Must be 1 to 40 small letters, digits and underscores, beginning with a letter.",
  })
  .openapi({ description: "Stays when labels change: answers are kept by it.", example: "email" });

const LONG_LABELS: readonly FieldType[] = ["consent", "checkbox"];
const WITH_OPTIONS: readonly FieldType[] = ["select", "multi_select"];
const TYPED: readonly FieldType[] = ["text", "textarea"];
/** Characters of an answer where the form does not say. */
export const DEFAULT_MAX_LENGTHS = { text: 200, textarea: 2000 };

const Field = z
  .strictObject({
    id: FieldId,
    type: z.enum(FIELD_TYPES),
    label: trimmedText(1000).openapi({
      description: "At most 120 characters; 1,000 for a consent or a checkbox.",
    }),
    required: withDefault(z.boolean(), false),
    placeholder: optionalText(120),
    options: optional(z.array(trimmedText(120)).min(1).max(50)).openapi({
      description: "Of a select or multi_select.",
    }),
    max_length: optional(z.int().min(1).max(5000)).openapi({
      description: "Of a text (200 if left out) or a textarea (2,000).",
    }),
    value: optionalText(500).openapi({ description: "What a hidden field sends." }),
  })
  .superRefine(({ type, label, options, max_length, value, required }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (!LONG_LABELS.includes(type) && [...label].length > 120) {
      refuse("label", "May have at most 120 characters.");
    }
    if (WITH_OPTIONS.includes(type) !== Boolean(options)) {
      refuse("options", "A select or multi_select has options, and no other field does.");
    }
    if (options && new Set(options).size < options.length) {
      refuse("options", "Each option is named once.");
    }
    if (max_length !== undefined && !TYPED.includes(type)) {
      refuse("max_length", "Only a text or textarea has a length.");
    }
    if (type !== "hidden" && value !== undefined)
      refuse("value", "Only a hidden field has a value.");
    if (type === "hidden" && required) refuse("required", "Nobody can fill in a hidden field.");
  })
  .openapi("FormField");
export type FormField = z.output<typeof Field>;

const Https = WebAddress.refine((url) => /^https:/i.test(url), { error: "Must be an https URL." });

const Success = z
  .strictObject({ message: optionalText(500), redirect: optional(Https) })
  .superRefine(({ message, redirect }, context) => {
    if (Boolean(message) !== Boolean(redirect)) return;
    context.addIssue({ code: "custom", message: "Send exactly one of message and redirect." });
  });

const Spam = z.strictObject({
  min_seconds: withDefault(z.int().min(0).max(60), 2).openapi({
    description: "Who is faster than that is a program.",
  }),
  max_per_ip_hour: withDefault(z.int().min(1).max(1000), 5),
  turnstile: withDefault(z.boolean(), false),
  block_words: optional(z.array(trimmedText(60)).max(100)),
});

const Contact = z.strictObject({
  create: withDefault(z.boolean(), false),
  map: optional(
    z.strictObject({
      name: optional(FieldId),
      email: optional(FieldId),
      phone: optional(FieldId),
      custom: optional(record(z.string().regex(/^[A-Za-z0-9_-]{1,60}$/), FieldId)),
    }),
  ).openapi({ description: "Which field's answer becomes which part of the contact." }),
  tags: optional(z.array(Id).max(20)),
});

export const FormSettings = z
  .strictObject({
    title: optionalText(120),
    submit_label: trimmedText(60),
    success: Success,
    fields: z.array(Field).min(1).max(20),
    spam: withDefault(Spam, Spam.parse({})),
    retention_days: withDefault(z.int().min(1).max(730), 365),
    limit: optional(z.int().min(1).max(1_000_000)).openapi({
      description:
        "After so many accepted submissions it is closed. One that is deleted gives no place back; one that is marked as spam does.",
    }),
    closes_at: optional(Moment),
    one_per_email: withDefault(z.boolean(), false),
    contact: optional(Contact),
  })
  .superRefine(({ fields, one_per_email, contact }, context) => {
    const ids = fields.map(({ id }) => id);
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) === index) continue;
      const message = "Another field has this id.";
      context.addIssue({ code: "custom", path: ["fields", index, "id"], message });
    }
    if (one_per_email && !fields.some(({ type }) => type === "email")) {
      const message = "A form without an email field cannot know who sent it.";
      context.addIssue({ code: "custom", path: ["one_per_email"], message });
    }
    const { custom = {}, ...own } = contact?.map ?? {};
    for (const [name, id] of [...Object.entries(own), ...Object.entries(custom)]) {
      if (id === undefined || ids.includes(id)) continue;
      const message = `The form has no field '${id}'.`;
      context.addIssue({ code: "custom", path: ["contact", "map", name], message });
    }
  })
  .openapi("FormBlock");
export type FormSettings = z.output<typeof FormSettings>;
