import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";

/** Tags and stages alike are names that a workspace gives, each once. */
export function labelTable<Name extends "tags" | "stages">(name: Name) {
  return sqliteTable(
    name,
    {
      id: id(),
      workspaceId: workspaceId().references(() => workspaces.id),
      name: text("name").notNull(),
      /** The name in lower case: unique in the workspace. Once deleted, one that no name can have. */
      nameKey: text("name_key").notNull(),
      revision: text("revision").notNull(),
      createdAt: createdAt(),
      updatedAt: updatedAt(),
      /** Since then nobody sees it; the row goes once it is taken from its last contact. */
      deletedAt: integer("deleted_at"),
    },
    (table) => [
      uniqueIndex(`${name}_name`).on(table.workspaceId, table.nameKey),
      index(`${name}_workspace`).on(table.workspaceId, table.id),
      index(`${name}_deleted`)
        .on(table.workspaceId, table.deletedAt)
        .where(sql`${table.deletedAt} IS NOT NULL`),
    ],
  );
}
