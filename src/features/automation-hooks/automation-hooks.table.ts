import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../access/workspaces/workspaces.table.ts";
import { createdAt, id, workspaceId } from "../../platform/db/columns.ts";

/** REST hooks of automation platforms: a URL that wants an event, on whatever channel. */
export const automationHooks = sqliteTable(
  "automation_hooks",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    event: text("event").notNull(),
    targetUrl: text("target_url").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("automation_hooks_target").on(table.workspaceId, table.event, table.targetUrl),
  ],
);
