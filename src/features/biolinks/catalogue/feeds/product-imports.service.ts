import { createOnce } from "../../../../api/create-once.ts";
import { ApiError } from "../../../../api/errors.ts";
import type { ClientContext, Context } from "../../../../platform/context/context.ts";
import { isUniqueConflictOf } from "../../../../platform/db/faults.ts";
import { isOverload } from "../../../../platform/overload.ts";
import { now } from "../../../../platform/time.ts";
import { type FeedFile, type FeedSlice, readFeedFile } from "./feed-file.ts";
import { removalSlices } from "./product-import-removal.ts";
import { LEASE_MILLISECONDS, workAtOnce } from "./product-import-work.ts";
import type { ImportRow } from "./product-imports.repository.ts";
import * as repository from "./product-imports.repository.ts";
import type { ImportMode } from "./product-imports.table.ts";

/** Longer than a request may take to store its file. */
const RECEIVING_MILLISECONDS = 15 * 60_000;
/** Of slices that are stored in one batch. */
const BATCH_CHARACTERS = 600_000;
const RETRY_SECONDS = 60;

interface ImportInput {
  bytes: Uint8Array;
  mode: ImportMode;
  dryRun: boolean;
}

/** @throws 404 */
export async function getImport({ db, workspaceId }: Context, id: string): Promise<ImportRow> {
  const row = await repository.findImport(db, workspaceId, id);
  if (!row) throw new ApiError("not_found", { message: "There is no such import." });
  return row;
}

/**
 * Stores a feed's file, and begins to import it after the answer. The file is in the database, a
 * row for each slice, until that is done: so an import needs no other store, whoever dies.
 * @throws 409 while another import is under way, 422
 */
export async function startImport(ctx: ClientContext, input: ImportInput): Promise<ImportRow> {
  const file = readFeedFile(input.bytes);
  const { db, workspaceId } = ctx;
  const row = await createOnce<ImportRow>(ctx, {
    find: (id) => repository.findImport(db, workspaceId, id),
    insert: async (id) => {
      const made = newImport(ctx, id, file, input);
      const isQueued = await store(ctx, made).catch(async (error: unknown) => {
        if (!isUniqueConflictOf(error, OPEN)) await forget(ctx, made);
        throw error;
      });
      if (isQueued) return { ...made.row, status: "queued" };
      throw new ApiError("overloaded", { retryAfterSeconds: RETRY_SECONDS });
    },
    taken: (conflict) => (isUniqueConflictOf(conflict, OPEN) ? underWay() : (conflict as Error)),
  });
  ctx.waitUntil(workAtOnce(ctx, row.id));
  return row;
}

const OPEN = "product_imports.workspace_id";

function underWay(): ApiError {
  const message = "Another import of products is under way: wait for its end.";
  return new ApiError("conflict", { message });
}

interface NewImport {
  row: ImportRow;
  slices: (FeedSlice & { number: number })[];
}

function newImport(
  { workspaceId }: Context,
  id: string,
  { delimiter, columns, ignored, rows, slices, ids }: FeedFile,
  { mode, dryRun }: ImportInput,
): NewImport {
  const removals = mode === "replace" ? removalSlices(ids) : [];
  const all = [...slices, ...removals].map((slice, number) => ({ ...slice, number }));
  const time = now();
  const row: ImportRow = {
    id,
    workspaceId,
    status: "receiving",
    mode,
    dryRun,
    delimiter,
    columns,
    ignoredColumns: ignored,
    rows,
    rowSteps: slices.length,
    steps: all.length,
    nextStep: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    deleted: 0,
    errors: "",
    errorsKept: 0,
    message: null,
    faults: 0,
    dueAt: time + RECEIVING_MILLISECONDS,
    createdAt: time,
    finishedAt: null,
  };
  return { row, slices: all };
}

/** Whether the import is queued then; not when it took longer than it may. */
async function store({ db }: Context, { row, slices }: NewImport): Promise<boolean> {
  // An earlier run of the same request may have stored a part: that is the same.
  await repository.beginImport(db, row, now());
  let waiting: NewImport["slices"] = [];
  let characters = 0;
  for (const slice of slices) {
    if (waiting.length > 0 && characters + slice.text.length > BATCH_CHARACTERS) {
      await repository.storeSlices(db, row, waiting, { isLast: false, time: now() });
      [waiting, characters] = [[], 0];
    }
    waiting.push(slice);
    characters += slice.text.length;
  }
  const time = now() + LEASE_MILLISECONDS;
  return repository.storeSlices(db, row, waiting, { isLast: true, time });
}

/** What is not stored to its end would keep the next one waiting; the same request stores it anew. */
async function forget({ db, log }: Context, { row }: NewImport): Promise<void> {
  try {
    await repository.removeAbandoned(db, row);
  } catch (fault) {
    if (!isOverload(fault)) log.error("product_import_faulted", { record: row.id, fault });
  }
}
