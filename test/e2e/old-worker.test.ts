/**
 * Migrations run before the deploy, and a rollback leaves them: for a while the Worker that was
 * released last works on the tables of this commit.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { checkOutRelease, findRelease } from "../../scripts/released-checkout.ts";
import { PUBLISH_EVENT } from "../../src/events/events.examples.ts";
import { startDestination } from "../support/node/destination.ts";
import { query } from "../support/node/runtime-storage.ts";
import { type Signpost, startSignpost } from "../support/node/server.ts";
import { createWorkspace, operate, type Workspace } from "../support/node/workspace.ts";

const LINKS = "/api/v1/biolinks/links";
const ENDPOINTS = "/api/v1/workspace-webhooks/endpoints";
const CONTACTS = "/api/v1/contacts";
const PAGES = "/api/v1/biolinks/pages";
const PRODUCTS = "/api/v1/biolinks/catalogue/products";
const ANALYTICS = "/api/v1/biolinks/analytics?metrics=clicks";
/** A browser that a person sits at. */
const PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const DATABASE = "v3/d1/miniflare-D1DatabaseObject";
/** Where clicks were counted before 2026-11-22. */
const FORMER_CLICKS = ["link_clicks", "link_totals", "link_days", "click_moves"];
const SOON = { timeout: 60_000, interval: 200 };

const { commit, missing } = findRelease();
if (missing) console.warn(`Skipped: ${missing}`);

