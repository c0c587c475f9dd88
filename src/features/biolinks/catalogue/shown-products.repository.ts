import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import { readColumns } from "../../../platform/db/read-columns.ts";
import type { ProductRow } from "./products.repository.ts";
import { products } from "./products.table.ts";

const COLUMNS = readColumns(products);

/** Of products that are shown, in an order of `source`: SQL that joins them as `products`. */
async function read(db: Database, source: SQL, limit: number): Promise<ProductRow[]> {
  // The query builder knows no types of columns that stand in SQL.
  return (await db
    .select(COLUMNS)
    .from(source)
    .where(sql`products.status = 'active'`)
    .limit(limit)) as unknown as ProductRow[];
}

/** Those of some products that the workspace has and shows. */
export async function findShown(
  db: Database,
  workspaceId: string,
  ids: readonly string[],
): Promise<ProductRow[]> {
  // What is joined has no column that products have: those are read by their names alone.
  const asked = sql`(SELECT value AS wanted FROM json_each(${JSON.stringify(ids)})) AS asked`;
  const source = sql`${asked} CROSS JOIN products ON products.id = asked.wanted
    AND +products.workspace_id = ${workspaceId}`;
  return read(db, source, ids.length);
}

/** The first that a collection lists, of those that are shown. */
export async function findFirstListed(
  db: Database,
  workspaceId: string,
  collectionId: string,
  limit: number,
): Promise<ProductRow[]> {
  const listed = sql`(SELECT product_id AS listed FROM collection_products
    WHERE collection_id = ${collectionId} ORDER BY position) AS listing`;
  const source = sql`${listed} CROSS JOIN products ON products.id = listing.listed
    AND +products.workspace_id = ${workspaceId}`;
  return read(db, source, limit);
}

/** The titles of some products that the workspace has, hidden ones too. */
export async function findTitles(
  db: Database,
  workspaceId: string,
  ids: readonly string[],
): Promise<{ id: string; title: string }[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT products.id, products.title FROM json_each(?1) AS asked CROSS JOIN products
         ON products.id = asked.value AND +products.workspace_id = ?2`,
    )
    .bind(JSON.stringify(ids), workspaceId)
    .all<{ id: string; title: string }>();
  return results;
}
