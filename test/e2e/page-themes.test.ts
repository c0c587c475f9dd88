import fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { axeFindings } from "../support/node/axe-findings.ts";
import { launchChromium, openPage } from "../support/node/browser.ts";
import { loadPageParts } from "../support/node/page-parts.ts";

const { anyTheme, Theme, renderPage, joinParts, documentOf, everyBlock, surroundingsOf } =
  await loadPageParts();
const THEMES = Number(process.env.PAGE_THEMES ?? 50);
const SEED = Number(process.env.PAGE_THEMES_SEED ?? 15);
/** So many are looked at whole; of the others one text of each kind is, which takes a tenth. */
const WHOLE = 25;
/** Where a picture or gradient is behind, axe asks a person: the formula judges. */
const themes = fc
  .sample(anyTheme, { numRuns: 40 * THEMES, seed: SEED })
  .filter((theme) => Theme.safeParse(theme).success)
  .slice(0, THEMES);
type AnyTheme = (typeof themes)[number];
/** Axe found fault with it: behind its gradient was a colour that muted texts cannot be read on. */
const ONCE_FOUND: AnyTheme = {
  preset: "midnight",
  mode: "light",
  colors: { background: "#abace8", surface: "#b0ecaa", text: "#434444", muted: "#206a07" },
};

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

/** A page with every block in a theme. */
async function show(page: Page, theme: AnyTheme): Promise<void> {
  const { parts } = await renderPage(documentOf(everyBlock(), { theme }), surroundingsOf());
  const audience = { now: 0, country: null, device: "mobile" as const };
  await page.setContent(joinParts(parts, audience, () => "a-token"));
}

async function faultsOf(page: Page, theme: AnyTheme, isWhole: boolean): Promise<string[]> {
  await show(page, theme);
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const within = isWhole ? undefined : await page.evaluate(markKinds);
    for (const finding of await axeFindings(page, ["color-contrast"], within))
      found.push(`${JSON.stringify(theme)} ${colorScheme}: ${finding}`);
  }
  return found;
}

/** Runs in the page. Marks one text of each kind: alike in itself and in all that is behind it. */
function markKinds(): string {
  const kinds = new Map<string, Element>();
  for (const marked of document.querySelectorAll("[data-kind]"))
    marked.removeAttribute("data-kind");
  for (const element of document.body.querySelectorAll("*")) {
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
    );
    if (!hasText && !element.matches("input, select, textarea")) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const kind = [element.tagName, color, fontSize, fontWeight, textShadow];
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(at);
      kind.push(backgroundColor, backgroundImage, opacity, filter);
    }
    const name = kind.join(" ");
    if (!kinds.has(name)) kinds.set(name, element);
  }
  for (const element of kinds.values()) element.setAttribute("data-kind", "");
  return "[data-kind]";
}

it(`axe finds enough contrast in ${THEMES} themes that were made at random and accepted`, {
  timeout: Math.max(240_000, 1000 * THEMES),
}, async () => {
  expect(themes).toHaveLength(THEMES);
  expect(new Set(themes.map((theme) => JSON.stringify(theme.colors))).size).toBeGreaterThan(20);
  const lanes = await Promise.all([openPage(browser), openPage(browser)]);
  const found = await Promise.all(
    lanes.map(async ({ page }, lane) => {
      const faults: string[] = [];
      for (const [at, theme] of themes.entries()) {
        if (at % lanes.length === lane) faults.push(...(await faultsOf(page, theme, at < WHOLE)));
      }
      return faults;
    }),
  );
  expect(found.flat()).toEqual([]);
});

it("what is behind a gradient is no colour that texts cannot be read on", async () => {
  const { page } = await openPage(browser);
  await show(page, ONCE_FOUND);
  const behind = await page.evaluate(
    () => getComputedStyle(document.documentElement).backgroundColor,
  );
  expect(behind).toBe("rgb(228, 235, 255)");
});

it.each([true, false])(
  "axe finds fault with a theme that was not accepted (whole: %j)",
  async (isWhole) => {
    const theme = { preset: "meadow", mode: "light" as const, colors: { text: "#b0b0b0" } };
    const { page } = await openPage(browser);
    expect(await faultsOf(page, theme as AnyTheme, isWhole)).not.toEqual([]);
  },
);
