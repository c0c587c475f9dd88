import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { CollectionRule } from "./product-fields.ts";

/** Products that are shown together: those that it lists, or those of a rule. At most 200 a workspace. */
export const collections = sqliteTable(
  "collections",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    name: text("name").notNull(),
    /** In lower case. */
    slug: text("slug").notNull(),
    description: text("description"),
    /** Null: it lists its products. */
    rule: text("rule", { mode: "json" }).$type<CollectionRule>(),
    /** Of those that it lists: a trigger takes deleted ones off. */
    productsCount: integer("products_count").notNull(),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("collections_workspace").on(table.workspaceId, table.id),
    uniqueIndex("collections_slug").on(table.workspaceId, table.slug),
    index("collections_rules").on(table.workspaceId).where(sql`${table.rule} IS NOT NULL`),
  ],
);

/** The products that collections list, in their order. A product that is deleted is in none. */
export const collectionProducts = sqliteTable(
  "collection_products",
  {
    collectionId: text("collection_id").notNull(),
    position: integer("position").notNull(),
    productId: text("product_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.collectionId, table.position] }),
    index("collection_products_product").on(table.productId, table.collectionId),
  ],
);
