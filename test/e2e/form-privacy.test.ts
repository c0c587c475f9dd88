import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../support/node/browser.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

const PAGES = "/api/v1/biolinks/pages";
const TURNSTILE = "challenges.cloudflare.com";

let stage: Stage;
let url: string;

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function send(method: string, path: string, body?: object): Promise<any> {
  const answer = await stage.workspace.send(method, path, body);
  const { data } = (await answer.json()) as { data: unknown };
  expect(answer.status, JSON.stringify(data)).toBeLessThan(300);
  return data;
}

beforeAll(async () => {
  stage = await setStage({
    TURNSTILE_SITE_KEY: "0x4AAAAAAA-site",
    TURNSTILE_SECRET_KEY: "turnstile-secret",
  });
  const form = {
    type: "form",
    settings: {
      submit_label: "Send",
      success: { message: "Thank you!" },
      fields: [{ id: "name", type: "text", label: "Your name" }],
      spam: { turnstile: true },
    },
  };
  const countdown = {
    type: "countdown",
    settings: { title: "Sale", ends_at: "2031-05-14T17:00:00.000Z" },
  };
  const { id } = await send("POST", PAGES, {
    handle: "ada",
    title: "Ada",
    blocks: [countdown, form],
  });
  url = (await send("POST", `${PAGES}/${id}/publish`)).public_url;
});
afterAll(() => stage.stop());

describe("a form that asks Turnstile", () => {
  it.each([
    ["filled in", (page: OpenedPage) => page.getByLabel("Your name").focus()],
    ["clicked at", (page: OpenedPage) => page.getByText("Your name").click()],
  ])("asks nobody else anything before it is %s", async (_, come) => {
    const { page, hosts, violations } = await openPage(stage.browser);
    const asked: string[] = [];
    await page.route(`https://${TURNSTILE}/**`, (route) => {
      asked.push(route.request().url());
      const body = `document.querySelector(".cf-turnstile").textContent = "No robot"`;
      return route.fulfill({ contentType: "text/javascript", body });
    });
    await page.goto(url, { waitUntil: "networkidle" });
    // The countdown runs, so the page's script does.
    await page.getByText(/\d+ sec/).waitFor();
    expect(await page.locator("script[src]").count()).toBe(1);
    await page.getByRole("heading", { name: "Ada" }).click();
    expect([...hosts]).toEqual([new URL(url).host]);
    await come(page);
    await page.getByText("No robot").waitFor();
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", { name: "Send" }).focus();
    expect([...hosts]).toEqual([new URL(url).host, TURNSTILE]);
    expect(asked).toEqual([`https://${TURNSTILE}/turnstile/v0/api.js`]);
    expect(violations).toEqual([]);
    await page.context().close();
  });
});

type OpenedPage = Awaited<ReturnType<typeof openPage>>["page"];
