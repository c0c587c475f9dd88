import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { upsertProducts } from "../../../../src/features/biolinks/catalogue/product-upsert.ts";
import { productsAfter } from "../../../../src/features/biolinks/catalogue/products.service.ts";
import { createProduct, PRODUCTS } from "../../../support/products.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const price = (amount: number, currency = "EUR") => ({ amount, currency });
const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    external_id: `P-${from + at}`,
    title: `Product ${from + at}`,
    price: price(100 + at),
    labels: ["all", at % 2 === 0 ? "even" : "odd"],
  }));

it("makes, changes and leaves products alone by their external ids", async () => {
  const workspace = await createWorkspace();
  const ctx = workIn(workspace.id);
  const stood = await createProduct(workspace, { external_id: "A", title: "Old", brand: "B" });
  const inputs = [
    { external_id: "A", title: "New" },
    { external_id: "B", title: "Made" },
    { external_id: "C" },
    { external_id: "D", title: "Dear", sale_price: price(1) },
  ];
  expect(await upsertProducts(ctx, inputs)).toEqual([
    { outcome: "updated" },
    { outcome: "created" },
    { outcome: "refused", field: "title", message: "A new product needs a title." },
    { outcome: "refused", field: "sale_price", message: "A sale price needs a price." },
  ]);
  expect(await upsertProducts(ctx, inputs.slice(0, 2))).toEqual([
    { outcome: "unchanged" },
    { outcome: "unchanged" },
  ]);
  const { body } = await workspace.send("GET", PRODUCTS);
  expect(
    body.data.map(({ title, brand }: { title: string; brand: string }) => [title, brand]),
  ).toEqual([
    ["Made", null],
    ["New", "B"],
  ]);
  expect(body.data[1]).toMatchObject({ id: stood.id, created_at: stood.created_at });
  expect(body.data[1].revision).not.toBe(stood.revision);
});

it("lets the second of two inputs of one external id follow the first", async () => {
  const workspace = await createWorkspace();
  const ctx = workIn(workspace.id);
  const inputs = [
    { external_id: "A", title: "First", brand: "B" },
    { external_id: "A", title: "Second" },
  ];
  expect(await upsertProducts(ctx, inputs)).toEqual([
    { outcome: "created" },
    { outcome: "updated" },
  ]);
  const [row, ...others] = await productsAfter(ctx, "", 10);
  expect([row?.title, row?.brand, others]).toEqual(["Second", "B", []]);
});

it("writes nothing when it is dry, and says the same", async () => {
  const ctx = workIn((await createWorkspace()).id);
  expect(await upsertProducts(ctx, numbered(0, 3), { isDry: true })).toHaveLength(3);
  expect(await productsAfter(ctx, "", 10)).toEqual([]);
});

it("holds what many at once write, and nothing twice", async () => {
  const ctx = workIn((await createWorkspace()).id);
  const runs = Array.from({ length: 5 }, () => upsertProducts(ctx, numbered(0, 100)));
  const outcomes = (await Promise.all(runs)).flat().map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(100);
  expect(outcomes.filter((outcome) => outcome === "unchanged")).toHaveLength(400);
  expect(await productsAfter(ctx, "", 1000)).toHaveLength(100);
});

it("commits what follows with the products, or neither", async () => {
  const ctx = workIn((await createWorkspace()).id);
  const failing = () => [env.DB.prepare("INSERT INTO product_files VALUES ('x', NULL)")];
  await expect(upsertProducts(ctx, numbered(0, 3), { follows: failing })).rejects.toThrow();
  expect(await productsAfter(ctx, "", 10)).toEqual([]);
});

it("is refused as a whole beyond the plan's products", async () => {
  const workspace = await createWorkspace();
  const ctx = workIn(workspace.id);
  for (let from = 0; from < 1000; from += 200) {
    await upsertProducts(ctx, numbered(from, 200));
  }
  await expect(upsertProducts(ctx, numbered(999, 2))).rejects.toMatchObject({
    code: "validation_failed",
  });
  const { products } = await env.DB.prepare("SELECT products FROM workspace_usage WHERE id = ?")
    .bind(workspace.id)
    .first<{ products: number }>()
    .then((row) => row ?? { products: 0 });
  expect(products).toBe(1000);
});
