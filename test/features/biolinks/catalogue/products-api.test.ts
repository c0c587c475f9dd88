import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CURRENCIES,
  decimalsOf,
  plainAmount,
} from "../../../../src/features/biolinks/catalogue/currencies.ts";
import { isGtin } from "../../../../src/features/biolinks/catalogue/product-fields.ts";
import { change, eventsOf } from "../../../support/contacts.ts";
import { createFile, FILES } from "../../../support/files.ts";
import { operate } from "../../../support/http.ts";
import {
  CATALOGUE,
  createProduct,
  PRODUCTS,
  patchProduct,
  postProduct,
} from "../../../support/products.ts";
import { PDF } from "../../../support/sample-files.ts";
import { createLiveEndpoint, newBox, waitForReceived } from "../../../support/webhooks.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
} from "../../../support/workspace.ts";

const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const eur = (amount: number) => ({ amount, currency: "EUR" });
const EVERY_FIELD = {
  external_id: "MUG-01",
  title: "Mug, speckled",
  description: "Thrown by hand.",
  url: "https://shop.example/mug",
  image: { url: "https://cdn.example/mug.jpg" },
  additional_images: [{ url: "https://cdn.example/mug-2.jpg" }],
  price: eur(2400),
  sale_price: eur(1900),
  sale_starts_at: "2026-12-01T00:00:00+01:00",
  sale_ends_at: "2026-12-24T00:00:00+01:00",
  availability: "preorder",
  condition: "used",
  brand: "Ada Ceramics",
  gtin: "4006381333931",
  mpn: "M-1",
  item_group_id: "MUGS",
  google_product_category: "Home & Garden > Kitchen",
  product_type: "Kitchen > Mugs",
  labels: ["spring", "hand-made"],
  status: "hidden",
};

describe("a new product", () => {
  it("has every field of the API", async () => {
    const workspace = await createWorkspace();
    const { status, body, headers } = await postProduct(workspace, EVERY_FIELD);
    expect(status).toBe(201);
    expect(body.data).toEqual({
      ...EVERY_FIELD,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      revision: expect.any(String),
      sale_starts_at: "2026-11-30T23:00:00.000Z",
      sale_ends_at: "2026-12-23T23:00:00.000Z",
      created_at: expect.any(String),
      updated_at: body.data.created_at,
    });
    expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
    const read = await workspace.send("GET", `${PRODUCTS}/${body.data.id}`);
    expect(read.body).toEqual(body);
  });

  it("needs a title alone: it is in stock, new and active, and goes by its id", async () => {
    const { id, ...product } = await createProduct(await createWorkspace(), { brand: " " });
    expect(product).toMatchObject({
      external_id: id,
      title: "Mug",
      price: null,
      sale_price: null,
      availability: "in_stock",
      condition: "new",
      status: "active",
      brand: null,
      labels: [],
      image: null,
      additional_images: [],
    });
  });

  it("may be as long as each of its fields is", async () => {
    const workspace = await createWorkspace();
    const line = "a".repeat(100);
    const pictures = Array.from({ length: 10 }, (_, at) => ({ url: `https://a.example/${at}` }));
    const longest = {
      ...{ external_id: line, title: "t".repeat(150), description: "d".repeat(5000) },
      ...{ brand: line, mpn: line, item_group_id: line, additional_images: pictures },
      ...{ google_product_category: "g".repeat(750), product_type: "p".repeat(750) },
      labels: Array.from({ length: 5 }, (_, at) => `${at}`.repeat(100)),
    };
    expect(await createProduct(workspace, longest)).toMatchObject(longest);
  });

  it.each([
    ["availability", ["in_stock", "out_of_stock", "preorder", "backorder", "discontinued"]],
    ["condition", ["new", "refurbished", "used"]],
    ["status", ["active", "hidden"]],
  ])("has for its %s one of these words, and is found by it", async (field, words) => {
    const workspace = await createWorkspace();
    for (const word of words) {
      const { id } = await createProduct(workspace, { [field]: word });
      const { data } = (await workspace.send("GET", `${PRODUCTS}/${id}`)).body;
      expect(data[field]).toBe(word);
      if (field === "condition") continue;
      const found = (await workspace.send("GET", `${PRODUCTS}?${field}=${word}`)).body.data;
      expect(found.map((one: { id: string }) => one.id)).toContain(id);
    }
  });

  it("is made once for an Idempotency-Key", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const input = { external_id: "once" };
    const [first, second] = [
      await postProduct(workspace, input, { headers }),
      await postProduct(workspace, input, { headers }),
    ];
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  it.each([
    ["title", { title: "" }],
    ["title", { title: "a".repeat(151) }],
    ["external_id", { external_id: "a".repeat(101) }],
    ["description", { description: "a".repeat(5001) }],
    ["url", { url: "javascript:alert(1)" }],
    ["url", { url: "mailto:ada@example.com" }],
    ["image", { image: "https://cdn.example/mug.jpg" }],
    ["image.file", { image: { file: SOMEBODY } }],
    ["additional_images.0.file", { additional_images: [{ file: SOMEBODY }] }],
    ["additional_images", { additional_images: Array(11).fill({ url: "https://a.example/" }) }],
    ["price.amount", { price: { amount: 1.5, currency: "EUR" } }],
    ["price.amount", { price: { amount: -1, currency: "EUR" } }],
    ["price.currency", { price: { amount: 1, currency: "EURO" } }],
    ["price.currency", { price: { amount: 1, currency: "XXX" } }],
    ["sale_price", { sale_price: eur(1) }],
    ["sale_price", { price: eur(100), sale_price: eur(100) }],
    ["sale_price", { price: eur(100), sale_price: { amount: 1, currency: "USD" } }],
    [
      "sale_ends_at",
      { sale_starts_at: "2026-12-02T00:00:00Z", sale_ends_at: "2026-12-02T00:00:00Z" },
    ],
    ["availability", { availability: "soon" }],
    ["condition", { condition: "broken" }],
    ["brand", { brand: "a".repeat(101) }],
    ["gtin", { gtin: "4006381333932" }],
    ["gtin", { gtin: "123" }],
    ["product_type", { product_type: "a".repeat(751) }],
    ["labels", { labels: ["a", "b", "c", "d", "e", "f"] }],
    ["labels.0", { labels: [""] }],
    ["status", { status: "gone" }],
    ["colour", { colour: "red" }],
  ])("is refused for its %s in %j", async (field, input) => {
    const { status, body } = await postProduct(await createWorkspace(), input);
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(Object.keys(body.errors)).toEqual([field]);
  });

  it("shares its external id with no other of the workspace", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    await createProduct(workspace, { external_id: "A" });
    const { status, body } = await postProduct(workspace, { external_id: "A" });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["external_id"]]);
    expect((await postProduct(other, { external_id: "A" })).status).toBe(201);
    const second = await createProduct(workspace, { external_id: "B" });
    const moved = await patchProduct(workspace, second.id, { external_id: "A" });
    expect([moved.status, Object.keys(moved.body.errors)]).toEqual([422, ["external_id"]]);
  });
});

