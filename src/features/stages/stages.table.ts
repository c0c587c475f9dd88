import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt, workspaceId } from "../../db/columns.ts";
import { workspaces } from "../workspaces/workspaces.table.ts";

/** The steps of a workspace's sales pipeline; a contact stands on one of them at most. */
export const stages = sqliteTable(
  "stages",
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
    uniqueIndex("stages_name").on(table.workspaceId, table.nameKey),
    index("stages_workspace").on(table.workspaceId, table.id),
  ],
);
