import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt, workspaceId } from "../../platform/db/columns.ts";
import type { Role } from "./permissions.ts";
import { workspaces } from "./workspaces.table.ts";

export const members = sqliteTable(
  "members",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    email: text("email"),
    role: text("role").$type<Role>().notNull(),
    /** A removed member keeps its row: its keys must answer 403, not 401. */
    removedAt: integer("removed_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("members_workspace").on(table.workspaceId, table.id)],
);
