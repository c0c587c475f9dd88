import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings } from "../support/node/axe-findings.ts";
import { DESKTOP, openPage, PHONE } from "../support/node/browser.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

const PIXELS = "/api/v1/biolinks/pixels";
const PAGES = "/api/v1/biolinks/pages";
const META = "www.facebook.com";
const GERMANY = { extraHTTPHeaders: { "CF-IPCountry": "DE" } };

let stage: Stage;
let page: { id: string; handle: string; public_url: string };

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function send(method: string, path: string, body?: object): Promise<any> {
  const answer = await stage.workspace.send(method, path, body);
  const { data } = (await answer.json()) as { data: unknown };
  expect(answer.status, JSON.stringify(data)).toBeLessThan(300);
  return data;
}

async function publish(input: object) {
  const { id } = await send("POST", PAGES, { title: "Ada", ...input });
  return send("POST", `${PAGES}/${id}/publish`);
}

beforeAll(async () => {
  stage = await setStage();
  const pixel = { name: "Shop", provider: "meta", tag: "1234567890" };
  const { id } = await send("POST", PIXELS, pixel);
  const link = { type: "link", settings: { label: "Shop", url: `${stage.destination.origin}/x` } };
  page = await publish({
    handle: "ada",
    settings: { pixels: [id] },
    blocks: Array.from({ length: 12 }, () => link),
  });
});
afterAll(() => stage.stop());

const bar = (opened: Page) => opened.getByRole("region", { name: "Privacy" });

describe("the consent bar of a page", () => {
  it.each([
    ["with scripts", true],
    ["without", false],
  ])("is answered once, %s, and nothing foreign is loaded before", async (_, javaScriptEnabled) => {
    for (const [answer, fires] of [
      ["Refuse", false],
      ["Accept", true],
    ] as const) {
      const watched = await openPage(stage.browser, { ...GERMANY, javaScriptEnabled });
      const { page: opened, hosts, violations } = watched;
      await opened.goto(page.public_url);
      await bar(opened).waitFor();
      expect([...hosts]).toEqual([new URL(page.public_url).host]);
      await bar(opened).getByRole("button", { name: answer }).click();
      await bar(opened).waitFor({ state: "detached" });
      expect(opened.url()).toBe(page.public_url);
      await opened.waitForLoadState("load");
      expect([answer, hosts.has(META)]).toEqual([answer, fires]);
      await opened.reload();
      expect(await bar(opened).count()).toBe(0);
      expect(violations).toEqual([]);
      await opened.context().close();
    }
  });

  it("is changed where every page leads to", async () => {
    const { page: opened, hosts } = await openPage(stage.browser, GERMANY);
    await opened.goto(page.public_url);
    await bar(opened).getByRole("button", { name: "Accept" }).click();
    await opened.getByRole("contentinfo").getByRole("link", { name: "Privacy" }).click();
    await opened.getByRole("button", { name: "Refuse" }).click();
    await opened.getByText("You have refused").waitFor();
    hosts.clear();
    await opened.goto(page.public_url);
    await opened.waitForLoadState("load");
    expect(hosts.has(META)).toBe(false);
    await opened.context().close();
  });

  it("has two answers of one size, in reach of the keyboard, and hides nothing", async () => {
    for (const viewport of [PHONE, DESKTOP]) {
      const { page: opened } = await openPage(stage.browser, { ...GERMANY, viewport });
      await opened.goto(page.public_url);
      const boxes = await bar(opened)
        .getByRole("button")
        .evaluateAll((buttons) =>
          buttons.map((button) => {
            const { width, height } = button.getBoundingClientRect();
            const { color, backgroundColor, fontSize } = getComputedStyle(button);
            return { width, height, color, backgroundColor, fontSize };
          }),
        );
      expect(boxes).toHaveLength(2);
      expect(boxes[0]).toEqual(boxes[1]);
      expect(boxes[0]?.height).toBeGreaterThanOrEqual(44);
      const width = await opened.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(viewport.width);
      // At the end of the page it stands behind all else, and above the window's edge before.
      await opened.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      const footer = await opened.getByRole("contentinfo").boundingBox();
      const asked = await bar(opened).boundingBox();
      expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeLessThanOrEqual((asked?.y ?? 0) + 1);
      await opened.evaluate(() => window.scrollTo(0, 0));
      const box = await bar(opened).boundingBox();
      expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(viewport.height);
      await opened.context().close();
    }
  });

  it("is right to axe in every preset, light and dark", async () => {
    const themes: { name: string }[] = await send("GET", "/api/v1/biolinks/catalogue/themes");
    expect(themes.length).toBeGreaterThanOrEqual(8);
    for (const { name } of themes) {
      await send("PATCH", `${PAGES}/${page.id}`, { theme: { preset: name } });
      await send("POST", `${PAGES}/${page.id}/publish`);
      for (const colorScheme of ["light", "dark"] as const) {
        const { page: opened } = await openPage(stage.browser, { ...GERMANY, colorScheme });
        await opened.goto(page.public_url);
        await bar(opened).waitFor();
        expect([name, colorScheme, await axeFindings(opened)]).toEqual([name, colorScheme, []]);
        await opened.context().close();
      }
    }
  });
});

