import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { encode } from "fast-png";
import type { Bench } from "./bench.ts";
import type { Operation } from "./operations.ts";
import { idOf, storeSubmission } from "./stored.ts";

const QR_CODES = "/api/v1/biolinks/qr-codes";
const FILES = "/api/v1/biolinks/files";
const PAGES = "/api/v1/biolinks/pages";
const SUBMISSIONS = "/api/v1/biolinks/submissions";
const ANALYTICS = "/api/v1/biolinks/analytics";
const CATALOGUE = "/api/v1/biolinks/catalogue";
const REPORTS = "/admin/v1/reports";
const PRODUCTS = `${CATALOGUE}/products`;
const COLLECTIONS = `${CATALOGUE}/collections`;
const FEED_ADDRESS = `${CATALOGUE}/feed/address`;
const PICTURE_SIDE = 8;

const url = { type: "url", url: "https://example.com/menu" };
const heading = { type: "heading", settings: { text: "New this week" } };
const operator = ({ workspace }: Bench) => `/admin/v1/workspaces/${workspace}`;
const storedCode = (b: Bench) => `${QR_CODES}/${idOf(b.start, 7)}`;

async function make(bench: Bench, path: string, body: unknown): Promise<string> {
  return `${path}/${(await bench.send("POST", path, body)).json.data.id}`;
}

const newCode = (b: Bench) => make(b, QR_CODES, { name: "New", target: url });
export const newFile = (b: Bench) => {
  const data = randomBytes(4 * PICTURE_SIDE * PICTURE_SIDE);
  const picture = { width: PICTURE_SIDE, height: PICTURE_SIDE, channels: 4, depth: 8, data };
  return make(b, FILES, encode(picture as Parameters<typeof encode>[0]));
};
const newPage = (b: Bench) => {
  const handle = `p-${crypto.randomUUID()}`;
  return make(b, PAGES, { handle, title: "Ada", blocks: Array(20).fill(heading) });
};
const newBlock = async (b: Bench) => make(b, `${await newPage(b)}/blocks`, heading);
async function newVersion(b: Bench): Promise<string> {
  const page = await newPage(b);
  await b.send("POST", `${page}/publish`);
  return page;
}
/** What a visitor reports of a page, as the operator finds it. */
async function newReport(b: Bench): Promise<string> {
  const { handle } = (await b.send("GET", await newVersion(b))).json.data;
  const form = new URLSearchParams({ at: `/@${handle}`, reason: "spam" }).toString();
  await b.send("POST", "/_report", new TextEncoder().encode(form));
  return `${REPORTS}/${(await b.send("GET", `${REPORTS}?limit=1`)).json.data[0].id}`;
}
const newProduct = (b: Bench) => make(b, PRODUCTS, { title: "Mug", labels: ["new"] });
const newCollection = (b: Bench) =>
  make(b, COLLECTIONS, { name: "Spring", products: [idOf(b.start, 7), idOf(b.start, 8)] });
async function importFeed(b: Bench): Promise<string> {
  const feed = Buffer.from(`id,title,price\n${crypto.randomUUID()},Mug,24.00 EUR\nP-7,Cup,\n`);
  const path = await make(b, `${CATALOGUE}/imports`, feed);
  while ((await b.send("GET", path)).json.data.finished_at === null) await pause(20);
  return path;
}
const newSubmission = async (b: Bench) => `${SUBMISSIONS}/${await storeSubmission(b)}`;
const switched = (path: string, b: Bench) =>
  b.send("PATCH", `${operator(b)}${path.slice("/api/v1/biolinks".length)}`, { disabled: true });

