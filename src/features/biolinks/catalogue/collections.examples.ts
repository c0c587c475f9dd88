import { exampleId } from "../../../api/ids.ts";

export const CREATE_COLLECTION = {
  name: "Spring",
  slug: "spring",
  products: [exampleId("product")],
};

export const UPDATE_COLLECTION = { description: "New this spring.", rule: { label: "spring" } };

export const COLLECTION_SUMMARY = {
  id: exampleId("collection"),
  revision: "4e5f60718293a4b5c6d7e8f9011b2c3d",
  name: "Spring",
  slug: "spring",
  description: null,
  rule: null,
  products_count: 1,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
