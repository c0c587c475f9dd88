import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../support/node/browser.ts";
import { publishPage, type Stock, takeStock } from "../support/node/sample-pages.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

const PERSON = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0.0.0 Safari/537.36" };
const PICTURES_LATE_MILLISECONDS = 250;

/** Bytes of HTML and styles, gzipped; scripts, gzipped; requests in all, pictures among them. */
interface Budget {
  html: number;
  scripts: number;
  scriptFiles: number;
  requests: number;
}

let stage: Stage;
let stock: Stock;

beforeAll(async () => {
  stage = await setStage();
  stock = await takeStock(stage);
});
afterAll(() => stage.stop());

const ofTypes = (...types: string[]) => stock.blocks.filter(({ type }) => types.includes(type));
const twentyLinks = () =>
  Array.from({ length: 20 }, (_, at) => ({
    type: "link",
    settings: {
      label: `What we made in week ${at}`,
      url: `https://shop.example/weeks/${at}`,
      ...(at % 2 && { description: "Bowls and cups from the kiln" }),
    },
  }));

/** Three pages that stand for all, and what they may cost. */
const GOLDEN: [string, () => object[], Budget][] = [
  // The page and the avatar.
  ["20 links", twentyLinks, { html: 3500, scripts: 0, scriptFiles: 0, requests: 2 }],
  [
    "every block",
    () => stock.blocks,
    // The page, three pictures of which one is the avatar, two scripts.
    { html: 12_000, scripts: 3072, scriptFiles: 2, requests: 6 },
  ],
  [
    "a shop and a form",
    () => ofTypes("heading", "products", "form"),
    { html: 5000, scripts: 0, scriptFiles: 0, requests: 4 },
  ],
];

describe.each(GOLDEN)("A served page of %s", (name, blocks, budget) => {
  let address: string;

  beforeAll(async () => {
    const profile = { name: "Ada Lindqvist", tagline: "By the sea", avatar: stock.pictures[0] };
    const handle = `golden-${name.replaceAll(" ", "-")}`;
    const seo = { indexable: true };
    address = (await publishPage(stage, { handle, profile, seo, blocks: blocks() })).public_url;
  });

  it("costs no more bytes and requests than its budget, none of them foreign", async () => {
    const { page, violations, hosts } = await openPage(stage.browser);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(address, { waitUntil: "load" });
    await scrollThrough(page);
    const html = await (await fetch(address, { headers: PERSON })).text();
    const scripts = [...html.matchAll(/<script src="([^"]+)"/g)].map(([, src = ""]) => src);
    const spent = {
      html: gzipSync(html).length,
      scripts: 0,
      scriptFiles: scripts.length,
      requests: requests.length,
    };
    for (const src of scripts) {
      const script = await fetch(new URL(src, address));
      spent.scripts += gzipSync(await script.text()).length;
    }
    console.log(`${name}: ${JSON.stringify(spent)}`);
    const over = Object.entries(spent).filter(
      ([what, much]) => much > budget[what as keyof Budget],
    );
    expect(over, requests.join("\n")).toEqual([]);
    expect([...hosts]).toEqual([new URL(address).host]);
    expect(violations).toEqual([]);
    await page.context().close();
  });

  it("does not move while its pictures come late, nor as it is scrolled through", async () => {
    for (const viewport of [
      { width: 360, height: 740 },
      { width: 1280, height: 800 },
    ]) {
      const { page } = await openPage(stage.browser, { viewport });
      await page.route("**/assets/f/**", async (route) => {
        await new Promise((late) => setTimeout(late, PICTURES_LATE_MILLISECONDS));
        await route.continue();
      });
      await page.addInitScript(() => {
        const shifts: object[] = [];
        Object.assign(window, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push(entry.toJSON());
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.goto(address, { waitUntil: "load" });
      await scrollThrough(page);
      expect(await page.evaluate(() => (window as unknown as { shifts: [] }).shifts)).toEqual([]);
      await page.context().close();
    }
  });
});

/** To the end and back, with time for what is loaded late. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let top = 0; top < document.body.scrollHeight; top += window.innerHeight / 2) {
      window.scrollTo(0, top);
      await new Promise((shown) => setTimeout(shown, 60));
    }
  });
  await page.waitForLoadState("networkidle");
}
