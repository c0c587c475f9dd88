import { gzipSync } from "node:zlib";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings } from "../support/node/axe-findings.ts";
import { DESKTOP, openPage } from "../support/node/browser.ts";
import {
  enterCredential,
  formOf,
  groupPages,
  sendOnce,
  shownBody,
  shownOperations,
} from "../support/node/reference.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

const NARROW = { width: 360, height: 740 };
const MOST_BYTES = 300 * 1024;

let stage: Stage;
let origin: string;
/** Where the links' operations are. */
let linksPage: string;
let pages: Map<string, string>;

beforeAll(async () => {
  stage = await setStage();
  origin = stage.signpost.origin;
  const { page } = await openPage(stage.browser);
  pages = await groupPages(page, origin);
  const links = (await shownOperations(origin)).find(({ id }) => id === "listLinks");
  linksPage = pages.get(links?.tag ?? "") ?? "";
  await page.context().close();
});
afterAll(() => stage.stop());

async function openLinks(options: Parameters<typeof openPage>[1] = { viewport: DESKTOP }) {
  const watched = await openPage(stage.browser, options);
  await watched.page.goto(linksPage);
  return watched;
}

describe("the pages of the reference", () => {
  it("show each operation once, the operator's after all others", async () => {
    const { page, violations, hosts } = await openPage(stage.browser, { viewport: DESKTOP });
    const operations = await shownOperations(origin);
    expect(operations.length).toBeGreaterThan(100);
    const shown: string[] = [];
    let lastOfClients = -1;
    let firstOfOperators = Number.POSITIVE_INFINITY;
    for (const [index, address] of [...pages.values()].entries()) {
      await page.goto(address);
      const forms = page.locator("form.try");
      shown.push(
        ...(await forms.evaluateAll((all) => all.map((one) => one.dataset.operation ?? ""))),
      );
      const paths = await forms.evaluateAll((all) => all.map((one) => one.dataset.path ?? ""));
      if (paths.some((path) => path.startsWith("/admin/"))) {
        firstOfOperators = Math.min(firstOfOperators, index);
        expect(await page.getByLabel("Operator’s token").count()).toBe(1);
      } else if (paths.length > 0) {
        lastOfClients = index;
        expect(await page.getByLabel("Workspace key").count()).toBe(1);
      }
    }
    expect(shown.sort()).toEqual(operations.map(({ id }) => id).sort());
    expect(firstOfOperators).toBeGreaterThan(lastOfClients);
    expect(violations).toEqual([]);
    expect([...hosts]).toEqual([new URL(origin).host]);
    await page.context().close();
  });

  it("are under 300 KB all together as they are sent", async () => {
    const { page } = await openPage(stage.browser);
    const sizes = new Map<string, number>();
    page.on("response", async (response) => {
      if (response.ok()) sizes.set(response.url(), gzipSync(await response.body()).length);
    });
    for (const address of [`${origin}/docs`, ...pages.values()]) {
      await page.goto(address, { waitUntil: "networkidle" });
    }
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const [largest, bytes] = [...sizes].sort(([, one], [, other]) => other - one)[0] ?? ["", 0];
    console.log(`reference: ${sizes.size} files, ${total} bytes gzipped, ${largest} ${bytes}`);
    expect(total).toBeLessThan(MOST_BYTES);
    await page.context().close();
  });

  it.each([
    // The list of operations is hidden on a phone, its button elsewhere: each in both colours.
    ["light", NARROW, "every page"],
    ["dark", NARROW, "one page"],
    ["light", DESKTOP, "one page"],
    ["dark", DESKTOP, "every page"],
  ] as const)("are right to axe, %s, at %o, %s", async (colorScheme, viewport, extent) => {
    const { page } = await openPage(stage.browser, { viewport, colorScheme });
    const all = extent === "every page" ? [`${origin}/docs`, ...pages.values()] : [linksPage];
    for (const address of all) {
      await page.goto(address);
      expect([address, await axeFindings(page)]).toEqual([address, []]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([address, width]).toEqual([address, viewport.width]);
    }
    await page.goto(linksPage);
    await enterCredential(page, stage.workspace.key);
    await sendOnce(page, "listLinks");
    await page.locator("details").evaluateAll((all) => {
      for (const details of all) (details as HTMLDetailsElement).open = true;
    });
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    await page.context().close();
  });

  it("take the system's colours, or those that were chosen", async () => {
    const { page } = await openLinks({ colorScheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.getByLabel("Colours").selectOption("light");
    const light = await ground();
    expect(light).toBe("rgb(255, 255, 255)");
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await ground()).toBe(light);
    await page.getByLabel("Colours").selectOption("");
    expect(await ground()).toBe(dark);
    await page.context().close();
  });

  it("find an operation by a part of its name, on every page", async () => {
    const { page } = await openPage(stage.browser, { viewport: DESKTOP });
    await page.goto(`${origin}/docs`);
    await page.getByLabel("Find an operation").fill("link");
    const found = page.locator("nav .operations a:visible");
    expect(await found.count()).toBeGreaterThan(3);
    for (const name of await found.allTextContents()) expect(name.toLowerCase()).toContain("link");
    await page.getByLabel("Find an operation").fill("no such thing");
    expect(await page.getByText("No operation is called that.").isVisible()).toBe(true);
    await page.context().close();
  });

  it("can be used on a phone, where the list of operations is behind a button", async () => {
    const { page } = await openLinks({ viewport: NARROW });
    const menu = page.getByRole("button", { name: "Menu" });
    const nav = page.getByRole("navigation");
    expect(await nav.isVisible()).toBe(false);
    await menu.click();
    expect([await nav.isVisible(), await menu.getAttribute("aria-expanded")]).toEqual([
      true,
      "true",
    ]);
    await nav.getByRole("link", { name: "Overview" }).focus();
    await page.keyboard.press("Escape");
    expect(await nav.isVisible()).toBe(false);
    expect(await menu.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.context().close();
  });
});

/** What the style sheet writes behind its text. */
function contentBehind(button: Locator): Promise<string> {
  return button.evaluate((shown) => getComputedStyle(shown, "::after").content);
}

describe("the samples of an operation", () => {
  it("are shown for a shell and for TypeScript, and copied as they stand", async () => {
    const { page, violations } = await openLinks();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const { paths } = await (await fetch(`${origin}/openapi.json`)).json();
    const { post } = paths["/api/v1/biolinks/links"];
    const samples = page.locator("#createLink details.sample");
    expect(await samples.locator("summary").allTextContents()).toEqual(["curl", "TypeScript"]);
    for (const [index, { source }] of post["x-codeSamples"].entries()) {
      const sample = samples.nth(index);
      if (index > 0) await sample.locator("summary").click();
      const button = sample.getByRole("button", { name: /^Copy/ });
      await button.click();
      await page.getByRole("status").filter({ hasText: "Copied." }).waitFor();
      expect(await contentBehind(button)).toBe('" ✓"');
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(source);
    }
    expect(violations).toEqual([]);
    await page.context().close();
  });

  it("are selected where the clipboard is not to be had", async () => {
    const { page } = await openLinks();
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    const sample = page.locator("#listLinks details.sample").first();
    const button = sample.getByRole("button", { name: /^Copy/ });
    await button.click();
    await page.getByRole("status").filter({ hasText: "Selected" }).waitFor();
    expect(await contentBehind(button)).toBe('": selected"');
    const selected = await page.evaluate(() => String(getSelection()));
    expect(selected.trim()).toBe((await sample.locator("pre").textContent())?.trim());
    await page.context().close();
  });
});

describe("a call", () => {
  it.each(["{", "[]", "null", '{"ids":null}', '{"kinds":{"links":1}}'])(
    "can be sent where the tab holds %s of earlier answers",
    async (kept) => {
      const { page } = await openLinks();
      await page.evaluate((text) => sessionStorage.setItem("signpost-docs-known", text), kept);
      await page.reload();
      await enterCredential(page, stage.workspace.key);
      expect(await sendOnce(page, "listLinks")).toMatch(/^200 OK/);
      await page.context().close();
    },
  );

  it("takes the operator’s token, which no storage holds", async () => {
    const { page } = await openPage(stage.browser, { viewport: DESKTOP });
    await page.goto(`${origin}/docs/operator`);
    const token = stage.signpost.adminToken;
    await enterCredential(page, token);
    const stored = () =>
      page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    expect(await sendOnce(page, "listWorkspaces")).toMatch(/^200 OK/);
    expect(await stored()).not.toContain(token);
    // As a page of before 2026-11-23 left it in this tab.
    await page.evaluate((text) => sessionStorage.setItem("signpost-docs-operator", text), token);
    await page.reload();
    expect(await stored()).not.toContain(token);
    expect(await page.locator("#secret").inputValue()).toBe("");
    await page.context().close();
  });

  it("is sent with the key that is asked for on top and kept on reload, in this tab alone", async () => {
    const { page } = await openLinks();
    const outcome = formOf(page, "listLinks").locator(".outcome");
    await formOf(page, "listLinks").getByRole("button", { name: /^Send/ }).click();
    expect(await page.locator("#secret-state").textContent()).toBe("Enter a workspace key first.");
    expect(await outcome.textContent()).toBe("");
    await enterCredential(page, stage.workspace.key);
    await page.reload();
    expect(await page.locator("#secret").inputValue()).toBe(stage.workspace.key);
    expect(await sendOnce(page, "listLinks")).toMatch(/^200 OK/);
    expect(await page.evaluate(() => Object.values(localStorage).join())).not.toContain("osk_");
    await page.getByRole("button", { name: "Forget" }).click();
    await page.reload();
    expect(await page.locator("#secret").inputValue()).toBe("");
    await page.context().close();
  });

  it("is made by the keyboard alone", async () => {
    const { page } = await openLinks();
    const press = async (name: string, times = 1) => {
      for (let count = 0; count < times; count++) await page.keyboard.press(name);
    };
    const focused = () => page.evaluate(() => document.activeElement?.id ?? "");
    for (let count = 0; count < 10 && (await focused()) !== "secret"; count++) await press("Tab");
    await page.keyboard.type(stage.workspace.key);
    await press("Enter");
    const isSend = () =>
      page.evaluate(() => {
        const form = document.activeElement?.closest<HTMLElement>("form.try");
        return (
          form?.dataset.operation === "listLinks" && document.activeElement?.tagName === "BUTTON"
        );
      });
    for (let count = 0; count < 400 && !(await isSend()); count++) await press("Tab");
    expect(await isSend()).toBe(true);
    await press("Enter");
    const outcome = formOf(page, "listLinks").locator(".outcome.good");
    await outcome.waitFor();
    expect(await outcome.textContent()).toMatch(/^200 OK/);
    await page.context().close();
  });

  it("goes on with what the last answer told: ids, revisions, a new Idempotency-Key each time", async () => {
    const { page, violations } = await openLinks();
    await enterCredential(page, stage.workspace.key);
    const keys: string[] = [];
    const matches: string[] = [];
    page.on("request", (request) => {
      const { "idempotency-key": key, "if-match": match } = request.headers();
      if (key) keys.push(key);
      if (match) matches.push(match);
    });
    expect(await sendOnce(page, "createLink")).toMatch(/^201 /);
    const { data } = await shownBody(page, "createLink");
    expect(await sendOnce(page, "createLink")).toMatch(/^201 /);
    const { data: second } = await shownBody(page, "createLink");
    expect(new Set(keys).size).toBe(2);
    expect(second.id).not.toBe(data.id);
    expect(await sendOnce(page, "getLink")).toMatch(/^200 /);
    expect((await shownBody(page, "getLink")).data.id).toBe(second.id);
    const body = formOf(page, "updateLink").locator("[data-body]");
    await body.fill('{"title":"Second"}');
    expect(await sendOnce(page, "updateLink")).toMatch(/^200 /);
    await body.fill('{"title":"Third"}');
    expect(await sendOnce(page, "updateLink")).toMatch(/^200 /);
    expect(await sendOnce(page, "deleteLink")).toMatch(/^204 /);
    expect(matches[0]).toBe(`"${second.revision}"`);
    expect(new Set(matches).size).toBe(3);
    expect(matches.join()).not.toContain("*");
    // What is gone is not offered again: the link that is left is found.
    expect(await sendOnce(page, "getLink")).toMatch(/^200 /);
    expect((await shownBody(page, "getLink")).data.id).not.toBe(second.id);
    expect(violations).toEqual([]);
    await page.context().close();
  });

  it("says where to make the record that it needs, if there is none", async () => {
    const { page } = await openPage(stage.browser, { viewport: DESKTOP });
    const operations = await shownOperations(origin);
    const segments = pages.get(operations.find(({ id }) => id === "getSegment")?.tag ?? "") ?? "";
    await page.goto(segments);
    await enterCredential(page, stage.workspace.key);
    expect(await sendOnce(page, "getSegment")).toBe("There is no segment yet. Make one first.");
    const link = formOf(page, "getSegment").getByRole("link", { name: "Make one first" });
    await link.click();
    expect(new URL(page.url()).hash).toBe("#createSegment");
    await page.context().close();
  });
});
