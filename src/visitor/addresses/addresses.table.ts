import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaceId } from "../../platform/db/columns.ts";

/**
 * The address book: what visitors find where. Whatever stands at an address has its one row here,
 * so no two things do. Triggers on the tables of those things keep it (see the migration
 * `addresses-data`), in the same statement: no writer can forget, and none can die in between.
 */
export const addresses = sqliteTable(
  "addresses",
  {
    /**
     * Empty: the platform's host. Else a domain's id, as its host may come to be another's; of a QR
     * code the host itself, as a code is nobody else's.
     */
    place: text("place").notNull(),
    slugKey: text("slug_key").notNull(),
    kind: text("kind").$type<"link" | "qr_code" | "page">().notNull(),
    targetId: text("target_id").notNull(),
    workspaceId: workspaceId(),
    /** All that a visit needs of it, as JSON. Kept small: a search reads through the rows that it passes. */
    document: text("document").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.place, table.slugKey] }),
    // For the check of these, which are few among links.
    index("addresses_qr_codes").on(table.targetId).where(sql`${table.kind} = 'qr_code'`),
    index("addresses_pages").on(table.targetId).where(sql`${table.kind} = 'page'`),
  ],
);

/**
 * What changed for visitors, in its order, each with the next number, for an hour at least.
 * Triggers write it: one row for an address, for all of a host, or for all of a workspace.
 */
export const addressChanges = sqliteTable("address_changes", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  scope: text("scope").$type<"address" | "host" | "workspace">().notNull(),
  /** `host/slug` of an address, with an empty host for the platform's; else the host, or the id. */
  name: text("name").notNull(),
  /** Seconds since the epoch, by the database's clock. */
  at: integer("at").notNull().default(sql`(unixepoch())`),
});
