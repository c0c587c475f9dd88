import { exampleId } from "../../../api/ids.ts";

export const CREATE_PRODUCT = {
  external_id: "MUG-01",
  title: "Mug, speckled",
  description: "Thrown by hand, 300 ml.",
  url: "https://shop.example/mug",
  price: { amount: 2400, currency: "EUR" },
  brand: "Ada Ceramics",
  labels: ["spring"],
};

export const UPDATE_PRODUCT = {
  sale_price: { amount: 1900, currency: "EUR" },
  availability: "in_stock",
};

export const PRODUCT = {
  id: exampleId("product"),
  revision: "3d4e5f60718293a4b5c6d7e8f9011b2c",
  external_id: "MUG-01",
  title: "Mug, speckled",
  description: "Thrown by hand, 300 ml.",
  url: "https://shop.example/mug",
  image: null,
  additional_images: [],
  price: { amount: 2400, currency: "EUR" },
  sale_price: null,
  sale_starts_at: null,
  sale_ends_at: null,
  availability: "in_stock",
  condition: "new",
  brand: "Ada Ceramics",
  gtin: null,
  mpn: null,
  item_group_id: null,
  google_product_category: null,
  product_type: null,
  labels: ["spring"],
  status: "active",
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
