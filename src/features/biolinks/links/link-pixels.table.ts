import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Which links use a pixel: what `links.pixels` says, the other way round. Triggers on links keep it
 * (see the migration `pixels-data`), in the same statement.
 */
export const linkPixels = sqliteTable(
  "link_pixels",
  {
    /** No foreign key: a link may name a pixel that is gone. */
    pixelId: text("pixel_id").notNull(),
    linkId: text("link_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.pixelId, table.linkId] })],
);
