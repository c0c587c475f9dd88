import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "../../platform/db/columns.ts";
import type { Feature } from "./permissions.ts";

export const workspaces = sqliteTable(
  "workspaces",
  {
    id: id(),
    name: text("name").notNull(),
    plan: text("plan").$type<"free" | "pro" | "business">().notNull(),
    status: text("status").$type<"active" | "suspended">().notNull(),
    features: text("features", { mode: "json" }).$type<Feature[]>().notNull(),
    /** When it last came to be allowed more, while work that was parked until then may wait. */
    resumedAt: integer("resumed_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("workspaces_resumed").on(table.resumedAt).where(sql`${table.resumedAt} IS NOT NULL`),
    index("workspaces_suspended")
      .on(table.id, table.status)
      .where(sql`${table.status} = 'suspended'`),
  ],
);
