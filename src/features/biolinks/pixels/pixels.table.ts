import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { Pixel, PixelProvider } from "../../../visitor/decide/pixel-beacon.ts";

export const pixels = sqliteTable(
  "pixels",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    name: text("name").notNull(),
    provider: text("provider").$type<PixelProvider>().notNull(),
    /** The id that the provider gave to its customer. */
    tag: text("tag").notNull(),
    // Those with a default came later than the first rows.
    enabled: integer("enabled", { mode: "boolean" }).notNull().default(true),
    consent: text("consent").$type<Pixel["consent"]>().notNull().default("required"),
    /** Of the provider's server API. Encrypted. */
    accessToken: blob("access_token", { mode: "buffer" }).$type<Uint8Array>(),
    revision: text("revision").notNull().default("1"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    /** Since then nobody sees it; the row goes once it is taken from the last link. */
    deletedAt: integer("deleted_at"),
  },
  (table) => [
    index("pixels_workspace").on(table.workspaceId, table.id),
    index("pixels_deleted")
      .on(table.workspaceId, table.deletedAt)
      .where(sql`${table.deletedAt} IS NOT NULL`),
    index("pixels_sealed").on(table.id).where(sql`${table.accessToken} IS NOT NULL`),
  ],
);
