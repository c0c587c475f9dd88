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
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import { stages } from "../labels/stages.table.ts";
import { tags } from "../labels/tags.table.ts";
import type { ContactChannel } from "./contact-channels.ts";
import type { ContactStatus } from "./contact-status.ts";

export type CustomValue = string | number | boolean;

export const contacts = sqliteTable(
  "contacts",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    /** The caller's own id of the contact. */
    externalId: text("external_id"),
    name: text("name"),
    email: text("email"),
    phone: text("phone"),
    channel: text("channel").$type<ContactChannel>(),
    stageId: text("stage_id").references(() => stages.id, { onDelete: "set null" }),
    country: text("country"),
    language: text("language"),
    custom: text("custom", { mode: "json" }).$type<Record<string, CustomValue>>().notNull(),
    status: text("status").$type<ContactStatus>().notNull(),
    lastActiveAt: integer("last_active_at"),
    lastInboundAt: integer("last_inbound_at"),
    /** A contact that was never active counts as inactive since its creation. */
    inactiveSince: integer("inactive_since").generatedAlwaysAs(
      sql`coalesce(last_active_at, created_at)`,
      { mode: "virtual" },
    ),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("contacts_external_id")
      .on(table.workspaceId, table.externalId)
      .where(sql`${table.externalId} IS NOT NULL`),
    index("contacts_workspace").on(table.workspaceId, table.id),
    index("contacts_stage").on(table.workspaceId, table.stageId, table.id),
    index("contacts_inactive").on(table.workspaceId, table.inactiveSince),
    // For the foreign key: deleting a stage looks for its contacts.
    index("contacts_stage_id").on(table.stageId),
  ],
);

export const contactTags = sqliteTable(
  "contact_tags",
  {
    contactId: text("contact_id")
      .notNull()
      .references(() => contacts.id, { onDelete: "cascade" }),
    tagId: text("tag_id")
      .notNull()
      .references(() => tags.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.contactId, table.tagId] }),
    index("contact_tags_tag").on(table.tagId, table.contactId),
  ],
);
