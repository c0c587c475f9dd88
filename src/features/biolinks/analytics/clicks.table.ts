import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, workspaceId } from "../../../platform/db/columns.ts";
import type { ClickKind } from "../../../visitor/clicks/click-packet.ts";

/**
 * Clicks per link and hour, as the code of before 2026-11-22 counts them, until the job has moved
 * them into the ledgers: see `click-moves.ts`. Dimensions that are unknown hold an empty string;
 * those that a link had too many of that day `(other)`. Triggers (see the migration `clicks-data`)
 * keep `link_totals` and `link_days`.
 */
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
    // By day (UTC): what is old enough to go, and whether a link had a referrer that day.
    index("link_clicks_day").on(sql`${table.hour} / 86400000`, table.linkId, table.referrer),
  ],
);

/** Visits of a link by people, ever. */
export const linkTotals = sqliteTable("link_totals", {
  linkId: text("link_id").primaryKey(),
  workspaceId: workspaceId(),
  clicks: integer("clicks").notNull(),
});

/**
 * Clicks on their way from `link_clicks` into a workspace's ledger: JSON of their rows. It goes with
 * the other tables here when nobody deploys from before 2026-11-22 any more.
 */
export const clickMoves = sqliteTable(
  "click_moves",
  { id: text("id").notNull(), workspaceId: workspaceId(), clicks: text("clicks").notNull() },
  (table) => [primaryKey({ columns: [table.id, table.workspaceId] })],
);

/** How much there is of a link and day (UTC) in `link_clicks`, so that visitors cannot fill it. */
export const linkDays = sqliteTable(
  "link_days",
  {
    linkId: text("link_id").notNull(),
    /** Days since the epoch. */
    day: integer("day").notNull(),
    rows: integer("rows").notNull(),
    /** Different ones, but for none and `(other)`. */
    referrers: integer("referrers").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.linkId, table.day] }),
    index("link_days_day").on(table.day),
  ],
);

/** Packets already counted, so that a queue message that comes twice counts once. */
export const clickPackets = sqliteTable(
  "click_packets",
  { id: id(), createdAt: createdAt() },
  (table) => [index("click_packets_created").on(table.createdAt)],
);
