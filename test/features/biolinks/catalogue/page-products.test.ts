import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  redrawProductPages,
  redrawSoon,
} from "../../../../src/features/biolinks/pages/page-product-changes.ts";
import { createLog } from "../../../../src/platform/log.ts";
import { COLLECTIONS, createCollection, patchCollection } from "../../../support/collections.ts";
import { change } from "../../../support/contacts.ts";
import { createFile } from "../../../support/files.ts";
import { send } from "../../../support/http.ts";
import { loggedLines } from "../../../support/logs.ts";
import {
  createPage,
  createPublished,
  PAGES,
  postBlock,
  publishPage,
} from "../../../support/pages.ts";
import { createProduct, PRODUCTS, patchProduct } from "../../../support/products.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const HOUR = 3_600_000;
const eur = (amount: number) => ({ amount, currency: "EUR" });
const shop = (settings: object) => ({ type: "products", settings });
const link = (product: string) => ({ type: "link", settings: { label: "Buy the mug", product } });

afterEach(() => {
  vi.useRealTimers();
});

const visit = async ({ handle }: { handle: string }) => (await send(`/@${handle}`)).text;

/** What visitors get once the page is drawn anew. */
async function whenShown(page: { handle: string }, isShown: (html: string) => boolean) {
  return vi.waitFor(
    async () => {
      const html = await visit(page);
      if (!isShown(html)) throw new Error("not drawn yet");
      return html;
    },
    { timeout: 20_000, interval: 50 },
  );
}

/** A page of one workspace's that is to be drawn anew. */
async function duePages({ id }: Workspace): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT page_id AS id FROM page_redraws WHERE workspace_id = ? AND mark IS NULL",
  )
    .bind(id)
    .all<{ id: string }>();
  return results.map((row) => row.id);
}

/** So that what is due is what the test causes. */
async function settle(workspace: Workspace): Promise<void> {
  await vi.waitFor(
    async () => {
      await redrawProductPages(workIn(workspace.id));
      if ((await duePages(workspace)).length > 0) throw new Error("more is due");
    },
    { timeout: 20_000, interval: 50 },
  );
}

