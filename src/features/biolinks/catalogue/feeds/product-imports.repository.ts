import { and, eq, getTableColumns, ne } from "drizzle-orm";
import { workspaceAllows } from "../../../../access/workspaces/workspaces.ports.ts";
import type { Database } from "../../../../platform/db/client.ts";
import { isMissing } from "../../../../platform/db/faults.ts";
import type { FeedSlice } from "./feed-file.ts";
import { KEPT_IMPORTS } from "./product-imports.schemas.ts";
import { productImportSlices, productImports } from "./product-imports.table.ts";

export type ImportRow = typeof productImports.$inferSelect;
export type SliceRow = typeof productImportSlices.$inferSelect;

/** All but the errors, which may be long and are for the answer alone. */
export type ImportWork = Omit<ImportRow, "errors">;

/** One that is still being stored is nobody's to see. */
export async function findImport(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<ImportRow | undefined> {
  return db
    .select()
    .from(productImports)
    .where(
      and(
        eq(productImports.workspaceId, workspaceId),
        eq(productImports.id, id),
        ne(productImports.status, "receiving"),
      ),
    )
    .get();
}

const COLUMNS = Object.entries(getTableColumns(productImports)).map(
  ([name, column]): [string, string] => [name, column.name],
);
const INSERT = `INSERT INTO product_imports (${COLUMNS.map(([, column]) => column).join(", ")})
  SELECT ${COLUMNS.map(([name]) => `?1 ->> '$.${name}'`).join(", ")} WHERE true
  ON CONFLICT (id) DO NOTHING`;
/** One whose sender has gone before its file was stored. */
const ABANDONED = `SELECT id FROM product_imports
  WHERE workspace_id = ?1 AND finished_at IS NULL AND status = 'receiving' AND due_at <= ?2 LIMIT 1`;

/**
 * Makes room for an import's file: before it is known, and as often as the same request comes. What
 * an earlier one left that never came to its end goes, as do all but the newest that are finished.
 * @throws a unique conflict while another import is open
 */
export async function beginImport(db: Database, row: ImportRow, time: number): Promise<void> {
  const d1 = db.$client;
  const { workspaceId } = row;
  await d1.batch([
    d1
      .prepare(
        `DELETE FROM product_import_slices WHERE import_id IN (${ABANDONED}) AND workspace_id = ?1`,
      )
      .bind(workspaceId, time),
    d1
      .prepare(`DELETE FROM product_imports WHERE id IN (${ABANDONED}) AND workspace_id = ?1`)
      .bind(workspaceId, time),
    d1
      .prepare(
        `DELETE FROM product_imports WHERE workspace_id = ?1 AND id IN (
           SELECT id FROM product_imports WHERE workspace_id = ?1 AND finished_at IS NOT NULL
           ORDER BY id DESC LIMIT ${KEPT_IMPORTS} OFFSET ${KEPT_IMPORTS - 1})`,
      )
      .bind(workspaceId),
    d1.prepare(INSERT).bind(JSON.stringify(row)),
  ]);
}

/**
 * Stores slices of an import's file; with `isLast` the import is queued, in the same transaction,
 * if it has them all (a fault of another run may have removed some): whether it is. @throws storage_full
 */
export async function storeSlices(
  db: Database,
  { id, workspaceId }: Pick<ImportRow, "id" | "workspaceId">,
  slices: readonly (FeedSlice & { number: number })[],
  { isLast, time }: { isLast: boolean; time: number },
): Promise<boolean> {
  const d1 = db.$client;
  const insert = `INSERT INTO product_import_slices
      (import_id, number, workspace_id, text, first_row, repeated)
    SELECT id, ?3, workspace_id, ?4, ?5, ?6 FROM product_imports
    WHERE id = ?1 AND workspace_id = ?2 AND status = 'receiving' ON CONFLICT DO NOTHING`;
  const queue = d1
    .prepare(
      `UPDATE product_imports SET status = 'queued', due_at = ?3
       WHERE id = ?1 AND workspace_id = ?2 AND status = 'receiving'
         AND steps = (SELECT count(*) FROM product_import_slices WHERE import_id = ?1)`,
    )
    .bind(id, workspaceId, time);
  const answers = await d1.batch([
    ...slices.map(({ number, text, firstRow, repeated }) =>
      d1.prepare(insert).bind(id, workspaceId, number, text, firstRow, JSON.stringify(repeated)),
    ),
    ...(isLast ? [queue] : []),
  ]);
  return (answers.at(-1)?.meta.changes ?? 0) > 0;
}

const { errors: _, ...WORK_COLUMNS } = getTableColumns(productImports);

/** An import that is open, and what its next step works on. */
export async function findNextStep(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<{ work: ImportWork; slice: SliceRow } | undefined> {
  return db
    .select({ work: WORK_COLUMNS, slice: productImportSlices })
    .from(productImports)
    .innerJoin(
      productImportSlices,
      and(
        eq(productImportSlices.importId, productImports.id),
        eq(productImportSlices.number, productImports.nextStep),
      ),
    )
    .where(and(eq(productImports.workspaceId, workspaceId), eq(productImports.id, id)))
    .get();
}

/** What a step did. */
export interface StepDone {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  deleted: number;
  /** JSON objects, each behind a comma. */
  errors: string;
  errorsKept: number;
  /** The step is over: its slice goes. Else it goes on with what is left of it. */
  isOver: boolean;
  /** No step follows, or none is to: the import is done. */
  isLast: boolean;
}

/**
 * Statements for the end of a step's batch, which note what it did. They abort the batch if another
 * has done the step already: `isOvertaken` knows that.
 */
export function stepStatements(
  db: Database,
  { id, workspaceId, nextStep }: ImportWork,
  { isOver, isLast, errors, ...done }: StepDone,
  { time, dueAt }: { time: number; dueAt: number },
): D1PreparedStatement[] {
  const d1 = db.$client;
  const refusal = d1
    .prepare(
      `INSERT INTO product_import_slices (import_id, number, workspace_id, text, first_row, repeated)
       SELECT NULL, 0, '', '', 0, '' WHERE NOT EXISTS (SELECT 1 FROM product_imports
         WHERE id = ?1 AND workspace_id = ?2 AND next_step = ?3 AND finished_at IS NULL)`,
    )
    .bind(id, workspaceId, nextStep);
  const advance = d1
    .prepare(
      `UPDATE product_imports SET next_step = next_step + ?4,
         created = created + ?5 ->> '$.created', updated = updated + ?5 ->> '$.updated',
         unchanged = unchanged + ?5 ->> '$.unchanged', failed = failed + ?5 ->> '$.failed',
         deleted = deleted + ?5 ->> '$.deleted', errors_kept = errors_kept + ?5 ->> '$.errorsKept',
         errors = errors || ?6, faults = 0, due_at = ?7,
         status = iif(?8, 'done', 'running'), finished_at = iif(?8, ?9, NULL)
       WHERE id = ?1 AND workspace_id = ?2 AND next_step = ?3 AND finished_at IS NULL`,
    )
    .bind(
      id,
      workspaceId,
      nextStep,
      isOver || isLast ? 1 : 0,
      JSON.stringify(done),
      errors,
      dueAt,
      isLast ? 1 : 0,
      time,
    );
  return [refusal, advance, slicesGone(db, id, workspaceId, isLast ? undefined : nextStep, isOver)];
}

/** Deletes a step's slice, if it is over; without a step, those of all: at most some hundred. */
function slicesGone(
  db: Database,
  id: string,
  workspaceId: string,
  step: number | undefined,
  isOver: boolean,
): D1PreparedStatement {
  const d1 = db.$client;
  if (step === undefined) {
    return d1
      .prepare("DELETE FROM product_import_slices WHERE import_id = ?1 AND workspace_id = ?2")
      .bind(id, workspaceId);
  }
  return d1
    .prepare(
      `DELETE FROM product_import_slices
       WHERE import_id = ?1 AND workspace_id = ?2 AND number = ?3 AND ?4`,
    )
    .bind(id, workspaceId, step, isOver ? 1 : 0);
}

/** Whether a batch was aborted as another has done its step already. */
export function isOvertaken(error: unknown): boolean {
  return isMissing(error, "product_import_slices.import_id");
}

/** Ends an import that cannot go on; what it has written stays. */
export async function failImport(
  db: Database,
  { id, workspaceId }: Pick<ImportRow, "id" | "workspaceId">,
  message: string,
  time: number,
): Promise<void> {
  const d1 = db.$client;
  await d1.batch([
    d1
      .prepare(
        `UPDATE product_imports SET status = 'failed', message = ?3, finished_at = ?4
         WHERE id = ?1 AND workspace_id = ?2 AND finished_at IS NULL`,
      )
      .bind(id, workspaceId, message, time),
    slicesGone(db, id, workspaceId, undefined, true),
  ]);
}

/** Lets an import wait, so that it holds up none of the others; how many faults its step had by then. */
export async function postponeImport(
  db: Database,
  { id, workspaceId }: Pick<ImportRow, "id" | "workspaceId">,
  { dueAt, faults }: { dueAt: number; faults: number },
): Promise<number> {
  const row = await db.$client
    .prepare(
      `UPDATE product_imports SET due_at = ?3, faults = faults + ?4
       WHERE id = ?1 AND workspace_id = ?2 AND finished_at IS NULL RETURNING faults`,
    )
    .bind(id, workspaceId, dueAt, faults)
    .first<{ faults: number }>();
  return row?.faults ?? 0;
}

/** An import that nobody is working on. */
export interface DueImport {
  id: string;
  workspaceId: string;
  isReceiving: number;
  /** Whether its workspace may do anything now. */
  isAllowed: number;
}

/** The imports to go on with, of which each workspace has one: those that wait longest. */
export async function findDueImports(
  db: Database,
  time: number,
  limit: number,
): Promise<DueImport[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id, workspace_id AS workspaceId, status = 'receiving' AS isReceiving,
         ${workspaceAllows("product_imports.workspace_id", ["'biolinks'"])} AS isAllowed
       FROM product_imports INDEXED BY product_imports_due
       WHERE finished_at IS NULL AND due_at <= ?1 ORDER BY due_at LIMIT ?2`,
    )
    .bind(time, limit)
    .all<DueImport>();
  return results;
}

/** Deletes an import whose file never was stored to its end: nothing of one that was meanwhile. */
export async function removeAbandoned(
  db: Database,
  { id, workspaceId }: Pick<ImportRow, "id" | "workspaceId">,
): Promise<void> {
  const d1 = db.$client;
  await d1.batch([
    d1
      .prepare(
        `DELETE FROM product_import_slices WHERE import_id = ?1 AND workspace_id = ?2
         AND EXISTS (SELECT 1 FROM product_imports WHERE product_imports.id = ?1
           AND product_imports.workspace_id = ?2 AND status = 'receiving')`,
      )
      .bind(id, workspaceId),
    d1
      .prepare(
        `DELETE FROM product_imports WHERE id = ?1 AND workspace_id = ?2 AND status = 'receiving'`,
      )
      .bind(id, workspaceId),
  ]);
}
