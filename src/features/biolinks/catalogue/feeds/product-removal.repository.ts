import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import type { Database } from "../../../../platform/db/client.ts";
import type { ProductRow } from "../products.repository.ts";
import { products } from "../products.table.ts";

/** What a removing step works on: the ids of the file behind one of them, up to another. */
export interface Removal {
  after: string;
  /** Null: to the last. */
  upTo: string | null;
  ids: string[];
}

function unnamed(workspaceId: string, { after, upTo, ids }: Removal, time: number) {
  return and(
    eq(products.workspaceId, workspaceId),
    gt(products.externalId, after),
    upTo === null ? undefined : lte(products.externalId, upTo),
    sql`${products.externalId} NOT IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    lte(products.createdAt, time),
  );
}

/** Products of a part of a workspace's external ids that a file does not name, made by a time. */
export async function findUnnamed(
  db: Database,
  workspaceId: string,
  removal: Removal,
  { time, limit }: { time: number; limit: number },
): Promise<ProductRow[]> {
  return db
    .select()
    .from(products)
    .where(unnamed(workspaceId, removal, time))
    .orderBy(asc(products.externalId))
    .limit(limit);
}

/** How many those are, up to a number. */
export async function countUnnamed(
  db: Database,
  workspaceId: string,
  removal: Removal,
  { time, limit }: { time: number; limit: number },
): Promise<number> {
  const found = db
    .select({ one: sql`1` })
    .from(products)
    .where(unnamed(workspaceId, removal, time))
    .orderBy(asc(products.externalId))
    .limit(limit);
  const [row] = await db.all<{ n: number }>(sql`SELECT count(*) AS n FROM (${found})`);
  return row?.n ?? 0;
}
