import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../../src/platform/config.ts";
import worker from "../../../../src/worker.ts";
import { change } from "../../../support/contacts.ts";
import { withFormerLedger } from "../../../support/former-ledger.ts";
import { newAddress, ORIGIN } from "../../../support/http.ts";
import { ledgerAt } from "../../../support/ledger.ts";
import { blocksOf, createPublished, LINK } from "../../../support/pages.ts";
import { createProduct, PRODUCTS } from "../../../support/products.ts";
import { PERSON } from "../../../support/visitor.ts";
import { createWorkspace, issueKey, type Workspace } from "../../../support/workspace.ts";

const ANALYTICS = "/api/v1/biolinks/analytics";
const SOME = crypto.randomUUID();
const SOON = { timeout: 60_000, interval: 500 };

/** A person's visit from a country, at an address. */
async function visit(path: string, given: Record<string, string> = {}, method = "GET") {
  const { country = "DE", ...more } = given;
  const headers = { "User-Agent": PERSON, "CF-Connecting-IP": newAddress(), ...more };
  const init = { method, redirect: "manual", headers, cf: { country } } as RequestInit;
  const request = new Request(ORIGIN + path, init);
  const answer = await worker.fetch(request, bindings as Env, createExecutionContext());
  return [answer.status, answer.headers.get("Location")];
}

async function ask(workspace: Workspace, search: string): Promise<Record<string, unknown>[]> {
  const { status, body, text } = await workspace.send("GET", `${ANALYTICS}?${search}`);
  if (status !== 200) throw new Error(text);
  return body.data;
}

async function createShop(workspace: Workspace) {
  const make = (title: string) =>
    createProduct(workspace, { title, url: `https://shop.example/${title.toLowerCase()}` });
  const [mug, bowl, hidden] = [await make("Mug"), await make("Bowl"), await make("Hidden")];
  const page = await createPublished(workspace, {
    blocks: [
      { type: "products", settings: { products: [mug.id, bowl.id] } },
      { type: "link", settings: { label: "The bowl", product: bowl.id } },
      LINK,
    ],
  });
  const ids = (await blocksOf(workspace, page.id)).map(({ id }: { id: string }) => id);
  const [shop, link, other] = ids as [string, string, string];
  const go = `/@${page.handle}/go`;
  return { page, mug, bowl, hidden, shop, link, other, go };
}

