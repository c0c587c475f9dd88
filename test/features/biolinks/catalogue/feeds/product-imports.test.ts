import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { FeedColumn } from "../../../../../src/features/biolinks/catalogue/feeds/feed-columns.ts";
import {
  readFeedFile,
  readSlice,
} from "../../../../../src/features/biolinks/catalogue/feeds/feed-file.ts";
import { importProducts } from "../../../../../src/features/biolinks/catalogue/feeds/product-import-work.ts";
import {
  beginImport,
  type ImportRow,
  removeAbandoned,
  storeSlices,
} from "../../../../../src/features/biolinks/catalogue/feeds/product-imports.repository.ts";
import { faulting } from "../../../../support/faulting.ts";
import { createFile } from "../../../../support/files.ts";
import { operate } from "../../../../support/http.ts";
import { listenToCosts } from "../../../../support/noted-statements.ts";
import {
  endOfImport,
  IMPORTS,
  importFile,
  postImport,
} from "../../../../support/product-imports.ts";
import { createProduct, PRODUCTS } from "../../../../support/products.ts";
import { createLiveEndpoint, newBox } from "../../../../support/webhooks.ts";
import { workIn } from "../../../../support/work.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../../../support/workspace.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function productNamed(workspace: Workspace, externalId: string): Promise<any> {
  const path = `${PRODUCTS}?external_id=${encodeURIComponent(externalId)}`;
  return (await workspace.send("GET", path)).body.data[0];
}

/** As Excel's "Unicode text" is: little endian, with its mark. */
const utf16 = (text: string) =>
  new Uint8Array(Uint16Array.from([0xfeff, ...[...text].map((one) => one.charCodeAt(0))]).buffer);

const none = { created: 0, updated: 0, unchanged: 0, failed: 0, deleted: 0 };

