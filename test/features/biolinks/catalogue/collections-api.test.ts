import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  COLLECTIONS,
  createCollection,
  patchCollection,
  postCollection,
} from "../../../support/collections.ts";
import { change } from "../../../support/contacts.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { operate, send } from "../../../support/http.ts";
import { createProduct, PRODUCTS } from "../../../support/products.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

type Described = { pattern?: string };

const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

async function productsOf(workspace: Workspace, count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => createProduct(workspace));
  return (await Promise.all(made)).map(({ id }) => id);
}

describe("a collection", () => {
  it("lists products in an order, which can be another", async () => {
    const workspace = await createWorkspace();
    const products = await productsOf(workspace, 4);
    const { status, body, headers } = await postCollection(workspace, {
      description: "New",
      products,
    });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(String),
      revision: expect.any(String),
      name: "Spring",
      slug: "spring",
      description: "New",
      rule: null,
      products,
      products_count: 4,
      created_at: expect.any(String),
      updated_at: body.data.created_at,
    });
    expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
    const order = [...products].reverse();
    const moved = await patchCollection(workspace, body.data.id, { products: order });
    expect(moved.body.data.products).toEqual(order);
    expect(moved.body.data.revision).not.toBe(body.data.revision);
    const same = await patchCollection(workspace, body.data.id, {
      products: order,
      name: "Spring",
    });
    expect(same.body.data.revision).toBe(moved.body.data.revision);
    const read = await workspace.send("GET", `${COLLECTIONS}/${body.data.id}`);
    expect(read.body.data).toEqual(moved.body.data);
    const { products: _, ...listed } = read.body.data;
    expect((await workspace.send("GET", COLLECTIONS)).body.data).toEqual([listed]);
  });

  it("has its slug in small letters, however it is sent, and is described so", async () => {
    const workspace = await createWorkspace();
    const { body } = await postCollection(workspace, { slug: "Spring-Sale" });
    expect(body.data.slug).toBe("spring-sale");
    const { body: description } = await send("/openapi.json");
    const { slug } = description.components.schemas.CreateCollection.properties;
    const described = slug.pattern ?? slug.anyOf.find(({ pattern }: Described) => pattern).pattern;
    expect("Spring-Sale").toMatch(new RegExp(described));
    expect("Spring--Sale").not.toMatch(new RegExp(described));
  });

  it("is changed by nothing that it was answered with, be it a list or a rule", async () => {
    const workspace = await createWorkspace();
    const products = await productsOf(workspace, 1);
    for (const what of [{ products }, { products: [] }, { rule: { brand: "Ada" } }]) {
      const made = await createCollection(workspace, what);
      const again = await patchCollection(workspace, made.id, {
        rule: made.rule,
        products: made.products,
      });
      expect([again.status, again.body.data]).toEqual([200, made]);
    }
  });

  it("has a rule instead of a list, and the other way round", async () => {
    const workspace = await createWorkspace();
    const products = await productsOf(workspace, 1);
    const rule = { brand: "Ada", availability: "in_stock" };
    const { id, ...made } = await createCollection(workspace, { rule });
    expect(made).toMatchObject({ rule, products: [], products_count: 0 });
    const listing = await patchCollection(workspace, id, { products });
    expect(listing.body.data).toMatchObject({ rule: null, products });
    const ruled = await patchCollection(workspace, id, { rule: { label: "new" } });
    expect(ruled.body.data).toMatchObject({ rule: { label: "new" }, products: [] });
    const named = await patchCollection(workspace, id, { name: "New" });
    expect(named.body.data).toMatchObject({ name: "New", rule: { label: "new" }, slug: "spring" });
    const without = await patchCollection(workspace, id, { rule: null });
    expect(without.body.data).toMatchObject({ rule: null, products: [] });
  });

  it.each([
    ["name", { name: "" }],
    ["slug", { slug: "no slug" }],
    ["slug", { slug: "a".repeat(81) }],
    ["description", { description: "a".repeat(1001) }],
    ["products.0", { products: [SOMEBODY] }],
    ["products.0", { products: ["no-id"] }],
    ["products", { products: [SOMEBODY, SOMEBODY] }],
    ["products", { products: Array.from({ length: 501 }, () => crypto.randomUUID()) }],
    ["rule", { rule: {} }],
    ["rule", { rule: { label: "a" }, products: [SOMEBODY] }],
    ["rule.price", { rule: { label: "a", price: 1 } }],
    ["rule.availability", { rule: { availability: "soon" } }],
  ])("is refused for its %s", async (field, input) => {
    const { status, body } = await postCollection(await createWorkspace(), input);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
  });

  it("lists 500 products, none of another workspace", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const [foreign] = await productsOf(other, 1);
    const refused = await postCollection(workspace, { products: [foreign] });
    expect(Object.keys(refused.body.errors)).toEqual(["products.0"]);
    await env.DB.prepare(
      `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 500)
       INSERT INTO products (id, workspace_id, external_id, title, additional_images, availability,
         condition, labels, status, revision, created_at, updated_at)
       SELECT '01980000-0000-7000-8' || printf('%03x', n) || substr(?1, 24), ?1, n, 'P', '[]',
         'in_stock', 'new', '[]', 'active', 'r', 0, 0 FROM each`,
    )
      .bind(workspace.id)
      .run();
    const { results } = await env.DB.prepare("SELECT id FROM products WHERE workspace_id = ?")
      .bind(workspace.id)
      .all<{ id: string }>();
    const products = results.map(({ id }) => id).reverse();
    const { data } = (await postCollection(workspace, { products })).body;
    expect([data.products_count, data.products]).toEqual([500, products]);
  });

  it("has a slug of its own: a chosen one is refused when it is taken, one of the name is not", async () => {
    const workspace = await createWorkspace();
    await createCollection(workspace, { name: "Été & Hiver!" });
    const { slug } = await createCollection(workspace, { name: "Été & Hiver!" });
    expect(slug).toMatch(/^ete-hiver-[a-z0-9]{7}$/);
    const taken = await postCollection(workspace, { slug: "ETE-HIVER" });
    expect([taken.status, Object.keys(taken.body.errors)]).toEqual([422, ["slug"]]);
    const { id } = await createCollection(workspace, { slug: "other" });
    const moved = await patchCollection(workspace, id, { slug: "ete-hiver" });
    expect([moved.status, Object.keys(moved.body.errors)]).toEqual([422, ["slug"]]);
  });

  it("loses products that are deleted", async () => {
    const workspace = await createWorkspace();
    const products = await productsOf(workspace, 3);
    const { id } = await createCollection(workspace, { products });
    await change(workspace, "DELETE", `${PRODUCTS}/${products[1]}`);
    const { data } = (await workspace.send("GET", `${COLLECTIONS}/${id}`)).body;
    expect([data.products, data.products_count]).toEqual([[products[0], products[2]], 2]);
    const [listed] = (await workspace.send("GET", COLLECTIONS)).body.data;
    expect(listed.products_count).toBe(2);
  });

  it.each(["POST", "PATCH"])(
    "does not count a product that is deleted once it was looked for (%s)",
    async (method) => {
      const workspace = await createWorkspace();
      const [kept, gone] = await productsOf(workspace, 2);
      const made = method === "PATCH" ? await createCollection(workspace) : undefined;
      const late = faulting(CONNECTION_LOST);
      late.faultOf = () => undefined;
      let looks = 0;
      late.heldBack = async (what) => {
        if (!/^SELECT products\.id FROM json_each/.test(what) || looks++ > 0) return;
        await change(workspace, "DELETE", `${PRODUCTS}/${gone}`);
      };
      const path = made ? `${COLLECTIONS}/${made.id}` : COLLECTIONS;
      const answer = await workspace.send(method, path, {
        headers: { "If-Match": "*" },
        body: { name: "Spring", products: [gone, kept] },
        env: late.env,
      });
      expect(looks).toBe(1);
      expect(answer.body.data).toMatchObject({ products: [kept], products_count: 1 });
      const listed = async () => (await workspace.send("GET", COLLECTIONS)).body.data;
      expect(await listed()).toMatchObject([{ products_count: 1 }]);
      await change(workspace, "DELETE", `${PRODUCTS}/${kept}`);
      expect(await listed()).toMatchObject([{ products_count: 0 }]);
    },
  );

  it("that was made, its answer lost, is found by the retry though a product has gone since", async () => {
    const workspace = await createWorkspace();
    const [gone = ""] = await productsOf(workspace, 1);
    const dying = faulting("D1_ERROR: The Worker died.");
    dying.faultOf = (_, batched) =>
      batched.some((sql) => /INTO "?collections\b/i.test(sql)) ? "done" : undefined;
    const request = {
      headers: { "Idempotency-Key": "collection-0001" },
      body: { name: "Spring", products: [gone] },
    };
    const lost = await workspace.send("POST", COLLECTIONS, { ...request, env: dying.env });
    expect(lost.status).toBe(500);
    await change(workspace, "DELETE", `${PRODUCTS}/${gone}`);
    const again = await workspace.send("POST", COLLECTIONS, request);
    expect([again.status, again.body.data.products]).toEqual([201, []]);
    expect((await workspace.send("GET", COLLECTIONS)).body.data).toHaveLength(1);
  });

  it("of ten changes at once with one ETag is changed by one", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = await createCollection(workspace);
    const headers = { "If-Match": `"${revision}"` };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        workspace.send("PATCH", `${COLLECTIONS}/${id}`, { headers, body: { name: `N${at}` } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
  });

  it("is another workspace's 404, and gone once it is deleted, with what it took", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const usage = async () => (await operate("GET", `/workspaces/${workspace.id}/usage`)).body.data;
    const products = await productsOf(workspace, 2);
    const before = await usage();
    const { id } = await createCollection(workspace, { products });
    const path = `${COLLECTIONS}/${id}`;
    expect((await usage()).stored_bytes).toBeGreaterThan(before.stored_bytes);
    for (const method of ["GET", "PATCH", "DELETE"] as const) {
      const body = method === "PATCH" ? { name: "Mine" } : undefined;
      const headers = { "If-Match": "*" };
      const { status } = await other.send(method, path, { headers, ...(body && { body }) });
      expect(status).toBe(404);
    }
    expect((await workspace.send("DELETE", path)).status).toBe(428);
    expect((await change(workspace, "DELETE", path)).status).toBe(204);
    expect((await workspace.send("GET", path)).status).toBe(404);
    expect((await usage()).stored_bytes).toBe(before.stored_bytes);
  });

  it("is one of 200", async () => {
    const workspace = await createWorkspace();
    await env.DB.prepare(
      `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 200)
       INSERT INTO collections (id, workspace_id, name, slug, products_count, revision, created_at, updated_at)
       SELECT n || ?1, ?1, 'C', n, 0, 'r', 0, 0 FROM each`,
    )
      .bind(workspace.id)
      .run();
    const { status, body } = await postCollection(workspace);
    expect([status, Object.keys(body.errors)]).toEqual([422, ["collections"]]);
  });
});
