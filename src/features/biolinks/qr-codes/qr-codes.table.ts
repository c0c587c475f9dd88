import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { Target } from "./qr-codes.schemas.ts";
import type { Style } from "./qr-style.ts";

/** QR codes. A dynamic one has a code, which stands in the address book of its host for ever. */
export const qrCodes = sqliteTable(
  "qr_codes",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    name: text("name").notNull(),
    /** 8 of Crockford's base32, upper case; null: a static code, which is not followed. */
    code: text("code").unique(),
    /** The host that is printed: null is the platform's. No foreign key: a print outlives a domain. */
    domainId: text("domain_id"),
    /** As it is printed, before `/Q/`; null for a static code. */
    origin: text("origin"),
    target: text("target", { mode: "json" }).$type<Target>().notNull(),
    targetLinkId: text("target_link_id").generatedAlwaysAs(sql`(target ->> 'link')`, {
      mode: "virtual",
    }),
    style: text("style", { mode: "json" }).$type<Style>().notNull(),
    status: text("status").$type<"active" | "paused">().notNull(),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("qr_codes_workspace").on(table.workspaceId, table.id),
    index("qr_codes_target_link")
      .on(table.targetLinkId)
      .where(sql`${table.targetLinkId} IS NOT NULL`),
  ],
);
