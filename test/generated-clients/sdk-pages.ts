/** Files and pages with the client that hey-api made. */
import { taken } from "./exchange.ts";
import type { Client } from "./generated/fetch-client/client/index.ts";
import * as sdk from "./generated/fetch-client/sdk.gen.ts";
import { newPicture } from "./picture.ts";
import { sendReport } from "./report.ts";

export interface SdkClients {
  client: Client;
  operator: Client;
  workspace: string;
  keyed(): { "Idempotency-Key": string };
}

/** The catalogue: a product and a collection of it. */
async function takeSdkCatalogue({ client, keyed }: SdkClients) {
  const any = { "If-Match": "*" };
  const price = { amount: 2400, currency: "EUR" };
  const product = await taken(
    sdk.createProduct({ client, headers: keyed(), body: { title: "Mug", price } }),
  );
  const oneProduct = { path: { product: product.data.data.id } };
  await taken(sdk.listProducts({ client, query: { availability: "in_stock" } }));
  await taken(sdk.getProduct({ client, ...oneProduct }));
  const body = { sale_price: { ...price, amount: 1900 } };
  const headers = { "If-Match": product.etag };
  await taken(sdk.updateProduct({ client, ...oneProduct, headers, body }));
  const products = [product.data.data.id];
  const collection = await taken(
    sdk.createCollection({ client, headers: keyed(), body: { name: "Spring", products } }),
  );
  const oneCollection = { path: { collection: collection.data.data.id } };
  await taken(sdk.listCollections({ client }));
  await taken(sdk.getCollection({ client, ...oneCollection }));
  const rule = { label: "new" };
  await taken(sdk.updateCollection({ client, ...oneCollection, headers: any, body: { rule } }));
  await taken(sdk.deleteCollection({ client, ...oneCollection, headers: any }));
  await taken(sdk.deleteProduct({ client, ...oneProduct, headers: any }));
  const begun = await taken(
    sdk.importProducts({
      client,
      body: new Blob(["id,title\nA,Mug\n"]),
      headers: { ...keyed(), "Content-Type": "text/csv" },
      query: { dry_run: true },
    }),
  );
  await taken(sdk.getProductImport({ client, path: { import: begun.data.data.id } }));
  await taken(sdk.exportProducts({ client, query: { format: "csv" }, parseAs: "blob" }));
  await taken(sdk.createFeedAddress({ client, headers: keyed() }));
  await taken(sdk.getFeedAddress({ client }));
  await taken(sdk.deleteFeedAddress({ client }));
}

export async function takeSdkPages(clients: SdkClients) {
  const { client, operator, workspace, keyed } = clients;
  await takeSdkCatalogue(clients);
  const any = { "If-Match": "*" };
  const file = await taken(
    sdk.createFile({ client, body: newPicture(), headers: { "Content-Type": "image/png" } }),
  );
  const oneFile = { path: { file: file.data.data.id } };
  await taken(sdk.listFiles({ client }));
  await taken(sdk.getFile({ client, ...oneFile }));
  for (const disabled of [true, false]) {
    const path = { workspace, file: file.data.data.id };
    await taken(sdk.switchFile({ client: operator, path, body: { disabled } }));
  }

  const heading = { type: "heading" as const, settings: { text: "New" } };
  const page = await taken(
    sdk.createPage({
      client,
      headers: keyed(),
      body: {
        handle: "sdk-ada",
        title: "Ada",
        profile: { name: "Ada", tagline: null, avatar: file.data.data.id },
        blocks: [
          heading,
          { type: "link", settings: { label: "Shop", url: "https://example.com/shop" } },
        ],
      },
    }),
  );
  const onePage = { path: { page: page.data.data.id } };
  await taken(sdk.listPages({ client }));
  await taken(sdk.getPage({ client, ...onePage }));
  const body = { title: "Ada Lovelace" };
  await taken(sdk.updatePage({ client, ...onePage, headers: { "If-Match": page.etag }, body }));
  await taken(sdk.previewPage({ client, ...onePage }));
  const block = await taken(
    sdk.createBlock({ client, ...onePage, headers: keyed(), body: heading }),
  );
  const oneBlock = { path: { ...onePage.path, block: block.data.data.id } };
  await taken(sdk.getBlock({ client, ...oneBlock }));
  await taken(
    sdk.updateBlock({ client, ...oneBlock, headers: any, body: { settings: { text: "Old" } } }),
  );
  const read = await taken(sdk.getPage({ client, ...onePage }));
  const order = [...read.data.data.block_order].reverse();
  await taken(sdk.orderBlocks({ client, ...onePage, body: { order } }));
  await taken(sdk.deleteBlock({ client, ...oneBlock, headers: any }));
  await taken(sdk.listBlocks({ client, ...onePage }));
  await taken(sdk.replaceBlocks({ client, ...onePage, body: { blocks: [heading] } }));
  await taken(sdk.publishPage({ client, ...onePage, headers: any }));
  await sendReport(page.data.data.public_url);
  const reported = await taken(sdk.listReports({ client: operator, query: { status: "open" } }));
  const ofReport = { path: { report: reported.data.data[0]?.id ?? "" } };
  const resolved = { status: "resolved" as const, note: "Looked at." };
  await taken(sdk.changeReport({ client: operator, ...ofReport, body: resolved }));
  await taken(sdk.listPageVersions({ client, ...onePage }));
  const oneVersion = { path: { ...onePage.path, version: 1 } };
  await taken(sdk.getPageVersion({ client, ...oneVersion }));
  await taken(sdk.restorePageVersion({ client, ...oneVersion }));
  const copy = await taken(sdk.duplicatePage({ client, ...onePage, headers: keyed(), body: {} }));
  const path = { workspace, page: copy.data.data.id };
  for (const disabled of [true, false]) {
    await taken(sdk.switchPage({ client: operator, path, body: { disabled } }));
  }
  await taken(sdk.unpublishPage({ client, ...onePage }));
  for (const one of [onePage, { path: { page: copy.data.data.id } }]) {
    await taken(sdk.deletePage({ client, ...one, headers: any }));
  }
  await taken(sdk.deleteFile({ client, ...oneFile }));
  await taken(sdk.listBlockTypes({ client }));
  await taken(sdk.listThemes({ client }));
}
