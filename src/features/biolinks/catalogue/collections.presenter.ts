import { toTimestamp } from "../../../platform/time.ts";
import type { CollectionRow } from "./collections.repository.ts";
import type { Collection, CollectionSummary } from "./collections.schemas.ts";

/** A collection as lists answer it. */
export function presentSummary(row: CollectionRow): CollectionSummary {
  const { id, revision, name, slug, description, rule, productsCount } = row;
  const { createdAt, updatedAt } = row;
  return {
    id,
    revision,
    name,
    slug,
    description,
    rule,
    products_count: productsCount,
    created_at: toTimestamp(createdAt),
    updated_at: toTimestamp(updatedAt),
  };
}

/** A collection as the API answers it by itself. */
export function presentCollection(row: CollectionRow, products: string[]): Collection {
  return { ...presentSummary(row), products_count: products.length, products };
}
