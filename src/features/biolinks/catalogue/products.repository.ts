import { and, asc, eq, getTableColumns, gt, type SQL, sql } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { Part } from "../../../platform/db/walk.ts";
import type { ProductFilter } from "./products.schemas.ts";
import { products } from "./products.table.ts";

export type ProductRow = typeof products.$inferSelect;

/** How many products a page looks at to find those of a filter that no index serves. */
const MOST_LOOKED_AT = 2000;
/** Sorts after every id. */
const BEFORE_ALL = "~";

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

/** The columns, as what is read of SQL: the query builder does not see that it is of this table. */
export const READ_COLUMNS = Object.fromEntries(
  Object.entries(getTableColumns(products)).map(([name, column]) => [
    name,
    sql`${column}`.mapWith(column),
  ]),
);

/** What is walked through, newest first: by the index that leaves the fewest products. */
function idsOf(workspaceId: string, filter: ProductFilter, beforeId = BEFORE_ALL): SQL {
  const { label, product_type, brand, availability } = filter;
  if (label !== undefined) {
    return sql`SELECT product_id AS seen FROM product_labels WHERE workspace_id = ${workspaceId}
      AND label = ${label} AND product_id < ${beforeId} ORDER BY product_id DESC`;
  }
  const by = (index: string, condition: SQL) =>
    sql`SELECT id AS seen FROM products INDEXED BY ${sql.raw(index)}
      WHERE workspace_id = ${workspaceId} AND ${condition} AND id < ${beforeId} ORDER BY id DESC`;
  if (product_type !== undefined) return by("products_type", sql`product_type = ${product_type}`);
  if (brand !== undefined) return by("products_brand", sql`brand = ${brand}`);
  if (availability !== undefined) {
    return by("products_availability", sql`availability = ${availability}`);
  }
  return by("products_workspace", sql`TRUE`);
}

/** What else is asked of each product. */
function restOf({ product_type, brand, availability, status }: ProductFilter): SQL {
  const is = (column: SQL, value: string | undefined) =>
    value === undefined ? undefined : sql`${column} = ${value}`;
  const all = and(
    is(sql`products.product_type`, product_type),
    is(sql`products.brand`, brand),
    is(sql`products.availability`, availability),
    is(sql`products.status`, status),
  );
  return all ?? sql`TRUE`;
}

/**
 * Newest first. It looks at 2,000 products of the index at most: where few of them have the rest of
 * what is asked, it may end early, and tells the last that it looked at.
 */
export async function listProducts(
  db: Database,
  workspaceId: string,
  filter: ProductFilter,
  { limit, beforeId }: PageRequest,
): Promise<Part<ProductRow>> {
  const ids = idsOf(workspaceId, filter, beforeId);
  const looked = sql`(${ids} LIMIT ${MOST_LOOKED_AT}) AS looked
    CROSS JOIN products ON products.id = looked.seen`;
  // The query builder knows no types of columns that stand in SQL.
  const rows = (await db
    .select(READ_COLUMNS)
    .from(looked)
    .where(restOf(filter))
    .limit(limit + 1)) as unknown as ProductRow[];
  if (rows.length > limit) {
    const shown = rows.slice(0, limit);
    return { rows: shown, lastId: shown.at(-1)?.id ?? null };
  }
  const last = await db.get<{ seen: string }>(
    sql`${ids} LIMIT 1 OFFSET ${sql.raw(String(MOST_LOOKED_AT - 1))}`,
  );
  return { rows, lastId: last?.seen ?? null };
}