describe("importing products", () => {
  it("reads what is sent as tab-separated values, commas and all", async () => {
    const workspace = await createWorkspace();
    const file = "id\ttitle\tprice\nMUG-1\tMug, speckled, large\t24.00 EUR\n";
    const answer = await postImport(workspace, file, { type: "text/tab-separated-values" });
    expect(answer.status).toBe(202);
    const ended = await endOfImport(workspace, answer.body.data.id);
    expect([ended.status, ended.counts]).toEqual(["done", { ...none, rows: 1, created: 1 }]);
    expect(await productNamed(workspace, "MUG-1")).toMatchObject({
      title: "Mug, speckled, large",
      price: { amount: 2400, currency: "EUR" },
    });
  });

  it("reads a feed as Google's and Meta's are written", async () => {
    const workspace = await createWorkspace();
    const feed = [
      "id,title,description,link,image link,additional_image_link,Price,sale_price,sale_price_effective_date,availability,condition,brand,gtin,mpn,item_group_id,google_product_category,product_type,custom_label_0,custom_label_3,quantity_to_sell_on_facebook",
      'MUG-1,"Mug, speckled","It says ""hi""\nand holds tea",https://shop.example/mug,https://cdn.example/mug.jpg,"https://cdn.example/a.jpg,https://cdn.example/b.jpg?x=1,2",24.00 EUR,19.50 EUR,2026-11-20T08:00+0100/2026-11-30T23:59+0100,in stock,new,Ada,4006381333931,M-1,MUGS,500044,Home > Kitchen,new,spring,7',
      "MUG-2,Plain mug,,,,,1150 JPY,,,preorder,used_good,,,,,,,,,",
      "MUG-3,Mug of Kuwait,,,,,1.250 KWD,,,Out of Stock,,,,,,,,,,",
    ].join("\r\n");
    const answer = await postImport(workspace, `\u{FEFF}${feed}`);
    expect(answer.status).toBe(202);
    expect(answer.body.data).toMatchObject({ status: "queued", mode: "upsert", dry_run: false });

    const ended = await endOfImport(workspace, answer.body.data.id);
    expect(ended).toMatchObject({ status: "done", errors: [], message: null });
    expect(ended.counts).toEqual({ ...none, rows: 3, created: 3 });
    expect(ended.ignored_columns).toEqual(["quantity_to_sell_on_facebook"]);
    expect(await productNamed(workspace, "MUG-1")).toMatchObject({
      title: "Mug, speckled",
      description: 'It says "hi"\nand holds tea',
      url: "https://shop.example/mug",
      image: { url: "https://cdn.example/mug.jpg" },
      additional_images: [
        { url: "https://cdn.example/a.jpg" },
        { url: "https://cdn.example/b.jpg?x=1,2" },
      ],
      price: { amount: 2400, currency: "EUR" },
      sale_price: { amount: 1950, currency: "EUR" },
      sale_starts_at: "2026-11-20T07:00:00.000Z",
      sale_ends_at: "2026-11-30T22:59:00.000Z",
      availability: "in_stock",
      condition: "new",
      brand: "Ada",
      gtin: "4006381333931",
      mpn: "M-1",
      item_group_id: "MUGS",
      google_product_category: "500044",
      product_type: "Home > Kitchen",
      labels: ["new", "spring"],
      status: "active",
    });
    expect(await productNamed(workspace, "MUG-2")).toMatchObject({
      price: { amount: 1150, currency: "JPY" },
      availability: "preorder",
      condition: "used",
      labels: [],
    });
    expect(await productNamed(workspace, "MUG-3")).toMatchObject({
      price: { amount: 1250, currency: "KWD" },
      availability: "out_of_stock",
      condition: "new",
    });
  });

  it.each([
    ["id,title,image_link,additional_image_link,gtin,status", "as they are called"],
    ["external_id,name,image,additional_image_links,ean,visibility", "as shops call them"],
    ["retailer_id,Name,image_url,additional_image_urls,UPC,Status", "as catalogues call them"],
    ["g:id,g:title,g:image_link,g:additional_image_link,g:gtin,status", "as Google prefixes them"],
    ["ID,Title,Image Link,Additional-Image-Link,ISBN,STATUS", "in any case, with any blanks"],
  ])("knows columns %s: %s", async (names) => {
    const workspace = await createWorkspace();
    const feed = `${names}\r\nA,Mug,https://a.example/1,https://a.example/2,4006381333931,hidden\r\n`;
    const { counts, ignored_columns } = await importFile(workspace, feed);
    expect([counts.created, ignored_columns]).toEqual([1, []]);
    expect(await productNamed(workspace, "A")).toMatchObject({
      ...{ external_id: "A", title: "Mug", gtin: "4006381333931", status: "hidden" },
      image: { url: "https://a.example/1" },
      additional_images: [{ url: "https://a.example/2" }],
    });
  });

  it("knows the words of Google's and Meta's feeds, in any spelling of them", async () => {
    const workspace = await createWorkspace();
    const words = {
      availability: {
        in_stock: ["in stock", "In_Stock", "https://schema.org/InStock", "limited availability"],
        out_of_stock: ["out of stock", "OutOfStock", "sold out"],
        preorder: ["preorder", "pre-order"],
        backorder: ["backorder", "back order", "available for order"],
        discontinued: ["discontinued"],
      },
      condition: {
        new: ["new", "https://schema.org/NewCondition"],
        refurbished: ["Refurbished"],
        used: ["used", "used_like_new", "used good", "used-fair"],
      },
      status: { active: ["active", "published"], hidden: ["hidden", "archived", "staging"] },
    };
    for (const [field, spellings] of Object.entries(words)) {
      const rows = Object.entries(spellings).flatMap(([word, all]) =>
        all.map((spelling, at) => ({ id: `${field}-${word}-${at}`, word, spelling })),
      );
      const lines = rows.map(({ id, spelling }) => `${id}\tMug\t${spelling}`);
      const ended = await importFile(workspace, [`id\ttitle\t${field}`, ...lines].join("\n"));
      expect([ended.errors, ended.counts.created]).toEqual([[], rows.length]);
      for (const { id, word } of rows)
        expect([id, (await productNamed(workspace, id))[field]]).toEqual([id, word]);
    }
  });

  it("leaves what has no column, takes away what is empty, and does nothing twice", async () => {
    const workspace = await createWorkspace();
    const before = { external_id: "A", description: "Old", brand: "Ada", labels: ["x"] };
    const { id } = await createProduct(workspace, before);
    const feed = "id;price;brand\nA;5.00 EUR;\n";
    const first = await importFile(workspace, feed);
    expect(first.counts).toEqual({ ...none, rows: 1, updated: 1 });
    const after = await productNamed(workspace, "A");
    expect(after).toMatchObject({
      id,
      title: "Mug",
      description: "Old",
      brand: null,
      labels: ["x"],
    });
    expect(after.price).toEqual({ amount: 500, currency: "EUR" });
    expect((await importFile(workspace, feed)).counts).toEqual({ ...none, rows: 1, unchanged: 1 });
    expect((await productNamed(workspace, "A")).revision).toBe(after.revision);
  });

  it("knows the workspace's own files for pictures", async () => {
    const workspace = await createWorkspace();
    const file = await createFile(workspace);
    const foreign = await createFile(await createWorkspace());
    await importFile(
      workspace,
      `id\ttitle\timage_link\tadditional_image_link\nA\tMug\t${file.url}\t${foreign.url}\n`,
    );
    expect(await productNamed(workspace, "A")).toMatchObject({
      image: { file: file.id },
      additional_images: [{ url: foreign.url }],
    });
  });

  it("names exactly the rows and columns that are wrong, among 10,000", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const broken: [values: string, field: string][] = [
      [",12.505 USD,in stock,", "Title"],
      ["Mug,12.505 USD,in stock,", "price"],
      ["Mug,twelve,in stock,", "price"],
      ["Mug,1 USD,soon,", "availability"],
      ["Mug,1 USD,in stock,4006381333932", "gtin"],
    ];
    const expected: { row: number; field: string }[] = [];
    const lines = ["id,Title,price,availability,gtin"];
    for (let n = 0; n < 10_000; n++) {
      // The 100 of 37 + 97n for n < 100 that are spread over the whole file.
      const isBroken = n % 97 === 37 && n < 37 + 97 * 100;
      const [values, field] = broken[n % broken.length] as [string, string];
      lines.push(`P-${n},${isBroken ? values : `Mug ${n},${n}.99 USD,in stock,`}`);
      if (!isBroken) continue;
      if (field === "Title") expected.push({ row: n + 2, field }, { row: n + 2, field: "price" });
      else expected.push({ row: n + 2, field });
    }
    const ended = await importFile(workspace, lines.join("\n"));
    expect(ended.status).toBe("done");
    expect(ended.counts).toEqual({ ...none, rows: 10_000, created: 9_900, failed: 100 });
    const found = ended.errors.map(({ row, field }: { row: number; field: string }) => ({
      row,
      field,
    }));
    const inOrder = (errors: { row: number; field: string }[]) =>
      errors.map(({ row, field }) => `${row} ${field}`).sort();
    expect(inOrder(found)).toEqual(inOrder(expected));
    expect(new Set(expected.map(({ row }) => row)).size).toBe(100);
  });

  it("refuses an id that stands twice, and rows without one", async () => {
    const workspace = await createWorkspace();
    const ended = await importFile(workspace, "id,title\nA,One\n\nA,Two\n,Three\n  ,Four\n");
    expect(ended.counts).toEqual({ ...none, rows: 4, created: 1, failed: 3 });
    expect(ended.errors).toEqual([
      { row: 4, field: "id", message: "Row 2 has the same id." },
      { row: 5, field: "id", message: "Must not be empty." },
      { row: 6, field: "id", message: "Must not be empty." },
    ]);
    expect((await productNamed(workspace, "A")).title).toBe("One");
  });

  it.each([
    ["commas", ",", "comma"],
    ["semicolons", ";", "semicolon"],
    ["tabs", "\t", "tab"],
  ])("refuses a row with more values than columns, between %s", async (_name, between, named) => {
    const workspace = await createWorkspace();
    const rows = [
      ["Retailer ID", "price", "title"],
      ["Z1", "1 EUR", "Mug", " speckled"],
      ["Z2", "1 EUR", `"Mug${between} speckled"`, "", " "],
      ["Z3", "1 EUR"],
    ];
    const file = rows.map((row) => row.join(between)).join("\n");
    const ended = await importFile(workspace, file);
    expect(ended.errors).toEqual([
      {
        row: 2,
        field: "Retailer ID",
        message: `The row has 4 values, the header has 3 columns: put quotes around a value with a ${named}.`,
      },
      { row: 4, field: "title", message: "Must not be empty." },
    ]);
    expect(ended.counts).toEqual({ ...none, rows: 3, created: 1, failed: 2 });
    expect(await productNamed(workspace, "Z1")).toBeUndefined();
    expect((await productNamed(workspace, "Z2")).title).toBe(`Mug${between} speckled`);
  });

  it("leaves notes alone that stand beneath a column without a name", async () => {
    const workspace = await createWorkspace();
    const ended = await importFile(workspace, "id,price,title,\nZ1,1 EUR,Mug,sells well\n");
    expect([ended.errors, ended.counts.created]).toEqual([[], 1]);
  });

  it("names the label's column that is wrong, as the file does", async () => {
    const workspace = await createWorkspace();
    const long = "x".repeat(101);
    const fieldsOf = async (feed: string) =>
      (await importFile(workspace, feed)).errors.map(({ field }: { field: string }) => field);
    expect(await fieldsOf(`id,title,custom_label_4\nA,Mug,${long}\n`)).toEqual(["custom_label_4"]);
    const labels = "Custom Label 3,custom_label_1,custom_label_0,g:custom_label_2";
    expect(await fieldsOf(`id,title,${labels}\nA,Mug,${long},,new,${long}\n`)).toEqual([
      "g:custom_label_2",
      "Custom Label 3",
    ]);
  });

  it("takes no id with blanks around it, also behind a spreadsheet's apostrophe", async () => {
    const workspace = await createWorkspace();
    const ended = await importFile(workspace, "id,title\n'  =A,One\n'=A,Two\n");
    expect(ended.errors).toEqual([{ row: 3, field: "id", message: "Row 2 has the same id." }]);
    expect(await productNamed(workspace, "=A")).toMatchObject({ external_id: "=A", title: "One" });
  });

  it("keeps the first thousand errors", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const rows = Array.from({ length: 1500 }, (_, n) => `P${n},Mug,free`);
    const ended = await importFile(workspace, ["id,title,price", ...rows].join("\n"));
    expect(ended.counts.failed).toBe(1500);
    expect(ended.errors).toHaveLength(1000);
    expect(ended.errors.at(-1).row).toBe(1001);
  });

  it("tells what it would do, and does nothing", async () => {
    const workspace = await createWorkspace();
    await createProduct(workspace, { external_id: "A" });
    await createProduct(workspace, { external_id: "B" });
    const feed = "id,title\nA,Cup\nC,Bowl\n";
    const told = await importFile(workspace, feed, "?dry_run=true&mode=replace");
    expect(told).toMatchObject({ status: "done", dry_run: true, mode: "replace" });
    expect(told.counts).toEqual({ ...none, rows: 2, created: 1, updated: 1, deleted: 1 });
    const { body } = await workspace.send("GET", PRODUCTS);
    expect(body.data.map((one: { title: string }) => one.title)).toEqual(["Mug", "Mug"]);
  });
});

