import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, workspaceId } from "../../../platform/db/columns.ts";
import type { ClickKind } from "../../../visitor/clicks/click-packet.ts";

/** Clicks per link and hour. Dimensions that are unknown hold an empty string. */
export const linkClicks = sqliteTable(
  "link_clicks",
  {
    linkId: text("link_id").notNull(),
    /** Start of the hour, milliseconds since the epoch. */
    hour: integer("hour").notNull(),
    kind: text("kind").$type<ClickKind>().notNull(),
    country: text("country").notNull(),
    device: text("device").notNull(),
    referrer: text("referrer").notNull(),
    workspaceId: workspaceId(),
    clicks: integer("clicks").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.linkId, table.hour, table.kind, table.country, table.device, table.referrer],
    }),
    index("link_clicks_workspace").on(table.workspaceId, table.hour),
  ],
);

/** Packets already counted, so that a queue message that comes twice counts once. */
export const clickPackets = sqliteTable(
  "click_packets",
  { id: id(), createdAt: createdAt() },
  (table) => [index("click_packets_created").on(table.createdAt)],
);
