/** `replace`: products that a file does not name go, when all of the file is written. */
import type { Context } from "../../../../platform/context/context.ts";
import { deleteProducts } from "../products.service.ts";
import type { FeedSlice } from "./feed-file.ts";
import type { ImportWork, SliceRow, StepDone } from "./product-imports.repository.ts";
import { countUnnamed, findUnnamed, type Removal } from "./product-removal.repository.ts";

const ROWS_A_STEP = 200;
/** More than a plan allows. */
const MOST_COUNTED = 100_000;
const MAX_TRIES = 5;

/** The slices of those steps, of the lists of all ids. */
export function removalSlices(lists: readonly string[][]): FeedSlice[] {
  return lists.map((ids, at) => {
    const isLast = at === lists.length - 1;
    const after = lists[at - 1]?.at(-1) ?? "";
    const removal: Removal = { after, upTo: isLast ? null : (ids.at(-1) ?? ""), ids };
    return { text: JSON.stringify(removal), firstRow: 0, repeated: [] };
  });
}

/** Does the next part of a removing step; `statements` are of the same transaction. */
export async function removeUnnamed(
  ctx: Context,
  work: ImportWork,
  slice: SliceRow,
  statements: (done: StepDone) => D1PreparedStatement[],
): Promise<void> {
  const removal = JSON.parse(slice.text) as Removal;
  const { db, workspaceId } = ctx;
  const bounds = { time: work.createdAt, limit: ROWS_A_STEP };
  if (work.dryRun) {
    const all = { ...bounds, limit: MOST_COUNTED };
    const deleted = await countUnnamed(db, workspaceId, removal, all);
    await db.$client.batch(statements(stepOf(work, deleted, true)));
    return;
  }
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const rows = await findUnnamed(db, workspaceId, removal, bounds);
    const done = stepOf(work, rows.length, rows.length < ROWS_A_STEP);
    if (rows.length === 0) {
      await db.$client.batch(statements(done));
      return;
    }
    // One of them was changed since it was read: it may have another name now.
    if (await deleteProducts(ctx, rows, statements(done))) return;
  }
  throw new Error("Products that an import deletes are changed all the time.");
}

function stepOf(work: ImportWork, deleted: number, isOver: boolean): StepDone {
  const isLast = isOver && work.nextStep + 1 >= work.steps;
  const nothing = { created: 0, updated: 0, unchanged: 0, failed: 0, errors: "", errorsKept: 0 };
  return { ...nothing, deleted, isOver, isLast };
}