/** The same workspace at another Worker on the same storage. */
function at(signpost: Signpost, { key, id }: Workspace) {
  const send = (method: string, path: string, body?: object) =>
    fetch(signpost.origin + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        "Idempotency-Key": crypto.randomUUID(),
        "If-Match": "*",
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { id, send };
}

async function visit({ origin }: Signpost, slug: string) {
  const answer = await fetch(`${origin}/${slug}`, { redirect: "manual" });
  return [answer.status, answer.headers.get("Location")];
}

async function data(answer: Response) {
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(body)}`);
  return (body as { data: { id: string; slug: string; clicks: number } }).data;
}

/** A page that shows a product. */
async function openShop(send: ReturnType<typeof at>["send"]) {
  const product = await data(
    await send("POST", PRODUCTS, { title: "Mug", url: "https://shop.example/mug" }),
  );
  const blocks = [{ type: "products", settings: { products: [product.id] } }];
  const page = await data(await send("POST", PAGES, { handle: "shop", title: "Shop", blocks }));
  await data(await send("POST", `${PAGES}/${page.id}/publish`));
  const [block = ""] = (page as unknown as { block_order: string[] }).block_order;
  return { product: product.id, block };
}

test.skipIf(missing)(
  `the Worker of ${commit.slice(0, 7)} makes, changes and serves links, sends webhooks and counts on the new tables, before the deploy and after a rollback`,
  async () => {
    const old = checkOutRelease(commit);
    onTestFinished(old.remove);
    const storage = mkdtempSync(join(tmpdir(), "signpost-old-"));
    onTestFinished(() => rmSync(storage, { recursive: true, force: true }));
    const receiver = await startDestination();
    onTestFinished(receiver.stop);
    const vars = { ALLOW_PRIVATE_TARGETS: "true" };
    const start = async (checkouts: { checkout?: string; tables?: string } = {}) => {
      const signpost = await startSignpost({ storage, vars, ...checkouts });
      onTestFinished(signpost.stop);
      return signpost;
    };

    const ask = async ({ send }: Pick<Workspace, "send">, search: string) =>
      (await data(await send("GET", ANALYTICS + search))) as unknown as { clicks: number }[];
    const published = async (signpost: Signpost) => {
      const id = crypto.randomUUID();
      const post = { ...PUBLISH_EVENT.data, id };
      const event = { ...PUBLISH_EVENT, id, data: post };
      await operate(signpost, "POST", `/workspaces/${workspace.id}/events`, event);
      return id;
    };
    const isReceived = (id: string) =>
      expect(receiver.at("/hook").map(({ body }) => JSON.parse(body).data.id)).toContain(id);

    const longBefore = await start({ checkout: old.folder, tables: old.folder });
    const workspace = await createWorkspace(longBefore);
    await data(await workspace.send("POST", CONTACTS, { name: "Ada", channel: "sms" }));
    const endpoint = await data(
      await workspace.send("POST", ENDPOINTS, {
        name: "Receiver",
        url: `${receiver.origin}/hook`,
        subscriptions: [
          { event: "biolinks.link.updated", channel: "all" },
          { event: "publishing.post.published", channel: "all" },
        ],
      }),
    );
    await data(await workspace.send("PATCH", `${ENDPOINTS}/${endpoint.id}`, { enabled: true }));
    const link = await workspace.createActiveLink({
      slug: "old",
      destination: "https://a.example/",
    });
    expect(await visit(longBefore, "old")).toEqual([302, "https://a.example/"]);
    const oldest = await published(longBefore);
    await vi.waitFor(() => isReceived(oldest), SOON);
    await longBefore.stop();

    const before = await start({ checkout: old.folder });
    const { send } = at(before, workspace);
    const changed = { destination: "https://b.example/" };
    expect(await visit(before, "old")).toEqual([302, "https://a.example/"]);
    await data(await send("PATCH", `${LINKS}/${link.id}`, changed));
    const older = await published(before);
    await vi.waitFor(async () => {
      expect(await visit(before, "old")).toEqual([302, "https://b.example/"]);
      isReceived(link.id);
      isReceived(older);
      const [counted] = await ask({ send }, "&traffic=all");
      expect(counted?.clicks).toBeGreaterThan(0);
    }, SOON);
    await before.stop();

    const deployed = await start();
    const now = at(deployed, workspace);
    expect(await visit(deployed, "old")).toEqual([302, "https://b.example/"]);
    const fresh = await data(
      await now.send("POST", LINKS, { slug: "new", destination: "https://c.example/" }),
    );
    await data(await now.send("PATCH", `${LINKS}/${fresh.id}`, { status: "active" }));
    const shop = await openShop(now.send);
    const click = `${deployed.origin}/@shop/go/${shop.block}/${shop.product}`;
    const clicked = await fetch(click, {
      headers: { "User-Agent": PERSON },
      redirect: "manual",
    });
    expect(clicked.status).toBe(302);
    const byProduct = `&group_by=product&product=${shop.product}`;
    await vi.waitFor(
      async () => expect(await ask(now, byProduct)).toMatchObject([{ clicks: 1 }]),
      SOON,
    );
    await deployed.stop();

    const rolledBack = await start({ checkout: old.folder });
    const then = at(rolledBack, workspace);
    // The ledger of before tells of the block's click alone, also where it goes through all subjects.
    for (const search of ["&group_by=country,device", `&block=${shop.block}`])
      expect(await ask(then, search)).toMatchObject([{ clicks: 1 }]);
    // How a hit came about has had its place in packets: ledgers of before tell what stands there.
    expect(await ask(then, "&group_by=trigger")).toMatchObject([{ trigger: "page", clicks: 1 }]);
    expect(await visit(rolledBack, "new")).toEqual([302, "https://c.example/"]);
    const newest = await published(rolledBack);
    const hooks = receiver.at("/hook").length;
    await data(await then.send("PATCH", `${LINKS}/${fresh.id}`, changed));
    await vi.waitFor(async () => {
      expect(await visit(rolledBack, "new")).toEqual([302, "https://b.example/"]);
      expect(receiver.at("/hook").length).toBeGreaterThan(hooks);
      isReceived(newest);
    }, SOON);
    await rolledBack.stop();
    // Before the ledgers hits were rows of these tables, which go once nobody reads them (record 21).
    const rows = FORMER_CLICKS.map((table) => `(SELECT count(*) FROM ${table})`).join(" + ");
    expect(query(join(storage, DATABASE), `SELECT ${rows} AS n`)).toEqual([{ n: 0 }]);

    const again = at(await start(), workspace);
    expect(await ask(again, byProduct)).toMatchObject([{ clicks: 1 }]);
    expect(await ask(again, `&block=${shop.block}`)).toMatchObject([{ clicks: 1 }]);
  },
  480_000,
);
