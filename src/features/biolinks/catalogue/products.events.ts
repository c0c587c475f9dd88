import { z } from "@hono/zod-openapi";
import { defineEvent } from "../../../events/event-type.ts";
import { Product } from "./products.schemas.ts";

/** What an event tells of a product: what changes in a shop. All else is asked of the API. */
const UpdatedProductData = Product.pick({
  id: true,
  external_id: true,
  title: true,
  price: true,
  sale_price: true,
  sale_starts_at: true,
  sale_ends_at: true,
  availability: true,
  status: true,
  created_at: true,
  updated_at: true,
}).extend({
  is_new: z.boolean().openapi({ description: "Whether the product was made by this." }),
  changed: z.array(z.string()).openapi({
    description: "The names of the fields that changed; of a new product none.",
  }),
});
export type UpdatedProductData = z.output<typeof UpdatedProductData>;

const DeletedProductData = Product.pick({ id: true, external_id: true, title: true });

const sample: UpdatedProductData = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a66",
  external_id: "MUG-01",
  title: "Mug, speckled",
  price: { amount: 2400, currency: "EUR" },
  sale_price: null,
  sale_starts_at: null,
  sale_ends_at: null,
  availability: "out_of_stock",
  status: "active",
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-21T08:00:00.000Z",
  is_new: false,
  changed: ["availability"],
};
const { id, external_id, title } = sample;
const channels = ["all"];

export const productEvents = {
  updated: defineEvent({
    name: "biolinks.product.updated",
    description:
      "A product was made or changed, by a request or an import. That a sale begins or ends by its times is no event.",
    channels,
    data: UpdatedProductData,
    sample,
  }),
  deleted: defineEvent({
    name: "biolinks.product.deleted",
    description: "A product was deleted; the data is what it was called.",
    channels,
    data: DeletedProductData,
    sample: { id, external_id, title },
  }),
};
