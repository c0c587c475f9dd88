import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt, workspaceId } from "../../db/columns.ts";
import { workspaces } from "../workspaces/workspaces.table.ts";

/** Labels that a workspace puts on its contacts. */
export const tags = sqliteTable(
  "tags",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    name: text("name").notNull(),
    /** The name in lower case: unique in the workspace. */
    nameKey: text("name_key").notNull(),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("tags_name").on(table.workspaceId, table.nameKey),
    index("tags_workspace").on(table.workspaceId, table.id),
  ],
);
