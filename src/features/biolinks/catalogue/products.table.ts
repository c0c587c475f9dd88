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
import type {
  Availability,
  ProductCondition,
  ProductImage,
  ProductStatus,
} from "./product-fields.ts";

/** What a workspace sells. A trigger refuses more than its plan allows, and counts what they take. */
export const products = sqliteTable(
  "products",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    /** The workspace's own name for it; its id, when none was given. */
    externalId: text("external_id").notNull(),
    title: text("title").notNull(),
    description: text("description"),
    url: text("url"),
    image: text("image", { mode: "json" }).$type<ProductImage>(),
    additionalImages: text("additional_images", { mode: "json" }).$type<ProductImage[]>().notNull(),
    /** In minor units, as is the sale's; null: no price is told. */
    priceAmount: integer("price_amount"),
    /** Of both prices. */
    currency: text("currency"),
    saleAmount: integer("sale_amount"),
    saleStartsAt: integer("sale_starts_at"),
    saleEndsAt: integer("sale_ends_at"),
    availability: text("availability").$type<Availability>().notNull(),
    condition: text("condition").$type<ProductCondition>().notNull(),
    brand: text("brand"),
    gtin: text("gtin"),
    mpn: text("mpn"),
    itemGroupId: text("item_group_id"),
    googleProductCategory: text("google_product_category"),
    productType: text("product_type"),
    labels: text("labels", { mode: "json" }).$type<string[]>().notNull(),
    status: text("status").$type<ProductStatus>().notNull(),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("products_workspace").on(table.workspaceId, table.id),
    uniqueIndex("products_external_id").on(table.workspaceId, table.externalId),
    index("products_availability").on(table.workspaceId, table.availability, table.id),
    index("products_brand").on(table.workspaceId, table.brand, table.id),
    index("products_type").on(table.workspaceId, table.productType, table.id),
  ],
);

/** Products by label: what `products` says, the other way round. Triggers keep it. */
export const productLabels = sqliteTable(
  "product_labels",
  {
    workspaceId: workspaceId(),
    label: text("label").notNull(),
    productId: text("product_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.label, table.productId] })],
);

/** Which files are pictures of products: only files that the workspace has. Triggers keep it. */
export const productFiles = sqliteTable(
  "product_files",
  {
    productId: text("product_id").notNull(),
    fileId: text("file_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.productId, table.fileId] }),
    index("product_files_file").on(table.fileId, table.productId),
  ],
);