describe("the report form", () => {
  it.each([
    ["with scripts", true],
    ["without", false],
  ])("is reached from a page and sent, %s", async (_, javaScriptEnabled) => {
    const { page: opened, violations } = await openPage(stage.browser, { javaScriptEnabled });
    await opened.goto(page.public_url);
    await opened.getByRole("link", { name: "Report this page" }).click();
    await opened.getByRole("heading", { name: "Report a page or a link" }).waitFor();
    expect(await opened.getByLabel("Address").inputValue()).toBe("/@ada");
    await opened.getByLabel("What is wrong?").selectOption("spam");
    await opened.getByLabel("Details").fill("Buy <b>now</b>");
    if (javaScriptEnabled) expect(await axeFindings(opened)).toEqual([]);
    await opened.getByRole("button", { name: "Report" }).click();
    await opened.getByRole("heading", { name: "Thank you" }).waitFor();
    expect(violations).toEqual([]);
    await opened.context().close();
  });

  it("says what is missing, keeps what was written, and fits a small screen in the dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page: opened } = await openPage(stage.browser, { colorScheme });
      await opened.goto(`${stage.signpost.origin}/_report?at=/@nobody-is-here`);
      await opened.getByLabel("What is wrong?").selectOption("other");
      await opened.getByLabel("Details").fill("Look at this");
      await opened.getByRole("button", { name: "Report" }).click();
      await opened.getByRole("alert").waitFor();
      expect(await opened.getByLabel("Details").inputValue()).toBe("Look at this");
      expect(await opened.getByLabel("What is wrong?").inputValue()).toBe("other");
      expect(await axeFindings(opened)).toEqual([]);
      const width = await opened.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(PHONE.width);
      await opened.context().close();
    }
  });
});

describe("scripts of blocks", () => {
  const VIDEO = "https://www.youtube.com/watch?v=dQw4w9WgXcQ";
  const FRAMES = "www.youtube-nocookie.com";
  let withScripts: { public_url: string };

  beforeAll(async () => {
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
    const past = new Date(Date.now() - 1000).toISOString();
    withScripts = await publish({
      handle: "scripts",
      blocks: [
        { type: "embed", settings: { url: VIDEO, title: "A bowl from clay to kiln" } },
        { type: "countdown", settings: { title: "Sale", ends_at: soon } },
        { type: "countdown", settings: { title: "Over", ends_at: past, done_text: "It is here." } },
      ],
    });
  });

  it("load what is embedded when a visitor asks, and nothing foreign before", async () => {
    const { page: opened, hosts, violations } = await openPage(stage.browser);
    await opened.goto(withScripts.public_url, { waitUntil: "load" });
    const own = new URL(withScripts.public_url).host;
    expect([...hosts]).toEqual([own]);
    await opened.getByRole("link", { name: "A bowl from clay to kiln" }).press("Enter");
    const frame = opened.locator("iframe");
    await frame.waitFor();
    expect(await frame.getAttribute("src")).toContain(`https://${FRAMES}/embed/dQw4w9WgXcQ`);
    expect(await frame.getAttribute("title")).toBe("A bowl from clay to kiln");
    await expect.poll(() => [...hosts].sort(), { timeout: 15_000 }).toEqual([own, FRAMES].sort());
    // Once more it leads to the provider.
    const href = await opened.getByRole("link", { name: "A bowl" }).getAttribute("href");
    expect(href).toMatch(/\/go\//);
    expect(violations).toEqual([]);
    expect(await axeFindings(opened)).toEqual([]);
    await opened.context().close();
  });

  it("count down, and say so when the time has come", async () => {
    const { page: opened, violations } = await openPage(stage.browser);
    await opened.goto(withScripts.public_url, { waitUntil: "load" });
    const running = opened.locator("time[data-countdown]").first();
    await expect
      .poll(() => running.textContent(), { timeout: 15_000 })
      .toMatch(/^2 days 23 hr 59 min \d+ sec$/);
    const first = await running.textContent();
    await expect.poll(() => running.textContent(), { timeout: 15_000 }).not.toBe(first);
    await opened.getByText("It is here.").waitFor();
    expect(violations).toEqual([]);
    await opened.context().close();
  });

  it("are not needed: without them there is a link, and the moment itself", async () => {
    const { page: opened } = await openPage(stage.browser, { javaScriptEnabled: false });
    await opened.goto(withScripts.public_url);
    const link = opened.getByRole("link", { name: "A bowl from clay to kiln" });
    const answer = await fetch(new URL((await link.getAttribute("href")) ?? "", opened.url()), {
      redirect: "manual",
    });
    expect([answer.status, answer.headers.get("Location")]).toEqual([302, VIDEO]);
    expect(await opened.locator("time[data-countdown]").first().textContent()).toMatch(/\d{4}/);
    await opened.context().close();
  });
});
