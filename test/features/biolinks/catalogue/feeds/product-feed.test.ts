import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CURRENCIES } from "../../../../../src/features/biolinks/catalogue/currencies.ts";
import { upsertProducts } from "../../../../../src/features/biolinks/catalogue/product-upsert.ts";
import { createFile } from "../../../../support/files.ts";
import { operate, send } from "../../../../support/http.ts";
import { importFile } from "../../../../support/product-imports.ts";
import { CATALOGUE, createProduct, PRODUCTS, patchProduct } from "../../../../support/products.ts";
import { formulasIn, openInSpreadsheet, SEPARATORS } from "../../../../support/spreadsheet.ts";
import { workIn } from "../../../../support/work.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../../../support/workspace.ts";

const FEED = `${CATALOGUE}/feed`;
const ADDRESS = `${FEED}/address`;
const none = { created: 0, updated: 0, unchanged: 0, failed: 0, deleted: 0 };

async function feedOf(workspace: Pick<Workspace, "send">, format = "csv"): Promise<string> {
  const answer = await workspace.send("GET", `${FEED}?format=${format}`);
  expect(answer.status).toBe(200);
  return answer.text;
}

async function addressOf(workspace: Workspace): Promise<{ csv_url: string; rss_url: string }> {
  const headers = { "Idempotency-Key": newIdempotencyKey() };
  const answer = await workspace.send("POST", ADDRESS, { headers });
  expect(answer.status).toBe(201);
  return answer.body.data;
}

/** Products with whatever a feed may trip over; how many. */
async function fill(workspace: Workspace): Promise<number> {
  const { id } = await createFile(workspace);
  const prices = CURRENCIES.map((currency, at) => ({
    external_id: `price ${currency}`,
    title: currency,
    price: { amount: 10 ** (at % 8) + 5, currency },
    sale_price: { amount: at % 6, currency },
  }));
  const image = { file: id };
  const others = [
    { title: "-20% on ,everything", description: '=cmd|"x"\r\n\n+1\n\'=2' },
    { title: "Blanks", description: "  kept  \n\n", labels: ["@home", "'quoted", "a;=b"] },
    {
      title: "<b>&amp;</b> ]]> \u{1F600} \u0007",
      url: "https://shop.example/?a=1&b=%3Cx%3E",
      image,
      additional_images: [{ url: "https://cdn.example/a,b.jpg" }, image],
      availability: "discontinued" as const,
      condition: "refurbished" as const,
    },
    {
      title: "Hidden thing",
      sale_starts_at: Date.parse("2026-11-20T08:00:00.123Z"),
      status: "hidden" as const,
    },
    { title: "'=", sale_ends_at: Date.parse("2027-01-01T00:00Z"), brand: "'=", mpn: '"' },
    { title: "Ids", gtin: "4006381333931", item_group_id: "G;1", google_product_category: "5" },
  ].map((input, at) => ({ external_id: `=${at}`, ...input }));
  await upsertProducts(workIn(workspace.id), [...prices, ...others]);
  await createProduct(workspace, { title: "No external id" });
  return prices.length + others.length + 1;
}

