import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { PixelProvider } from "../../../visitor/decide/pixel-beacon.ts";

export const pixels = sqliteTable(
  "pixels",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    name: text("name").notNull(),
    provider: text("provider").$type<PixelProvider>().notNull(),
    /** The id that the provider gave to its customer. */
    tag: text("tag").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("pixels_workspace").on(table.workspaceId, table.id)],
);
