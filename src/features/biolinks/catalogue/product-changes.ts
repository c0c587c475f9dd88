import { ApiError, invalid } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import { defined } from "../../../platform/defined.ts";
import { newRevision } from "../../../platform/ids.ts";
import { pricingProblem } from "./product-fields.ts";
import type { ProductRow } from "./products.repository.ts";
import type { CreateProduct, Money, UpdateProduct } from "./products.schemas.ts";

/** A product before anything is said of it. */
export function blankProduct(
  { workspaceId }: Pick<Context, "workspaceId">,
  id: string,
  time: number,
): ProductRow {
  return {
    id,
    workspaceId,
    externalId: id,
    title: "",
    description: null,
    url: null,
    image: null,
    additionalImages: [],
    priceAmount: null,
    currency: null,
    saleAmount: null,
    saleStartsAt: null,
    saleEndsAt: null,
    availability: "in_stock",
    condition: "new",
    brand: null,
    gtin: null,
    mpn: null,
    itemGroupId: null,
    googleProductCategory: null,
    productType: null,
    labels: [],
    status: "active",
    revision: newRevision(),
    createdAt: time,
    updatedAt: time,
  };
}

/** What an input changes of a product. @throws 422 when the fields do not go together */
export function toChanges(
  product: ProductRow,
  input: CreateProduct | UpdateProduct,
): Partial<ProductRow> {
  const changes: Partial<ProductRow> = defined({
    externalId: input.external_id,
    title: input.title,
    description: input.description,
    url: input.url,
    image: input.image,
    additionalImages: input.additional_images,
    ...moneyChanges(product, input),
    saleStartsAt: input.sale_starts_at,
    saleEndsAt: input.sale_ends_at,
    availability: input.availability,
    condition: input.condition,
    brand: input.brand,
    gtin: input.gtin,
    mpn: input.mpn,
    itemGroupId: input.item_group_id,
    googleProductCategory: input.google_product_category,
    productType: input.product_type,
    labels: input.labels && [...new Set(input.labels)],
    status: input.status,
  });
  const problem = pricingProblem({ ...product, ...changes });
  if (problem) throw invalid(problem.field, problem.message);
  return changes;
}

/** Both prices are of one currency, whichever of them is sent. */
function moneyChanges(
  product: ProductRow,
  { price, sale_price }: Pick<UpdateProduct, "price" | "sale_price">,
): Partial<ProductRow> {
  const { priceAmount, saleAmount, currency } = product;
  const stored = (amount: number | null): Money | null =>
    amount === null || currency === null ? null : { amount, currency };
  const after = {
    price: price === undefined ? stored(priceAmount) : price,
    sale: sale_price === undefined ? stored(saleAmount) : sale_price,
  };
  if (after.price && after.sale && after.price.currency !== after.sale.currency) {
    throw invalid("sale_price", `Must be in the currency of the price, ${after.price.currency}.`);
  }
  return {
    priceAmount: after.price?.amount ?? null,
    currency: after.price?.currency ?? null,
    saleAmount: after.sale?.amount ?? null,
  };
}

/** A new product is to have a name. @throws 422 */
export function assertTitled({ title }: ProductRow): void {
  if (title === "") throw invalid("title", "A new product needs a title.");
}

/** What an error says of one field: the first, if there are several. */
export function fieldProblem(error: unknown): { field: string; message: string } | undefined {
  if (!(error instanceof ApiError) || error.code !== "validation_failed") return undefined;
  const [first] = Object.entries(error.errors ?? {});
  return first && { field: first[0], message: first[1][0] ?? "" };
}
