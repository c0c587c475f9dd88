import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings } from "../support/node/axe-findings.ts";
import { openPage } from "../support/node/browser.ts";
import { give, type PublishedPage, publishPage } from "../support/node/sample-pages.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

const THANKS = "Thank you! You will hear from me.";
// Browsers send each end of a line as CR LF, and of an option without a value no two blanks.
const LARGE = "Large,  with\na lid";
const DUSK = "Dusk\nand dawn";
const FORM = {
  title: "Write to me",
  submit_label: "Send",
  success: { message: THANKS },
  fields: [
    { id: "name", type: "text", label: "Your name", required: true },
    { id: "email", type: "email", label: "Email", required: true },
    { id: "wish", type: "textarea", label: "Your wish" },
    { id: "size", type: "select", label: "Size", options: ["Small", LARGE] },
    { id: "glazes", type: "multi_select", label: "Glazes", options: ["Moss", "Salt", DUSK] },
    { id: "gift", type: "checkbox", label: "It is a present" },
    { id: "news", type: "consent", label: "Send me news by email.", required: true },
  ],
  // Who tests a form is faster than people.
  spam: { min_seconds: 0, max_per_ip_hour: 1000 },
};
const FAQ = {
  items: [
    { question: "Do you ship abroad?", answer: "Within Europe." },
    { question: "Is it food safe?", answer: "All glazes are." },
  ],
};
/** Longer than a window: the form is not in view at first. */
const TEXT = "A word on glazes, and how they are fired.\n\n".repeat(40);
const WAYS: [string, boolean][] = [
  ["with scripts", true],
  ["without", false],
];
const MOST_TABS = 30;

let stage: Stage;
let published: PublishedPage;

beforeAll(async () => {
  stage = await setStage();
  const blocks = [
    { type: "faq", settings: FAQ },
    { type: "text", settings: { text: TEXT } },
    { type: "form", settings: FORM },
  ];
  published = await publishPage(stage, { handle: "ada", blocks });
});
afterAll(() => stage.stop());

/** Goes on by the Tab key until something is reached. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The keyboard does not reach ${selector}.`);
}

/** As a person does who has no mouse. The agreement comes last. */
async function fillIn(page: Page, email: string): Promise<void> {
  await tabTo(page, "[name=name]");
  await page.keyboard.type("Tom Okafor");
  await tabTo(page, "[name=email]");
  await page.keyboard.type(email);
  await tabTo(page, "[name=wish]");
  await page.keyboard.type("A bowl,\nwith a lid <b>");
  await tabTo(page, "[name=size]");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  for (const glaze of ["Moss", "Dusk"]) {
    await tabTo(page, `[value^=${glaze}]`);
    await page.keyboard.press("Space");
  }
  await tabTo(page, "[name=news]");
  await page.keyboard.press("Space");
}

async function send(page: Page): Promise<number> {
  await tabTo(page, "button");
  const answered = page.waitForResponse((response) => response.request().method() === "POST");
  await page.keyboard.press("Enter");
  return (await answered).status();
}

/** Whether all of it is. */
const isInView = (place: Locator) =>
  place.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

const ticked = (page: Page) => page.locator("input:checked").count();

