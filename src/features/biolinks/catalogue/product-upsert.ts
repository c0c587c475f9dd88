/** Many products at once, by their external ids: what an import writes. */
import { changesNothing, PATIENCE_MILLISECONDS, pauseByChance } from "../../../api/unchanged.ts";
import { announceEvents } from "../../../events/events.service.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isRefusedBy } from "../../../platform/db/faults.ts";
import { newId, newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { assertTitled, blankProduct, fieldProblem, toChanges } from "./product-changes.ts";
import { isStale, writeProducts } from "./product-writes.repository.ts";
import { updateEvent } from "./products.presenter.ts";
import { findProductsNamed, type ProductRow } from "./products.repository.ts";
import type { UpdateProduct } from "./products.schemas.ts";
import { tooManyProducts } from "./products.service.ts";

export type ProductUpsert = UpdateProduct & { external_id: string };

/** What became, or would become, of one input. */
export type UpsertOutcome =
  | { outcome: "created" | "updated" | "unchanged" }
  | { outcome: "refused"; field: string; message: string };

interface UpsertOptions {
  /** Statements of the same transaction, as a job notes how far it is. */
  follows?: (outcomes: UpsertOutcome[]) => D1PreparedStatement[];
  /** Writes nothing. */
  isDry?: boolean;
}

/**
 * Makes or changes products by their external ids, some hundred (at most 200) at a time, in one
 * transaction; fields that an input leaves out stay. An input that is refused stops no other. Two of
 * one external id follow each other. Pictures that are files are to be the workspace's.
 * @throws 422 at the plan's limit and when the workspace is full: then nothing is written; what
 * `isImageGone` knows
 */
export async function upsertProducts(
  ctx: Context,
  inputs: readonly ProductUpsert[],
  { follows = () => [], isDry = false }: UpsertOptions = {},
): Promise<UpsertOutcome[]> {
  const { db, workspaceId } = ctx;
  const startedAt = now();
  for (;;) {
    const ids = [...new Set(inputs.map(({ external_id }) => external_id))];
    const stored = await findProductsNamed(db, workspaceId, ids);
    const { outcomes, written } = applyInputs(ctx, stored, inputs);
    if (isDry) return outcomes;
    try {
      const beside = { workspaceId, follows: follows(outcomes) };
      const wanted = await writeProducts(db, written, beside);
      ctx.waitUntil(announceEvents(ctx, wanted));
      return outcomes;
    } catch (error) {
      if (isRefusedBy(error, "product_limit")) throw tooManyProducts();
      const elapsed = now() - startedAt;
      if (!isStale(error) || elapsed > PATIENCE_MILLISECONDS) throw error;
      await pauseByChance(elapsed);
    }
  }
}

/** What inputs make of the products that are stored. */
function applyInputs(
  ctx: Context,
  stored: readonly ProductRow[],
  inputs: readonly ProductUpsert[],
) {
  const before = new Map(stored.map((row) => [row.externalId, row]));
  const after = new Map<string, ProductRow>();
  const time = now();
  const outcomes = inputs.map((input): UpsertOutcome => {
    const name = input.external_id;
    const known = after.get(name) ?? before.get(name);
    const current = known ?? blankProduct(ctx, newId(), time);
    try {
      const changes = toChanges(current, input);
      if (known && changesNothing(known, changes)) return { outcome: "unchanged" };
      const changed = { ...current, ...changes, revision: newRevision(), updatedAt: time };
      assertTitled(changed);
      after.set(name, changed);
      return { outcome: known ? "updated" : "created" };
    } catch (error) {
      const problem = fieldProblem(error);
      if (!problem) throw error;
      return { outcome: "refused", ...problem };
    }
  });
  const written = [...after].map(([name, row]) => ({
    before: before.get(name),
    after: row,
    event: updateEvent(before.get(name), row),
  }));
  return { outcomes, written };
}
