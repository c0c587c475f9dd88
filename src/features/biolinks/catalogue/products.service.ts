import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import { announceEvents } from "../../../events/events.service.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isRefusedBy, isUniqueConflictOf } from "../../../platform/db/faults.ts";
import type { Part } from "../../../platform/db/walk.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { findFiles } from "../files/files.ports.ts";
import { blankProduct, toChanges } from "./product-changes.ts";
import * as writes from "./product-writes.repository.ts";
import { fileIdsOf, isImageGone, isStale } from "./product-writes.repository.ts";
import { deletionEvent, updateEvent } from "./products.presenter.ts";
import type { ProductRow } from "./products.repository.ts";
import * as repository from "./products.repository.ts";
import type { CreateProduct, ProductFilter, UpdateProduct } from "./products.schemas.ts";

/** @throws 404 */
export async function getProduct({ db, workspaceId }: Context, id: string): Promise<ProductRow> {
  const product = await repository.findProduct(db, workspaceId, id);
  if (!product) throw new ApiError("not_found", { message: "There is no such product." });
  return product;
}

/** Newest first; of an external id the one that has it. */
export async function listProducts(
  { db, workspaceId }: Context,
  { external_id, ...filter }: ProductFilter,
  page: PageRequest,
): Promise<Part<ProductRow>> {
  if (external_id === undefined) return repository.listProducts(db, workspaceId, filter, page);
  const rows = await repository.findProductsNamed(db, workspaceId, [external_id]);
  const { beforeId } = page;
  const isAsked = (row: ProductRow) =>
    (filter.status ?? row.status) === row.status &&
    (filter.availability ?? row.availability) === row.availability &&
    (filter.brand ?? row.brand) === row.brand &&
    (filter.product_type ?? row.productType) === row.productType &&
    (filter.label === undefined || row.labels.includes(filter.label)) &&
    (beforeId === undefined || row.id < beforeId);
  return { rows: rows.filter(isAsked), lastId: null };
}

/** The next products behind an id (`""`: from the first), oldest first: a feed's way through all. */
export async function productsAfter(
  { db, workspaceId }: Context,
  afterId: string,
  limit: number,
): Promise<ProductRow[]> {
  return repository.findProductsAfter(db, workspaceId, afterId, limit);
}

/** @throws 422 */
export async function createProduct(ctx: Context, input: CreateProduct): Promise<ProductRow> {
  return createOnce(ctx, {
    find: (id) => repository.findProduct(ctx.db, ctx.workspaceId, id),
    insert: async (id) => {
      const blank = blankProduct(ctx, id, now());
      const product = { ...blank, ...toChanges(blank, input) };
      await assertImages(ctx, product);
      await write(ctx, undefined, product);
      return product;
    },
    taken: () => externalIdTaken(),
  });
}

/** @throws 404, 412, 422 */
export async function updateProduct(
  ctx: Context,
  product: ProductRow,
  expected: ExpectedRevision,
  input: UpdateProduct,
): Promise<ProductRow> {
  return ifUnchanged(
    product,
    expected,
    async (current) => {
      const changes = toChanges(current, input);
      if (changesNothing(current, changes)) return current;
      const changed = {
        ...current,
        ...changes,
        revision: newRevision(),
        updatedAt: now(),
      };
      if (input.image || input.additional_images) await assertImages(ctx, changed);
      return (await write(ctx, current, changed)) ? changed : undefined;
    },
    () => getProduct(ctx, product.id),
  );
}

/** @throws 404, 412 */
export async function deleteProduct(
  ctx: Context,
  product: ProductRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    product,
    expected,
    async (current) => ((await deleteProducts(ctx, [current])) ? true : undefined),
    () => getProduct(ctx, product.id),
  );
}

/**
 * Deletes some hundred products with the events of that, all or, where one of them changed since it
 * was read, none: whether it did. `follows`: statements of the same transaction.
 */
export async function deleteProducts(
  ctx: Context,
  rows: readonly ProductRow[],
  follows: D1PreparedStatement[] = [],
): Promise<boolean> {
  const { db, workspaceId } = ctx;
  const events = rows.map(deletionEvent);
  try {
    const wanted = await writes.deleteProducts(db, rows, events, { workspaceId, follows });
    ctx.waitUntil(announceEvents(ctx, wanted));
    return true;
  } catch (error) {
    if (isStale(error)) return false;
    throw error;
  }
}

/** Writes one product; false: it is not any more as it was read. @throws 422, a unique conflict */
async function write(
  ctx: Context,
  before: ProductRow | undefined,
  after: ProductRow,
): Promise<boolean> {
  const { db, workspaceId } = ctx;
  try {
    const event = updateEvent(before, after);
    const wanted = await writes.writeProducts(db, [{ before, after, event }], { workspaceId });
    ctx.waitUntil(announceEvents(ctx, wanted));
    return true;
  } catch (error) {
    if (isRefusedBy(error, "product_limit")) throw tooManyProducts();
    if (isImageGone(error)) throw invalid("image", "A picture was deleted just now.");
    if (before && isUniqueConflictOf(error, EXTERNAL_ID)) throw externalIdTaken();
    if (before && isStale(error)) return false;
    throw error;
  }
}

const EXTERNAL_ID = "products.workspace_id, products.external_id";

function externalIdTaken(): ApiError {
  return invalid("external_id", "Another product has this external id.");
}

export function tooManyProducts(): ApiError {
  return invalid("products", "The workspace has as many products as its plan allows.");
}

/** @throws 422 unless its pictures are pictures of the workspace */
export async function assertImages(ctx: Context, product: ProductRow): Promise<void> {
  const ids = fileIdsOf(product);
  if (ids.length === 0) return;
  const files = await findFiles(ctx, ids);
  const { image, additionalImages } = product;
  const named = [
    ["image", image] as const,
    ...additionalImages.map((one, at) => [`additional_images.${at}`, one] as const),
  ];
  const errors = named.flatMap(([field, one]) => {
    if (!one || !("file" in one)) return [];
    const file = files.get(one.file);
    if (!file) return [[`${field}.file`, ["This is no file of the workspace."]]];
    if (file.type.startsWith("image/")) return [];
    return [[`${field}.file`, [`Must be a picture: this file is of the type ${file.type}.`]]];
  });
  if (errors.length > 0) {
    throw new ApiError("validation_failed", { errors: Object.fromEntries(errors) });
  }
}
