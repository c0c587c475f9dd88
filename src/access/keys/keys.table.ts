import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, workspaceId } from "../../platform/db/columns.ts";
import { members } from "../workspaces/members.table.ts";
import { workspaces } from "../workspaces/workspaces.table.ts";

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    memberId: text("member_id")
      .notNull()
      .references(() => members.id),
    name: text("name").notNull(),
    /** SHA-256 of the key in hex; the key itself is stored nowhere. */
    hash: text("hash").notNull(),
    lastFour: text("last_four").notNull(),
    permissions: text("permissions", { mode: "json" }).$type<string[]>().notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("api_keys_hash").on(table.hash),
    index("api_keys_workspace").on(table.workspaceId, table.id),
    // For the foreign key, when a member is deleted with its workspace.
    index("api_keys_member").on(table.memberId),
  ],
);