describe("an import that replaces", () => {
  it("deletes what the file does not name", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const feed = (from: number, to: number) =>
      ["id,title", ...Array.from({ length: to - from }, (_, n) => `P${from + n},Mug`)].join("\n");
    await importFile(workspace, feed(0, 900));
    await createProduct(workspace, { external_id: "\u{10FFFF}" });
    const ended = await importFile(workspace, feed(700, 1_800), "?mode=replace");
    expect(ended.counts).toEqual({
      ...none,
      rows: 1_100,
      created: 900,
      unchanged: 200,
      deleted: 701,
    });
    expect(await productNamed(workspace, "P699")).toBeUndefined();
    expect(await productNamed(workspace, "P700")).toBeDefined();
    expect(await productNamed(workspace, "\u{10FFFF}")).toBeUndefined();
    const again = await importFile(workspace, feed(700, 1_800), "?mode=replace");
    expect(again.counts).toEqual({ ...none, rows: 1_100, unchanged: 1_100 });
  });

  it("tells of each id that no product could have, however long they are", async () => {
    const workspace = await createWorkspace();
    await createProduct(workspace, { external_id: "OLD" });
    const rows = Array.from({ length: 30 }, (_, n) => `${String(n).padEnd(90_000, "x")},Mug`);
    const ended = await importFile(workspace, ["id,title", ...rows].join("\n"), "?mode=replace");
    expect(ended.counts).toEqual({ ...none, rows: 30, failed: 30 });
    expect(
      ended.errors.map(({ row, field }: { row: number; field: string }) => [row, field]),
    ).toEqual(rows.map((_, n) => [n + 2, "id"]));
    expect(await productNamed(workspace, "OLD")).toBeDefined();
  });

  it("leaves the products of ids that are as long as they may be", async () => {
    const workspace = await createWorkspace();
    const feed = `id,title\n${"\u{1F375}".repeat(100)},Mug\n`;
    await importFile(workspace, feed);
    const ended = await importFile(workspace, feed, "?mode=replace");
    expect(ended.counts).toEqual({ ...none, rows: 1, unchanged: 1 });
  });

  it("deletes nothing if a row failed", async () => {
    const workspace = await createWorkspace();
    await createProduct(workspace, { external_id: "OLD" });
    const ended = await importFile(
      workspace,
      "id,title,price\nA,Mug,\nB,Mug,free\n",
      "?mode=replace",
    );
    expect(ended.status).toBe("done");
    expect(ended.counts).toEqual({ ...none, rows: 2, created: 1, failed: 1 });
    expect(await productNamed(workspace, "OLD")).toBeDefined();
    expect(await productNamed(workspace, "A")).toBeDefined();
  });

  it("leaves other workspaces alone", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    await createProduct(other, { external_id: "THEIRS" });
    await importFile(workspace, "id,title\nA,Mug\n", "?mode=replace");
    expect(await productNamed(other, "THEIRS")).toBeDefined();
    expect(await productNamed(other, "A")).toBeUndefined();
  });
});

