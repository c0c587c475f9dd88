/** How an import goes on: step by step, whoever does it, after the answer or in a job. */
import { findProductRoom } from "../../../../access/usage/usage.ports.ts";
import { ApiError, ERRORS } from "../../../../api/errors.ts";
import {
  type Context,
  inWorkspace,
  type PlatformContext,
} from "../../../../platform/context/context.ts";
import { isStorageFull } from "../../../../platform/db/faults.ts";
import { isOverload } from "../../../../platform/overload.ts";
import { shareOfTime } from "../../../../platform/slices.ts";
import { now } from "../../../../platform/time.ts";
import { type UpsertOutcome, upsertProducts } from "../product-upsert.ts";
import { isImageGone } from "../product-writes.repository.ts";
import { removeUnnamed } from "./product-import-removal.ts";
import { type JudgedRow, judgeRows, stepOfRows } from "./product-import-rows.ts";
import type { DueImport, ImportWork, SliceRow, StepDone } from "./product-imports.repository.ts";
import * as repository from "./product-imports.repository.ts";
import { isOvertaken, stepStatements } from "./product-imports.repository.ts";

/** For so long after a step the job leaves an import to whoever did it. */
export const LEASE_MILLISECONDS = 15_000;
/** Less than a request may work on after its answer. */
const AT_ONCE_MILLISECONDS = 20_000;
const JOB_MILLISECONDS = 20_000;
const IMPORTS_A_MINUTE = 200;
/** So long at most the database is left to others after a step: as long as that took. */
const MOST_REST_MILLISECONDS = 200;
const FAULT_PAUSE_MILLISECONDS = 2 * 60_000;
const MAX_FAULTS = 10;
/** A workspace that may do nothing now is looked at again then. */
const SUSPENDED_PAUSE_MILLISECONDS = 10 * 60_000;

const LIMIT_REACHED = "The workspace has as many products as its plan allows.";

type Open = Pick<ImportWork, "id" | "workspaceId">;

/** Begins an import that was stored just now. What is left after a while the job does. */
export async function workAtOnce(ctx: Context, id: string): Promise<void> {
  const isTimeUp = shareOfTime(AT_ONCE_MILLISECONDS);
  const own = { id, workspaceId: ctx.workspaceId };
  try {
    while (await takeStep(ctx, own)) {
      if (isTimeUp()) return void (await postpone(ctx, own, 0));
    }
  } catch (fault) {
    await noteFault(ctx, own, fault);
  }
}

/** Goes on with imports that nobody works on: a step each in turn, so that none waits for another's. */
export async function importProducts(ctx: PlatformContext): Promise<void> {
  const isTimeUp = shareOfTime(JOB_MILLISECONDS);
  const turns = await repository.findDueImports(ctx.db, now(), IMPORTS_A_MINUTE);
  while (!isTimeUp()) {
    const turn = turns.shift();
    if (!turn) return;
    const work = inWorkspace(ctx, turn.workspaceId);
    try {
      if (await takeTurn(work, turn)) turns.push(turn);
    } catch (fault) {
      if (isOverload(fault)) throw fault;
      await noteFault(work, turn, fault);
    }
  }
  const left = turns.map((turn) => postpone(inWorkspace(ctx, turn.workspaceId), turn, 0));
  await Promise.all(left);
  ctx.log.info("work_left", { imports: left.length });
}

/** Whether the import is to have another turn. */
async function takeTurn(ctx: Context, due: DueImport): Promise<boolean> {
  if (due.isReceiving) await repository.removeAbandoned(ctx.db, due);
  else if (!due.isAllowed) await postpone(ctx, due, SUSPENDED_PAUSE_MILLISECONDS);
  else return takeStep(ctx, due);
  return false;
}

async function postpone(ctx: Context, own: Open, milliseconds: number): Promise<void> {
  const dueAt = now() + milliseconds;
  await repository.postponeImport(ctx.db, own, { dueAt, faults: 0 });
}

