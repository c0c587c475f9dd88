import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DESKTOP, openPage, type WatchedPage } from "../support/node/browser.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

const LIST_LINKS = "[id$=-listLinks]";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.stop());

async function openReference(): Promise<WatchedPage> {
  const watched = await openPage(stage.browser, { viewport: DESKTOP });
  await watched.page.goto(`${stage.signpost.origin}/docs`);
  await watched.page.locator(".opblock-tag").first().waitFor();
  await openGroup(watched.page, "Short_links");
  return watched;
}

/** Opens or closes a group of operations: all are closed at first. */
async function openGroup(page: Page, tag: string): Promise<void> {
  await page.locator(`[id="operations-tag-${tag}"]`).click();
}

async function authorize(page: Page, scheme: string, value: string): Promise<void> {
  await page.getByRole("button", { name: "Authorize", exact: true }).click();
  const form = page.locator(".auth-container", {
    has: page.getByRole("heading", { name: new RegExp(`^${scheme}`) }),
  });
  await form.locator("input").fill(value);
  await form.getByRole("button", { name: "Apply credentials" }).click();
  await form.getByRole("button", { name: "Close" }).click();
}

describe("the API reference", () => {
  it("shows each operation of the description, and what clients need before the operator's", async () => {
    const { page } = await openReference();
    const description = await (await fetch(`${stage.signpost.origin}/openapi.json`)).json();
    const operations = Object.values<object>(description.paths).flatMap(Object.values);
    const ids = operations.map(({ operationId, tags }) => `operations-${tags[0]}-${operationId}`);
    expect(ids.length).toBeGreaterThan(10);
    await openGroup(page, "Short_links");
    const shown: string[] = [];
    const groups = new Set(operations.map(({ tags }) => tags[0].replaceAll(" ", "_")));
    for (const group of groups) {
      await openGroup(page, group);
      const blocks = page.locator(`[id^="operations-${group}-"]`);
      await blocks.first().waitFor();
      shown.push(...(await blocks.evaluateAll((all) => all.map(({ id }) => id))));
      await openGroup(page, group);
      await blocks.first().waitFor({ state: "detached" });
    }
    expect(shown.sort()).toEqual(ids.map((id) => id.replaceAll(" ", "_")).sort());
    const tags = await page.locator(".opblock-tag").evaluateAll((all) => all.map(({ id }) => id));
    expect(tags.at(-1)).toBe("operations-tag-Operator");
    await page.context().close();
  });

  it("asks no other host for anything and keeps within its policy", async () => {
    const { page, hosts, violations } = await openReference();
    await page.locator(LIST_LINKS).locator(".opblock-summary-control").click();
    await page.getByRole("button", { name: "Try it out" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect([...hosts]).toEqual([new URL(stage.signpost.origin).host]);
    expect(violations).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(DESKTOP.width);
    await page.context().close();
  });

  it("shows both ways to send a key, and the operator's token", async () => {
    const { page } = await openReference();
    await page.getByRole("button", { name: "Authorize", exact: true }).click();
    const ways = page.locator(".auth-container");
    expect(await ways.count()).toBe(3);
    expect(await ways.nth(0).textContent()).toMatch(/^bearer\s+\(http, Bearer\)/);
    expect(await ways.nth(1).textContent()).toContain("Name: x-api-key");
    expect(await ways.nth(2).textContent()).toContain("ADMIN_TOKEN");
    await page.context().close();
  });

  it.each(["bearer", "apiKey"])("lists a workspace's links with its key by %s", async (scheme) => {
    const slug = `seen-by-${scheme.toLowerCase()}`;
    await stage.link(slug);
    const { page, violations } = await openReference();
    await authorize(page, scheme, stage.workspace.key);
    const operation = page.locator(LIST_LINKS);
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    const answered = page.waitForResponse((response) =>
      response.url().includes("/api/v1/biolinks/links"),
    );
    await operation.getByRole("button", { name: "Execute" }).click();
    expect((await answered).status()).toBe(200);
    const live = operation.locator(".live-responses-table");
    expect(await live.locator(".response-col_status").last().textContent()).toContain("200");
    await live.getByText(slug).first().waitFor();
    expect(violations).toEqual([]);
    await page.context().close();
  });
});
