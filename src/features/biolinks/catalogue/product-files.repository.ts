import type { Database } from "../../../platform/db/client.ts";

/** The first products whose picture a file is, in the order of their ids. */
export async function findProductsWithFile(
  db: Database,
  fileId: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT product_id AS id FROM product_files WHERE file_id = ?1 ORDER BY product_id LIMIT ?2`,
    )
    .bind(fileId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
