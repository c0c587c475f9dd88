import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaceId } from "../platform/db/columns.ts";
import type { AnswerTimes } from "./answer-times.ts";

/** How the attempts at a target went that ended in an hour. */
export const targetMetrics = sqliteTable(
  "target_metrics",
  {
    workspaceId: workspaceId(),
    targetId: text("target_id").notNull(),
    /** Its start, milliseconds since the epoch. */
    hour: integer("hour").notNull(),
    delivered: integer("delivered").notNull(),
    failed: integer("failed").notNull(),
    /** Of those that got an answer, whatever it was. */
    answerTimes: text("answer_times", { mode: "json" }).$type<AnswerTimes>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.targetId, table.hour] }),
    index("target_metrics_hour").on(table.hour),
  ],
);
