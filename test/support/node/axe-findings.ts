import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe finds on a page, each with where it is; `rules`: by these alone. */
export async function axeFindings(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const { axe: injected } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await injected.run(only ? { runOnly: only } : {});
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, rules);
}