describe("a feed in CSV", () => {
  it("changes nothing when it is imported again", async () => {
    const workspace = await createWorkspace();
    const rows = await fill(workspace);
    const feed = await feedOf(workspace);
    expect(feed.startsWith("id,title,description,link,")).toBe(true);
    const same = await importFile(workspace, feed);
    expect(same.errors).toEqual([]);
    expect(same.counts).toEqual({ ...none, rows, unchanged: rows });
    const replaced = await importFile(workspace, feed, "?mode=replace");
    expect(replaced.counts).toEqual({ ...none, rows, unchanged: rows });
  });

  it("keeps apart what are two addresses, and together what is one", async () => {
    const workspace = await createWorkspace();
    const urls = ["https://a.example/1,2.png", "https://r.example/w_3,https://a.example/3.png"];
    const additional_images = urls.map((url) => ({ url }));
    const { id } = await createProduct(workspace, { external_id: "1", additional_images });
    const ended = await importFile(workspace, await feedOf(workspace));
    expect(ended.errors).toEqual([]);
    const { body } = await workspace.send("GET", `${PRODUCTS}/${id}`);
    expect(body.data.additional_images.map(({ url }: { url: string }) => url)).toEqual([
      urls[0],
      "https://r.example/w_3%2Chttps://a.example/3.png",
    ]);
  });

  it("makes the same products in another workspace", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const rows = await fill(workspace);
    const feed = await feedOf(workspace);
    const ended = await importFile(other, feed);
    expect(ended.counts).toEqual({ ...none, rows, created: rows });
    // But for what is a file there, which is an address here: that is the same text.
    const lines = (text: string) => text.split("\r\n").sort();
    expect(lines(await feedOf(other))).toEqual(lines(feed));
  });

  it("tells prices with the decimals of their currency", async () => {
    const workspace = await createWorkspace();
    for (const currency of ["JPY", "EUR", "KWD"]) {
      await createProduct(workspace, { title: currency, price: { amount: 1250, currency } });
    }
    const feed = await feedOf(workspace);
    for (const price of ["1250 JPY", "12.50 EUR", "1.250 KWD"])
      expect(feed).toContain(`,${price},`);
  });

  it("has nothing that a spreadsheet would run", async () => {
    const workspace = await createWorkspace();
    await createProduct(workspace, {
      external_id: "=1",
      title: '=HYPERLINK("https://evil.example")',
      brand: "+1",
    });
    const feed = await feedOf(workspace);
    expect(feed).toContain(`'=1,"'=HYPERLINK(""https://evil.example"")"`);
    expect(feed).not.toMatch(/(?:^|,)"?[=+@-]/m);
  });

  it("runs nothing in the spreadsheet of any country, and still changes nothing", async () => {
    const workspace = await createWorkspace();
    const unit = fc.constantFrom(..."=+-@＝＋－＠;,\t\r\n\v\f\u0085\u2028\u200b\u00a0|\"' a1");
    const hostile = fc.sample(fc.string({ unit, minLength: 1, maxLength: 12 }), {
      ...{ numRuns: 400, seed: 15 },
    });
    const inputs = hostile.map((text, at) => ({
      external_id: `P${at}`,
      ...{ title: `a${text}`.trim(), description: text.trim() === "" ? "b" : text },
      ...{ brand: text.trim() || "c", labels: [`${at}${text}`.trim()] },
    }));
    await upsertProducts(workIn(workspace.id), [
      { external_id: "quoted", title: 'a\n"=1+1', description: '\u2028"=1\v+1\n\u200b-1' },
      ...inputs,
    ]);
    const feed = await feedOf(workspace);
    const rows = inputs.length + 1;
    expect(openInSpreadsheet(feed)).toHaveLength(1 + rows);
    for (const separators of SEPARATORS) expect(formulasIn(feed, separators)).toEqual([]);
    expect((await importFile(workspace, feed)).counts).toEqual({ ...none, rows, unchanged: rows });
  });

  it("is whole, however many products there are", async () => {
    const workspace = await createWorkspace();
    const numbers = Array.from({ length: 501 }, (_, n) => `P${n}`);
    await importFile(workspace, ["id,title", ...numbers.map((id) => `${id},Mug`)].join("\n"));
    const lines = (await feedOf(workspace)).trimEnd().split("\r\n").slice(1);
    expect(new Set(lines.map((line) => line.split(",")[0]))).toEqual(new Set(numbers));
    expect(lines).toHaveLength(501);
  });

  it("is the names alone without products", async () => {
    expect((await feedOf(await createWorkspace())).split("\r\n")).toHaveLength(2);
  });
});

describe("a feed in RSS", () => {
  it("has Google's names, every text as it is, and no hidden product", async () => {
    const workspace = await createWorkspace();
    await fill(workspace);
    const feed = await feedOf(workspace, "rss");
    expect(feed).toContain('<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>');
    expect(feed).toContain("<g:title>-20% on ,everything</g:title>");
    expect(feed).toContain("<g:title>&lt;b&gt;&amp;amp;&lt;/b&gt; ]]&gt; \u{1F600} </g:title>");
    expect(feed).toContain("<g:link>https://shop.example/?a=1&amp;b=%3Cx%3E</g:link>");
    expect(feed).toMatch(/<g:image_link>http:\/\/localhost:8787\/assets\/f\/[0-9a-f]{64}\.png</);
    expect(feed).toContain("<g:availability>out_of_stock</g:availability>");
    expect(feed).toContain("<g:custom_label_0>@home</g:custom_label_0>");
    expect(feed).not.toContain("Hidden thing");
    expect(feed.endsWith("</item>\n</channel></rss>\n")).toBe(true);
  });

  it("refuses a format that there is not", async () => {
    const workspace = await createWorkspace();
    expect((await workspace.send("GET", `${FEED}?format=atom`)).status).toBe(422);
  });
});

