import { and, desc, eq, lt } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import { prepared } from "../../../platform/db/prepared.ts";
import { collectionProducts, collections } from "./collections.table.ts";

export type CollectionRow = typeof collections.$inferSelect;

function ofWorkspace(workspaceId: string, id: string) {
  return and(eq(collections.workspaceId, workspaceId), eq(collections.id, id));
}

export async function findCollection(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<CollectionRow | undefined> {
  return db.select().from(collections).where(ofWorkspace(workspaceId, id)).get();
}

/** Those of some ids that are collections of the workspace. */
export async function findCollections(
  db: Database,
  workspaceId: string,
  ids: readonly string[],
): Promise<Pick<CollectionRow, "id" | "rule">[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT collections.id, collections.rule FROM json_each(?1) AS asked CROSS JOIN collections
         ON collections.id = asked.value AND +collections.workspace_id = ?2`,
    )
    .bind(JSON.stringify(ids), workspaceId)
    .all<{ id: string; rule: string | null }>();
  return results.map(({ id, rule }) => ({ id, rule: rule === null ? null : JSON.parse(rule) }));
}

/** Newest first; one row more than the page holds. */
export async function listCollections(
  db: Database,
  workspaceId: string,
  page: PageRequest,
): Promise<CollectionRow[]> {
  const before = page.beforeId ? lt(collections.id, page.beforeId) : undefined;
  return db
    .select()
    .from(collections)
    .where(and(eq(collections.workspaceId, workspaceId), before))
    .orderBy(desc(collections.id))
    .limit(page.limit + 1);
}

/** The products that a collection lists, in their order. */
export async function findListed(db: Database, collectionId: string): Promise<string[]> {
  const rows = await db
    .select({ id: collectionProducts.productId })
    .from(collectionProducts)
    .where(eq(collectionProducts.collectionId, collectionId))
    .orderBy(collectionProducts.position);
  return rows.map(({ id }) => id);
}

/** Those of some products that the workspace has. */
export async function findOwnProducts(
  db: Database,
  workspaceId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { results } = await db.$client
    .prepare(
      `SELECT products.id FROM json_each(?1) AS asked CROSS JOIN products
         ON products.id = asked.value AND +products.workspace_id = ?2`,
    )
    .bind(JSON.stringify(ids), workspaceId)
    .all<{ id: string }>();
  return new Set(results.map(({ id }) => id));
}

/** Of the collection ?1: at most as many as the API takes. */
const LISTED_COUNT = "(SELECT count(*) FROM collection_products WHERE collection_id = ?1)";

/**
 * The statements that have a collection of a revision list these products, and no others. One that
 * was deleted since it was looked for is neither listed nor counted.
 */
function listing(
  db: Database,
  { id, workspaceId, revision }: CollectionRow,
  products: readonly string[],
): D1PreparedStatement[] {
  const isWritten = `EXISTS (SELECT 1 FROM collections WHERE collections.id = ?1
    AND collections.workspace_id = ?2 AND collections.revision = ?3)`;
  const d1 = db.$client;
  return [
    d1
      .prepare(`DELETE FROM collection_products WHERE collection_id = ?1 AND ${isWritten}`)
      .bind(id, workspaceId, revision),
    d1
      .prepare(
        `INSERT INTO collection_products (collection_id, position, product_id)
         SELECT ?1, listed.key, products.id FROM json_each(?4) AS listed
           CROSS JOIN products ON products.id = listed.value AND +products.workspace_id = ?2
         WHERE ${isWritten}`,
      )
      .bind(id, workspaceId, revision, JSON.stringify(products)),
    d1
      .prepare(
        `UPDATE collections SET products_count = ${LISTED_COUNT}
         WHERE id = ?1 AND workspace_id = ?2 AND revision = ?3 AND products_count <> ${LISTED_COUNT}`,
      )
      .bind(id, workspaceId, revision),
  ];
}

/**
 * Inserts a collection unless the workspace has so many; whether it did.
 * @throws a unique conflict when the id exists or the slug is taken
 */
export async function insertCollection(
  db: Database,
  row: CollectionRow,
  products: readonly string[],
  limit: number,
): Promise<boolean> {
  const insert = db.$client
    .prepare(
      `INSERT INTO collections (id, workspace_id, name, slug, description, rule, products_count,
         revision, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9
       WHERE (SELECT count(*) FROM collections WHERE workspace_id = ?2) < ?10 RETURNING id`,
    )
    .bind(
      row.id,
      row.workspaceId,
      row.name,
      row.slug,
      row.description,
      row.rule && JSON.stringify(row.rule),
      row.productsCount,
      row.revision,
      row.createdAt,
      limit,
    );
  const [inserted] = await db.$client.batch([insert, ...listing(db, row, products)]);
  return (inserted?.results.length ?? 0) > 0;
}

/** Writes a collection if it still has a revision; `products` undefined: what it lists stays. */
export async function updateCollection(
  db: Database,
  before: CollectionRow,
  after: CollectionRow,
  products: readonly string[] | undefined,
): Promise<boolean> {
  const { name, slug, description, rule, productsCount, revision, updatedAt } = after;
  const listed = products === undefined ? {} : { productsCount };
  const update = db
    .update(collections)
    .set({ name, slug, description, rule, ...listed, revision, updatedAt })
    .where(
      and(ofWorkspace(before.workspaceId, before.id), eq(collections.revision, before.revision)),
    )
    .returning({ id: collections.id });
  const [updated] = await db.$client.batch([
    prepared(db, update),
    ...(products === undefined ? [] : listing(db, after, products)),
  ]);
  return (updated?.results.length ?? 0) > 0;
}

/** Deletes a collection if it still has this revision; whether it did. A trigger empties it. */
export async function deleteCollection(
  db: Database,
  { workspaceId, id, revision }: CollectionRow,
): Promise<boolean> {
  const deleted = await db
    .delete(collections)
    .where(and(ofWorkspace(workspaceId, id), eq(collections.revision, revision)))
    .returning({ id: collections.id });
  return deleted.length > 0;
}
