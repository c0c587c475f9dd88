import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * What axe finds on a page, each with where it is; `rules`: by these alone; `within`: in what this
 * selector finds.
 */
export async function axeFindings(
  page: Page,
  rules?: string[],
  within = "html",
): Promise<string[]> {
  // Half a megabyte: once for a window.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(
    async ({ only, selector }) => {
      const { axe: injected } = globalThis as unknown as { axe: typeof axe };
      const { violations } = await injected.run(selector, only ? { runOnly: only } : {});
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    },
    { only: rules, selector: within },
  );
}