describe("clicks on products of a page", () => {
  let workspace: Workspace;
  /** Who is refused: one key's requests of a minute are few. */
  let asker: Workspace;
  let made: Awaited<ReturnType<typeof createShop>>;

  beforeAll(async () => {
    workspace = await createWorkspace();
    asker = await createWorkspace();
    made = await createShop(workspace);
    const { page, mug, bowl, hidden, shop, link, other, go } = made;
    await visit(`/@${page.handle}`);
    const one = { "CF-Connecting-IP": newAddress() };
    const leadsTo = "https://shop.example/mug";
    expect(await visit(`${go}/${shop}/${mug.id}`, one)).toEqual([302, leadsTo]);
    await visit(`${go}/${shop}/${mug.id}`, one);
    await visit(`${go}/${shop}/${mug.id}`, { country: "FR" });
    await visit(`${go}/${shop}/${bowl.id}`, { country: "FR" });
    await visit(`${go}/${link}`, { country: "AT" });
    await visit(`${go}/${other}`);
    await visit(`${go}/${shop}/${mug.id}`, { "User-Agent": "Googlebot/2.1" });
    await visit(`${go}/${shop}/${mug.id}`, {}, "HEAD");
    // What the page does not show is counted nowhere, whatever is asked for.
    for (const path of [hidden.id, crypto.randomUUID(), "constructor", ""])
      expect((await visit(`${go}/${shop}/${path}`))[0]).toBe(404);
    expect((await visit(`${go}/${other}/${mug.id}`))[0]).toBe(404);
    const isIn = async () =>
      expect(await ask(workspace, "metrics=clicks&traffic=all")).toEqual([{ clicks: 8 }]);
    await vi.waitFor(isIn, SOON);
  });

  it("are told by product, with its title, people once", async () => {
    const { mug, bowl } = made;
    expect(await ask(workspace, "metrics=clicks,visitors&group_by=product")).toEqual([
      { product: mug.id, product_name: "Mug", clicks: 3, visitors: 2 },
      { product: bowl.id, product_name: "Bowl", clicks: 2, visitors: 2 },
    ]);
    expect(await ask(workspace, "metrics=clicks&group_by=product&traffic=all")).toEqual([
      { product: mug.id, product_name: "Mug", clicks: 5 },
      { product: bowl.id, product_name: "Bowl", clicks: 2 },
    ]);
  });

  it("are their blocks' clicks all the same, and one each in what is added up", async () => {
    const { shop, link, other } = made;
    const byBlock = await ask(workspace, "metrics=clicks&group_by=block");
    expect(Object.fromEntries(byBlock.map(({ block, clicks }) => [block, clicks]))).toEqual({
      [shop]: 4,
      [link]: 1,
      [other]: 1,
    });
    expect(await ask(workspace, "metrics=clicks,visitors,views,ctr")).toEqual([
      { clicks: 6, visitors: 6, views: 1, ctr: 6 },
    ]);
    for (const group of ["country", "country,device", "domain", "domain,os"]) {
      const rows = await ask(workspace, `metrics=clicks&group_by=${group}`);
      const clicks = rows.map((row) => Number(row.clicks));
      expect([group, clicks.reduce((sum, of) => sum + of)]).toEqual([group, 6]);
    }
    expect(await ask(workspace, "metrics=clicks&country=DE")).toEqual([{ clicks: 3 }]);
    expect(await ask(workspace, `metrics=clicks&block=-${shop}`)).toEqual([{ clicks: 2 }]);
    expect(await ask(workspace, "metrics=clicks&time_zone=Asia/Kolkata")).toEqual([{ clicks: 6 }]);
  });

  it("are filtered by product, and told by two dimensions", async () => {
    const { mug, bowl, shop } = made;
    const of = (search: string) => ask(workspace, `metrics=clicks&${search}`);
    expect(await of(`product=${mug.id}`)).toEqual([{ clicks: 3 }]);
    expect(await of(`product=${mug.id},${bowl.id.toUpperCase()}`)).toEqual([{ clicks: 5 }]);
    expect(await of(`product=${made.hidden.id}`)).toEqual([{ clicks: 0 }]);
    expect(await of(`product=${shop}`)).toEqual([{ clicks: 0 }]);
    expect(await of(`product=${mug.id}&country=FR`)).toEqual([{ clicks: 1 }]);
    expect(await of(`product=${mug.id}&group_by=country`)).toEqual([
      { country: "DE", clicks: 2 },
      { country: "FR", clicks: 1 },
    ]);
    const named = { product: bowl.id, product_name: "Bowl", clicks: 1 };
    expect(await of(`group_by=product,country&product=-${mug.id}`)).toEqual([
      { ...named, country: "AT" },
      { ...named, country: "FR" },
    ]);
    expect(await of("group_by=country,product&country=FR")).toHaveLength(2);
    const days = await of(`group_by=product&interval=day&period=7d&product=${bowl.id}`);
    expect(days).toHaveLength(7);
    expect(days.at(-1)).toMatchObject({ ...named, clicks: 2 });
  });

  it.each([
    ["group_by=product,block", "group_by"],
    ["metrics=ctr&group_by=product", "metrics"],
    ["product=mug", "product"],
    ["product=(none)", "product"],
    [`group_by=product&block=${SOME}`, "block"],
    [`group_by=country,product&block=-${SOME}`, "block"],
    [`group_by=product&product=-${SOME}&link=${SOME}`, "link"],
    [`product=${SOME}&page=${SOME}`, "page"],
    [`product=${SOME}&qr_code=-${SOME}`, "qr_code"],
    [`product=${SOME}&group_by=block`, "group_by"],
    [`product=${SOME}&group_by=country,page`, "group_by"],
  ])("refuse %s: a product's click does not say more of what it is of", async (search, field) => {
    const { status, body } = await asker.send("GET", `${ANALYTICS}?${search}`);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it("refuse a question for all but some of them where blocks' clicks would be meant too", async () => {
    const without = `product=-${made.mug.id}`;
    for (const [path, search] of [
      [ANALYTICS, without],
      [ANALYTICS, `${without}&group_by=block`],
      [`${ANALYTICS}/export`, without],
      [`${ANALYTICS}/realtime`, without],
      [`${ANALYTICS}/realtime`, `product=${made.mug.id}&block=${made.shop}`],
    ]) {
      const { status, body } = await workspace.send("GET", `${path}?${search}`);
      expect([search, status, Object.keys(body.errors)]).toEqual([search, 422, ["product"]]);
    }
  });

  it("are told by no ledger of before, while a deploy spreads: it is to be asked again", async () => {
    // Requests of a minute are few for one key.
    const { key } = await issueKey(workspace.id);
    const former = (path: string) => {
      const headers = { Authorization: `Bearer ${key}` };
      const request = new Request(`${ORIGIN}${ANALYTICS}${path}`, { headers });
      return worker.fetch(request as never, withFormerLedger(), createExecutionContext());
    };
    const { mug } = made;
    for (const path of [
      "?metrics=clicks&group_by=product",
      `?metrics=clicks&product=${mug.id}&group_by=country`,
      "/export?group_by=product",
      `/realtime?product=${mug.id}`,
    ]) {
      const answer = await former(path);
      const body = await answer.json<{ code: string }>();
      expect([path, answer.status, body.code]).toEqual([path, 503, "overloaded"]);
      expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    for (const path of ["?group_by=block", "/export", `/realtime?block=${made.shop}`])
      expect((await former(path)).status).toBe(200);
  });

  it("are in the file, and in the last minutes, where each is one click too", async () => {
    const asked = "metrics=clicks&group_by=product,country&traffic=human";
    const { text } = await workspace.send("GET", `${ANALYTICS}/export?${asked}`);
    const { mug, bowl } = made;
    expect(text.replace("\u{FEFF}", "").trim().split("\r\n").sort()).toEqual(
      [
        "product,product_name,country,clicks",
        `${mug.id},Mug,DE,2`,
        `${mug.id},Mug,FR,1`,
        `${bowl.id},Bowl,AT,1`,
        `${bowl.id},Bowl,FR,1`,
      ].sort(),
    );
    const recent = async (search: string) =>
      (await workspace.send("GET", `${ANALYTICS}/realtime?${search}`)).body.data.last_30_minutes;
    expect(await recent(`product=${mug.id}`)).toMatchObject({ clicks: 3, views: 0 });
    expect(await recent(`product=${mug.id}&traffic=all`)).toMatchObject({ clicks: 5 });
    expect(await recent(`block=${made.shop}`)).toMatchObject({ clicks: 4 });
    expect(await recent("")).toMatchObject({ clicks: 6, views: 1 });
  });

  it("stay when the product is deleted, which is told by its id from then on; nobody else reads its title", async () => {
    const { bowl, mug } = made;
    const other = await createWorkspace();
    const hit = { subject: "product", id: mug.id, count: "clicks", traffic: "human" } as const;
    const slot = Math.floor(Date.now() / (15 * 60_000));
    const hits = [{ ...hit, slot, properties: {}, hits: 1, visitors: [] }];
    await ledgerAt(other.id).append([{ id: crypto.randomUUID(), hits }]);
    expect(await ask(other, "metrics=clicks&group_by=product")).toEqual([
      { product: mug.id, product_name: null, clicks: 1 },
    ]);
    expect((await change(workspace, "DELETE", `${PRODUCTS}/${bowl.id}`)).status).toBe(204);
    const asked = `metrics=clicks&group_by=product&product=${bowl.id}`;
    const row = { product: bowl.id, product_name: null, clicks: 2 };
    expect(await ask(workspace, asked)).toEqual([row]);
    const { text } = await workspace.send("GET", `${ANALYTICS}/export?${asked}&format=ndjson`);
    expect(JSON.parse(text)).toEqual(row);
  });
});
