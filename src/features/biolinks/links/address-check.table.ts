import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How far the comparison of the address book with its sources has come: one row. */
export const addressCheck = sqliteTable("address_check", {
  id: integer("id").primaryKey(),
  /** The last link that was looked at. */
  linkId: text("link_id").notNull().default(""),
  /** The last address that was looked at. */
  place: text("place").notNull().default(""),
  slugKey: text("slug_key").notNull().default(""),
});
