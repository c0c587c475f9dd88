import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../support/node/browser.ts";
import {
  ADMIN_TOKEN,
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { query } from "../support/node/runtime-storage.ts";
import { createWebhookClient, type WebhookClient } from "../support/node/webhook-client.ts";

const CATALOGUE = "/api/v1/biolinks/catalogue";
const ENDPOINTS = "/api/v1/workspace-webhooks/endpoints";
const ROWS = 4_000;
const KILLS = 2;
const ROWS_A_STEP = 200;

let home: RuntimeHome;
let runtime: Runtime;

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const rows = (sql: string) => query(join(home.storage, "d1/miniflare-D1DatabaseObject"), sql);

beforeAll(async () => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000000", ALLOW_PRIVATE_TARGETS: "true" });
  runtime = await startRuntime(home);
});

afterAll(async () => {
  await runtime?.kill();
  home?.remove();
});

/** Sends a file as a request's body, and reads the answer. */
async function post(client: WebhookClient, path: string, file: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${runtime.port}${path}`, {
    method: "POST",
    headers: { ...client.headers(), "Content-Type": "text/csv" },
    body: file,
  });
  const text = await answer.text();
  if (answer.status !== 202) throw new Error(text);
  return JSON.parse(text).data.id;
}

async function readImport(client: WebhookClient, id: string) {
  const { text } = await client.call("GET", `${CATALOGUE}/imports/${id}`);
  return JSON.parse(text).data;
}

/** Somebody who wants to know of each product, and is never there. */
async function subscribe(client: WebhookClient): Promise<void> {
  const subscriptions = ["updated", "deleted"].map((what) => ({
    event: `biolinks.product.${what}`,
    channel: "all",
  }));
  const input = { name: "Products", url: "http://127.0.0.1:9/", subscriptions };
  const { data } = JSON.parse((await client.call("POST", ENDPOINTS, input)).text);
  await client.call("PATCH", `${ENDPOINTS}/${data.id}`, { enabled: true });
}

/** The plan of a new workspace has room for a thousand products. */
async function growUp({ id }: WebhookClient): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${runtime.port}/admin/v1/workspaces/${id}`, {
    method: "PATCH",
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({ plan: "business" }),
  });
  expect(answer.status).toBe(200);
}

/** Waits until an import has done more rows than it had. */
async function goOn(client: WebhookClient, id: string, before: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { status, counts } = await readImport(client, id);
    const done = counts.created + counts.failed;
    // As long as there is more to do it says so.
    if (done > 0 && done < ROWS) expect(status).toBe("running");
    if (done > before) return;
    if (Date.now() > deadline) throw new Error(`The import stands at ${JSON.stringify(counts)}.`);
    await pause(20);
  }
}

describe("a runtime killed with kill -9 amid an import of products", () => {
  test("goes on where it was: each row once, each event once", async () => {
    const client = await createWebhookClient(() => runtime.port);
    await growUp(client);
    await subscribe(client);
    const broken = new Set([17, 1_999, 3_500]);
    const line = (n: number) => `P${n},Mug ${n},${broken.has(n) ? "free" : `${n}.99 EUR`}`;
    const lines = Array.from({ length: ROWS }, (_, n) => line(n));
    const id = await post(client, `${CATALOGUE}/imports`, ["id,title,price", ...lines].join("\n"));
    const steps: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      // Whoever was at it is given its time, after that the job goes on.
      await goOn(client, id, (steps.at(-1) ?? 0) * ROWS_A_STEP);
      await pause(Math.random() * 200);
      await runtime.kill();
      const [found] = rows(`SELECT next_step FROM product_imports WHERE id = '${id}'`);
      steps.push(Number(found?.next_step));
      runtime = await startRuntime(home);
    }
    await expect
      .poll(async () => (await readImport(client, id)).status, { timeout: 100_000, interval: 500 })
      .toBe("done");
    const ended = await readImport(client, id);
    const made = ROWS - broken.size;
    expect(ended.counts).toEqual({
      rows: ROWS,
      created: made,
      updated: 0,
      unchanged: 0,
      failed: broken.size,
      deleted: 0,
    });
    expect(ended.errors.map(({ row }: { row: number }) => row)).toEqual([19, 2_001, 3_502]);
    console.log(`killed at steps ${steps.join(", ")} of ${ROWS / ROWS_A_STEP}`);
    expect(steps[0]).toBeLessThan(ROWS / ROWS_A_STEP);
    expect(
      rows("SELECT count(*) AS n, count(DISTINCT external_id) AS ids FROM products")[0],
    ).toEqual({ n: made, ids: made });
    const events = rows(
      `SELECT count(*) AS n, count(DISTINCT data ->> 'id') AS products FROM events
       WHERE type = 'biolinks.product.updated'`,
    );
    expect(events[0]).toEqual({ n: made, products: made });
    expect(rows("SELECT 1 FROM product_import_slices")).toEqual([]);
    expect(rows("SELECT max(products) AS n FROM workspace_usage")[0]).toEqual({ n: made });
  });
});

describe("a feed in RSS", () => {
  test("is XML to a browser, with every text as it was", async () => {
    const client = await createWebhookClient(() => runtime.port);
    const products = [
      { external_id: "<1>", title: "A & B", description: "]]> <script>alert(1)</script>\r\n\tend" },
      { external_id: '"2"', title: "\u{1F600} é ﷽", url: "https://shop.example/?a=1&b=2" },
      { external_id: "3", title: "Price", price: { amount: 1250, currency: "KWD" } },
    ];
    for (const product of products) {
      expect((await client.call("POST", `${CATALOGUE}/products`, product)).status).toBe(201);
    }
    const made = await client.call("POST", `${CATALOGUE}/feed/address`);
    const { pathname } = new URL(JSON.parse(made.text).data.rss_url);
    const answer = await fetch(`http://127.0.0.1:${runtime.port}${pathname}`);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const items = await page.evaluate((xml) => {
        const parsed = new DOMParser().parseFromString(xml, "application/xml");
        if (parsed.querySelector("parsererror")) return parsed.documentElement.textContent;
        const google = "http://base.google.com/ns/1.0";
        return [...parsed.querySelectorAll("rss > channel > item")].map((item) => {
          const of = (name: string) => item.getElementsByTagNameNS(google, name)[0]?.textContent;
          return [of("id"), of("title"), of("description"), of("link"), of("price")];
        });
      }, text);
      expect(items).toEqual([
        ["<1>", "A & B", "]]> <script>alert(1)</script>\r\n\tend", undefined, undefined],
        ['"2"', "\u{1F600} é ﷽", undefined, "https://shop.example/?a=1&b=2", undefined],
        ["3", "Price", undefined, undefined, "1.250 KWD"],
      ]);
    } finally {
      await browser.close();
    }
  });
});
