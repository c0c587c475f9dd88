import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { createdAt, id, workspaceId } from "../platform/db/columns.ts";

/** An event's `fanned_out_at` while it is parked: no sweep looks for it, until it is resumed. */
export const PARKED = 0;

/** The outbox: an event is written with the change that causes it, then fanned out. */
export const events = sqliteTable(
  "events",
  {
    id: id(),
    workspaceId: workspaceId(),
    type: text("type").notNull(),
    channel: text("channel").notNull(),
    test: integer("test", { mode: "boolean" }).notNull(),
    /** The id of the contact or submission that it tells of, if any: a person's data are in it. */
    subject: text("subject"),
    /** Null once purged. */
    data: text("data", { mode: "json" }).$type<Record<string, unknown>>(),
    /** Who wanted it when it happened: kind and id each. Null: nobody, or older code wrote it. */
    targets: text("targets", { mode: "json" }).$type<[string, string][]>(),
    /** Those that fan-out made of it: the target's id and their own each. */
    deliveries: text("deliveries", { mode: "json" }).$type<[string, string][]>(),
    /** {@link PARKED} while the workspace may not have it told; when nobody wanted it, its birth. */
    fannedOutAt: integer("fanned_out_at"),
    /** How often its fan-out met a fault. */
    failures: integer("failures").notNull().default(0),
    /** A hash of what the product that published it calls it, if it said: an id counts once. */
    sourceId: text("source_id"),
    createdAt: createdAt(),
  },
  (table) => [
    // By workspace, so that one with a long queue is passed over without reading it.
    index("events_waiting_order")
      .on(table.workspaceId, table.failures, table.createdAt)
      .where(sql`${table.fannedOutAt} IS NULL`),
    index("events_parked").on(table.workspaceId, table.type).where(sql`${table.fannedOutAt} = 0`),
    index("events_subject").on(table.subject, table.id).where(sql`${table.subject} IS NOT NULL`),
    uniqueIndex("events_source")
      .on(table.workspaceId, table.sourceId)
      .where(sql`${table.sourceId} IS NOT NULL`),
  ],
);

/**
 * Who wants which events now. Triggers keep it beside the tables of those who subscribe, so that
 * none of their writers can forget it; `*` is every channel.
 */
export const eventSubscriptions = sqliteTable(
  "event_subscriptions",
  {
    workspaceId: workspaceId(),
    event: text("event").notNull(),
    channel: text("channel").notNull(),
    targetKind: text("target_kind").notNull(),
    targetId: text("target_id").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.workspaceId, table.event, table.channel, table.targetKind, table.targetId],
    }),
    index("event_subscriptions_target").on(table.targetId),
  ],
);
