import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { listOf, toPageRequest, toPart } from "../../../api/pagination.ts";
import type { Context } from "../../../platform/context/context.ts";
import { readCatalogue, writeCatalogue } from "./catalogue-access.ts";
import { presentProduct } from "./products.presenter.ts";
import type { ProductRow } from "./products.repository.ts";
import {
  CreateProduct,
  LIST_DESCRIPTION,
  ListProductsQuery,
  Product,
  ProductAnswer,
  ProductParams,
  UpdateProduct,
} from "./products.schemas.ts";
import {
  createProduct,
  deleteProduct,
  getProduct,
  listProducts,
  updateProduct,
} from "./products.service.ts";

const PATH = "/api/v1/biolinks/catalogue/products";
const tag = "Catalogue";
const one = { path: `${PATH}/{product}`, tag, params: ProductParams };

function answer(product: ProductRow) {
  return { body: { data: presentProduct(product) }, revision: product.revision };
}

/** `changed` is told of each change: pages may show it. */
export function addProductRoutes(api: Api, changed: (ctx: Context) => Promise<void>): void {
  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createProduct",
      tag,
      summary: "Create a product",
      description:
        "Amounts are in minor units of their currency, as ISO 4217 has them. A sale price is less than the price and of its currency. How many products a workspace may have is its plan's.",
      access: { ...writeCatalogue, idempotencyKey: "optional" },
      body: CreateProduct,
      success: { status: 201, description: "The product.", schema: ProductAnswer, etag: true },
    },
    async (request) => {
      const { ctx } = request;
      const product = await createProduct(ctx, request.body());
      ctx.waitUntil(changed(ctx));
      return answer(product);
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listProducts",
      tag,
      summary: "List products",
      description: LIST_DESCRIPTION,
      access: readCatalogue,
      query: ListProductsQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Product) },
    },
    async (request) => {
      const page = toPageRequest(request.query);
      const { rows, lastId } = await listProducts(request.ctx, request.query, page);
      return { body: toPart(rows, lastId, presentProduct) };
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "get",
      operationId: "getProduct",
      summary: "Read a product",
      description: "As it is stored. Pages show its sale price in its time.",
      access: readCatalogue,
      success: { status: 200, description: "The product.", schema: ProductAnswer, etag: true },
    },
    async (request) => answer(await getProduct(request.ctx, request.params.product)),
  );

  clientRoute(
    api,
    {
      ...one,
      method: "patch",
      operationId: "updateProduct",
      summary: "Change a product",
      description: "Pages that show it are drawn anew.",
      access: writeCatalogue,
      body: UpdateProduct,
      ifMatch: true,
      success: {
        status: 200,
        description: "The product as it is now.",
        schema: ProductAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const product = await getProduct(ctx, request.params.product);
      const expected = request.expectRevision(product.revision);
      const updated = await updateProduct(ctx, product, expected, request.body());
      ctx.waitUntil(changed(ctx));
      return answer(updated);
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "delete",
      operationId: "deleteProduct",
      summary: "Delete a product",
      description: "Collections and pages show it no more.",
      access: writeCatalogue,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const { ctx } = request;
      const product = await getProduct(ctx, request.params.product);
      await deleteProduct(ctx, product, request.expectRevision(product.revision));
      ctx.waitUntil(changed(ctx));
      return {};
    },
  );
}
