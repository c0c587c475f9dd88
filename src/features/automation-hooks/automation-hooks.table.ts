import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../access/workspaces/workspaces.table.ts";
import { createdAt, id, workspaceId } from "../../platform/db/columns.ts";

/** REST hooks of automation platforms: a URL that wants an event, on whatever channel. */
export const automationHooks = sqliteTable(
  "automation_hooks",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    /** Whose it is: it ends with that key. Null: of before 2026-11-22, until it is asked for again. */
    keyId: text("key_id"),
    event: text("event").notNull(),
    targetUrl: text("target_url").notNull(),
    /** Since when every attempt has failed; null after a success. */
    failingSince: integer("failing_since"),
    createdAt: createdAt(),
  },
  (table) => [
    index("automation_hooks_workspace").on(table.workspaceId, table.id),
    uniqueIndex("automation_hooks_target").on(table.workspaceId, table.event, table.targetUrl),
  ],
);
