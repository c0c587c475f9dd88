import { integer, text } from "drizzle-orm/sqlite-core";

/** Columns that most tables share. Times are milliseconds since the epoch. */
export const id = () => text("id").primaryKey();
export const workspaceId = () => text("workspace_id").notNull();
export const createdAt = () => integer("created_at").notNull();
export const updatedAt = () => integer("updated_at").notNull();
