/** What pages show of the catalogue. */
import pMap from "p-map";
import type { Context } from "../../../platform/context/context.ts";
import { findCollections, findOwnProducts } from "./collections.repository.ts";
import { listProducts, type ProductRow } from "./products.repository.ts";
import { findFirstListed, findShown, findTitles } from "./shown-products.repository.ts";

/** So many of a collection at most. */
const MOST_OF_A_COLLECTION = 24;
const COLLECTIONS_AT_ONCE = 5;

export type { ProductRow as ShownProduct } from "./products.repository.ts";

/** Those of some products that the workspace has and does not hide, by their ids. */
export async function findShownProducts(
  { db, workspaceId }: Context,
  ids: readonly string[],
): Promise<Map<string, ProductRow>> {
  if (ids.length === 0) return new Map();
  const rows = await findShown(db, workspaceId, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The first 24 products of collections that are not hidden, by the collections' ids. */
export async function findShownCollections(
  { db, workspaceId }: Context,
  ids: readonly string[],
): Promise<Map<string, ProductRow[]>> {
  if (ids.length === 0) return new Map();
  const found = await findCollections(db, workspaceId, [...new Set(ids)]);
  const limit = MOST_OF_A_COLLECTION;
  const shown = await pMap(
    found,
    async ({ id, rule }): Promise<[string, ProductRow[]]> => {
      if (!rule) return [id, await findFirstListed(db, workspaceId, id, limit)];
      const filter = { ...rule, status: "active" as const };
      const { rows } = await listProducts(db, workspaceId, filter, { limit, beforeId: undefined });
      return [id, rows];
    },
    { concurrency: COLLECTIONS_AT_ONCE },
  );
  return new Map(shown);
}

/** The titles of some products, at most some thousands: those that the workspace has. */
export async function findProductNames(
  { db, workspaceId }: Context,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const rows = await findTitles(db, workspaceId, [...new Set(ids)]);
  return new Map(rows.map(({ id, title }) => [id, title]));
}

/** Those of some ids that are products, or collections, of the workspace. */
export async function findOwnCatalogue(
  { db, workspaceId }: Context,
  named: { products: readonly string[]; collections: readonly string[] },
): Promise<Set<string>> {
  const [products, collections] = await Promise.all([
    named.products.length > 0 ? findOwnProducts(db, workspaceId, named.products) : [],
    named.collections.length > 0 ? findCollections(db, workspaceId, named.collections) : [],
  ]);
  return new Set([...products, ...collections.map(({ id }) => id)]);
}
