import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DESKTOP, openPage, PHONE } from "../support/node/browser.ts";
import { auditPage } from "../support/node/page-audit.ts";
import { type Stage, setStage } from "../support/node/stage.ts";
import { operate } from "../support/node/workspace.ts";

const PASSWORD = "open sesame";

let stage: Stage;

/** Each page a visitor may be shown: how to get to it, and what it says and answers. */
const PAGES = {
  password: { path: "/locked", status: 200, heading: "This link is protected" },
  "wrong password": { path: "/locked", post: "a guess", status: 401, heading: "This link is p" },
  "sensitive password": { path: "/locked-adult", status: 200, heading: "This link is protected" },
  consent: { path: "/adult", status: 200, heading: "Sensitive content" },
  "not found": { path: "/nobody-made-this", status: 404, heading: "There is no link here" },
  paused: { path: "/paused", status: 404, heading: "There is no link here" },
  gone: { path: "/gone", status: 410, heading: "This link is no longer available" },
  "too many tries": { path: "/flood", post: PASSWORD, status: 429, heading: "Too many tries" },
  unavailable: { path: "/unseen", status: 503, heading: "We could not look this link up" },
} satisfies Record<string, { path: string; post?: string; status: number; heading: string }>;

beforeAll(async () => {
  stage = await setStage();
  const { link, signpost, workspace } = stage;
  await link("locked", { password: PASSWORD });
  await link("locked-adult", { password: PASSWORD, sensitive_content: true });
  await link("adult", { sensitive_content: true, http_status: 308 });
  const paused = { slug: "paused", destination: stage.destination.origin };
  await workspace.send("POST", "/api/v1/biolinks/links", paused);
  const gone = await workspace.createActiveLink({ ...paused, slug: "gone" });
  const gonePath = `/workspaces/${workspace.id}/links/${gone.id}`;
  await operate(signpost, "PATCH", gonePath, { disabled: true });
  const flood = await link("flood", { password: PASSWORD });
  for (let tries = 0; tries < 10; tries++) {
    await fetch(flood, { method: "POST", body: new URLSearchParams({ password: "a guess" }) });
  }
});
afterAll(() => stage.stop());

/** The database out of order for the length of a visit. */
async function withoutAddresses<T>(visit: () => Promise<T>): Promise<T> {
  await stage.signpost.execute("ALTER TABLE addresses RENAME TO addresses_away");
  try {
    return await visit();
  } finally {
    await stage.signpost.execute("ALTER TABLE addresses_away RENAME TO addresses");
  }
}

async function show(name: keyof typeof PAGES, options = {}) {
  const { path, post, ...expected } = { post: undefined, ...PAGES[name] };
  const watched = await openPage(stage.browser, options);
  const { page } = watched;
  const statuses: number[] = [];
  page.on("response", (response) => statuses.push(response.status()));
  const go = () => page.goto(stage.signpost.origin + path);
  await (name === "unavailable" ? withoutAddresses(go) : go());
  if (post) {
    await page.getByLabel("Password").fill(post);
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await page.getByRole("button").click();
    await answered;
  }
  await page.getByRole("heading", { name: expected.heading }).waitFor();
  if (post) await page.waitForLoadState("load");
  return { ...watched, expected, status: statuses.at(-1) };
}

describe.each(Object.keys(PAGES) as (keyof typeof PAGES)[])("the %s page", (name) => {
  let shown: Awaited<ReturnType<typeof show>>;

  beforeAll(async () => {
    shown = await show(name, { viewport: PHONE });
  });
  afterAll(() => shown.page.context().close());

  it("is one small request that everyone can read and use on a narrow phone", async () => {
    const { page, violations, hosts, status, expected } = shown;
    expect(status).toBe(expected.status);
    const light = await auditPage(page);
    expect(light).toMatchObject({ lang: "en", headings: 1, mains: 1, width: 320 });
    expect(light.title).toContain(expected.heading);
    expect(light.unlabelled).toEqual([]);
    expect(light.smallTargets).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await auditPage(page);
    expect(dark.background).not.toBe(light.background);
    for (const { contrasts } of [light, dark]) {
      expect(contrasts.length).toBeGreaterThan(1);
      expect(contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    }
    const source = await page.content();
    expect(source).not.toContain(stage.destination.origin);
    expect(source.length).toBeLessThan(5_000);
    expect([...hosts]).toEqual([new URL(stage.signpost.origin).host]);
    expect(violations).toEqual([]);
  });

  it("keeps its words within the screen when they are twice as large", async () => {
    const { page } = shown;
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "200%";
    });
    const { width, smallTargets } = await auditPage(page);
    expect({ width, smallTargets }).toEqual({ width: 320, smallTargets: [] });
  });
});

describe("the consent page", () => {
  it("lets a visitor on by keyboard, with a GET whatever the link's status", async () => {
    const { page } = await show("consent", { viewport: DESKTOP });
    expect(stage.destination.at("/adult")).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stage.destination.origin}/adult`);
    expect(stage.destination.at("/adult")).toMatchObject([{ method: "GET", body: "" }]);
    await page.goBack();
    await page.getByRole("heading", { name: "Sensitive content" }).waitFor();
    await page.context().close();
  });

  it("is part of the password page where a link asks for both", async () => {
    const { page } = await show("sensitive password");
    expect(await page.getByRole("main").textContent()).toContain("By going on you agree to see it");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stage.destination.origin}/locked-adult`);
    await page.context().close();
  });
});

describe("a link that could not be looked up", () => {
  it("is there again by its button once the fault is over", async () => {
    await stage.link("after-the-fault");
    const { page } = await openPage(stage.browser);
    await withoutAddresses(() => page.goto(`${stage.signpost.origin}/after-the-fault`));
    await page.getByRole("link", { name: "Try again" }).press("Enter");
    await page.waitForURL(`${stage.destination.origin}/after-the-fault`);
    await page.context().close();
  });
});
