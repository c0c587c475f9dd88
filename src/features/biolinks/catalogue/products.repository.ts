import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import { type Joined, type Part, type Walk, walk } from "../../../platform/db/walk.ts";
import type { ProductFilter } from "./products.schemas.ts";
import { productLabels, products } from "./products.table.ts";

export type ProductRow = typeof products.$inferSelect;

function ofWorkspace(workspaceId: string) {
  return eq(products.workspaceId, workspaceId);
}

export async function findProduct(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<ProductRow | undefined> {
  return db
    .select()
    .from(products)
    .where(and(ofWorkspace(workspaceId), eq(products.id, id)))
    .get();
}

/** Those of some external ids that the workspace has. */
export async function findProductsNamed(
  db: Database,
  workspaceId: string,
  externalIds: readonly string[],
): Promise<ProductRow[]> {
  const named = sql`(SELECT value FROM json_each(${JSON.stringify(externalIds)}))`;
  return db
    .select()
    .from(products)
    .where(and(ofWorkspace(workspaceId), sql`${products.externalId} IN ${named}`))
    .all();
}

/** The next products behind an id, oldest first: a feed goes through all of them so. */
export async function findProductsAfter(
  db: Database,
  workspaceId: string,
  afterId: string,
  limit: number,
): Promise<ProductRow[]> {
  return db
    .select()
    .from(products)
    .where(and(ofWorkspace(workspaceId), gt(products.id, afterId)))
    .orderBy(asc(products.id))
    .limit(limit);
}

const BY_LABEL: Joined = {
  table: productLabels,
  join: sql`CROSS JOIN ${products} ON ${products.id} = ${productLabels.productId}`,
};

/** By the index that leaves the fewest products, as a rule. */
function walkedFor(workspaceId: string, filter: ProductFilter): Walk {
  const { label, product_type, brand, availability, status } = filter;
  const is = {
    productType: product_type === undefined ? undefined : eq(products.productType, product_type),
    brand: brand === undefined ? undefined : eq(products.brand, brand),
    availability: availability === undefined ? undefined : eq(products.availability, availability),
    status: status === undefined ? undefined : eq(products.status, status),
  };
  const all = and(...Object.values(is));
  const through = (index: string, served?: SQL): Walk => ({
    index,
    is: and(ofWorkspace(workspaceId), served),
    filter: all,
  });
  if (label !== undefined) {
    const ofLabel = eq(productLabels.workspaceId, workspaceId);
    return {
      index: BY_LABEL,
      is: and(ofLabel, eq(productLabels.label, label)),
      order: sql`${productLabels.productId}`,
      filter: all,
    };
  }
  if (is.productType) return through("products_type", is.productType);
  if (is.brand) return through("products_brand", is.brand);
  if (is.availability) return through("products_availability", is.availability);
  return through("products_workspace");
}

/** Newest first. Where few products have what is asked, the page may end early. */
export async function listProducts(
  db: Database,
  workspaceId: string,
  filter: ProductFilter,
  page: PageRequest,
): Promise<Part<ProductRow>> {
  return walk(db, products, walkedFor(workspaceId, filter), page);
}
