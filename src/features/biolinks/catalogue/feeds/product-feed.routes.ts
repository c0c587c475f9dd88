import { clientRoute } from "../../../../access/gate/client-route.ts";
import type { Api } from "../../../../api/api.ts";
import { readCatalogue, writeCatalogue } from "../catalogue-access.ts";
import {
  createFeedAddress,
  deleteFeedAddress,
  getFeedAddress,
  presentFeedAddress,
} from "./feed-address.service.ts";
import { FEED_ROW, FeedAddressAnswer, FeedQuery, ProductFeedRow } from "./product-feed.schemas.ts";
import { FEED_FORMATS, openFeed } from "./product-feed.ts";

const tag = "Catalogue";
const FEED = "/api/v1/biolinks/catalogue/feed";
const ADDRESS = `${FEED}/address`;

export function addProductFeedRoutes(api: Api): void {
  // No body in JSON holds one, so nothing else would describe it.
  api.openAPIRegistry.register(FEED_ROW, ProductFeedRow);
  clientRoute(
    api,
    {
      method: "get",
      path: FEED,
      operationId: "exportProducts",
      tag,
      summary: "Export all products",
      description:
        "`csv`: all products, hidden ones with their `status`, in the columns that an import reads: imported again it changes nothing. A text that a spreadsheet would run as a formula has an apostrophe before it, which an import takes away. `rss`: RSS 2.0 with Google's names, which Meta and others read too, without hidden products; each text is as it is.",
      access: readCatalogue,
      query: FeedQuery,
      success: {
        status: 200,
        description: "The feed, the oldest product first.",
        files: {
          [FEED_FORMATS.csv.mediaType]: {
            description: "Products, a line each, behind the names of the columns.",
            row: FEED_ROW,
          },
          [FEED_FORMATS.rss.mediaType]: {
            description:
              "RSS 2.0: an `item` for each product, its fields named `g:…` as Google does.",
          },
        },
      },
    },
    async ({ ctx, query: { format } }) => {
      const { contentType, ending } = FEED_FORMATS[format];
      const content = await openFeed(ctx, { format, isPublic: format === "rss" });
      return { file: { mediaType: contentType, content, name: `products.${ending}` } };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: ADDRESS,
      operationId: "createFeedAddress",
      tag,
      summary: "Give the feed a public address",
      description:
        "For Google's and Meta's crawlers, which fetch a feed without a key: an address that cannot be guessed, in both formats, without hidden products. It replaces the one before, which leads nowhere from then on. A copy of up to 15 minutes ago is served, at most 60 times a minute.",
      access: { ...writeCatalogue, idempotencyKey: "optional" },
      success: { status: 201, description: "The address.", schema: FeedAddressAnswer },
    },
    async ({ ctx }) => ({
      body: { data: await presentFeedAddress(ctx, await createFeedAddress(ctx)) },
    }),
  );

  clientRoute(
    api,
    {
      method: "get",
      path: ADDRESS,
      operationId: "getFeedAddress",
      tag,
      summary: "Read the feed's public address",
      description: "404 while there is none.",
      access: readCatalogue,
      success: { status: 200, description: "The address.", schema: FeedAddressAnswer },
    },
    async ({ ctx }) => ({
      body: { data: await presentFeedAddress(ctx, await getFeedAddress(ctx)) },
    }),
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: ADDRESS,
      operationId: "deleteFeedAddress",
      tag,
      summary: "Take the feed's public address back",
      description: "It leads nowhere from now on; who fetched the feed keeps what it got.",
      access: writeCatalogue,
      success: { status: 204, description: "Gone." },
    },
    async ({ ctx }) => {
      await deleteFeedAddress(ctx);
      return {};
    },
  );
}
