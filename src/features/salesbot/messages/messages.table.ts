import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { ContactChannel } from "../contacts/contact-channels.ts";

export interface MessageTemplate {
  name: string;
  params: Record<string, string>;
}

/** Messages to contacts and from them. One to a contact is queued until its connector took it. */
export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    /** No foreign key: a message outlives its contact. */
    contactId: text("contact_id").notNull(),
    channel: text("channel").$type<ContactChannel>().notNull(),
    direction: text("direction").$type<"outbound" | "inbound">().notNull(),
    text: text("text"),
    template: text("template", { mode: "json" }).$type<MessageTemplate>(),
    status: text("status").$type<"queued" | "sent" | "failed" | "received">().notNull(),
    /** Why it failed. */
    reason: text("reason"),
    /** The id that an inbound message has at its channel: the same one counts once. */
    externalId: text("external_id"),
    attemptsCount: integer("attempts_count").notNull(),
    /** When a queued message is to be tried, or again; null once that is over, or while parked. */
    nextAttemptAt: integer("next_attempt_at"),
    sentAt: integer("sent_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("messages_due").on(table.nextAttemptAt).where(sql`${table.status} = 'queued'`),
    index("messages_parked")
      .on(table.workspaceId, table.id)
      .where(sql`${table.status} = 'queued' AND ${table.nextAttemptAt} IS NULL`),
    uniqueIndex("messages_external_id")
      .on(table.workspaceId, table.channel, table.externalId)
      .where(sql`${table.externalId} IS NOT NULL`),
    index("messages_contact").on(table.workspaceId, table.contactId, table.id),
    index("messages_created").on(table.createdAt),
  ],
);
