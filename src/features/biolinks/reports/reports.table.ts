import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { ReportReason } from "../../../visitor/reports/report-content.ts";

/**
 * What visitors reported of links and pages, for the operator: at most 20 open ones of each, and
 * for 180 days after their last change. Who reported is not in it.
 */
export const reports = sqliteTable(
  "reports",
  {
    id: id(),
    workspaceId: workspaceId(),
    kind: text("kind").$type<"link" | "page">().notNull(),
    targetId: text("target_id").notNull(),
    url: text("url").notNull(),
    reason: text("reason").$type<ReportReason>().notNull(),
    details: text("details").notNull(),
    status: text("status").$type<"open" | "resolved" | "dismissed">().notNull(),
    /** The operator's. */
    note: text("note"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("reports_status").on(table.status, table.id),
    index("reports_open").on(table.targetId).where(sql`${table.status} = 'open'`),
    index("reports_updated").on(table.updatedAt),
  ],
);

/** Who reported in the last hour, hashed: a row a report, at most 5 an hour of each. */
export const reportTries = sqliteTable(
  "report_tries",
  { id: id(), sender: text("sender").notNull(), createdAt: createdAt() },
  (table) => [
    index("report_tries_sender").on(table.sender, table.createdAt),
    index("report_tries_created").on(table.createdAt),
  ],
);