describe.each(WAYS)("A form in a browser %s", (_way, javaScriptEnabled) => {
  it("is filled in and sent by keyboard, and who sent it is thanked", async () => {
    const { page, violations } = await openPage(stage.browser, { javaScriptEnabled });
    await page.goto(published.public_url);
    expect(await page.getByText(THANKS).isVisible()).toBe(false);
    expect(await ticked(page)).toBe(0);
    const email = `tom-${javaScriptEnabled}@example.com`;
    await fillIn(page, email);
    expect(await send(page)).toBe(303);
    await page.getByText(THANKS).waitFor({ state: "visible" });
    expect(await page.getByRole("button", { name: "Send" }).isVisible()).toBe(false);
    expect(new URL(page.url()).pathname).toBe("/@ada");
    const [stored] = await give(stage, "GET", `/submissions?email=${email}`);
    expect(stored).toMatchObject({
      status: "accepted",
      answers: {
        name: "Tom Okafor",
        email,
        wish: "A bowl,\nwith a lid <b>",
        size: LARGE,
        glazes: ["Moss", DUSK],
      },
    });
    expect(stored.consents).toMatchObject([{ field: "news", text: "Send me news by email." }]);
    expect(violations).toEqual([]);
    await page.context().close();
  });

  it("that was refused says why and keeps what was written, but for the agreement", async () => {
    const { page, violations } = await openPage(stage.browser, { javaScriptEnabled });
    await page.goto(published.public_url);
    // Browsers take this for an address; nothing could be sent to it.
    await fillIn(page, "tom@nowhere");
    expect(await send(page)).toBe(422);
    const told = page.getByRole("alert");
    await told.waitFor();
    expect(await told.getByRole("link").allTextContents()).toEqual(["Email"]);
    // It is at hand, as far down as its form is: the next tab leads into it.
    await page.waitForFunction(() => document.activeElement?.role === "alert");
    expect(await isInView(told)).toBe(true);
    expect(await page.locator("[name=email]").getAttribute("aria-invalid")).toBe("true");
    const kept = {
      name: await page.getByLabel("Your name").inputValue(),
      email: await page.locator("[name=email]").inputValue(),
      wish: await page.getByLabel("Your wish").inputValue(),
      size: await page.getByLabel("Size").inputValue(),
    };
    expect(kept).toEqual({
      name: "Tom Okafor",
      email: "tom@nowhere",
      wish: "A bowl,\nwith a lid <b>",
      size: LARGE,
    });
    expect(await page.locator("[name=glazes]:checked").count()).toBe(2);
    expect(await page.locator("[name=news]").isChecked()).toBe(false);
    expect(violations).toEqual([]);
    if (javaScriptEnabled) expect(await axeFindings(page)).toEqual([]);
    // Mended, it is taken: nothing has to be written twice.
    await tabTo(page, "[name=email]");
    await page.keyboard.press("End");
    await page.keyboard.type(".example");
    await tabTo(page, "[name=news]");
    await page.keyboard.press("Space");
    expect(await send(page)).toBe(303);
    await page.getByText(THANKS).waitFor({ state: "visible" });
    await page.context().close();
  });

  it("has its page's questions opened and closed by keyboard", async () => {
    const { page } = await openPage(stage.browser, { javaScriptEnabled });
    await page.goto(published.public_url);
    const answer = page.getByText("All glazes are.");
    expect(await answer.isVisible()).toBe(false);
    await tabTo(page, "details:nth-of-type(2) summary");
    await page.keyboard.press("Enter");
    await answer.waitFor({ state: "visible" });
    expect(await page.getByText("Within Europe.").isVisible()).toBe(false);
    await page.keyboard.press("Space");
    await answer.waitFor({ state: "hidden" });
    await page.context().close();
  });
});

describe("The boxes of a form", () => {
  it.each(["light", "dark"] as const)(
    "have the theme's colours in %s mode",
    async (colorScheme) => {
      const { page } = await openPage(stage.browser, { colorScheme });
      await page.goto(published.public_url);
      const coloursOf = (selector: string) =>
        page.locator(selector).evaluate((element) => {
          const { appearance, backgroundColor, borderTopColor } = getComputedStyle(element);
          return { appearance, ground: backgroundColor, edge: borderTopColor };
        });
      const field = await coloursOf("[name=name]");
      expect(await coloursOf("[name=gift]")).toEqual({ ...field, appearance: "none" });
      await page.locator("[name=gift]").check();
      const button = await coloursOf("form .btn");
      const { appearance: _, ...ticked } = await coloursOf("[name=gift]");
      expect(ticked).toEqual({ ground: button.ground, edge: button.edge });
      await page.context().close();
    },
  );

  it("are the system's own with forced colours", async () => {
    const { page } = await openPage(stage.browser, { forcedColors: "active" });
    await page.goto(published.public_url);
    for (const name of ["gift", "size"]) {
      const appearance = await page
        .locator(`[name=${name}]`)
        .evaluate((element) => getComputedStyle(element).appearance);
      expect([name, appearance]).not.toEqual([name, "none"]);
    }
    await page.context().close();
  });
});
