import { customType, integer, text } from "drizzle-orm/sqlite-core";
import { writtenUrl } from "../web-url.ts";

/** Columns that most tables share. Times are milliseconds since the epoch. */
export const id = () => text("id").primaryKey();
export const workspaceId = () => text("workspace_id").notNull();
export const createdAt = () => integer("created_at").notNull();
export const updatedAt = () => integer("updated_at").notNull();

/** A URL, read as the parser writes it: rows of before 2026-11-21 hold it as it was sent. */
export const url = customType<{ data: string; driverData: string }>({
  dataType: () => "text",
  fromDriver: writtenUrl,
});
