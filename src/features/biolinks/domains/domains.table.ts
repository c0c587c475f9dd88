import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, url, workspaceId } from "../../../platform/db/columns.ts";

/** Why a domain is not served yet, for the person who manages its DNS. */
export interface DomainProblem {
  record: string;
  name: string;
  found: string[];
  expected: string[];
  message: string;
}

/** Hosts that workspaces claim. Only a verified one may carry links, and is one workspace's only. */
export const domains = sqliteTable(
  "domains",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    host: text("host").notNull(),
    verified: integer("verified", { mode: "boolean" }).notNull(),
    disabled: integer("disabled", { mode: "boolean" }).notNull(),
    /** What the owner puts into a TXT record. */
    token: text("token").notNull().default(""),
    rootUrl: url("root_url"),
    notFoundUrl: url("not_found_url"),
    problems: text("problems", { mode: "json" }).$type<DomainProblem[]>().notNull().default([]),
    /** Days on which the daily check failed, one after the other. */
    failedDays: integer("failed_days").notNull().default(0),
    lastCheckedAt: integer("last_checked_at"),
    /** When the daily check looks at it again; null until it was verified once. */
    checkAt: integer("check_at"),
    sslActive: integer("ssl_active", { mode: "boolean" }).notNull().default(false),
    /** When its certificate is asked about again; null until it is to have one. */
    sslCheckAt: integer("ssl_check_at"),
    revision: text("revision").notNull().default(""),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("domains_verified_host").on(table.host).where(sql`${table.verified} = 1`),
    uniqueIndex("domains_claim").on(table.workspaceId, table.host),
    index("domains_workspace").on(table.workspaceId, table.id),
    index("domains_check").on(table.checkAt).where(sql`${table.checkAt} IS NOT NULL`),
    index("domains_host").on(table.host),
    // A certificate that is in use leaves it: what is asked about is all that is in it.
    index("domains_uncertified")
      .on(table.sslCheckAt)
      .where(
        sql`${table.sslCheckAt} IS NOT NULL AND ${table.sslActive} = 0 AND ${table.verified} = 1`,
      ),
  ],
);

/** Hosts whose custom hostname at Cloudflare is to be removed: kept until that is done. */
export const hostnameRemovals = sqliteTable(
  "hostname_removals",
  {
    host: text("host").primaryKey(),
    tryAt: integer("try_at").notNull(),
  },
  (table) => [index("hostname_removals_due").on(table.tryAt)],
);
