import { toTimestamp } from "../../../../platform/time.ts";
import type { ImportRow } from "./product-imports.repository.ts";
import type { ImportError, ProductImport } from "./product-imports.schemas.ts";

/** An import as the API answers it. */
export function presentImport(row: ImportRow): ProductImport {
  const { id, status, mode, rows, created, updated, unchanged, failed, deleted, finishedAt } = row;
  return {
    id,
    status: status === "receiving" ? "queued" : status,
    mode,
    dry_run: row.dryRun,
    counts: { rows, created, updated, unchanged, failed, deleted },
    // A comma stands before each.
    errors: JSON.parse(`[${row.errors.slice(1)}]`) as ImportError[],
    ignored_columns: row.ignoredColumns,
    message: row.message,
    created_at: toTimestamp(row.createdAt),
    finished_at: finishedAt === null ? null : toTimestamp(finishedAt),
  };
}