describe("a feed's public address", () => {
  it("shows anybody what visitors may see, until it is taken back", async () => {
    const workspace = await createWorkspace();
    expect((await workspace.send("GET", ADDRESS)).status).toBe(404);
    const { id } = await createProduct(workspace, { title: "Mug" });
    await createProduct(workspace, { title: "Secret", status: "hidden" });
    const { csv_url, rss_url } = await addressOf(workspace);
    expect((await workspace.send("GET", ADDRESS)).body.data).toMatchObject({ csv_url, rss_url });

    const csv = await send(csv_url);
    expect(csv.status).toBe(200);
    expect(csv.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(csv.text).toContain("Mug");
    expect(csv.text).not.toContain("Secret");
    const rss = await send(rss_url);
    expect(rss.headers.get("Content-Type")).toBe("application/rss+xml; charset=utf-8");
    expect(rss.text).toContain("<g:title>Mug</g:title>");
    expect((await send(csv_url, { method: "HEAD" })).text).toBe("");
    expect((await send(csv_url, { method: "POST" })).status).toBe(405);

    // A copy is served for a while.
    await patchProduct(workspace, id, { title: "Cup" });
    expect((await send(csv_url)).text).toContain("Mug");

    expect((await workspace.send("DELETE", ADDRESS)).status).toBe(204);
    expect((await send(csv_url)).status).toBe(404);
    expect((await send(rss_url)).status).toBe(404);
    expect((await workspace.send("GET", ADDRESS)).status).toBe(404);
    expect((await workspace.send("DELETE", ADDRESS)).status).toBe(404);
  });

  it("leads nowhere once there is another", async () => {
    const workspace = await createWorkspace();
    const first = await addressOf(workspace);
    expect((await send(first.csv_url)).status).toBe(200);
    const second = await addressOf(workspace);
    expect(second.csv_url).not.toBe(first.csv_url);
    expect((await send(first.csv_url)).status).toBe(404);
    expect((await send(second.csv_url)).status).toBe(200);
  });

  it("cannot be guessed, nor led elsewhere", async () => {
    const workspace = await createWorkspace();
    const { csv_url } = await addressOf(workspace);
    const token = csv_url.slice(-"x.csv".length - 42, -".csv".length);
    expect(token).toHaveLength(43);
    for (let at = 0; at < token.length; at += 7) {
      const other = token[at] === "A" ? "B" : "A";
      const wrong = token.slice(0, at) + other + token.slice(at + 1);
      expect((await send(csv_url.replace(token, wrong))).status).toBe(404);
    }
    expect((await send(csv_url.replace(".csv", ".json"))).status).toBe(404);
    expect((await send("/assets/feeds/")).status).toBe(404);
  });

  it("leads nowhere while the workspace is suspended", async () => {
    const workspace = await createWorkspace();
    const { csv_url } = await addressOf(workspace);
    expect((await send(csv_url)).status).toBe(200);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    expect((await send(csv_url)).status).toBe(404);
  });

  it("is given to who may write the catalogue, and read by who may read it", async () => {
    const workspace = await createWorkspace();
    await addressOf(workspace);
    const { key } = await issueKey(workspace.id, { permissions: ["biolinks:catalogue:read"] });
    const statusOf = async (method: string, path: string) =>
      (await sendAs(key, method, path)).status;
    expect(await statusOf("GET", FEED)).toBe(200);
    expect(await statusOf("GET", ADDRESS)).toBe(200);
    expect(await statusOf("POST", ADDRESS)).toBe(403);
    expect(await statusOf("DELETE", ADDRESS)).toBe(403);
  });
});