describe("the plan's limit", () => {
  it("fails the rows that would go beyond it, and no others", async () => {
    const workspace = await createWorkspace();
    const rows = (count: number) => Array.from({ length: count }, (_, n) => `P${n},Mug`);
    await importFile(workspace, ["id,title", ...rows(999)].join("\n"));
    const ended = await importFile(workspace, "id,title\nA,Mug\nB,Mug\nP0,Cup\nC,Mug\n");
    expect(ended.counts).toEqual({ ...none, rows: 4, created: 1, updated: 1, failed: 2 });
    const message = "The workspace has as many products as its plan allows.";
    expect(ended.errors).toEqual([
      { row: 3, field: "id", message },
      { row: 5, field: "id", message },
    ]);
    const told = await importFile(workspace, "id,title\nX,Mug\n", "?dry_run=true");
    expect(told.counts).toMatchObject({ created: 0, failed: 1 });
  });
});

describe("a file that cannot be read", () => {
  it.each<[string, string | Uint8Array, string]>([
    ["nothing", "", "Is empty."],
    ["no names", "1,2\n3,4\n", "The first row must name the columns"],
    ["names alone", "id,title\n\n \n", "There is no row behind the names"],
    [
      "the same column twice",
      "id,title,Title\n1,2,3\n",
      'The columns "title" and "Title" are the same.',
    ],
    ["an open quote", 'id,title\n1,"Mug\n2,Cup\n', "Row 2 has a quote that is never closed."],
    [
      "text behind a quote",
      'id,title\n1,Mug\n2,"Cup" x\n',
      "Row 3 has text behind a closing quote",
    ],
    ["another encoding", new Uint8Array([0x69, 0x64, 0x0a, 0xe9]), "Line 2 is not UTF-8."],
    ["UTF-16, as some programs save", utf16("id,title\n1,Mug\n"), "Line 1 is not UTF-8."],
    ["a character that no text has", "id,title\n1,M\0ug\n", "Line 2 holds the character U+0000."],
    ["a record without an end", `id,title\n1,"${"x".repeat(100_001)}"\n`, "Row 2 is longer than"],
    ["301 columns", `id${",x".repeat(300)}\n1\n`, "There are 301 columns: at most 300."],
    ["too many rows", `id\n${"x\n".repeat(10_001)}`, "There are more than 10,000 rows."],
  ])("is refused at once: %s", async (_, file, message) => {
    const workspace = await createWorkspace();
    const answer = await postImport(workspace, file);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.file[0]).toContain(message);
    expect((await importFile(workspace, "id,title\n1,Mug\n")).counts.created).toBe(1);
  });

  it("is refused for its size: 10 MiB are taken, and no byte more", async () => {
    const workspace = await createWorkspace();
    const file = (bytes: number) => `id,title\nA,Mug\n${"\n".repeat(bytes)}`.slice(0, bytes);
    const limit = 10 * 1024 * 1024;
    expect((await postImport(workspace, file(limit + 1))).status).toBe(413);
    expect((await importFile(workspace, file(limit))).counts).toMatchObject({
      rows: 1,
      created: 1,
    });
  });

  it.each(["?mode=merge", "?dry_run=maybe"])("is refused for its query, %s", async (query) => {
    const answer = await postImport(await createWorkspace(), "id,title\n1,Mug\n", { query });
    expect(answer.status).toBe(422);
  });
});

