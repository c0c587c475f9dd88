import { z } from "@hono/zod-openapi";
import { nullable, optional } from "../../../api/blank.ts";
import { exampleId, Id, idParams } from "../../../api/ids.ts";
import { nullableText, trimmedText } from "../../../api/text.ts";
import {
  COLLECTION_SUMMARY,
  CREATE_COLLECTION,
  UPDATE_COLLECTION,
} from "./collections.examples.ts";
import { AVAILABILITIES } from "./product-fields.ts";

export const MAX_PRODUCTS = 500;

const Name = trimmedText(120).openapi({ example: "Spring" });
const Slug = optional(
  z
    .string()
    .max(80)
    .regex(/^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/, {
      error: "Must be of letters a to z and digits, with single hyphens between them.",
    })
    .toLowerCase(),
).openapi({
  description: "Unique in the workspace, kept in lower case; left out, it is made of the name.",
  example: "spring",
});
const Rule = z
  .strictObject({
    availability: optional(z.enum(AVAILABILITIES)),
    brand: optional(trimmedText(100)),
    product_type: optional(trimmedText(750)),
    label: optional(trimmedText(100)),
  })
  .refine((rule) => Object.values(rule).some((value) => value !== undefined), {
    error: "Name at least one of availability, brand, product_type and label.",
  })
  .openapi("CollectionRule", {
    description:
      "The products that have all of this, letter by letter, newest first: of the 2,000 newest that have its label (or else product type, brand, availability).",
  });
const Products = z
  .array(Id)
  .max(MAX_PRODUCTS)
  .refine((ids) => new Set(ids).size === ids.length, { error: "A product is named twice." })
  .openapi({ description: "Products of the workspace, in the order in which they are shown." });

const fields = { slug: Slug, description: nullableText(1000) };
const EITHER = {
  error: "Send products or rule, not both.",
  path: ["rule"],
};
/** A collection is answered with both: a rule of null, or no products. */
const isEither = ({ products = [], rule }: { products?: unknown[] | undefined; rule?: unknown }) =>
  products.length === 0 || !rule;

export const CreateCollection = z
  .strictObject({ name: Name, ...fields, products: optional(Products), rule: nullable(Rule) })
  .refine(isEither, EITHER)
  .openapi("CreateCollection", {
    example: CREATE_COLLECTION,
    description:
      "At most one of `products` and `rule`; a rule of null and an empty list beside a rule are none.",
  });
export type CreateCollection = z.output<typeof CreateCollection>;

export const UpdateCollection = z
  .strictObject({
    name: optional(Name),
    ...fields,
    products: optional(Products),
    rule: nullable(Rule),
  })
  .refine(isEither, EITHER)
  .openapi("UpdateCollection", {
    example: UPDATE_COLLECTION,
    description:
      "Fields left out keep their values. `rule` takes the place of `products`, and the other way round; a rule of null takes it away. A rule of null and an empty list beside a rule say nothing more, so a collection may be sent as it was answered.",
  });
export type UpdateCollection = z.output<typeof UpdateCollection>;

export const ListedCollection = z
  .object({
    id: z.uuid(),
    revision: z.string().openapi({ description: "Changes on every write; also the `ETag`." }),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    rule: z
      .object({
        availability: z.enum(AVAILABILITIES).optional(),
        brand: z.string().optional(),
        product_type: z.string().optional(),
        label: z.string().optional(),
      })
      .nullable()
      .openapi({ description: "Null: it lists its products." }),
    products_count: z.number().int().openapi({
      description: "Of the products that it lists; 0 with a rule. A deletion of one lowers it.",
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("CollectionSummary", { example: COLLECTION_SUMMARY });
export type CollectionSummary = z.output<typeof ListedCollection>;

const Collection = ListedCollection.extend({
  products: z.array(z.uuid()).openapi({
    example: [exampleId("product")],
    description: "In their order, hidden ones too; none with a rule. Deleted ones are not in it.",
  }),
}).openapi("Collection");
export type Collection = z.output<typeof Collection>;

export const CollectionAnswer = z.object({ data: Collection });
export const CollectionParams = idParams("collection");
