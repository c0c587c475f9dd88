import type { EventRow } from "../../../events/events.ports.ts";
import { newEvent } from "../../../events/events.service.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { productEvents } from "./products.events.ts";
import type { ProductRow } from "./products.repository.ts";
import type { Product } from "./products.schemas.ts";

const channel = "all";
const momentOf = (time: number | null) => (time === null ? null : toTimestamp(time));

/** A product as the API answers it. */
export function presentProduct(row: ProductRow): Product {
  const { currency } = row;
  const moneyOf = (amount: number | null) =>
    amount === null || currency === null ? null : { amount, currency };
  return {
    id: row.id,
    revision: row.revision,
    external_id: row.externalId,
    title: row.title,
    description: row.description,
    url: row.url,
    image: row.image,
    additional_images: row.additionalImages,
    price: moneyOf(row.priceAmount),
    sale_price: moneyOf(row.saleAmount),
    sale_starts_at: momentOf(row.saleStartsAt),
    sale_ends_at: momentOf(row.saleEndsAt),
    availability: row.availability,
    condition: row.condition,
    brand: row.brand,
    gtin: row.gtin,
    mpn: row.mpn,
    item_group_id: row.itemGroupId,
    google_product_category: row.googleProductCategory,
    product_type: row.productType,
    labels: row.labels,
    status: row.status,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}

/** The event of a product that is made (`before` undefined) or changed. */
export function updateEvent(before: ProductRow | undefined, after: ProductRow): EventRow {
  const is = presentProduct(after);
  const was: Product = before ? presentProduct(before) : is;
  const unseen = ["revision", "updated_at"];
  const changed = (Object.keys(is) as (keyof Product)[]).filter(
    (name) => !unseen.includes(name) && JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  );
  const { id, external_id, title, price, sale_price, sale_starts_at, sale_ends_at } = is;
  const { availability, status, created_at, updated_at } = is;
  const sale = { price, sale_price, sale_starts_at, sale_ends_at };
  const told = { id, external_id, title, ...sale, availability, status, created_at, updated_at };
  const data = { ...told, is_new: before === undefined, changed };
  return newEvent(after, productEvents.updated, { channel, data });
}

/** The event of a product that is deleted. */
export function deletionEvent(row: ProductRow): EventRow {
  const { id, externalId, title } = row;
  const data = { id, external_id: externalId, title };
  return newEvent(row, productEvents.deleted, { channel, data });
}
