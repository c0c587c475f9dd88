/** What other features' statements need of products. */

/** SQL: no product has a file for a picture, by the SQL of the file's id. */
export function fileUnusedByProducts(fileId: string): string {
  return `NOT EXISTS (SELECT 1 FROM product_files WHERE product_files.file_id = ${fileId})`;
}
