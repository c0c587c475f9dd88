import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "../../platform/db/columns.ts";
import type { Feature } from "./permissions.ts";

export const workspaces = sqliteTable("workspaces", {
  id: id(),
  name: text("name").notNull(),
  plan: text("plan").$type<"free" | "pro" | "business">().notNull(),
  status: text("status").$type<"active" | "suspended">().notNull(),
  features: text("features", { mode: "json" }).$type<Feature[]>().notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});
