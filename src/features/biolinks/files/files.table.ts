import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, workspaceId } from "../../../platform/db/columns.ts";
import type { FileType } from "./file-types.ts";

/** Files of workspaces. The bytes are in R2, once however many workspaces have them: see file-store.ts. */
export const files = sqliteTable(
  "files",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    /** Of the bytes as they are served, in hex: their name in R2 and in the address. */
    sha256: text("sha256").notNull(),
    type: text("type").$type<FileType>().notNull(),
    bytes: integer("bytes").notNull(),
    /** In pixels, as it is seen; null for a PDF. */
    width: integer("width"),
    height: integer("height"),
    createdAt: createdAt(),
  },
  (table) => [
    index("files_workspace").on(table.workspaceId, table.id),
    uniqueIndex("files_content").on(table.sha256, table.workspaceId),
  ],
);

/** Contents that are being deleted from R2: while one stands here, nobody gets a file of it. */
export const fileRemovals = sqliteTable(
  "file_removals",
  {
    sha256: text("sha256").primaryKey(),
    claimedAt: integer("claimed_at").notNull(),
  },
  (table) => [index("file_removals_claimed").on(table.claimedAt)],
);

/** Contents that the operator has taken out of service, whoever has them. */
export const disabledFiles = sqliteTable("disabled_files", {
  sha256: text("sha256").primaryKey(),
  disabledAt: integer("disabled_at").notNull(),
});

/** Who this deployment is to its bucket: one row, which a migration filled with a random id. */
export const fileBucketOwner = sqliteTable("file_bucket_owner", {
  id: integer("id").primaryKey(),
  owner: text("owner").notNull(),
});