describe("prices", () => {
  it("are in minor units, of currencies with 0, 2 and 3 decimals", async () => {
    const workspace = await createWorkspace();
    for (const [currency, written] of [
      ["JPY", "1250"],
      ["eur", "12.50"],
      ["KWD", "1.250"],
      ["IQD", "1.250"],
      ["CLF", "0.1250"],
    ] as const) {
      const { price } = await createProduct(workspace, { price: { amount: 1250, currency } });
      expect(price).toEqual({ amount: 1250, currency: currency.toUpperCase() });
      expect(plainAmount(price.amount, price.currency)).toBe(written);
    }
  });

  it("are written without a loss in every currency", () => {
    const amount = fc.integer({ min: 0, max: 999_999_999_999 });
    fc.assert(
      fc.property(amount, fc.constantFrom(...CURRENCIES), (minor, currency) => {
        const [whole = "", part = ""] = plainAmount(minor, currency).split(".");
        expect(Number(whole + part)).toBe(minor);
        expect(part).toHaveLength(decimalsOf(currency));
      }),
    );
  });

  it("are of one currency, whichever is changed", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace, { price: eur(100), sale_price: eur(50) });
    const usd = { amount: 200, currency: "USD" };
    const refused = await patchProduct(workspace, id, { price: usd });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["sale_price"]]);
    const both = await patchProduct(workspace, id, { price: usd, sale_price: null });
    expect(both.body.data).toMatchObject({ price: usd, sale_price: null });
    const none = await patchProduct(workspace, id, { price: null });
    expect(none.body.data.price).toBeNull();
  });
});

describe("a GTIN", () => {
  it("is taken with blanks and hyphens, and kept without", async () => {
    const workspace = await createWorkspace();
    for (const gtin of ["978-3-16-148410-0", "96385074", "036000291452", "1 0614141 00041 5"]) {
      const product = await createProduct(workspace, { gtin });
      expect(product.gtin).toBe(gtin.replaceAll(/\D/g, ""));
    }
  });

  it("has one right check digit of ten", () => {
    const digits = fc.tuple(
      fc.constantFrom(7, 11, 12, 13),
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 13, maxLength: 13 }),
    );
    fc.assert(
      fc.property(digits, ([length, all]) => {
        const body = all.slice(0, length).join("");
        expect([..."0123456789"].filter((digit) => isGtin(body + digit))).toHaveLength(1);
      }),
    );
  });
});

