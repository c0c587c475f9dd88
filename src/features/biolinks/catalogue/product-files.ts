import type { FileUser } from "../files/files.ports.ts";
import { findProductsWithFile } from "./product-files.repository.ts";
import { fileUnusedByProducts } from "./products.ports.ts";

/** Products use the files that are their pictures. */
export const PRODUCTS_WITH_PICTURES: FileUser = {
  name: "product",
  unused: fileUnusedByProducts,
  findUses: ({ db }, id, most) => findProductsWithFile(db, id, most),
};
