import type { BrowserContextOptions, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isForeign, openPage } from "../support/node/browser.ts";
import { auditPage } from "../support/node/page-audit.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

const TAGS = { meta: "1234", google_ads: "5678", linkedin: "90", pinterest: "abc" };
const BEACON_HOSTS = [
  "ct.pinterest.com",
  "googleads.g.doubleclick.net",
  "px.ads.linkedin.com",
  "www.facebook.com",
];
const GIF = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");

let stage: Stage;
let address: string;

beforeAll(async () => {
  stage = await setStage();
  const pixels = Object.entries(TAGS).map(([provider, tag]) => ({
    id: crypto.randomUUID(),
    provider,
    tag,
  }));
  const rows = pixels.map(
    ({ id, provider, tag }) =>
      `('${id}', '${stage.workspace.id}', 'Test', '${provider}', '${tag}', 0, 0)`,
  );
  await stage.signpost.execute(
    `INSERT INTO pixels (id, workspace_id, name, provider, tag, created_at, updated_at) VALUES ${rows}`,
  );
  address = await stage.link("pixels", { pixels: pixels.map(({ id }) => id), http_status: 308 });
});
afterAll(() => stage.stop());

const answer = (route: Route) => route.fulfill({ contentType: "image/gif", body: GIF });

/** A page of who has accepted that pixels fire. */
async function openAccepted(options: BrowserContextOptions = {}) {
  const watched = await openPage(stage.browser, options);
  const accepted = { name: "signpost_consent", value: "yes.1", url: address };
  await watched.page.context().addCookies([accepted]);
  return watched;
}

/** Opens the link with foreign addresses answered as told; collects what they were asked for. */
async function open(options: BrowserContextOptions, provider: (route: Route) => Promise<void>) {
  const watched = await openAccepted(options);
  const beacons: URL[] = [];
  const referrers: (string | undefined)[] = [];
  await watched.page.route(isForeign, (route) => {
    beacons.push(new URL(route.request().url()));
    referrers.push(route.request().headers().referer);
    return provider(route);
  });
  const start = performance.now();
  await watched.page.goto(address, { waitUntil: "commit" });
  return { ...watched, beacons, referrers, sinceStart: () => performance.now() - start };
}

describe("the pixel page", () => {
  describe.each([
    { javaScriptEnabled: true, words: "with JavaScript" },
    { javaScriptEnabled: false, words: "without JavaScript" },
  ])("$words", ({ javaScriptEnabled }) => {
    it("tells each provider of the visit, then goes on by itself within two seconds", async () => {
      const { page, beacons, violations, sinceStart } = await open({ javaScriptEnabled }, answer);
      await page.waitForURL(`${stage.destination.origin}/pixels`);
      expect(sinceStart()).toBeLessThan(2_000);
      expect(beacons.map(({ host }) => host).sort()).toEqual(BEACON_HOSTS);
      const asked = beacons.map(({ href }) => href).join(" ");
      for (const tag of Object.values(TAGS)) expect(asked).toContain(tag);
      expect(stage.destination.at("/pixels").at(-1)).toMatchObject({ method: "GET", body: "" });
      expect(violations).toEqual([]);
      await page.context().close();
    });

    it("waits for no provider that does not answer", async () => {
      const never = () => new Promise<void>(() => {});
      const { page, beacons, sinceStart } = await open({ javaScriptEnabled }, never);
      await page.waitForURL(`${stage.destination.origin}/pixels`);
      expect(sinceStart()).toBeLessThan(2_000);
      expect(beacons).toHaveLength(BEACON_HOSTS.length);
      await page.context().close();
    });
  });

  it("tells providers the link's host and no more, and the destination nothing", async () => {
    const { page, referrers } = await open({}, answer);
    await page.waitForURL(`${stage.destination.origin}/pixels`);
    expect(referrers).toEqual(BEACON_HOSTS.map(() => `${new URL(address).origin}/`));
    expect(stage.destination.at("/pixels").at(-1)?.headers).not.toHaveProperty("referer");
    await page.context().close();
  });

  it("goes on where a blocker refuses the providers", async () => {
    const { page, sinceStart } = await open({}, (route) => route.abort("blockedbyclient"));
    await page.waitForURL(`${stage.destination.origin}/pixels`);
    expect(sinceStart()).toBeLessThan(2_000);
    await page.context().close();
  });

  it("can be used and read by everyone for the second that it stands", async () => {
    const { page, violations } = await openAccepted();
    await page.route(isForeign, answer);
    await page.route(address, async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      const still = (await response.text()).replace('content="1;', 'content="60;');
      await route.fulfill({ response, body: still });
    });
    await page.goto(address);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const audit = await auditPage(page);
      expect(audit).toMatchObject({ lang: "en", title: "One moment", headings: 1, width: 320 });
      expect(audit.smallTargets).toEqual([]);
      expect(audit.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    }
    expect(violations).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stage.destination.origin}/pixels`);
    await page.context().close();
  });
});
