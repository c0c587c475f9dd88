import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt, workspaceId } from "../../db/columns.ts";
import { workspaces } from "../workspaces/workspaces.table.ts";

/** Hosts that workspaces claim. Only a verified one may carry links. */
export const domains = sqliteTable(
  "domains",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    host: text("host").notNull(),
    verified: integer("verified", { mode: "boolean" }).notNull(),
    disabled: integer("disabled", { mode: "boolean" }).notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("domains_verified_host").on(table.host).where(sql`${table.verified} = 1`),
    index("domains_workspace").on(table.workspaceId, table.id),
  ],
);
