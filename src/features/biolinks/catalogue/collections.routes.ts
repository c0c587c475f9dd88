import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../../api/pagination.ts";
import type { Context } from "../../../platform/context/context.ts";
import { readCatalogue, writeCatalogue } from "./catalogue-access.ts";
import { presentCollection, presentSummary } from "./collections.presenter.ts";
import type { CollectionRow } from "./collections.repository.ts";
import {
  CollectionAnswer,
  CollectionParams,
  CreateCollection,
  ListedCollection,
  UpdateCollection,
} from "./collections.schemas.ts";
import {
  createCollection,
  deleteCollection,
  getCollection,
  listCollections,
  updateCollection,
  withProducts,
} from "./collections.service.ts";

const PATH = "/api/v1/biolinks/catalogue/collections";
const tag = "Catalogue";
const one = { path: `${PATH}/{collection}`, tag, params: CollectionParams };

async function answer(ctx: Context, row: CollectionRow) {
  const { collection, products } = await withProducts(ctx, row);
  return {
    body: { data: presentCollection(collection, products) },
    revision: collection.revision,
  };
}

/** `changed` is told of each change: pages may show it. */
export function addCollectionRoutes(api: Api, changed: (ctx: Context) => Promise<void>): void {
  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createCollection",
      tag,
      summary: "Create a collection",
      description:
        "It lists products in an order, or has a rule: then it shows those that have what the rule says, whenever they came. A workspace may have 200.",
      access: { ...writeCatalogue, idempotencyKey: "optional" },
      body: CreateCollection,
      success: {
        status: 201,
        description: "The collection.",
        schema: CollectionAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      return answer(ctx, await createCollection(ctx, request.body()));
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listCollections",
      tag,
      summary: "List collections",
      description: "Without their products: those are in the collection itself.",
      access: readCatalogue,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(ListedCollection) },
    },
    async (request) => {
      const page = toPageRequest(request.query);
      const rows = await listCollections(request.ctx, page);
      return { body: toList(rows, page, presentSummary) };
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "get",
      operationId: "getCollection",
      summary: "Read a collection",
      description: "With the ids of its products, or its rule.",
      access: readCatalogue,
      success: {
        status: 200,
        description: "The collection.",
        schema: CollectionAnswer,
        etag: true,
        holdsMore: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      return answer(ctx, await getCollection(ctx, request.params.collection));
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "patch",
      operationId: "updateCollection",
      summary: "Change a collection",
      description: "Pages that show it are drawn anew.",
      access: writeCatalogue,
      body: UpdateCollection,
      ifMatch: true,
      success: {
        status: 200,
        description: "The collection as it is now.",
        schema: CollectionAnswer,
        etag: true,
        holdsMore: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const collection = await getCollection(ctx, request.params.collection);
      const expected = request.expectRevision(collection.revision);
      const updated = await updateCollection(ctx, collection, expected, request.body());
      ctx.waitUntil(changed(ctx));
      return answer(ctx, updated);
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "delete",
      operationId: "deleteCollection",
      summary: "Delete a collection",
      description: "Its products stay. Blocks that show it are empty from then on.",
      access: writeCatalogue,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const { ctx } = request;
      const collection = await getCollection(ctx, request.params.collection);
      await deleteCollection(ctx, collection, request.expectRevision(collection.revision));
      ctx.waitUntil(changed(ctx));
      return {};
    },
  );
}