describe("a change", () => {
  it("keeps what is left out, needs If-Match, and changes nothing twice", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = await createProduct(workspace, EVERY_FIELD);
    const path = `${PRODUCTS}/${id}`;
    const body = { title: "Mug", labels: ["b", "b"], description: null };
    expect((await workspace.send("PATCH", path, { body })).status).toBe(428);
    const headers = { "If-Match": `"${revision}"` };
    const changed = await workspace.send("PATCH", path, { headers, body });
    expect(changed.body.data).toMatchObject({ title: "Mug", labels: ["b"], brand: "Ada Ceramics" });
    expect((await workspace.send("PATCH", path, { headers, body })).status).toBe(412);
    const again = await patchProduct(workspace, id, body);
    expect(again.body.data.revision).toBe(changed.body.data.revision);
  });

  it("of ten at once with one ETag is made by one, the others are told 412", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = await createProduct(workspace);
    const headers = { "If-Match": `"${revision}"` };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        workspace.send("PATCH", `${PRODUCTS}/${id}`, { headers, body: { title: `Mug ${at}` } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
  });

  it("is another workspace's 404", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = await createProduct(workspace);
    for (const method of ["GET", "PATCH", "DELETE"] as const) {
      const body = method === "PATCH" ? { title: "Mine" } : undefined;
      const { status } = await other.send(method, `${PRODUCTS}/${id}`, {
        headers: { "If-Match": "*" },
        ...(body && { body }),
      });
      expect([method, status]).toEqual([method, 404]);
    }
  });
});

describe("events", () => {
  it("tell what was made, changed and deleted", async () => {
    const workspace = await createWorkspace();
    const names = ["updated", "deleted"].map((what) => `biolinks.product.${what}`);
    const wanted = names.map((event) => ({ event, channel: "all" }));
    const { box } = await createLiveEndpoint(workspace, newBox(), wanted);
    const { id } = await createProduct(workspace, { external_id: "A", price: eur(100) });
    await patchProduct(workspace, id, { availability: "out_of_stock", sale_price: eur(50) });
    await patchProduct(workspace, id, { availability: "out_of_stock" });
    await change(workspace, "DELETE", `${PRODUCTS}/${id}`);
    const events = (await eventsOf(workspace)).filter(([name]) => names.includes(name));
    expect(events.map(([name, , data]) => [name, data.is_new, data.changed])).toEqual([
      [names[0], true, []],
      [names[0], false, ["sale_price", "availability"]],
      [names[1], undefined, undefined],
    ]);
    expect(events[1]?.[2]).toMatchObject({ id, external_id: "A", sale_price: eur(50) });
    expect(events[2]?.[2]).toEqual({ id, external_id: "A", title: "Mug" });
    const received = (await waitForReceived(box, 3)).map(({ body }) => JSON.parse(body));
    const sent = received.map(({ type, data }) => JSON.stringify([type, data])).sort();
    expect(sent).toEqual(events.map(([name, , data]) => JSON.stringify([name, data])).sort());
  });
});

describe("a list", () => {
  it("is filtered by what indexes know, alone and together, page by page", async () => {
    const workspace = await createWorkspace();
    const made: string[] = [];
    for (let at = 0; at < 8; at++) {
      const { id } = await createProduct(workspace, {
        external_id: `P${at}`,
        brand: at % 2 === 0 ? "Even" : "Odd",
        product_type: at < 4 ? "Mugs" : "Bowls",
        availability: at === 7 ? "discontinued" : "in_stock",
        labels: at % 3 === 0 ? ["third"] : [],
        status: at === 6 ? "hidden" : "active",
      });
      made.unshift(id);
    }
    const numbers = async (query: string) => {
      const { body } = await workspace.send("GET", `${PRODUCTS}?${query}`);
      return body.data.map(({ external_id }: { external_id: string }) => external_id).join(" ");
    };
    expect(await numbers("brand=Even")).toBe("P6 P4 P2 P0");
    expect(await numbers("product_type=Mugs&brand=Odd")).toBe("P3 P1");
    expect(await numbers("label=third")).toBe("P6 P3 P0");
    expect(await numbers("label=third&status=active")).toBe("P3 P0");
    expect(await numbers("availability=discontinued")).toBe("P7");
    expect(await numbers("external_id=P5")).toBe("P5");
    expect(await numbers("external_id=P5&brand=Even")).toBe("");
    const first = await workspace.send("GET", `${PRODUCTS}?limit=5`);
    const rest = await workspace.send(
      "GET",
      `${PRODUCTS}?limit=5&cursor=${first.body.next_cursor}`,
    );
    const ids = [...first.body.data, ...rest.body.data].map(({ id }: { id: string }) => id);
    expect([ids, rest.body.next_cursor]).toEqual([made, null]);
  });

  it("follows changed labels", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace, { labels: ["a", "b"] });
    await patchProduct(workspace, id, { labels: ["b", "c"] });
    const found = async (label: string) =>
      (await workspace.send("GET", `${PRODUCTS}?label=${label}`)).body.data.length;
    expect([await found("a"), await found("b"), await found("c")]).toEqual([0, 1, 1]);
    await change(workspace, "DELETE", `${PRODUCTS}/${id}`);
    expect(await found("b")).toBe(0);
  });
});

