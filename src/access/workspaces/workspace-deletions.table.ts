import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt } from "../../platform/db/columns.ts";

/**
 * Workspaces that are being deleted, and those that are gone: from the moment its row stands a
 * workspace is suspended, and a job erases what is stored of it, place by place.
 */
export const workspaceDeletions = sqliteTable(
  "workspace_deletions",
  {
    /** It outlives the workspace. */
    id: text("id").primaryKey(),
    /** How often the job has been through all places. */
    passes: integer("passes").notNull(),
    /** Where the job is: the place's name, and what it says of how far it is there. */
    place: text("place").notNull(),
    position: text("position").notNull(),
    /** When the job may go on; later after a fault, and before another pass. */
    dueAt: integer("due_at").notNull(),
    createdAt: createdAt(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    index("workspace_deletions_due").on(table.dueAt).where(sql`${table.finishedAt} IS NULL`),
  ],
);
