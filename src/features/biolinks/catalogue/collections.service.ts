import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isUniqueConflict } from "../../../platform/db/faults.ts";
import { defined } from "../../../platform/defined.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { freeSlug, slugOf } from "./collection-slug.ts";
import type { CollectionRow } from "./collections.repository.ts";
import * as repository from "./collections.repository.ts";
import type { CreateCollection, UpdateCollection } from "./collections.schemas.ts";

const MAX_COLLECTIONS = 200;
const SLUG_TRIES = 5;

/** A collection with the products that it lists. */
export interface Listing {
  collection: CollectionRow;
  products: string[];
}

/** @throws 404 */
export async function getCollection(
  { db, workspaceId }: Context,
  id: string,
): Promise<CollectionRow> {
  const collection = await repository.findCollection(db, workspaceId, id);
  if (!collection) throw new ApiError("not_found", { message: "There is no such collection." });
  return collection;
}

export async function withProducts({ db }: Context, collection: CollectionRow): Promise<Listing> {
  const { rule, id } = collection;
  return { collection, products: rule ? [] : await repository.findListed(db, id) };
}

export async function listCollections(
  { db, workspaceId }: Context,
  page: PageRequest,
): Promise<CollectionRow[]> {
  return repository.listCollections(db, workspaceId, page);
}

/** @throws 422 */
export async function createCollection(
  ctx: Context,
  input: CreateCollection,
): Promise<CollectionRow> {
  const { name, slug, description = null, products = [], rule } = input;
  return createOnce(ctx, {
    find: (id) => repository.findCollection(ctx.db, ctx.workspaceId, id),
    insert: async (id) => {
      await assertOwnProducts(ctx, products);
      const time = now();
      const row: CollectionRow = {
        id,
        workspaceId: ctx.workspaceId,
        name,
        slug: slug ?? slugOf(name),
        description,
        rule: rule ?? null,
        productsCount: products.length,
        revision: newRevision(),
        createdAt: time,
        updatedAt: time,
      };
      const made = await insertWithSlug(ctx, row, products, slug !== undefined);
      if (made) return made;
      const message = `A workspace may have at most ${MAX_COLLECTIONS} collections.`;
      throw new ApiError("validation_failed", { message, errors: { collections: [message] } });
    },
    taken: slugTaken,
  });
}

/** Tries another slug when one that nobody chose is taken. */
async function insertWithSlug(
  { db, workspaceId }: Context,
  row: CollectionRow,
  products: readonly string[],
  isChosen: boolean,
): Promise<CollectionRow | undefined> {
  for (let tries = 1; ; tries++) {
    const tried = tries === 1 ? row : { ...row, slug: freeSlug(row.slug) };
    try {
      const isMade = await repository.insertCollection(db, tried, products, MAX_COLLECTIONS);
      return isMade ? tried : undefined;
    } catch (error) {
      const isTaken = isUniqueConflict(error) && !isChosen && tries < SLUG_TRIES;
      // The id may stand, too: then an earlier run of the request made it.
      if (!isTaken || (await repository.findCollection(db, workspaceId, row.id))) throw error;
    }
  }
}

/** @throws 404, 412, 422 */
export async function updateCollection(
  ctx: Context,
  collection: CollectionRow,
  expected: ExpectedRevision,
  input: UpdateCollection,
): Promise<CollectionRow> {
  const { name, slug, description, rule } = input;
  if (input.products) await assertOwnProducts(ctx, input.products);
  return ifUnchanged(
    collection,
    expected,
    async (current) => {
      // With the rule goes what was shown by it: nothing is listed until something is.
      const losesRule = rule === null && current.rule !== null;
      const products = rule ? [] : (input.products ?? (losesRule ? [] : undefined));
      const changes = defined({
        name,
        slug,
        description,
        rule: products ? (rule ?? null) : undefined,
      });
      const listed = products && (await repository.findListed(ctx.db, current.id));
      const isListedSo = !products || JSON.stringify(listed) === JSON.stringify(products);
      if (isListedSo && changesNothing(current, changes)) return current;
      const count = products && { productsCount: products.length };
      const version = { revision: newRevision(), updatedAt: now() };
      const changed = { ...current, ...changes, ...count, ...version };
      const isWritten = await repository
        .updateCollection(ctx.db, current, changed, isListedSo ? undefined : products)
        .catch((error) => {
          throw isUniqueConflict(error) ? slugTaken() : error;
        });
      return isWritten ? changed : undefined;
    },
    () => getCollection(ctx, collection.id),
  );
}

/** @throws 404, 412 */
export async function deleteCollection(
  ctx: Context,
  collection: CollectionRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    collection,
    expected,
    async (current) => (await repository.deleteCollection(ctx.db, current)) || undefined,
    () => getCollection(ctx, collection.id),
  );
}

/** @throws 422 for those that are none of the workspace's */
async function assertOwnProducts(
  { db, workspaceId }: Context,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const own = await repository.findOwnProducts(db, workspaceId, ids);
  const problems = ids.flatMap((id, at) =>
    own.has(id) ? [] : [[`products.${at}`, ["This is no product of the workspace."]]],
  );
  if (problems.length === 0) return;
  throw new ApiError("validation_failed", { errors: Object.fromEntries(problems) });
}

function slugTaken(): ApiError {
  return invalid("slug", "Another collection has this slug.");
}
