import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  PageDocument,
  PageSurroundings,
} from "../../src/features/biolinks/pages/view/page-document.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { axeFindings } from "../support/node/axe-findings.ts";
import { launchChromium, openPage } from "../support/node/browser.ts";
import { htmlFaults } from "../support/node/html-faults.ts";
import { loadPageParts } from "../support/node/page-parts.ts";

const {
  renderPage,
  joinParts,
  BLOCK_TYPES,
  PRESETS,
  documentOf,
  everyBlock,
  surroundingsOf,
  hostileBlock,
} = await loadPageParts();
const FILE_ID = "01930000-0000-7000-8000-000000000001";
const ADDRESS = "http://localhost/@ada";
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800"><rect width="1200" height="800" fill="#c98b5f"/></svg>`;

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

async function render(document: PageDocument, around: Partial<PageSurroundings> = {}) {
  const page = await renderPage(document, surroundingsOf(undefined, { url: ADDRESS, ...around }));
  const audience = { now: 0, country: null, device: "mobile" as const };
  return { ...page, html: joinParts(page.parts, audience, () => "a-token") };
}

/** Opens a rendered page under the policy that it is to be served with. */
async function open(
  document: PageDocument,
  options: BrowserContextOptions = {},
  around: Partial<PageSurroundings> = {},
) {
  const { html, styleHash } = await render(document, around);
  const watched = await openPage(browser, { viewport: { width: 320, height: 640 }, ...options });
  const { page } = watched;
  await page.route("**/*", (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname !== "/@ada") return route.fulfill({ contentType: "image/svg+xml", body: PICTURE });
    const policy = `default-src 'none'; style-src ${styleHash}; img-src 'self'; base-uri 'none'; form-action 'self'`;
    const headers = { "Content-Security-Policy": policy };
    return route.fulfill({ contentType: "text/html; charset=utf-8", headers, body: html });
  });
  await page.goto(ADDRESS);
  return watched;
}
/** By how many pixels the page is wider than its window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** Links, buttons and inputs that a finger would miss; those within a sentence are not asked. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("a, button, summary, input:not([type=hidden]), select, textarea")]
      .filter((element) => !element.closest(".sr, .text, .faults, .tick"))
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        return width < 44 || height < 44;
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
}

/**
 * With forced colours browsers paint the canvas's colour behind each text, which axe does not see:
 * texts of that colour are gone, unless their element keeps its own colours.
 */
function hiddenTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "Canvas";
    const canvas = getComputedStyle(probe).color;
    probe.remove();
    if (!matchMedia("(forced-colors: active)").matches) return [];
    return [...document.querySelectorAll("body *")]
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3))
      .filter((element) => {
        const { color, forcedColorAdjust } = getComputedStyle(element);
        return color === canvas && forcedColorAdjust !== "none";
      })
      .map((element) => element.outerHTML.slice(0, 120));
  });
}

const CONDITIONS: [string, BrowserContextOptions, boolean][] = [
  ["at 320 px", {}, false],
  ["at 320 px with texts of twice the size", {}, true],
  ["with forced colours", { forcedColors: "active" }, false],
];
const looks = PRESETS.flatMap(({ name }) =>
  (["light", "dark"] as const).map((mode) => [name, mode] as const),
);

describe.each(looks)("Every block in preset %s, %s", (preset, colorScheme) => {
  it.each(CONDITIONS)("is found faultless by axe %s", async (_name, options, isLarge) => {
    const document = documentOf(everyBlock(), { theme: { preset } });
    const { page, violations, hosts } = await open(document, { colorScheme, ...options });
    if (isLarge) {
      await page.evaluate(() => {
        window.document.documentElement.style.fontSize = "200%";
      });
    }
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await smallTargets(page)).toEqual([]);
    expect(await hiddenTexts(page)).toEqual([]);
    expect(violations).toEqual([]);
    expect([...hosts]).toEqual(["localhost"]);
    await page.context().close();
  });
});

describe("A block alone", () => {
  it.each(everyBlock().map((block) => [block.type, block] as const))(
    "of type %s is found faultless by axe",
    async (_type, block) => {
      const { page } = await open(documentOf([block]));
      expect(await axeFindings(page)).toEqual([]);
      await page.context().close();
    },
  );
});

it("A form that is shown again with its faults is found faultless by axe", async () => {
  const form = everyBlock().filter(({ type }) => type === "form");
  const errors = { email: "Write an address such as you@example.com.", news: "Please agree." };
  const again = { blockId: form[0]?.id ?? "", values: { name: "Tom" }, errors };
  const { page } = await open(documentOf(form), {}, { form: again });
  expect(await axeFindings(page)).toEqual([]);
  expect(await page.getByRole("alert").textContent()).toContain("Email");
  await page.getByRole("alert").getByRole("link", { name: "Email", exact: true }).click();
  expect(await page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("email");
});

it("A page with a picture behind it is found faultless by axe, and narrow", async () => {
  const theme = { preset: "ocean", background: { type: "image" as const, file: FILE_ID } };
  const { page } = await open(documentOf(everyBlock(), { theme }));
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
});

it("Everything is reached by the keyboard, in the order in which it is read", async () => {
  const { page } = await open(documentOf(everyBlock()));
  const count = await page
    .locator("a, button, summary, input:not([type=hidden]):not([tabindex]), textarea")
    .count();
  let last = -1;
  for (let step = 0; step < count; step++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const all = [...document.querySelectorAll("*")];
      return document.activeElement ? all.indexOf(document.activeElement) : -1;
    });
    expect(at).toBeGreaterThan(last);
    last = at;
  }
});

it("Nothing moves when pictures come", async () => {
  const { page } = await open(documentOf(everyBlock()));
  const unsized = await page.locator("img:not([width])").count();
  expect(unsized).toBe(0);
});

it("No hostile text in any block does anything in a browser", async () => {
  const { page } = await openPage(browser);
  for (const text of HOSTILE_TEXTS) {
    const blocks = BLOCK_TYPES.map((type) => hostileBlock(type, text));
    const profile = { name: text, tagline: text, avatar: null };
    const known = [...surroundingsOf().products];
    const products = new Map(
      known.map(([id, product]) => [
        id,
        { ...product, title: text, description: text, brand: text },
      ]),
    );
    const shops = everyBlock().filter(({ type }) => type === "products" || type === "link");
    const all = [...blocks, ...shops];
    const { html } = await render(documentOf(all, { profile, title: text }), { products });
    // No policy here: the markup has to hold by itself.
    await page.setContent(html, { waitUntil: "load" });
    await page.mouse.move(160, 200);
    expect(await page.evaluate(() => "pwned" in window)).toBe(false);
  }
});

it("The notice of a hostile text would be seen", async () => {
  const { page } = await openPage(browser);
  await page.setContent(`<p>${HOSTILE_TEXTS[0]}</p>`);
  expect(await page.evaluate(() => "pwned" in window)).toBe(true);
});

describe("HTML", () => {
  const pages: [string, PageDocument][] = [
    ["20 links", documentOf(everyBlock().filter(({ type }) => type === "link"))],
    ["every block", documentOf(everyBlock())],
    ["nothing", documentOf([])],
  ];
  it.each(pages)("of a page of %s is valid", async (_name, document) => {
    const { html } = await render(document);
    expect(await htmlFaults(html)).toEqual([]);
  });
});
