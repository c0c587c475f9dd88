import { blob, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, workspaceId } from "../../../platform/db/columns.ts";

/**
 * Who asked for no more messages, by what they are known by: apart from contacts, so that it
 * outlives them. Keyed hashes, since these may be of people whose data are to be gone.
 */
export const optOuts = sqliteTable(
  "opt_outs",
  {
    workspaceId: workspaceId().references(() => workspaces.id),
    identity: text("identity").notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.identity] })],
);

/**
 * A workspace's key of those hashes: random, so that it stays when ENCRYPTION_KEY is changed, and
 * sealed with that, so that who has only the database cannot try all telephone numbers.
 */
export const optOutKeys = sqliteTable("opt_out_keys", {
  /** The workspace's. */
  id: id().references(() => workspaces.id),
  sealed: blob("sealed", { mode: "buffer" }).notNull(),
});