describe("who may import", () => {
  it("is who may write the catalogue, and nobody else reads it", async () => {
    const workspace = await createWorkspace();
    const { id } = await importFile(workspace, "id,title\n1,Mug\n");
    const reading = await issueKey(workspace.id, { permissions: ["biolinks:catalogue:read"] });
    const reader = {
      send: (...given: Parameters<Workspace["send"]>) => sendAs(reading.key, ...given),
    };
    expect((await postImport(reader, "id,title\n1,Mug\n")).status).toBe(403);
    expect((await reader.send("GET", `${IMPORTS}/${id}`)).status).toBe(200);
    const other = await createWorkspace();
    expect((await other.send("GET", `${IMPORTS}/${id}`)).status).toBe(404);
  });

  it("is one at a time, and the same request again is the same import", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const rows = Array.from({ length: 3000 }, (_, n) => `P${n},Mug`);
    const feed = ["id,title", ...rows].join("\n");
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const first = await postImport(workspace, feed, { headers });
    expect(first.status).toBe(202);
    const refused = await postImport(workspace, "id,title\nA,Mug\n");
    const again = await postImport(workspace, feed, { headers });
    expect(again.body.data.id).toBe(first.body.data.id);
    const ended = await endOfImport(workspace, first.body.data.id);
    expect(ended.counts).toEqual({ ...none, rows: 3000, created: 3000 });
    // The first may have been over by then.
    expect([202, 409]).toContain(refused.status);
    if (refused.status === 202) await endOfImport(workspace, refused.body.data.id);
  });

  it("is another request after a dry run of the same file", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const importAs = (query: string) =>
      postImport(workspace, "id,title\nA,Mug\n", { headers, query });
    const first = await importAs("?dry_run=true");
    expect(first.status).toBe(202);
    await endOfImport(workspace, first.body.data.id);
    const again = await importAs("?dry_run=true");
    expect([again.headers.get("Idempotency-Replayed"), again.text]).toEqual(["true", first.text]);
    for (const query of ["?mode=replace", "?dry_run=true&mode=replace", ""]) {
      const { status, body } = await importAs(query);
      expect([query, status, body.code]).toEqual([query, 409, "idempotency_key_reused"]);
    }
  });
});