describe("pictures", () => {
  it("are files of the workspace, which stay while a product has them", async () => {
    const workspace = await createWorkspace();
    const [file, other] = [await createFile(workspace), await createFile(workspace)];
    const { id } = await createProduct(workspace, {
      image: { file: file.id },
      additional_images: [{ file: other.id }],
    });
    const refused = await workspace.send("DELETE", `${FILES}/${other.id}`);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `The file is used by product ${id}.`,
    ]);
    await patchProduct(workspace, id, { additional_images: [] });
    expect((await workspace.send("DELETE", `${FILES}/${other.id}`)).status).toBe(204);
    await change(workspace, "DELETE", `${PRODUCTS}/${id}`);
    expect((await workspace.send("DELETE", `${FILES}/${file.id}`)).status).toBe(204);
  });

  it("are no documents", async () => {
    const workspace = await createWorkspace();
    const { id } = await createFile(workspace, PDF);
    const { status, body } = await postProduct(workspace, { image: { file: id } });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["image.file"]]);
  });
});

describe("a workspace", () => {
  it("has as many products as its plan allows: 1,000, 10,000 and 50,000", async () => {
    const workspace = await createWorkspace();
    const own = `/workspaces/${workspace.id}`;
    for (const [plan, products] of [
      ["free", 1000],
      ["pro", 10_000],
      ["business", 50_000],
    ] as const) {
      await operate("PATCH", own, { plan });
      expect((await operate("GET", `${own}/usage`)).body.data.limits.products).toBe(products);
      await env.DB.prepare("UPDATE workspace_usage SET products = ? WHERE id = ?")
        .bind(products - 1, workspace.id)
        .run();
      const [last, refused] = [await postProduct(workspace), await postProduct(workspace)];
      expect([last.status, refused.status, Object.keys(refused.body.errors)]).toEqual([
        ...[201, 422],
        ["products"],
      ]);
    }
  });

  it("is told what its products take, and gets it back", async () => {
    const workspace = await createWorkspace();
    const usage = async () => (await operate("GET", `/workspaces/${workspace.id}/usage`)).body.data;
    const before = await usage();
    const { id } = await createProduct(workspace, EVERY_FIELD);
    const during = await usage();
    expect([during.products, during.limits.products]).toEqual([1, 1000]);
    expect(during.stored_bytes - before.stored_bytes).toBeGreaterThan(1000);
    await patchProduct(workspace, id, { description: "x".repeat(3000) });
    expect((await usage()).stored_bytes - during.stored_bytes).toBeGreaterThan(2900);
    await change(workspace, "DELETE", `${PRODUCTS}/${id}`);
    const after = await usage();
    expect([after.products, after.stored_bytes]).toEqual([0, before.stored_bytes]);
  });

  it("shows its catalogue to viewers, and lets editors change it", async () => {
    const workspace = await createWorkspace();
    const { id } = await createProduct(workspace);
    const reading = await issueKey(workspace.id, { permissions: ["biolinks:catalogue:read"] });
    const read = (path: string) => sendAs(reading.key, "GET", path);
    expect((await read(`${PRODUCTS}/${id}`)).status).toBe(200);
    const made = await sendAs(reading.key, "POST", PRODUCTS, { body: { title: "No" } });
    expect([made.status, made.body.code]).toEqual([403, "forbidden"]);
    const writing = await issueKey(workspace.id, { permissions: ["biolinks:catalogue:write"] });
    expect((await sendAs(writing.key, "GET", PRODUCTS)).status).toBe(403);
  });

  it("finds the other catalogues beside its own", async () => {
    const workspace = await createWorkspace();
    for (const name of ["block-types", "themes", "pixel-providers"]) {
      expect((await workspace.send("GET", `${CATALOGUE}/${name}`)).status).toBe(200);
    }
  });
});
