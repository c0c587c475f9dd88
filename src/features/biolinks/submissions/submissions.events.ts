import { z } from "@hono/zod-openapi";
import { defineEvent } from "../../../events/event-type.ts";
import { SPAM_REASONS, SubmittedConsent, SubmittedField } from "./submissions.schemas.ts";

/** A submission as its events tell of it: whether somebody has read it is the workspace's own. */
const SubmissionEventData = z.object({
  id: z.uuid(),
  page: z.uuid(),
  block: z.uuid(),
  page_version: z.number().int(),
  // Said here anew: what receivers validate with has no `propertyNames`.
  answers: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .openapi({ description: "By field id." }),
  fields: z.array(SubmittedField),
  consents: z.array(SubmittedConsent),
  contact: z.uuid().nullable(),
  country: z.string().nullable(),
  referrer_host: z.string().nullable(),
  utm: z.object({
    source: z.string().optional(),
    medium: z.string().optional(),
    campaign: z.string().optional(),
  }),
  created_at: z.iso.datetime(),
});
export type SubmissionEventData = z.output<typeof SubmissionEventData>;

const HeldSubmissionData = SubmissionEventData.extend({
  reasons: z.array(z.enum(SPAM_REASONS)).openapi({ description: "Why somebody is to look at it." }),
});
export type HeldSubmissionData = z.output<typeof HeldSubmissionData>;

const sample: SubmissionEventData = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a66",
  page: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a55",
  block: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a77",
  page_version: 3,
  answers: { email: "ada@example.com", news: true },
  fields: [
    { id: "email", type: "email", label: "Email", required: true },
    { id: "news", type: "consent", label: "Send me news by email.", required: false },
  ],
  consents: [
    {
      field: "news",
      text: "Send me news by email.",
      hash: "a03bb2c3c3a3e0d8e2a6f2f5f3ad9a6ea8ff4a55d2e1c0a2c6a0a1dd3a2c7f10",
      given_at: "2026-11-20T08:00:00.000Z",
    },
  ],
  contact: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11",
  country: "GB",
  referrer_host: "instagram.com",
  utm: { source: "instagram" },
  created_at: "2026-11-20T08:00:00.000Z",
};

export const submissionEvents = {
  received: defineEvent({
    name: "biolinks.submission.received",
    description:
      "A visitor sent a form, and it was accepted; one that was held is told here once it is released.",
    channels: ["all"],
    data: SubmissionEventData,
    subjectField: "id",
    sample,
  }),
  held: defineEvent({
    name: "biolinks.submission.held",
    description:
      "A visitor sent a form, and somebody is to look at it: with its release it is received.",
    channels: ["all"],
    data: HeldSubmissionData,
    subjectField: "id",
    sample: { ...sample, contact: null, reasons: ["too_many_links"] },
  }),
};