/** To begin, to store, three steps of three each, to find that none is left: and what was left of others. */
const MOST_TRIPS = 20;

describe("what an import costs", () => {
  /** What 500 rows cost, from the request to the end: `product` stands in all statements of it. */
  async function costOf(workspace: Workspace, feed: string) {
    const trips = new Set<object>();
    let rowsWritten = 0;
    const stop = listenToCosts((cost) => {
      if (!/product/.test(cost.sql)) return;
      trips.add(cost.roundTrip);
      rowsWritten += cost.rowsWritten;
    });
    const { counts } = await importFile(workspace, feed).finally(stop);
    return { roundTrips: trips.size, rowsWritten, counts };
  }

  it("is a few round trips for 500 rows, and few rows for those that stay as they are", async () => {
    const workspace = await createWorkspace();
    const feed = (title: string) =>
      ["id,title", ...Array.from({ length: 500 }, (_, n) => `P${n},${title}`)].join("\n");
    const made = await costOf(workspace, feed("Mug"));
    const same = await costOf(workspace, feed("Mug"));
    const renamed = await costOf(workspace, feed("Cup"));
    console.log("500 rows:", JSON.stringify({ made, same, renamed }));
    expect(made.counts.created).toBe(500);
    expect(made.roundTrips).toBeLessThanOrEqual(MOST_TRIPS);
    expect(same.roundTrips).toBeLessThanOrEqual(MOST_TRIPS);
    expect(renamed.roundTrips).toBeLessThanOrEqual(MOST_TRIPS);
    expect(made.rowsWritten).toBeLessThanOrEqual(500 * 9 + 100);
    expect(renamed.rowsWritten).toBeLessThanOrEqual(500 * 2 + 100);
    expect(same.rowsWritten).toBeLessThanOrEqual(60);
  });
});

describe("events of an import", () => {
  const eventsOf = ({ id }: Workspace) =>
    env.DB.prepare("SELECT type, data ->> 'external_id' AS name FROM events WHERE workspace_id = ?")
      .bind(id)
      .all<{ type: string; name: string }>()
      .then(({ results }) => results.map(({ type, name }) => `${type} ${name}`).sort());

  it("are of the products that changed, if somebody wants them", async () => {
    const workspace = await createWorkspace();
    await importFile(workspace, "id,title\nA,Mug\nB,Mug\nC,Mug\n");
    expect(await eventsOf(workspace)).toEqual([]);
    const wanted = ["updated", "deleted"].map((what) => ({
      event: `biolinks.product.${what}`,
      channel: "all",
    }));
    await createLiveEndpoint(workspace, newBox(), wanted);
    const feed = "id,title\nA,Mug\nB,Cup\nD,Bowl\n";
    await importFile(workspace, feed, "?dry_run=true&mode=replace");
    expect(await eventsOf(workspace)).toEqual([]);
    await importFile(workspace, feed, "?mode=replace");
    expect(await eventsOf(workspace)).toEqual([
      "biolinks.product.deleted C",
      "biolinks.product.updated B",
      "biolinks.product.updated D",
    ]);
  });
});