const linkedData = (html: string) =>
  JSON.parse(/ld\+json">(.*?)<\/script>/.exec(html)?.[1] ?? "{}")["@graph"];

describe("a products block", () => {
  it("shows products in their order, with pictures, prices and what search engines read", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const mug = await createProduct(workspace, {
      title: "Mug",
      url: "https://shop.example/mug",
      image: { file },
      price: eur(2400),
      brand: "Ada Ceramics",
    });
    const bowl = await createProduct(workspace, {
      title: "Bowl",
      image: { url: "https://cdn.example/bowl.jpg" },
      price: { amount: 4500, currency: "JPY" },
      availability: "out_of_stock",
    });
    const vase = await createProduct(workspace, {
      title: "Vase",
      price: { amount: 12_500, currency: "KWD" },
    });
    const hidden = await createProduct(workspace, { title: "Secret", status: "hidden" });
    const products = [bowl.id, mug.id, hidden.id, vase.id];
    const page = await createPublished(workspace, { blocks: [shop({ products })] });
    const html = await visit(page);
    const titles = [...html.matchAll(/<b>(Bowl|Mug|Vase|Secret)<\/b>/g)].map(([, title]) => title);
    expect(titles).toEqual(["Bowl", "Mug", "Vase"]);
    expect(html).toContain("€24.00");
    expect(html).toContain("¥4,500");
    expect(html.replaceAll("\u00a0", " ")).toContain("KWD 12.500");
    expect(html).toContain("Sold out");
    expect(html).toMatch(/<img src="\/assets\/f\/[0-9a-f]{64}\.png" alt=""/);
    expect(html).not.toContain("cdn.example");
    const [, ...things] = linkedData(html);
    expect(things).toMatchObject([
      { "@type": "Product", name: "Bowl", offers: { price: "4500", priceCurrency: "JPY" } },
      {
        name: "Mug",
        brand: { name: "Ada Ceramics" },
        offers: { price: "24.00", availability: "https://schema.org/InStock" },
      },
      { name: "Vase", offers: { price: "12.500", priceCurrency: "KWD" } },
    ]);
    const [block] = page.block_order;
    const click = await send(`/@${page.handle}/go/${block}/${mug.id}`);
    expect([click.status, click.headers.get("Location")]).toEqual([
      302,
      "https://shop.example/mug",
    ]);
  });

  it("writes prices as people of the page's language do", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace, { price: eur(123_450) });
    const page = await createPublished(workspace, {
      language: "de",
      blocks: [shop({ products: [id] })],
    });
    expect((await visit(page)).replaceAll("\u00a0", " ")).toContain("1.234,50 €");
  });

  it("shows the first 24 that a collection lists, or that its rule says", async () => {
    const workspace = await createWorkspace();
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        createProduct(workspace, {
          title: `P${at}`,
          labels: [at % 2 === 0 ? "even" : "odd"],
          status: at === 0 ? "hidden" : "active",
        }),
      ),
    );
    const products = made.map(({ id }) => id);
    const listing = await createCollection(workspace, { products });
    const ruled = await createCollection(workspace, { name: "Odd", rule: { label: "odd" } });
    const empty = await createCollection(workspace, { name: "None" });
    const blocks = [listing, ruled, empty].map(({ id }) => shop({ collection: id }));
    const html = await visit(await createPublished(workspace, { blocks }));
    const sections = html.split("<section>").slice(1);
    expect(sections).toHaveLength(2);
    const titlesIn = (text = "") => [...text.matchAll(/<b>(P\d+)<\/b>/g)].map(([, title]) => title);
    expect(titlesIn(sections[0])).toEqual(Array.from({ length: 24 }, (_, at) => `P${at + 1}`));
    const odd = made.filter((_, at) => at % 2 === 1).sort((a, b) => (a.id < b.id ? 1 : -1));
    expect(titlesIn(sections[1])).toEqual(odd.map(({ title }) => title));
  });

  it.each([
    ["availability", { availability: "preorder" }],
    ["brand", { brand: "Ada" }],
    ["product_type", { product_type: "Home > Kitchen" }],
    ["label", { label: "new" }, { labels: ["old", "new"] }],
  ])("shows the products that a rule by %s says", async (_, rule: object, of: object = rule) => {
    const workspace = await createWorkspace();
    const other = { availability: "in_stock", brand: "Eve", product_type: "Home", labels: ["old"] };
    await createProduct(workspace, { title: "Another", ...other });
    await createProduct(workspace, { title: "Chosen", ...other, ...of });
    const { id } = await createCollection(workspace, { rule });
    const html = await visit(
      await createPublished(workspace, { blocks: [shop({ collection: id })] }),
    );
    expect([...html.matchAll(/<b>(Another|Chosen)<\/b>/g)].map(([, title]) => title)).toEqual([
      "Chosen",
    ]);
  });

  it.each([
    ["blocks.0.settings.products.0", shop({ products: [SOMEBODY] })],
    ["blocks.0.settings.collection", shop({ collection: SOMEBODY })],
    ["blocks.0.settings.product", link(SOMEBODY)],
  ])("is refused for %s, which the workspace has not", async (field, block) => {
    const workspace = await createWorkspace();
    const { status, body } = await workspace.send("POST", PAGES, {
      body: { handle: `ada-${crypto.randomUUID().slice(0, 8)}`, title: "A", blocks: [block] },
    });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    const { id } = await createPage(workspace);
    const added = await postBlock(workspace, id, block);
    expect(Object.keys(added.body.errors)).toEqual([field.replace("blocks.0.", "")]);
  });

  it("takes at most 24 products", async () => {
    const workspace = await createWorkspace();
    const products = Array.from({ length: 25 }, () => crypto.randomUUID());
    const { id } = await createPage(workspace);
    const { status, body } = await postBlock(workspace, id, shop({ products }));
    expect([status, Object.keys(body.errors)]).toEqual([422, ["settings.products"]]);
  });
});