/** Does the next step of an import, if it has one; whether there may be more. */
async function takeStep(ctx: Context, own: Open): Promise<boolean> {
  const { db, workspaceId } = ctx;
  const startedAt = now();
  const next = await repository.findNextStep(db, workspaceId, own.id);
  if (!next) return false;
  const { work, slice } = next;
  try {
    if (work.nextStep < work.rowSteps) await importRows(ctx, work, slice);
    else await removeUnnamed(ctx, work, slice, (done) => statementsOf(ctx, work, done));
  } catch (error) {
    // Somebody else works on it.
    if (isOvertaken(error)) return false;
    if (!isFull(error)) throw error;
    await repository.failImport(db, work, ERRORS.storage_full[1], now());
    return false;
  }
  await scheduler.wait(Math.min(now() - startedAt, MOST_REST_MILLISECONDS));
  return true;
}

function isFull(error: unknown): boolean {
  return isStorageFull(error) || (error instanceof ApiError && error.code === "storage_full");
}

function statementsOf({ db }: Context, work: ImportWork, done: StepDone): D1PreparedStatement[] {
  const time = now();
  return stepStatements(db, work, done, { time, dueAt: time + LEASE_MILLISECONDS });
}

/** Writes the products of a slice's rows, and that it did, in one transaction. */
async function importRows(ctx: Context, work: ImportWork, slice: SliceRow): Promise<void> {
  const rows = await judgeRows(ctx, work, slice);
  try {
    await writeRows(ctx, work, rows);
  } catch (error) {
    if (isImageGone(error)) await writeRows(ctx, work, await judgeRows(ctx, work, slice));
    else if (isTooMany(error)) await writeRows(ctx, work, await withinRoom(ctx, work, rows));
    else throw error;
  }
}

async function writeRows(
  ctx: Context,
  work: ImportWork,
  judged: readonly JudgedRow[],
): Promise<void> {
  const isDry = work.dryRun;
  const rows = isDry ? await withinRoom(ctx, work, judged) : judged;
  const follows = (outcomes: UpsertOutcome[]) =>
    statementsOf(ctx, work, stepOfRows(work, rows, outcomes));
  const outcomes = await upsertProducts(ctx, inputsOf(rows), { isDry, follows });
  if (isDry) await ctx.db.$client.batch(follows(outcomes));
}

function inputsOf(rows: readonly JudgedRow[]) {
  return rows.flatMap((one) => ("input" in one ? one.input : []));
}

function isTooMany(error: unknown): boolean {
  return error instanceof ApiError && error.errors?.products !== undefined;
}

/** The rows, of which those fail that would make more products than the plan allows. */
async function withinRoom(
  ctx: Context,
  work: ImportWork,
  rows: readonly JudgedRow[],
): Promise<JudgedRow[]> {
  const [outcomes, free] = await Promise.all([
    upsertProducts(ctx, inputsOf(rows), { isDry: true }),
    findProductRoom(ctx.db, ctx.workspaceId),
  ]);
  let room = work.dryRun ? free - work.created : free;
  let at = 0;
  const field = work.columns.find((column) => column.field === "id")?.name ?? "id";
  return rows.map((judged) => {
    if ("errors" in judged) return judged;
    if (outcomes[at++]?.outcome !== "created" || room-- > 0) return judged;
    return { row: judged.row, errors: [{ field, message: LIMIT_REACHED }] };
  });
}

/** An import that met a fault waits; one that meets too many is over. */
async function noteFault(ctx: Context, own: Open, fault: unknown): Promise<void> {
  ctx.log.error("product_import_faulted", { record: own.id, fault });
  const isBusy = isOverload(fault);
  const dueAt = now() + FAULT_PAUSE_MILLISECONDS;
  try {
    const faults = await repository.postponeImport(ctx.db, own, { dueAt, faults: isBusy ? 0 : 1 });
    if (faults < MAX_FAULTS) return;
    await repository.failImport(ctx.db, own, ERRORS.internal[1], now());
  } catch (lost) {
    ctx.log.error("product_import_faulted", { record: own.id, fault: lost });
  }
}
