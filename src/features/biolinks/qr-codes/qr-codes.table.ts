import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { Style } from "./qr-style.ts";
import type { Target } from "./qr-targets.schemas.ts";

/** QR codes. A dynamic one has a code, which stands in the address book of its host for ever. */
export const qrCodes = sqliteTable(
  "qr_codes",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    name: text("name").notNull(),
    /** 8 of Crockford's base32, upper case; null: a static code, which is not followed. */
    code: text("code").unique(),
    /**
     * Null: the platform's host is printed. Else the domain of then, which may be gone since: the
     * code stands at the host of its origin, whatever domain of its workspace that is by now.
     */
    domainId: text("domain_id"),
    /** As it is printed, before `/Q/`; null for a static code. */
    origin: text("origin"),
    target: text("target", { mode: "json" }).$type<Target>().notNull(),
    targetLinkId: text("target_link_id").generatedAlwaysAs(sql`(target ->> 'link')`, {
      mode: "virtual",
    }),
    targetPageId: text("target_page_id").generatedAlwaysAs(sql`(target ->> 'page')`, {
      mode: "virtual",
    }),
    /** The file in its middle. */
    logoFileId: text("logo_file_id").generatedAlwaysAs(sql`(style ->> 'logo')`, {
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
    index("qr_codes_target_page")
      .on(table.targetPageId)
      .where(sql`${table.targetPageId} IS NOT NULL`),
    index("qr_codes_logo")
      .on(table.logoFileId, table.id)
      .where(sql`${table.logoFileId} IS NOT NULL`),
  ],
);