describe("a link to a product", () => {
  it("leads there, with its picture and price, and is not there without an address", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const { id } = await createProduct(workspace, {
      url: "https://shop.example/mug",
      image: { file },
      price: eur(2400),
      sale_price: eur(1900),
    });
    const bare = await createProduct(workspace, { title: "Bare" });
    const page = await createPublished(workspace, { blocks: [link(id), link(bare.id)] });
    const html = await visit(page);
    expect(html.match(/Buy the mug/g)).toHaveLength(1);
    expect(html).toContain('€19.00 <span class="sr">instead of</span> <s>€24.00</s>');
    expect(html).toContain("shop.example</small>");
    expect(html).toMatch(/<img src="\/assets\/f\//);
    const [, thing] = linkedData(html);
    expect(thing).toMatchObject({ "@type": "Product", offers: { price: "19.00" } });
    const click = await send(`/@${page.handle}/go/${page.block_order[0]}`);
    expect(click.headers.get("Location")).toBe("https://shop.example/mug");
  });
});

describe("a sale's price", () => {
  it("is shown from its first millisecond to its last, with another ETag each time", async () => {
    const workspace = await createWorkspace();
    const now = Date.now();
    const [starts, ends] = [now + HOUR, now + 2 * HOUR];
    const { id } = await createProduct(workspace, {
      url: "https://shop.example/mug",
      price: eur(2400),
      sale_price: eur(1900),
      sale_starts_at: new Date(starts).toISOString(),
      sale_ends_at: new Date(ends).toISOString(),
    });
    const blocks = [shop({ products: [id] }), link(id)];
    const page = await createPublished(workspace, { blocks });
    const tags = new Set<string | null>();
    vi.useFakeTimers({ toFake: ["Date"] });
    const shown = async (time: number) => {
      vi.setSystemTime(time);
      const { text, headers } = await send(`/@${page.handle}`);
      tags.add(headers.get("ETag"));
      const [, body = ""] = text.split("<body>");
      return [body.split("€19.00").length - 1, body.split("€24.00").length - 1];
    };
    expect(await shown(starts - 1)).toEqual([0, 2]);
    expect(await shown(starts)).toEqual([2, 2]);
    expect(await shown(ends - 1)).toEqual([2, 2]);
    expect(await shown(ends)).toEqual([0, 2]);
    expect(tags.size).toBe(3);
    const old = { "If-None-Match": [...tags][0] ?? "" };
    expect((await send(`/@${page.handle}`, { headers: old })).status).toBe(200);
    vi.useRealTimers();
    const [, thing] = linkedData(await visit(page));
    expect(thing.offers).toMatchObject([
      { price: "19.00", validFrom: new Date(starts).toISOString() },
      { price: "24.00" },
    ]);
  });
});

