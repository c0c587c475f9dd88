import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, workspaceId } from "../platform/db/columns.ts";

/** The outbox: an event is written with the change that causes it, then fanned out. */
export const events = sqliteTable(
  "events",
  {
    id: id(),
    workspaceId: workspaceId(),
    type: text("type").notNull(),
    channel: text("channel").notNull(),
    test: integer("test", { mode: "boolean" }).notNull(),
    /** Null once purged. */
    data: text("data", { mode: "json" }).$type<Record<string, unknown>>(),
    fannedOutAt: integer("fanned_out_at"),
    /** How often its fan-out met a fault. */
    failures: integer("failures").notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [
    // By workspace, so that one with a long queue is passed over without reading it.
    index("events_waiting_order")
      .on(table.workspaceId, table.failures, table.createdAt)
      .where(sql`${table.fannedOutAt} IS NULL`),
    index("events_payload").on(table.createdAt).where(sql`${table.data} IS NOT NULL`),
    index("events_created").on(table.createdAt),
  ],
);
