import type { Availability, ProductCondition, ProductStatus } from "../product-fields.ts";
import type { Price } from "./feed-price.ts";
import type { SaleTimes } from "./feed-times.ts";

/** A product as feeds tell of it: pictures by their addresses. */
export interface FeedProduct {
  externalId: string;
  title: string;
  description: string | null;
  url: string | null;
  image: string | null;
  additionalImages: string[];
  price: Price | null;
  salePrice: Price | null;
  saleTimes: SaleTimes;
  availability: Availability;
  condition: ProductCondition;
  brand: string | null;
  gtin: string | null;
  mpn: string | null;
  itemGroupId: string | null;
  googleProductCategory: string | null;
  productType: string | null;
  labels: string[];
  status: ProductStatus;
}