describe("what an import leaves behind", () => {
  const bytesOf = ({ id }: Workspace) =>
    env.DB.prepare("SELECT stored_bytes FROM workspace_usage WHERE id = ?")
      .bind(id)
      .first<number>("stored_bytes");

  it("is what it told, without its file, of the last twenty", async () => {
    const workspace = await createWorkspace();
    const { id: first } = await importFile(workspace, "id,title\nA,Mug\n");
    const before = (await bytesOf(workspace)) ?? 0;
    for (let n = 0; n < 20; n++) await importFile(workspace, "id,title\nA,Mug\n");
    expect((await workspace.send("GET", `${IMPORTS}/${first}`)).status).toBe(404);
    const left = await env.DB.prepare(
      `SELECT (SELECT count(*) FROM product_imports WHERE workspace_id = ?1) AS imports,
         (SELECT count(*) FROM product_import_slices WHERE workspace_id = ?1) AS slices`,
    )
      .bind(workspace.id)
      .first();
    expect(left).toEqual({ imports: 20, slices: 0 });
    expect(((await bytesOf(workspace)) ?? 0) - before).toBeLessThan(20 * 1000);
  });

  it("is nothing of one whose file never came to its end", async () => {
    const workspace = await createWorkspace();
    const file = readFeedFile(new TextEncoder().encode("id,title\nA,Mug\n"));
    const before = await bytesOf(workspace);
    const row = importRow(workspace.id, file.columns);
    await beginImport(workIn(workspace.id).db, row, Date.now());
    const slices = file.slices.map((slice, number) => ({ ...slice, number }));
    await storeSlices(workIn(workspace.id).db, row, slices, { isLast: false, time: 0 });
    expect((await postImport(workspace, "id,title\nB,Mug\n")).status).toBe(409);
    expect((await workspace.send("GET", `${IMPORTS}/${row.id}`)).status).toBe(404);
    await env.DB.prepare("UPDATE product_imports SET due_at = 1 WHERE id = ?").bind(row.id).run();
    await importProducts(workIn(workspace.id));
    expect(await bytesOf(workspace)).toBe(before);
    expect((await importFile(workspace, "id,title\nB,Mug\n")).counts.created).toBe(1);
  });

  it("leaves what was stored to its end after all", async () => {
    const workspace = await createWorkspace();
    const { columns } = readFeedFile(FEED_OF_ONE);
    const row = { ...importRow(workspace.id, columns), dueAt: Date.now() + 60_000 };
    await queue(row);
    await removeAbandoned(workIn(workspace.id).db, row);
    await env.DB.prepare("UPDATE product_imports SET due_at = 1 WHERE id = ?").bind(row.id).run();
    expect(await endOfImport(workspace, row.id)).toMatchObject({ status: "done" });
  });

  it("is nothing of one that the workspace had no room for in the midst of it", async () => {
    const workspace = await createWorkspace();
    const row = (at: number) => `${at},${"x".repeat(100)},${"y".repeat(1900)}\n`;
    const feed = `id,title,description\n${Array.from({ length: 400 }, (_, at) => row(at)).join("")}`;
    const before = await bytesOf(workspace);
    const put = (bytes: unknown) =>
      env.DB.prepare("UPDATE workspace_usage SET stored_bytes = ? WHERE id = ?")
        .bind(bytes, workspace.id)
        .run();
    await put(50 * 1024 * 1024 - 100_000);
    const refused = await postImport(workspace, feed);
    expect([refused.status, refused.body.code]).toEqual([422, "storage_full"]);
    await put(before);
    expect((await postImport(workspace, "id,title\nB,Mug\n")).status).toBe(202);
  });

  it.each<[string, "undone" | "done", string]>([
    ["it was known", "done", "INSERT INTO product_imports"],
    ["a part of it was stored", "undone", "INSERT INTO product_import_slices"],
    ["a part of it was stored, as nobody hears", "done", "INSERT INTO product_import_slices"],
  ])("is nothing of one that met a fault when %s", async (_, fault, sql) => {
    const workspace = await createWorkspace();
    const rows = Array.from({ length: 400 }, (_, at) => `${at},Mug,${"y".repeat(1900)}`);
    const feed = ["id,title,description", ...rows].join("\n");
    const before = await bytesOf(workspace);
    const faulty = faulting("D1_ERROR: Something is out of order.");
    let met = 0;
    faulty.faultOf = (_, batched) =>
      batched.some((one) => one.includes(sql)) && met++ === 0 ? fault : undefined;
    const headers = { "Content-Type": "text/csv", "Idempotency-Key": newIdempotencyKey() };
    const keyed = { headers, body: feed };
    const { "Idempotency-Key": __, ...keyless } = headers;
    for (const sent of [{ ...keyed, headers: keyless }, keyed]) {
      met = 0;
      const answer = await workspace.send("POST", IMPORTS, { ...sent, env: faulty.env });
      expect([answer.status, met]).toEqual([500, 1]);
      expect(await bytesOf(workspace)).toBe(before);
    }
    // The same request goes on as if nothing had been, and others as well.
    const again = await workspace.send("POST", IMPORTS, keyed);
    expect(again.status).toBe(202);
    const { counts } = await endOfImport(workspace, again.body.data.id);
    expect(counts).toEqual({ ...none, rows: 400, created: 400 });
    expect((await importFile(workspace, "id,title\nB,Mug\n")).counts.created).toBe(1);
  });

  it("makes room for another at once when it is old", async () => {
    const workspace = await createWorkspace();
    const row = { ...importRow(workspace.id, []), dueAt: Date.now() - 1 };
    await beginImport(workIn(workspace.id).db, row, Date.now());
    expect((await importFile(workspace, "id,title\nB,Mug\n")).counts.created).toBe(1);
  });
});

