import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { Utm } from "../../../visitor/decide/visitor-link.ts";

export const links = sqliteTable(
  "links",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    /** Null: the platform host. No foreign key: a link outlives its domain, unreachable. */
    domainId: text("domain_id"),
    slug: text("slug").notNull(),
    /** The slug in lower case: what visitors' paths are matched with. */
    slugKey: text("slug_key").notNull(),
    title: text("title"),
    destination: text("destination").notNull(),
    status: text("status").$type<"active" | "paused">().notNull(),
    /** The operator's own switch, which the workspace cannot undo. */
    disabled: integer("disabled", { mode: "boolean" }).notNull(),
    passwordHash: text("password_hash"),
    httpStatus: integer("http_status").notNull(),
    forwardQuery: integer("forward_query", { mode: "boolean" }).notNull(),
    sensitiveContent: integer("sensitive_content", { mode: "boolean" }).notNull(),
    utm: text("utm", { mode: "json" }).$type<Utm>().notNull(),
    pixels: text("pixels", { mode: "json" }).$type<string[]>().notNull(),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("links_platform_slug").on(table.slugKey).where(sql`${table.domainId} IS NULL`),
    uniqueIndex("links_domain_slug")
      .on(table.domainId, table.slugKey)
      .where(sql`${table.domainId} IS NOT NULL`),
    index("links_workspace").on(table.workspaceId, table.id),
    index("links_domain")
      .on(table.workspaceId, table.domainId, table.id)
      .where(sql`${table.domainId} IS NOT NULL`),
  ],
);
