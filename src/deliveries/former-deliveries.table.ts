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

/**
 * Deliveries as the code of before 2026-11-22 made and reads them, until the job has moved them: see
 * `former-deliveries.ts`. Both tables go when nobody deploys from before any more.
 */
export const formerDeliveries = sqliteTable(
  "deliveries",
  {
    id: id(),
    workspaceId: workspaceId(),
    /** Webhook endpoints and automation hooks are delivered to alike. */
    targetKind: text("target_kind").$type<"endpoint" | "hook">().notNull(),
    targetId: text("target_id").notNull(),
    eventId: text("event_id").notNull(),
    event: text("event").notNull(),
    channel: text("channel").notNull(),
    test: integer("test", { mode: "boolean" }).notNull(),
    resendOf: text("resend_of"),
    /** `parked`: pending, but the workspace may not send it now. No sweep looks for those. */
    status: text("status").$type<"pending" | "parked" | "delivered" | "failed">().notNull(),
    attemptsCount: integer("attempts_count").notNull(),
    /** Null when there will be no further attempt. */
    nextAttemptAt: integer("next_attempt_at"),
    deliveredAt: integer("delivered_at"),
    createdAt: createdAt(),
  },
  (table) => [
    // Whole, so that whatever asks for an event's deliveries finds them by it: a resend, of which
    // there may be many, is told from the others by its own id.
    uniqueIndex("deliveries_event_target").on(
      table.eventId,
      table.targetId,
      sql`CASE WHEN ${table.resendOf} IS NULL THEN '' ELSE ${table.id} END`,
    ),
    index("deliveries_failed").on(table.targetId, table.id).where(sql`${table.status} = 'failed'`),
    index("deliveries_due")
      .on(table.targetId, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending'`),
    index("deliveries_parked")
      .on(table.workspaceId, table.targetKind, table.event)
      .where(sql`${table.status} = 'parked'`),
    index("deliveries_overdue").on(table.nextAttemptAt).where(sql`${table.status} = 'pending'`),
    index("deliveries_created").on(table.createdAt),
    index("deliveries_target").on(table.workspaceId, table.targetId, table.id),
  ],
);

/** Their attempts. */
export const formerAttempts = sqliteTable(
  "delivery_attempts",
  {
    deliveryId: text("delivery_id").notNull(),
    number: integer("number").notNull(),
    startedAt: integer("started_at").notNull(),
    durationMs: integer("duration_ms"),
    statusCode: integer("status_code"),
    error: text("error"),
    responseBody: text("response_body"),
    /** JSON, as `keptHeaders` writes it. What both take is a row's `bytes`, which a migration holds. */
    responseHeaders: text("response_headers"),
    manual: integer("manual", { mode: "boolean" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
);
