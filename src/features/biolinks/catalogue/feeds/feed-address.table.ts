import { sqliteTable, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, workspaceId } from "../../../../platform/db/columns.ts";

/** Where anybody gets a workspace's feed: one address each, until it is another or none. */
export const feedAddresses = sqliteTable(
  "feed_addresses",
  {
    /** What the address names, signed. */
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("feed_addresses_workspace").on(table.workspaceId)],
);