describe("a feed's file", () => {
  it("has among its ids, which a row of the database holds, none that no product could have", () => {
    const longest = "\u{1F375}".repeat(100);
    const ids = ["B", "A", `${longest}x`, longest, "x".repeat(90_000)];
    const text = ["id,title", ...ids.map((id) => `${id},Mug`)].join("\n");
    const found = readFeedFile(new TextEncoder().encode(text));
    expect([found.rows, found.ids]).toEqual([5, [["A", "B", longest]]]);
  });

  it("is cut by its rows that hold something, not by its empty lines", () => {
    const text = `id,title\n${"\n".repeat(100_000)}A,Mug\n`;
    const { rows, slices } = readFeedFile(new TextEncoder().encode(text));
    expect([rows, slices.length]).toEqual([1, 1]);
    const found = slices.flatMap((slice) => readSlice(slice, ","));
    expect(found).toEqual([{ row: 100_002, cells: ["A", "Mug"] }]);
  });
});

/** An import whose file is being stored. */
function importRow(workspaceId: string, columns: FeedColumn[]): ImportRow {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0, deleted: 0 };
  return {
    id: crypto.randomUUID(),
    workspaceId,
    status: "receiving",
    mode: "upsert",
    dryRun: false,
    delimiter: ",",
    columns,
    ignoredColumns: [],
    rows: 1,
    rowSteps: 1,
    steps: 1,
    nextStep: 0,
    ...counts,
    errors: "",
    errorsKept: 0,
    message: null,
    faults: 0,
    dueAt: Date.now() + 60_000,
    createdAt: Date.now(),
    finishedAt: null,
  };
}

describe("an import that cannot go on", () => {
  it("waits while its workspace is suspended", async () => {
    const workspace = await createWorkspace();
    const row = { ...importRow(workspace.id, readFeedFile(FEED_OF_ONE).columns), dueAt: 1 };
    await queue(row);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    await importProducts(workIn(workspace.id));
    expect(await stateOf(row.id)).toMatchObject({ status: "queued", nextStep: 0 });
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    await env.DB.prepare("UPDATE product_imports SET due_at = 1 WHERE id = ?").bind(row.id).run();
    await importProducts(workIn(workspace.id));
    expect(await stateOf(row.id)).toMatchObject({ status: "done", nextStep: 1 });
    expect(await productNamed(workspace, "A")).toBeDefined();
  });

  it("fails after ten faults of one step, and others go on", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { columns } = readFeedFile(FEED_OF_ONE);
    // What no version of ours writes.
    const spoilt = { ...importRow(workspace.id, columns), dueAt: 1, faults: 9 };
    const good = { ...importRow(other.id, columns), dueAt: 2 };
    await queue(spoilt);
    await queue(good);
    await env.DB.prepare("UPDATE product_import_slices SET repeated = 'x' WHERE import_id = ?")
      .bind(spoilt.id)
      .run();
    await importProducts(workIn(workspace.id));
    expect(await stateOf(spoilt.id)).toMatchObject({ status: "failed" });
    expect(await stateOf(good.id)).toMatchObject({ status: "done" });
    const { body } = await workspace.send("GET", `${IMPORTS}/${spoilt.id}`);
    expect(body.data.message).toContain("Something went wrong on our side");
  });

  it("says that the workspace is full", async () => {
    const workspace = await createWorkspace();
    const row = { ...importRow(workspace.id, readFeedFile(FEED_OF_ONE).columns), dueAt: 1 };
    await queue(row);
    await env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 1e12 WHERE id = ?")
      .bind(workspace.id)
      .run();
    await importProducts(workIn(workspace.id));
    const { body } = await workspace.send("GET", `${IMPORTS}/${row.id}`);
    expect(body.data).toMatchObject({ status: "failed", counts: { created: 0 } });
    expect(body.data.message).toContain("stores as much as its plan allows");
    const answer = await postImport(workspace, "id,title\nB,Mug\n");
    expect([answer.status, answer.body.code]).toEqual([422, "storage_full"]);
  });
});

const FEED_OF_ONE = new TextEncoder().encode("id,title\nA,Mug\n");

/** Stores an import that nobody has begun, of one product. */
async function queue(row: ImportRow): Promise<void> {
  const { db } = workIn(row.workspaceId);
  await beginImport(db, row, Date.now());
  const slices = readFeedFile(FEED_OF_ONE).slices.map((slice, number) => ({ ...slice, number }));
  await storeSlices(db, row, slices, { isLast: true, time: row.dueAt });
}

function stateOf(id: string) {
  return env.DB.prepare("SELECT status, next_step AS nextStep FROM product_imports WHERE id = ?")
    .bind(id)
    .first();
}
