import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, workspaceId } from "../../../platform/db/columns.ts";
import type { Utm } from "../../../visitor/decide/visitor-link.ts";
import type {
  Answers,
  ContactRule,
  SpamReason,
  SubmissionStatus,
  SubmittedConsent,
  SubmittedField,
} from "./submissions.schemas.ts";

/**
 * What visitors sent with forms. Page and block are no foreign keys: a submission outlives both.
 * Lists go by id, which sorts by time, so a time is a range of ids (`leastIdAt`).
 */
export const submissions = sqliteTable(
  "submissions",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    pageId: text("page_id").notNull(),
    blockId: text("block_id").notNull(),
    pageVersion: integer("page_version").notNull(),
    status: text("status").$type<SubmissionStatus>().notNull(),
    /** Why it is held or spam, also after a release. */
    spamReasons: text("spam_reasons", { mode: "json" }).$type<SpamReason[]>().notNull(),
    answers: text("answers", { mode: "json" }).$type<Answers>().notNull(),
    /** The form's fields as the visitor saw them. */
    fields: text("fields", { mode: "json" }).$type<SubmittedField[]>().notNull(),
    consents: text("consents", { mode: "json" }).$type<SubmittedConsent[]>().notNull(),
    /** The contact that it made or was added to. No foreign key: it may be gone since. */
    contactId: text("contact_id"),
    /** What the form does with a contact: what a release goes by. Null: nothing. */
    contactRule: text("contact_rule", { mode: "json" }).$type<ContactRule>(),
    country: text("country"),
    referrerHost: text("referrer_host"),
    utm: text("utm", { mode: "json" }).$type<Utm>().notNull(),
    isRead: integer("is_read", { mode: "boolean" }).notNull(),
    isStarred: integer("is_starred", { mode: "boolean" }).notNull(),
    /** Whether `.received` was told of it: that is told once. */
    isTold: integer("is_told", { mode: "boolean" }).notNull(),
    /** Of the form's token: the same one sent again is the same submission. */
    nonce: text("nonce").notNull(),
    /** SHA-256 of the answers: the same ones within ten minutes are spam. */
    digest: text("digest").notNull(),
    /** The first email answer in lower case, where the form takes one submission for each. */
    onlyEmail: text("only_email"),
    /** Every email address among the answers, in lower case. A trigger keeps `submission_emails`. */
    emails: text("emails", { mode: "json" }).$type<string[]>().notNull(),
    retentionDays: integer("retention_days").notNull(),
    /** When it is deleted: after the form's retention, spam after 30 days if that is earlier. */
    dueAt: integer("due_at").notNull(),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("submissions_workspace").on(table.workspaceId, table.id),
    index("submissions_status").on(table.workspaceId, table.status, table.id),
    index("submissions_page").on(table.workspaceId, table.pageId, table.id),
    index("submissions_block").on(table.workspaceId, table.blockId, table.id),
    index("submissions_unread").on(table.workspaceId, table.id).where(sql`${table.isRead} = 0`),
    index("submissions_starred").on(table.workspaceId, table.id).where(sql`${table.isStarred} = 1`),
    uniqueIndex("submissions_nonce").on(table.blockId, table.nonce),
    index("submissions_digest").on(table.blockId, table.digest, table.createdAt),
    uniqueIndex("submissions_only_email")
      .on(table.blockId, table.onlyEmail)
      .where(sql`${table.onlyEmail} IS NOT NULL AND ${table.status} <> 'spam'`),
    index("submissions_contact")
      .on(table.contactId, table.id)
      .where(sql`${table.contactId} IS NOT NULL`),
    index("submissions_due").on(table.dueAt),
  ],
);

/** Whose submissions are whose, by every address among their answers. A trigger keeps it. */
export const submissionEmails = sqliteTable(
  "submission_emails",
  {
    workspaceId: workspaceId(),
    email: text("email").notNull(),
    submissionId: text("submission_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.email, table.submissionId] })],
);
