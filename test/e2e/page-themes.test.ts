import fc from "fast-check";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { axeFindings } from "../support/node/axe-findings.ts";
import { launchChromium, openPage } from "../support/node/browser.ts";
import { loadPageParts } from "../support/node/page-parts.ts";

const { anyTheme, Theme, renderPage, joinParts, documentOf, everyBlock, surroundingsOf } =
  await loadPageParts();
const THEMES = 50;
/** Always the same. Where a picture or gradient is behind, axe asks a person: the formula judges. */
const themes = fc
  .sample(anyTheme, { numRuns: 40 * THEMES, seed: 15 })
  .filter((theme) => Theme.safeParse(theme).success)
  .slice(0, THEMES);

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

it(`axe finds enough contrast in ${THEMES} themes that were made at random and accepted`, async () => {
  expect(themes).toHaveLength(THEMES);
  expect(new Set(themes.map((theme) => JSON.stringify(theme.colors))).size).toBeGreaterThan(20);
  const { page } = await openPage(browser);
  const found: string[] = [];
  for (const theme of themes) {
    const { parts } = await renderPage(documentOf(everyBlock(), { theme }), surroundingsOf());
    const audience = { now: 0, country: null, device: "mobile" as const };
    await page.setContent(joinParts(parts, audience, () => "a-token"));
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const finding of await axeFindings(page, ["color-contrast"]))
        found.push(`${JSON.stringify(theme)} ${colorScheme}: ${finding}`);
    }
  }
  expect(found).toEqual([]);
});

it("A theme that was not accepted is one that axe finds fault with", async () => {
  const theme = { preset: "meadow", mode: "light" as const, colors: { text: "#b0b0b0" } };
  const { parts } = await renderPage(documentOf(everyBlock(), { theme }), surroundingsOf());
  const { page } = await openPage(browser);
  const audience = { now: 0, country: null, device: "mobile" as const };
  await page.setContent(joinParts(parts, audience, () => "a-token"));
  expect(await axeFindings(page, ["color-contrast"])).not.toEqual([]);
});
