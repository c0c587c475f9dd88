import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, workspaceId } from "../platform/db/columns.ts";

/** An attempt as its delivery keeps it. What is short of a response is kept whatever room there is. */
export interface StoredAttempt {
  startedAt: number;
  /** Null while it is under way. */
  durationMs: number | null;
  statusCode: number | null;
  error: string | null;
  responseBody: string | null;
  /** JSON, as `keptHeaders` writes it. */
  responseHeaders: string | null;
  /** JSON's own, where SQL wrote it. */
  manual: boolean | 0 | 1;
}

/**
 * One event on its way to one target, with its attempts: so that making and ending one writes three
 * rows. It lies by its target (WITHOUT ROWID: see the migration), which whoever asks for it knows.
 * What it takes is its `bytes`, which the migration holds.
 */
export const deliveries = sqliteTable(
  "target_deliveries",
  {
    targetId: text("target_id").notNull(),
    id: text("id").notNull(),
    workspaceId: workspaceId(),
    /** Webhook endpoints and automation hooks are delivered to alike. */
    targetKind: text("target_kind").$type<"endpoint" | "hook">().notNull(),
    eventId: text("event_id").notNull(),
    /** Whether the event tells its id in `events.deliveries`, where fan-out writes it. */
    listed: integer("listed", { mode: "boolean" }).notNull().default(false),
    event: text("event").notNull(),
    channel: text("channel").notNull(),
    test: integer("test", { mode: "boolean" }).notNull(),
    resendOf: text("resend_of"),
    /**
     * `parked`: pending, but the workspace may not send it now. No sweep looks for those.
     * `deferred`: pending, but its target has its share of those that are.
     */
    status: text("status")
      .$type<"pending" | "parked" | "deferred" | "delivered" | "failed">()
      .notNull(),
    attemptsCount: integer("attempts_count").notNull(),
    /** Null when there will be no further attempt. */
    nextAttemptAt: integer("next_attempt_at"),
    deliveredAt: integer("delivered_at"),
    createdAt: createdAt(),
    /** By their numbers. */
    attempts: text("attempts", { mode: "json" })
      .$type<Record<string, StoredAttempt>>()
      .notNull()
      .default({}),
  },
  (table) => [
    primaryKey({ columns: [table.targetId, table.id] }),
    index("target_deliveries_failed")
      .on(table.targetId, table.id)
      .where(sql`${table.status} = 'failed'`),
    index("target_deliveries_due")
      .on(table.targetId, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending'`),
    index("target_deliveries_parked")
      .on(table.workspaceId, table.targetKind, table.event)
      .where(sql`${table.status} = 'parked'`),
    index("target_deliveries_deferred")
      .on(table.targetId, table.id)
      .where(sql`${table.status} = 'deferred'`),
    // Tests, resends, and what older code made.
    index("target_deliveries_unlisted")
      .on(table.eventId, table.targetId, table.id)
      .where(sql`${table.listed} = 0`),
  ],
);

/** A caller's wish that all that failed since a time be sent again: a job that survives anything. */
export const recoveries = sqliteTable(
  "recoveries",
  {
    id: id(),
    workspaceId: workspaceId(),
    targetId: text("target_id").notNull(),
    since: integer("since").notNull(),
    /** The last delivery that was looked at; the job goes on behind it. */
    position: text("position").notNull(),
    /** Those whose deliveries who asked may move. Null, of before 2026-11-22: all. */
    events: text("events", { mode: "json" }).$type<string[]>(),
    resent: integer("resent").notNull(),
    finishedAt: integer("finished_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("recoveries_open").on(table.targetId, table.id).where(sql`${table.finishedAt} IS NULL`),
  ],
);