describe("a page that shows products", () => {
  it("is drawn anew when one changes, is hidden or deleted, without a publication", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace, { title: "Mug", price: eur(2400) });
    const other = await createProduct(workspace, { title: "Bowl" });
    const page = await createPublished(workspace, {
      blocks: [shop({ products: [id, other.id] })],
    });
    expect(await visit(page)).toContain("€24.00");
    await patchProduct(workspace, id, { price: eur(2600) });
    await whenShown(page, (html) => html.includes("€26.00") && !html.includes("€24.00"));
    await patchProduct(workspace, id, { status: "hidden" });
    await whenShown(page, (html) => !html.includes("Mug") && html.includes("Bowl"));
    await patchProduct(workspace, id, { status: "active" });
    await whenShown(page, (html) => html.includes("Mug"));
    await change(workspace, "DELETE", `${PRODUCTS}/${id}`);
    await whenShown(page, (html) => !html.includes("Mug"));
    const read = await workspace.send("GET", `${PAGES}/${page.id}`);
    expect(read.body.data).toMatchObject({ published_version: 1, revision: page.revision });
  });

  it("is drawn anew when a collection is another, and when a product falls under its rule", async () => {
    const workspace = await createWorkspace();
    const [mug, bowl] = [
      await createProduct(workspace, { title: "Mug" }),
      await createProduct(workspace, { title: "Bowl" }),
    ];
    const listing = await createCollection(workspace, { products: [mug.id] });
    const rule = { brand: "Ada", label: "new" };
    const ruled = await createCollection(workspace, { name: "New", rule });
    const blocks = [shop({ collection: listing.id }), shop({ collection: ruled.id })];
    const page = await createPublished(workspace, { blocks });
    await patchCollection(workspace, listing.id, { products: [bowl.id] });
    await whenShown(page, (html) => html.includes("Bowl") && !html.includes("Mug"));
    const vase = await createProduct(workspace, { title: "Vase", brand: "Ada", labels: ["new"] });
    await whenShown(page, (html) => html.includes("Vase"));
    await patchProduct(workspace, vase.id, { labels: [] });
    await whenShown(page, (html) => !html.includes("Vase"));
    await patchProduct(workspace, bowl.id, { title: "Dish" });
    await whenShown(page, (html) => html.includes("Dish"));
    await change(workspace, "DELETE", `${COLLECTIONS}/${listing.id}`);
    await whenShown(page, (html) => !html.includes("Dish"));
  });

  it("is left alone by products that it does not show", async () => {
    const workspace = await createWorkspace();
    const shown = await createProduct(workspace);
    const ruled = await createCollection(workspace, { rule: { brand: "Ada" } });
    const blocks = [shop({ products: [shown.id] }), shop({ collection: ruled.id })];
    const { id, ...page } = await createPublished(workspace, { blocks });
    await settle(workspace);
    const other = await createProduct(workspace, { brand: "Grace" });
    await patchProduct(workspace, other.id, { title: "Other" });
    await patchProduct(workspace, shown.id, { mpn: "unseen" });
    expect(await duePages(workspace)).toEqual([]);
    const draft = await createPage(workspace, { blocks });
    await env.DB.prepare("UPDATE products SET title = 'New' WHERE id = ?").bind(shown.id).run();
    expect(await duePages(workspace)).toEqual([id]);
    await settle(workspace);
    expect(await visit(page as { handle: string })).toContain("New");
    expect(draft.id).not.toBe(id);
  });

  it("is drawn once, by whichever run comes last, when a product changes while it is drawn", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace, { title: "Mug 0" });
    const page = await createPublished(workspace, { blocks: [shop({ products: [id] })] });
    const changes = Array.from({ length: 10 }, async (_, at) => {
      await patchProduct(workspace, id, { title: `Mug ${at + 1}` });
      await redrawProductPages(workIn(workspace.id));
    });
    await Promise.all(changes);
    await settle(workspace);
    const { title } = (await workspace.send("GET", `${PRODUCTS}/${id}`)).body.data;
    await whenShown(page, (html) => html.includes(`<b>${title}</b>`));
  });

  it("has its turn by how long it has waited, however often it is asked for", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace);
    const page = await createPublished(workspace, { blocks: [shop({ products: [id] })] });
    const began = Date.now();
    const run = (sql: string, ...bound: unknown[]) => env.DB.prepare(sql).bind(...bound);
    const asking = (title: string) => run("UPDATE products SET title = ? WHERE id = ?", title, id);
    const due = run("SELECT mark, due_at FROM page_redraws WHERE page_id = ?", page.id);
    const putting = (mark: string | null, at: number) =>
      run("UPDATE page_redraws SET mark = ?, due_at = ? WHERE page_id = ?", mark, at, page.id);
    // In one transaction, as the job of another test may draw the page.
    const answers = await env.DB.batch<{ mark: string | null; due_at: number }>([
      run("DELETE FROM page_redraws WHERE page_id = ?", page.id),
      ...[asking("A"), due],
      ...[putting(null, 1000), asking("B"), due],
      ...[putting("x", 1000), asking("C"), due],
      ...[putting("x", 9e15), asking("D"), due],
    ]);
    const [fresh, waiting, left, failed] = [2, 5, 8, 11].map((at) => answers[at]?.results[0]);
    expect(waiting).toEqual({ mark: null, due_at: 1000 });
    expect(left).toEqual({ mark: null, due_at: 1000 });
    for (const one of [fresh, failed]) {
      expect(one?.mark).toBeNull();
      expect(one?.due_at).toBeGreaterThan(began - 60_000);
      expect(one?.due_at).toBeLessThan(Date.now());
    }
  });

  it("is drawn later where the workspace is full, which is no fault", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace);
    const page = await createPublished(workspace, { blocks: [shop({ products: [id] })] });
    await settle(workspace);
    const title = "A mug with a longer name";
    await env.DB.batch([
      env.DB.prepare("UPDATE products SET title = ? WHERE id = ?").bind(title, id),
      env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 1e12 WHERE id = ?").bind(
        workspace.id,
      ),
    ]);
    const log = { ...createLog(), warn: vi.fn(), error: vi.fn() };
    const due = env.DB.prepare("UPDATE page_redraws SET due_at = 1 WHERE page_id = ?");
    // The job of another test may be at it just then.
    await vi.waitFor(
      async () => {
        await due.bind(page.id).run();
        await redrawSoon(workIn(workspace.id, { log }));
        expect(log.warn).toHaveBeenCalledWith("product_page_without_room", { record: page.id });
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(log.error).not.toHaveBeenCalled();
  });

  it("shows ten different collections at most", async () => {
    const workspace = await createWorkspace();
    const made = Array.from({ length: 11 }, () => createCollection(workspace));
    const [last, ...ten] = (await Promise.all(made)).map(({ id }) => shop({ collection: id }));
    const { id } = await createPage(workspace, { blocks: [...ten, ...ten] });
    await publishPage(workspace, id);
    await postBlock(workspace, id, last);
    const headers = { "If-Match": "*" };
    const refused = await workspace.send("POST", `${PAGES}/${id}/publish`, { headers });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body.errors.blocks)).toContain(
      "at most 10 different collections",
    );
  });

  it("shows what was changed between its publication's look and its commit", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace, { title: "Old" });
    const page = await createPage(workspace, { blocks: [shop({ products: [id] })] });
    await publishPage(workspace, page.id);
    // Nobody marked the page for this: it was not published when the product changed.
    expect(await duePages(workspace)).toEqual([page.id]);
    await env.DB.prepare("UPDATE products SET title = 'New' WHERE id = ?").bind(id).run();
    await settle(workspace);
    expect(await visit(page)).toContain("New");
  });

  it("is forgotten once it is off line or deleted", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace);
    const blocks = [shop({ products: [id] })];
    const [one, other] = [
      await createPublished(workspace, { blocks }),
      await createPublished(workspace, { blocks }),
    ];
    const showing = async () =>
      env.DB.prepare("SELECT count(*) AS n FROM page_products WHERE target_id = ?")
        .bind(id)
        .first<number>("n");
    expect(await showing()).toBe(2);
    const headers = { "If-Match": "*" };
    await workspace.send("POST", `${PAGES}/${one.id}/unpublish`, { headers });
    expect(await showing()).toBe(1);
    await change(workspace, "DELETE", `${PAGES}/${other.id}`);
    expect(await showing()).toBe(0);
    await settle(workspace);
  });
});

describe("a page that would be too large with what its products are now", () => {
  it("stays as it was for its visitors, and is told of", async () => {
    const workspace = await createWorkspace();
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, at) => createProduct(workspace, { title: `P${at}` })),
    );
    const products = made.map(({ id }) => id);
    const page = await createPublished(workspace, {
      blocks: [shop({ products }), shop({ products })],
    });
    await settle(workspace);
    // Five times as long where it is written so that no markup can end with it.
    const description = "<".repeat(5000);
    for (const id of products) await patchProduct(workspace, id, { description });
    await settle(workspace);
    const [first] = products;
    await patchProduct(workspace, first, { title: "Another name" });
    await settle(workspace);
    const { status, text } = await send(`/@${page.handle}`);
    expect([status, text.includes("<b>P0</b>"), text.includes("Another name")]).toEqual([
      ...[200, true, false],
    ]);
    const told = loggedLines().filter(
      (line) => line.includes("product_page_too_large") && line.includes(page.id),
    );
    expect(told.length).toBeGreaterThan(0);
  }, 60_000);
});
