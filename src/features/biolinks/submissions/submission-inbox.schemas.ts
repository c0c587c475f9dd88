import { z } from "@hono/zod-openapi";
import { optional, withDefault } from "../../../api/blank.ts";
import { exampleId, Id, idParams } from "../../../api/ids.ts";
import { PageQuery } from "../../../api/pagination.ts";
import { QueryBoolean } from "../../../api/query-values.ts";
import { Time } from "../../../api/times.ts";
import { BULK_DELETE, ERASE, SUBMISSION, UPDATE_SUBMISSION } from "./submissions.examples.ts";
import {
  Answers,
  SPAM_REASONS,
  SUBMISSION_STATUSES,
  SubmittedConsent,
  SubmittedField,
} from "./submissions.schemas.ts";

export const Submission = z
  .object({
    id: z.uuid(),
    revision: z.string().openapi({ description: "Changes on every write; also the `ETag`." }),
    page: z.uuid().openapi({ description: "May be deleted since." }),
    block: z.uuid().openapi({ description: "May be deleted since." }),
    block_name: z.string().nullable().openapi({
      description:
        "What its form is called, or was when it was deleted; null once its page is deleted.",
      example: "Write to me",
    }),
    page_version: z.number().int(),
    status: z.enum(SUBMISSION_STATUSES),
    spam_reasons: z.array(z.enum(SPAM_REASONS)).openapi({
      description: "Why it was held, or is spam. They stay when it is released.",
    }),
    answers: Answers.openapi({
      description: "By field id; what was not answered is not in it.",
      example: { email: "ada@example.com", topics: ["Vases", "Bowls"], news: true },
    }),
    fields: z.array(SubmittedField).openapi({ description: "As the visitor saw them." }),
    consents: z.array(SubmittedConsent),
    contact: z.uuid().nullable().openapi({
      description: "The contact that it made or was added to; it may be deleted since.",
    }),
    country: z.string().nullable(),
    referrer_host: z.string().nullable(),
    utm: z.object({
      source: z.string().optional(),
      medium: z.string().optional(),
      campaign: z.string().optional(),
    }),
    is_read: z.boolean(),
    is_starred: z.boolean(),
    created_at: z.iso.datetime(),
  })
  .openapi("Submission", { example: SUBMISSION });
export type Submission = z.output<typeof Submission>;

export const SubmissionAnswer = z.object({ data: Submission });
export const SubmissionParams = idParams("submission");

export const UpdateSubmission = z
  .strictObject({
    is_read: optional(z.boolean()),
    is_starred: optional(z.boolean()),
  })
  .openapi("UpdateSubmission", {
    example: UPDATE_SUBMISSION,
    description: "Fields left out keep their values.",
  });
export type UpdateSubmission = z.output<typeof UpdateSubmission>;

const EmailAddress = z.email().max(254);

const filters = {
  status: optional(z.enum(SUBMISSION_STATUSES)).openapi({
    description: "Only submissions with this status.",
  }),
  page: optional(Id).openapi({ description: "Only those of this page's forms: its id." }),
  block: optional(Id).openapi({ description: "Of one form." }),
  contact: optional(Id).openapi({
    description: "Only those that this contact was made by, or was added to: its id.",
  }),
  email: optional(EmailAddress).openapi({
    description:
      "With this address in an email field, or as all that was typed into a text field (sent since 2026-11-27), whatever the case.",
    example: "ada@example.com",
  }),
  is_read: optional(QueryBoolean).openapi({ description: "Only those that are read, or not." }),
  is_starred: optional(QueryBoolean).openapi({
    description: "Only those that are starred, or not.",
  }),
  since: optional(Time).openapi({ description: "Sent at this time, or later." }),
  until: optional(Time).openapi({ description: "Sent before this time." }),
};

export const ListSubmissionsQuery = PageQuery.extend(filters);
export const ExportSubmissionsQuery = z.object({
  ...filters,
  format: withDefault(z.enum(["csv", "ndjson"]), "csv").openapi({
    description: "What kind of file.",
    default: "csv",
  }),
});
export type SubmissionFilter = Omit<z.output<typeof ExportSubmissionsQuery>, "format">;

const MAX_BULK = 100;

export const BulkDeleteSubmissions = z
  .strictObject({ ids: z.array(Id).min(1).max(MAX_BULK) })
  .openapi("BulkDeleteSubmissions", { example: BULK_DELETE });

export const BulkDeletedAnswer = z.object({
  data: z.object({
    deleted: z.array(z.uuid()).openapi({
      example: [exampleId("submission")],
      description: "Those that were there: the others are not this workspace's, or gone already.",
    }),
  }),
});

export const EraseSubmissions = z
  .strictObject({ email: EmailAddress.openapi({ example: "ada@example.com" }) })
  .openapi("EraseSubmissions", { example: ERASE });

export const ErasedAnswer = z.object({
  data: z.object({
    erased: z.number().int().openapi({ description: "How many submissions.", example: 1 }),
    finished: z.boolean().openapi({
      example: true,
      description: "False where they are too many for one request: send it again.",
    }),
  }),
});
