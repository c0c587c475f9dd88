import { z } from "@hono/zod-openapi";
import { nullable, optional } from "../../../api/blank.ts";
import { Id, idParams } from "../../../api/ids.ts";
import { EARLY_END, PageQuery } from "../../../api/pagination.ts";
import { nullableText, optionalText, trimmedText } from "../../../api/text.ts";
import { Time } from "../../../api/times.ts";
import { destinationProblem, MAX_DESTINATION_LENGTH } from "../links/destination.ts";
import { CURRENCIES } from "./currencies.ts";
import {
  AVAILABILITIES,
  CONDITIONS,
  gtinDigits,
  isGtin,
  PRODUCT_STATUSES,
} from "./product-fields.ts";
import { CREATE_PRODUCT, PRODUCT, UPDATE_PRODUCT } from "./products.examples.ts";

/** Nothing costs more, in minor units. */
const MAX_AMOUNT = 999_999_999_999;
/** As long as Google's and Meta's feeds take them. */
const MAX_CATEGORY_LENGTH = 750;
export const MAX_LINE_LENGTH = 100;
export const MAX_ADDITIONAL_IMAGES = 10;
export const MAX_LABELS = 5;

const WebAddress = z
  .string()
  .superRefine((text, context) => {
    const isWeb = /^https?:/i.test(text);
    const message = isWeb ? destinationProblem(text) : "Must be an absolute http or https URL.";
    if (message) context.addIssue({ code: "custom", message });
  })
  .openapi({
    maxLength: MAX_DESTINATION_LENGTH,
    description: "An absolute http or https URL without credentials.",
    example: "https://shop.example/mug",
  });

export const Currency = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => CURRENCIES.includes(code), {
    error: "Must be a currency of ISO 4217, such as EUR.",
  })
  .openapi({ description: "ISO 4217, in any case.", example: "EUR" });

const Money = z
  .strictObject({
    amount: z.number().int().min(0).max(MAX_AMOUNT).openapi({
      description: "In minor units: 1250 is 12.50 EUR, 1250 JPY or 1.250 KWD.",
      example: 1250,
    }),
    currency: Currency,
  })
  .openapi("Money");
export type Money = z.output<typeof Money>;

const ImageInput = z
  .union(
    [
      z.strictObject({
        file: Id.openapi({ description: "A picture of the workspace's files." }),
      }),
      z.strictObject({ url: WebAddress }),
    ],
    { error: "Must be either {file: the id of a file} or {url: an http or https URL}." },
  )
  .openapi("ProductImageInput", {
    description:
      "Pages show pictures that are files of the workspace; an address elsewhere stands in feeds only, as pages load nothing foreign.",
  });

const Gtin = z
  .string()
  .transform(gtinDigits)
  .refine(isGtin, {
    error: "Must be a GTIN of 8, 12, 13 or 14 digits of which the last is the check digit.",
  })
  .openapi({
    type: "string",
    description:
      "A GTIN-8, -12, -13 or -14 (EAN, UPC, ISBN). Blanks and hyphens in it are left out.",
    example: "4006381333931",
  });

const line = (maxLength: number) => nullable(trimmedText(maxLength));

const fields = {
  description: nullableText(5000),
  url: nullable(WebAddress).openapi({ description: "Where it is sold: what a click leads to." }),
  image: nullable(ImageInput),
  additional_images: optional(z.array(ImageInput).max(MAX_ADDITIONAL_IMAGES)),
  price: nullable(Money),
  sale_price: nullable(Money).openapi({
    description:
      "Less than the price, in its currency. It holds from `sale_starts_at` to `sale_ends_at`.",
  }),
  sale_starts_at: nullable(Time),
  sale_ends_at: nullable(Time),
  availability: optional(z.enum(AVAILABILITIES)).openapi({
    description: "Of a new product `in_stock`.",
  }),
  condition: optional(z.enum(CONDITIONS)).openapi({ description: "Of a new product `new`." }),
  brand: line(MAX_LINE_LENGTH),
  gtin: nullable(Gtin),
  mpn: line(MAX_LINE_LENGTH),
  item_group_id: line(MAX_LINE_LENGTH),
  google_product_category: line(MAX_CATEGORY_LENGTH),
  product_type: line(MAX_CATEGORY_LENGTH),
  labels: optional(z.array(trimmedText(MAX_LINE_LENGTH)).max(MAX_LABELS)),
  status: optional(z.enum(PRODUCT_STATUSES)).openapi({
    description: "A new product is `active`; no page shows a hidden one.",
  }),
};

const Title = trimmedText(150).openapi({ example: "Mug, speckled" });
const ExternalId = optional(trimmedText(MAX_LINE_LENGTH)).openapi({
  description: "Your own name for it, unique in the workspace; left out: the product's id.",
  example: "MUG-01",
});

export const CreateProduct = z
  .strictObject({ external_id: ExternalId, title: Title, ...fields })
  .openapi("CreateProduct", { example: CREATE_PRODUCT });
export type CreateProduct = z.output<typeof CreateProduct>;

export const UpdateProduct = z
  .strictObject({ external_id: ExternalId, title: optional(Title), ...fields })
  .openapi("UpdateProduct", {
    example: UPDATE_PRODUCT,
    description: "Fields left out keep their values.",
  });
export type UpdateProduct = z.output<typeof UpdateProduct>;

const line_ = z.string().nullable();
const Price = z.object({ amount: z.number().int(), currency: z.string() }).nullable();
const Image = z.union([z.object({ file: z.uuid() }), z.object({ url: z.string() })]);

export const Product = z
  .object({
    id: z.uuid(),
    revision: z.string().openapi({ description: "Changes on every write; also the `ETag`." }),
    external_id: z.string(),
    title: z.string(),
    description: line_,
    url: line_,
    image: Image.nullable(),
    additional_images: z.array(Image),
    price: Price,
    sale_price: Price,
    sale_starts_at: z.iso.datetime().nullable(),
    sale_ends_at: z.iso.datetime().nullable(),
    availability: z.enum(AVAILABILITIES),
    condition: z.enum(CONDITIONS),
    brand: line_,
    gtin: line_,
    mpn: line_,
    item_group_id: line_,
    google_product_category: line_,
    product_type: line_,
    labels: z.array(z.string()),
    status: z.enum(PRODUCT_STATUSES),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Product", { example: PRODUCT });
export type Product = z.output<typeof Product>;

export const ProductAnswer = z.object({ data: Product });
export const ProductParams = idParams("product");

export const ListProductsQuery = PageQuery.extend({
  external_id: optionalText(MAX_LINE_LENGTH).openapi({
    description: "Only the one with this id of yours.",
  }),
  availability: optional(z.enum(AVAILABILITIES)).openapi({
    description: "Only products with this availability.",
  }),
  brand: optionalText(MAX_LINE_LENGTH).openapi({
    description: "Only products of this brand, letter by letter.",
  }),
  product_type: optionalText(MAX_CATEGORY_LENGTH).openapi({
    description: "Only products of this type, letter by letter.",
  }),
  label: optionalText(MAX_LINE_LENGTH).openapi({
    description: "Only products with this label, letter by letter.",
  }),
  status: optional(z.enum(PRODUCT_STATUSES)).openapi({
    description: "Only products with this status.",
  }),
});
export const LIST_DESCRIPTION = `With several filters: those that have all of it; ${EARLY_END}`;
export type ProductFilter = Pick<
  z.output<typeof ListProductsQuery>,
  "external_id" | "availability" | "brand" | "product_type" | "label" | "status"
>;
