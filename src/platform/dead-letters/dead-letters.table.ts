import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id } from "../db/columns.ts";

/** What could never be processed: set aside for the operator, so that it holds up nothing else. */
export const deadLetters = sqliteTable(
  "dead_letters",
  {
    id: id(),
    /** The queue that it came from, or the job that met it. */
    source: text("source").notNull(),
    /** Null where it does not say whose it is. */
    workspaceId: text("workspace_id"),
    /** The message, or what names the record. */
    body: text("body").notNull(),
    fault: text("fault").notNull(),
    attempts: integer("attempts").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("dead_letters_created").on(table.createdAt)],
);