/** The work of QR codes, files, pages and analytics, by the operation's name in the description. */
export const BIOLINKS_ROUTES: Record<string, Omit<Operation, "name">> = {
  createQrCode: { run: newCode },
  listQrCodes: { run: (b) => b.send("GET", QR_CODES) },
  getQrCode: { run: (b) => b.send("GET", storedCode(b)) },
  updateQrCode: { run: (b) => b.send("PATCH", storedCode(b), { name: "Other" }) },
  deleteQrCode: { prepare: newCode, run: (b, path) => b.send("DELETE", path) },
  getQrCodeImage: { run: (b) => b.send("GET", `${storedCode(b)}/image?format=svg`) },
  previewQrCode: { run: (b) => b.send("POST", `${QR_CODES}/preview`, { target: url }) },
  createFile: { run: newFile },
  listFiles: { run: (b) => b.send("GET", FILES) },
  getFile: { prepare: newFile, run: (b, path) => b.send("GET", path) },
  deleteFile: { prepare: newFile, run: (b, path) => b.send("DELETE", path) },
  switchFile: { prepare: newFile, run: (b, path) => switched(path, b) },
  createPage: { run: newPage },
  listPages: { run: (b) => b.send("GET", PAGES) },
  getPage: { prepare: newPage, run: (b, path) => b.send("GET", path) },
  updatePage: { prepare: newPage, run: (b, path) => b.send("PATCH", path, { title: "Grace" }) },
  deletePage: { prepare: newVersion, run: (b, path) => b.send("DELETE", path) },
  switchPage: { prepare: newPage, run: (b, path) => switched(path, b) },
  listReports: { run: (b) => b.send("GET", `${REPORTS}?status=open`) },
  changeReport: {
    prepare: newReport,
    run: (b, path) => b.send("PATCH", path, { status: "resolved" }),
  },
  duplicatePage: { prepare: newPage, run: (b, path) => b.send("POST", `${path}/duplicate`, {}) },
  previewPage: { prepare: newPage, run: (b, path) => b.send("POST", `${path}/preview`) },
  publishPage: { prepare: newPage, run: (b, path) => b.send("POST", `${path}/publish`) },
  unpublishPage: { prepare: newVersion, run: (b, path) => b.send("POST", `${path}/unpublish`) },
  listPageVersions: { prepare: newVersion, run: (b, path) => b.send("GET", `${path}/versions`) },
  getPageVersion: { prepare: newVersion, run: (b, path) => b.send("GET", `${path}/versions/1`) },
  restorePageVersion: {
    prepare: newVersion,
    run: (b, path) => b.send("POST", `${path}/versions/1/restore`),
  },
  listBlocks: { prepare: newPage, run: (b, path) => b.send("GET", `${path}/blocks`) },
  createBlock: { prepare: newPage, run: (b, path) => b.send("POST", `${path}/blocks`, heading) },
  replaceBlocks: {
    prepare: newPage,
    run: (b, path) => b.send("PUT", `${path}/blocks`, { blocks: Array(20).fill(heading) }),
  },
  orderBlocks: {
    prepare: async (b) => {
      const page = await newPage(b);
      return { page, order: (await b.send("GET", page)).json.data.block_order.reverse() };
    },
    run: (b, { page, order }) => b.send("PUT", `${page}/block-order`, { order }),
  },
  getBlock: { prepare: newBlock, run: (b, path) => b.send("GET", path) },
  updateBlock: {
    prepare: newBlock,
    run: (b, path) => b.send("PATCH", path, { settings: { text: "Other" } }),
  },
  deleteBlock: { prepare: newBlock, run: (b, path) => b.send("DELETE", path) },
  listBlockTypes: { run: (b) => b.send("GET", `${CATALOGUE}/block-types`) },
  listThemes: { run: (b) => b.send("GET", `${CATALOGUE}/themes`) },
  createProduct: { run: newProduct },
  listProducts: { run: (b) => b.send("GET", `${PRODUCTS}?label=new&brand=Ada`) },
  getProduct: { run: (b) => b.send("GET", `${PRODUCTS}/${idOf(b.start, 7)}`) },
  updateProduct: {
    prepare: newProduct,
    run: (b, path) => b.send("PATCH", path, { availability: "out_of_stock", labels: ["old"] }),
  },
  deleteProduct: { prepare: newProduct, run: (b, path) => b.send("DELETE", path) },
  // A workspace may have 200.
  createCollection: { run: async (b) => b.send("DELETE", await newCollection(b)) },
  listCollections: { run: (b) => b.send("GET", COLLECTIONS) },
  getCollection: {
    prepare: newCollection,
    run: async (b, path) => {
      await b.send("GET", path);
      await b.send("DELETE", path);
    },
  },
  updateCollection: {
    prepare: newCollection,
    run: async (b, path) => {
      await b.send("PATCH", path, { products: [idOf(b.start, 9)] });
      await b.send("DELETE", path);
    },
  },
  deleteCollection: { prepare: newCollection, run: (b, path) => b.send("DELETE", path) },
  importProducts: {
    // One at a time: the next waits for its end.
    run: (b) => importFeed(b),
  },
  getProductImport: { prepare: importFeed, run: (b, path) => b.send("GET", path) },
  exportProducts: { run: (b) => b.send("GET", `${CATALOGUE}/feed?format=rss`) },
  createFeedAddress: { run: (b) => b.send("POST", FEED_ADDRESS) },
  getFeedAddress: {
    prepare: (b) => b.send("POST", FEED_ADDRESS),
    run: (b) => b.send("GET", FEED_ADDRESS),
  },
  deleteFeedAddress: {
    prepare: (b) => b.send("POST", FEED_ADDRESS),
    run: (b) => b.send("DELETE", FEED_ADDRESS),
  },
  listSubmissions: { run: (b) => b.send("GET", SUBMISSIONS) },
  getSubmission: { prepare: newSubmission, run: (b, path) => b.send("GET", path) },
  updateSubmission: {
    prepare: newSubmission,
    run: (b, path) => b.send("PATCH", path, { is_starred: true }),
  },
  deleteSubmission: { prepare: newSubmission, run: (b, path) => b.send("DELETE", path) },
  releaseSubmission: {
    prepare: newSubmission,
    run: (b, path) => b.send("POST", `${path}/release`),
  },
  markSubmissionAsSpam: {
    prepare: newSubmission,
    run: (b, path) => b.send("POST", `${path}/mark-spam`),
  },
  bulkDeleteSubmissions: {
    prepare: storeSubmission,
    run: (b, id) => b.send("POST", `${SUBMISSIONS}/bulk-delete`, { ids: [id] }),
  },
  eraseSubmissions: {
    run: (b) => b.send("POST", `${SUBMISSIONS}/erase`, { email: "s7@example.com" }),
  },
  // Those of one person, since a file is as long as what is asked for.
  exportSubmissions: {
    run: (b) => b.send("GET", `${SUBMISSIONS}/export?email=s8@example.com`),
  },
  getAnalytics: {
    run: (b) => b.send("GET", `${ANALYTICS}?metrics=clicks&interval=day&period=30d`),
  },
  getRealtimeAnalytics: { run: (b) => b.send("GET", `${ANALYTICS}/realtime`) },
  exportAnalytics: {
    run: (b) => b.send("GET", `${ANALYTICS}/export?format=csv&metrics=clicks&period=7d`),
  },
};
