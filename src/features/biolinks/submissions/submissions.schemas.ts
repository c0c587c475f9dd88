import { z } from "@hono/zod-openapi";
import { FIELD_TYPES } from "../pages/blocks/form-settings.ts";

export const SUBMISSION_STATUSES = ["accepted", "held", "spam"] as const;
export type SubmissionStatus = (typeof SUBMISSION_STATUSES)[number];

export const SPAM_REASONS = [
  "honeypot",
  "too_fast",
  "turnstile_refused",
  "turnstile_unavailable",
  "duplicate",
  "blocked_words",
  "too_many_links",
  // By whoever reads submissions.
  "marked",
] as const;
export type SpamReason = (typeof SPAM_REASONS)[number];

/** Of a multi_select the options that were chosen; of a checkbox or consent whether it was ticked. */
export const Answer = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export type Answer = z.output<typeof Answer>;
/** By field id. What was not answered is not in it. */
export const Answers = z.record(z.string(), Answer);
export type Answers = z.output<typeof Answers>;

/** A field as the visitor saw it. */
export const SubmittedField = z
  .object({
    id: z.string(),
    type: z.enum(FIELD_TYPES),
    label: z.string(),
    required: z.boolean(),
  })
  .openapi("SubmittedField");
export type SubmittedField = z.output<typeof SubmittedField>;

export const SubmittedConsent = z
  .object({
    field: z.string(),
    text: z.string().openapi({ description: "What was consented to, as it was shown." }),
    hash: z.string().openapi({ description: "SHA-256 of the text, in hex." }),
    given_at: z.iso.datetime(),
  })
  .openapi("SubmittedConsent", { description: "Only consents that were given." });
export type SubmittedConsent = z.output<typeof SubmittedConsent>;

/** What a form says of contacts when it was sent. */
export interface ContactRule {
  map: {
    name?: string | undefined;
    email?: string | undefined;
    phone?: string | undefined;
    custom?: Record<string, string> | undefined;
  };
  tags: string[];
}
