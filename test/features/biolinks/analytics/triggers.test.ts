import { beforeAll, describe, expect, it, vi } from "vitest";
import { hitAt } from "../../../support/analytics.ts";
import { EMAIL, formSettings, openForm, sendForm } from "../../../support/forms.ts";
import { newAddress, send } from "../../../support/http.ts";
import { ledgerAt } from "../../../support/ledger.ts";
import { createPublished } from "../../../support/pages.ts";
import { createProduct } from "../../../support/products.ts";
import { createQrCode } from "../../../support/qr-codes.ts";
import { PERSON } from "../../../support/visitor.ts";
import { createActiveLink, createWorkspace, type Workspace } from "../../../support/workspace.ts";

/** How a visit came about: by a short link, a QR code, or a page. */

const ANALYTICS = "/api/v1/biolinks/analytics";
const ALL = "metrics=views,clicks,scans,submissions";

async function visit(path: string): Promise<string> {
  const headers = { "User-Agent": PERSON, "CF-Connecting-IP": newAddress() };
  const answer = await send(path, { headers });
  expect([path, answer.status < 400]).toEqual([path, true]);
  return answer.headers.get("Location") ?? "";
}

async function ask(workspace: Workspace, search: string): Promise<Record<string, unknown>[]> {
  const { status, body, text } = await workspace.send("GET", `${ANALYTICS}?${search}`);
  if (status !== 200) throw new Error(text);
  return body.data;
}

describe("a trigger", () => {
  let workspace: Workspace;
  let link: { id: string; slug: string };
  let product: { id: string };

  beforeAll(async () => {
    workspace = await createWorkspace();
    link = await createActiveLink(workspace);
    product = await createProduct(workspace, { title: "Mug", url: "https://shop.example/mug" });
    const page = await createPublished(workspace, {
      blocks: [
        { type: "link", settings: { label: "Mine", link: link.id } },
        { type: "products", settings: { products: [product.id] } },
        { type: "form", settings: formSettings({ fields: [EMAIL] }) },
      ],
    });
    const [block, shop, form] = page.block_order as string[];
    const path = `/@${page.handle}`;
    const toLink = await createQrCode(workspace, { target: { type: "link", link: link.id } });
    const toPage = await createQrCode(workspace, { target: { type: "page", page: page.id } });
    await visit(`/${link.slug}`);
    // As a browser goes on: each of these is a scan or a block's click, and then the link's click.
    for (const start of [`/Q/${toLink.code}`, `/q/${toLink.code}`, `${path}/go/${block}`])
      await visit(new URL(await visit(start)).pathname);
    await visit(new URL(await visit(`/Q/${toPage.code}`)).pathname);
    await visit(`${path}/go/${shop}/${product.id}`);
    const token = await openForm({ path }, { "User-Agent": PERSON });
    const fields = { _token: token, email: "ada@example.com" };
    const headers = { "User-Agent": PERSON };
    expect((await sendForm({ url: `${path}/form/${form}` }, fields, { headers })).status).toBe(303);
    const isIn = async () =>
      expect(await ask(workspace, ALL)).toEqual([
        { views: 2, clicks: 6, scans: 3, submissions: 1 },
      ]);
    await vi.waitFor(isIn, { timeout: 60_000, interval: 500 });
  });

  it("is the short link, the QR code or the page that was opened, and each hit has one", async () => {
    const rows = await ask(workspace, `${ALL}&group_by=trigger`);
    expect(Object.fromEntries(rows.map(({ trigger, ...counts }) => [trigger, counts]))).toEqual({
      link: { views: 0, clicks: 4, scans: 0, submissions: 0 },
      qr: { views: 0, clicks: 0, scans: 3, submissions: 0 },
      page: { views: 2, clicks: 2, scans: 0, submissions: 1 },
    });
  });

  it("of a link's, a product's and a day's hits is told beside another dimension", async () => {
    const of = (search: string) => ask(workspace, `metrics=clicks&${search}`);
    expect(await of(`link=${link.id}&group_by=trigger`)).toEqual([{ trigger: "link", clicks: 4 }]);
    expect(await of("group_by=product,trigger")).toEqual([
      { product: product.id, product_name: "Mug", trigger: "page", clicks: 1 },
    ]);
    expect(await of("group_by=trigger,device&trigger=page")).toEqual([
      { trigger: "page", device: "desktop", clicks: 2 },
    ]);
    expect((await of("group_by=trigger&interval=day&period=7d&trigger=link")).at(-1)).toMatchObject(
      { trigger: "link", clicks: 4 },
    );
  });

  it.each([
    ["link", 4, 0],
    ["qr", 0, 3],
    ["QR,link", 4, 3],
    ["-page", 4, 3],
    ["-link,-qr", 2, 0],
    ["(none)", 0, 0],
    ["-(none)", 6, 3],
  ])("filters by %s", async (filter, clicks, scans) => {
    const asked = `metrics=clicks,scans&trigger=${encodeURIComponent(filter)}`;
    expect(await ask(workspace, asked)).toEqual([{ clicks, scans }]);
  });

  it.each(["api", "somewhere", "link,api", "-api"])("is none of %s", async (filter) => {
    const { status, body } = await workspace.send("GET", `${ANALYTICS}?trigger=${filter}`);
    expect([status, body.errors]).toEqual([
      422,
      { trigger: ["Must be one or more of link, page, qr or (none), with commas between."] },
    ]);
  });

  it("is in the file", async () => {
    const asked = "metrics=clicks,scans&group_by=trigger&trigger=-page";
    const { text } = await workspace.send("GET", `${ANALYTICS}/export?${asked}`);
    expect(text.replace("\u{FEFF}", "").trim().split("\r\n")).toEqual([
      "trigger,clicks,scans",
      "link,4,0",
      "qr,0,3",
    ]);
  });

  it("of hits that were counted before it was told is not known", async () => {
    const other = await createWorkspace();
    await ledgerAt(other.id).append([{ id: crypto.randomUUID(), hits: [hitAt(Date.now())] }]);
    expect(await ask(other, "metrics=clicks&group_by=trigger")).toEqual([
      { trigger: null, clicks: 1 },
    ]);
    expect(await ask(other, "metrics=clicks&trigger=(none)")).toEqual([{ clicks: 1 }]);
  });
});
