import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, workspaceId } from "../../../../platform/db/columns.ts";
import type { Delimiter } from "./delimited-text.ts";
import type { FeedColumn } from "./feed-columns.ts";

/** `receiving`: its file is still being stored; nobody knows of it yet. */
export type ImportStatus = "receiving" | "queued" | "running" | "done" | "failed";
export type ImportMode = "upsert" | "replace";

const count = (name: string) => integer(name).notNull().default(0);

/**
 * Imports of products: one a workspace at a time, in steps, of which `next_step` is the next: first
 * those of the file's rows, then, with `replace`, those of the products that it does not name.
 */
export const productImports = sqliteTable(
  "product_imports",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    status: text("status").$type<ImportStatus>().notNull(),
    mode: text("mode").$type<ImportMode>().notNull(),
    dryRun: integer("dry_run", { mode: "boolean" }).notNull(),
    delimiter: text("delimiter").$type<Delimiter>().notNull(),
    columns: text("columns", { mode: "json" }).$type<FeedColumn[]>().notNull(),
    ignoredColumns: text("ignored_columns", { mode: "json" }).$type<string[]>().notNull(),
    rows: integer("rows").notNull(),
    rowSteps: integer("row_steps").notNull(),
    steps: integer("steps").notNull(),
    nextStep: count("next_step"),
    created: count("created"),
    updated: count("updated"),
    unchanged: count("unchanged"),
    failed: count("failed"),
    deleted: count("deleted"),
    /** JSON objects, a comma before each: so a step adds some without reading them. */
    errors: text("errors").notNull().default(""),
    errorsKept: count("errors_kept"),
    /** Why it failed as a whole. */
    message: text("message"),
    /** How often the next step met a fault. */
    faults: count("faults"),
    /** When the job of a minute is to go on; while it is being worked on, when that is to be over. */
    dueAt: integer("due_at").notNull(),
    createdAt: createdAt(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    index("product_imports_workspace").on(table.workspaceId, table.id),
    uniqueIndex("product_imports_open")
      .on(table.workspaceId)
      .where(sql`${table.finishedAt} IS NULL`),
    index("product_imports_due").on(table.dueAt).where(sql`${table.finishedAt} IS NULL`),
  ],
);

/** What steps work on, a row each: gone when the step is done. */
export const productImportSlices = sqliteTable(
  "product_import_slices",
  {
    importId: text("import_id").notNull(),
    /** The step's. */
    number: integer("number").notNull(),
    workspaceId: workspaceId(),
    /** Records as the file has them; behind those, lists of ids in JSON. */
    text: text("text").notNull(),
    /** The first record's row in the file. */
    firstRow: integer("first_row").notNull(),
    /** Rows whose id an earlier row has: `[row, earlier row]` each. */
    repeated: text("repeated", { mode: "json" }).$type<[number, number][]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.number] })],
);
