/** Files and pages with the types that openapi-typescript made. */
import type { Client } from "openapi-fetch";
import { taken } from "./exchange.ts";
import type { paths } from "./generated/types.ts";
import { newPicture } from "./picture.ts";
import { sendReport } from "./report.ts";

export interface TypedClients {
  client: Client<paths>;
  operator: Client<paths>;
  workspace: string;
  keyed(): { "Idempotency-Key": string };
}

const FILES = "/api/v1/biolinks/files";
const FILE = "/api/v1/biolinks/files/{file}";
const PAGES = "/api/v1/biolinks/pages";
const PAGE = "/api/v1/biolinks/pages/{page}";
const BLOCKS = "/api/v1/biolinks/pages/{page}/blocks";
const BLOCK = "/api/v1/biolinks/pages/{page}/blocks/{block}";
const VERSION = "/api/v1/biolinks/pages/{page}/versions/{version}";

const PRODUCTS = "/api/v1/biolinks/catalogue/products";
const CATALOGUE = "/api/v1/biolinks/catalogue";
const PRODUCT = "/api/v1/biolinks/catalogue/products/{product}";
const COLLECTIONS = "/api/v1/biolinks/catalogue/collections";
const COLLECTION = "/api/v1/biolinks/catalogue/collections/{collection}";

/** The catalogue: a product and a collection of it. */
async function takeTypedCatalogue({ client, keyed }: TypedClients) {
  const header = { "If-Match": "*" };
  const price = { amount: 2400, currency: "EUR" };
  const product = await taken(
    client.POST(PRODUCTS, { params: { header: keyed() }, body: { title: "Mug", price } }),
  );
  const ofProduct = { product: product.data.data.id };
  await taken(client.GET(PRODUCTS, { params: { query: { availability: "in_stock" } } }));
  await taken(client.GET(PRODUCT, { params: { path: ofProduct } }));
  const matching = { path: ofProduct, header: { "If-Match": product.etag } };
  const body = { sale_price: { ...price, amount: 1900 } };
  await taken(client.PATCH(PRODUCT, { params: matching, body }));
  const collection = await taken(
    client.POST(COLLECTIONS, {
      params: { header: keyed() },
      body: { name: "Autumn", products: [ofProduct.product] },
    }),
  );
  const ofCollection = { collection: collection.data.data.id };
  await taken(client.GET(COLLECTIONS));
  await taken(client.GET(COLLECTION, { params: { path: ofCollection } }));
  const params = { path: ofCollection, header };
  const rule = { label: "new" };
  await taken(client.PATCH(COLLECTION, { params, body: { rule } }));
  await taken(client.DELETE(COLLECTION, { params }));
  await taken(client.DELETE(PRODUCT, { params: { path: ofProduct, header } }));
  const begun = await taken(
    client.POST(`${CATALOGUE}/imports`, {
      params: { header: keyed(), query: { dry_run: true } },
      body: "",
      bodySerializer: () => "id,title\nA,Mug\n",
      headers: { "Content-Type": "text/csv" },
    }),
  );
  const ofImport = { import: begun.data.data.id };
  await taken(client.GET(`${CATALOGUE}/imports/{import}`, { params: { path: ofImport } }));
  await taken(
    client.GET(`${CATALOGUE}/feed`, { params: { query: { format: "rss" } }, parseAs: "text" }),
  );
  const address = `${CATALOGUE}/feed/address` as const;
  await taken(client.POST(address, { params: { header: keyed() } }));
  await taken(client.GET(address));
  await taken(client.DELETE(address));
}

export async function takeTypedPages(clients: TypedClients) {
  const { client, operator, workspace, keyed } = clients;
  await takeTypedCatalogue(clients);
  const header = { "If-Match": "*" };
  const file = await taken(
    client.POST(FILES, {
      body: "",
      bodySerializer: newPicture,
      headers: { "Content-Type": "image/png" },
    }),
  );
  const ofFile = { path: { file: file.data.data.id } };
  await taken(client.GET(FILES));
  await taken(client.GET(FILE, { params: ofFile }));
  for (const disabled of [true, false]) {
    const params = { path: { workspace, file: file.data.data.id } };
    const path = "/admin/v1/workspaces/{workspace}/files/{file}";
    await taken(operator.PATCH(path, { params, body: { disabled } }));
  }

  const heading = { type: "heading" as const, settings: { text: "New" } };
  const page = await taken(
    client.POST(PAGES, {
      params: { header: keyed() },
      body: {
        handle: "typed-ada",
        title: "Ada",
        profile: { name: "Ada", tagline: null, avatar: file.data.data.id },
        blocks: [heading],
      },
    }),
  );
  const path = { page: page.data.data.id };
  await taken(client.GET(PAGES));
  await taken(client.GET(PAGE, { params: { path } }));
  await taken(
    client.PATCH(PAGE, {
      params: { path, header: { "If-Match": page.etag } },
      body: { title: "Ada Lovelace" },
    }),
  );
  await taken(client.POST(`${PAGE}/preview`, { params: { path } }));
  const block = await taken(
    client.POST(BLOCKS, { params: { path, header: keyed() }, body: heading }),
  );
  const ofBlock = { ...path, block: block.data.data.id };
  await taken(client.GET(BLOCK, { params: { path: ofBlock } }));
  const text = { settings: { text: "Old" } };
  await taken(client.PATCH(BLOCK, { params: { path: ofBlock, header }, body: text }));
  const read = await taken(client.GET(PAGE, { params: { path } }));
  const order = [...read.data.data.block_order].reverse();
  await taken(client.PUT(`${PAGE}/block-order`, { params: { path }, body: { order } }));
  await taken(client.DELETE(BLOCK, { params: { path: ofBlock, header } }));
  await taken(client.GET(BLOCKS, { params: { path } }));
  await taken(client.PUT(BLOCKS, { params: { path }, body: { blocks: [heading] } }));
  await taken(client.POST(`${PAGE}/publish`, { params: { path, header } }));
  await sendReport(page.data.data.public_url);
  const query = { status: "open" as const };
  const reported = await taken(operator.GET("/admin/v1/reports", { params: { query } }));
  const ofReport = { report: reported.data.data[0]?.id ?? "" };
  await taken(
    operator.PATCH("/admin/v1/reports/{report}", {
      params: { path: ofReport },
      body: { status: "resolved", note: "Looked at." },
    }),
  );
  await taken(client.GET(`${PAGE}/versions`, { params: { path } }));
  const ofVersion = { ...path, version: 1 };
  await taken(client.GET(VERSION, { params: { path: ofVersion } }));
  await taken(client.POST(`${VERSION}/restore`, { params: { path: ofVersion } }));
  const copy = await taken(
    client.POST(`${PAGE}/duplicate`, { params: { path, header: keyed() }, body: {} }),
  );
  const ofCopy = { page: copy.data.data.id };
  for (const disabled of [true, false]) {
    const params = { path: { workspace, ...ofCopy } };
    const switched = "/admin/v1/workspaces/{workspace}/pages/{page}";
    await taken(operator.PATCH(switched, { params, body: { disabled } }));
  }
  await taken(client.POST(`${PAGE}/unpublish`, { params: { path } }));
  for (const one of [path, ofCopy]) {
    await taken(client.DELETE(PAGE, { params: { path: one, header } }));
  }
  await taken(client.DELETE(FILE, { params: ofFile }));
  await taken(client.GET("/api/v1/biolinks/catalogue/block-types"));
  await taken(client.GET("/api/v1/biolinks/catalogue/themes"));
}
