import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openPage, type WatchedPage } from "../support/node/browser.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

const PASSWORD = "open sesame & 50% + ümlaut";

let stage: Stage;
let watched: WatchedPage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.stop());
afterEach(async () => {
  await watched.page.context().close();
  expect(watched.violations).toEqual([]);
});

async function open(address: string, options = {}): Promise<Page> {
  watched = await openPage(stage.browser, options);
  await watched.page.goto(address);
  return watched.page;
}

/** As a visitor without a mouse does it, from wherever the page put the cursor. */
async function enterPassword(page: Page, password: string): Promise<void> {
  await untilFocused(page);
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
}

/** The cursor arrives with the first frame, which may come after the load. */
async function untilFocused(page: Page): Promise<void> {
  await page.locator("#password:focus").waitFor();
}

function fieldState(page: Page) {
  return page.evaluate(() => {
    const field = document.querySelector<HTMLInputElement>("#password");
    return {
      isFocused: document.activeElement === field,
      isInvalid: field?.getAttribute("aria-invalid") === "true",
      describedBy: document.getElementById(field?.getAttribute("aria-describedby") ?? "")
        ?.textContent,
      value: field?.value,
    };
  });
}

describe("the password page", () => {
  it("puts the cursor in the field and tells nothing of the destination", async () => {
    const address = await stage.link("quiet", { password: PASSWORD });
    const page = await open(address);
    await untilFocused(page);
    expect(await fieldState(page)).toMatchObject({ isFocused: true, isInvalid: false });
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await page.content()).not.toContain(stage.destination.origin);
    expect(await page.content()).not.toContain(PASSWORD);
    expect(stage.destination.at("/quiet")).toEqual([]);
  });

  it("says that a password is wrong, and asks again in the same place", async () => {
    const page = await open(await stage.link("wrong", { password: PASSWORD }));
    await enterPassword(page, "a guess");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    await untilFocused(page);
    expect(await alert.textContent()).toBe("That is not the right password.");
    expect(await page.title()).toMatch(/^Wrong password/);
    expect(await fieldState(page)).toEqual({
      isFocused: true,
      isInvalid: true,
      describedBy: "That is not the right password.",
      value: "",
    });
    expect(await page.content()).not.toContain(stage.destination.origin);
    expect(stage.destination.at("/wrong")).toEqual([]);
    await enterPassword(page, PASSWORD);
    await page.waitForURL(`${stage.destination.origin}/wrong`);
  });

  it("is sent by its button too, which the next Tab reaches", async () => {
    const page = await open(await stage.link("button", { password: PASSWORD }));
    await untilFocused(page);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Continue");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stage.destination.origin}/button`);
  });

  it("does not post an empty field", async () => {
    const page = await open(await stage.link("empty", { password: PASSWORD }));
    await enterPassword(page, "");
    await page.waitForTimeout(300);
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await fieldState(page)).toMatchObject({ isFocused: true });
  });

  it("works without JavaScript", async () => {
    const address = await stage.link("no-script", { password: PASSWORD });
    const page = await open(address, { javaScriptEnabled: false });
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).press("Enter");
    await page.waitForURL(`${stage.destination.origin}/no-script`);
  });

  it.each([301, 302, 303, 307, 308])(
    "lets the right password on with a GET that does not carry it, with status %i",
    async (status) => {
      const slug = `status-${status}`;
      const settings = { password: PASSWORD, http_status: status };
      const page = await open(await stage.link(slug, settings));
      await enterPassword(page, PASSWORD);
      await page.waitForURL(`${stage.destination.origin}/${slug}`);
      const arrivals = stage.destination.at(`/${slug}`);
      expect(arrivals).toMatchObject([{ method: "GET", url: `/${slug}`, body: "" }]);
      const seen = JSON.stringify(arrivals);
      for (const form of [PASSWORD, encodeURIComponent(PASSWORD), "sesame"]) {
        expect(seen).not.toContain(form);
      }
    },
  );

  it("is not told to the destination, which would learn the link's address", async () => {
    const page = await open(await stage.link("unsaid", { password: PASSWORD }));
    await enterPassword(page, PASSWORD);
    await page.waitForURL(`${stage.destination.origin}/unsaid`);
    const [arrival] = stage.destination.at("/unsaid");
    expect(arrival?.headers).not.toHaveProperty("referer");
  });

  it("takes a visitor who comes back through the form again", async () => {
    const address = await stage.link("back", { password: PASSWORD, http_status: 308 });
    const page = await open(address);
    await enterPassword(page, PASSWORD);
    await page.waitForURL(`${stage.destination.origin}/back`);
    await page.goBack();
    expect(page.url()).toBe(address);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stage.destination.origin}/back`);
    expect(stage.destination.at("/back").map(({ method }) => method)).toEqual(["GET", "GET"]);
  });

  it("survives a reload, after a wrong password too", async () => {
    const page = await open(await stage.link("reload", { password: PASSWORD }));
    await page.reload();
    await untilFocused(page);
    expect(await fieldState(page)).toMatchObject({ isFocused: true, isInvalid: false });
    await enterPassword(page, "a guess");
    await page.getByRole("alert").waitFor();
    await page.reload();
    await untilFocused(page);
    expect(await fieldState(page)).toMatchObject({ isFocused: true, isInvalid: true });
    await enterPassword(page, PASSWORD);
    await page.waitForURL(`${stage.destination.origin}/reload`);
  });

  it("hands the visitor's query on with the right password", async () => {
    const address = await stage.link("query", { password: PASSWORD, forward_query: true });
    const page = await open(`${address}?from=a%20friend`);
    await enterPassword(page, "a guess");
    await page.getByRole("alert").waitFor();
    await enterPassword(page, PASSWORD);
    await page.waitForURL(`${stage.destination.origin}/query?from=a%20friend`);
  });

  it("closes for a while after ten wrong tries, and offers the way back", async () => {
    const address = await stage.link("flood", { password: PASSWORD });
    for (let tries = 0; tries < 10; tries++) {
      await fetch(address, { method: "POST", body: new URLSearchParams({ password: "a guess" }) });
    }
    const page = await open(address);
    await enterPassword(page, PASSWORD);
    await page.getByRole("heading", { name: "Too many tries" }).waitFor();
    expect(stage.destination.at("/flood")).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByLabel("Password").waitFor();
    expect(page.url()).toBe(address);
  });
});
