import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, workspaceId } from "../platform/db/columns.ts";

/**
 * Whose data are to be gone: from the moment its row stands nothing of the subject is sent any
 * more, and a job erases what is stored, place by place. The row holds nothing of the person.
 */
export const erasures = sqliteTable(
  "erasures",
  {
    /** The id of the contact. */
    subject: text("subject").primaryKey(),
    workspaceId: workspaceId(),
    /** Where the job is: how many places are done, and the last record of this one. */
    place: integer("place").notNull(),
    position: text("position").notNull(),
    /** When the job may go on; later after a fault. */
    dueAt: integer("due_at").notNull(),
    createdAt: createdAt(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    index("erasures_open")
      .on(table.workspaceId, table.dueAt)
      .where(sql`${table.finishedAt} IS NULL`),
  ],
);
