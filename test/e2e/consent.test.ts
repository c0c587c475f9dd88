import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Choice } from "../../src/visitor/consent/consent-cookie.ts";
import { openPage } from "../support/node/browser.ts";
import { auditPage } from "../support/node/page-audit.ts";
import { createProviderApi } from "../support/node/provider-api.ts";
import { type RecordingProxy, startRecordingProxy } from "../support/node/recording-proxy.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

/** One pixel that requires consent and one that does not of each way to be told. */
const REQUIRED = ["meta", "google_ads", "ga4"] as const;
const FREE = ["linkedin", "pinterest"] as const;
const TAGS = {
  meta: "1234567890",
  google_ads: "AW-123456789",
  ga4: "G-ABCDEF12",
  linkedin: "4321",
  pinterest: "2612345678901",
};
const HOSTS = {
  meta: "www.facebook.com",
  google_ads: "googleads.g.doubleclick.net",
  linkedin: "px.ads.linkedin.com",
  pinterest: "ct.pinterest.com",
};

const GROUPS = {
  "the European Union": "DE",
  "the EEA beside it": "NO",
  "the United Kingdom": "GB",
  Switzerland: "CH",
  "nowhere known": "XX",
  Tor: "T1",
  elsewhere: "US",
};
type Group = keyof typeof GROUPS;
type Fires = "nothing" | "free" | "all";

/** What fires, by the visitor's choice and Global Privacy Control, where consent is needed and elsewhere. */
const TABLE: [Choice, hasGpc: boolean, needed: Fires, elsewhere: Fires][] = [
  ["none", false, "free", "all"],
  ["none", true, "nothing", "nothing"],
  ["yes", false, "all", "all"],
  ["yes", true, "nothing", "nothing"],
  ["no", false, "nothing", "nothing"],
  ["no", true, "nothing", "nothing"],
];

let stage: Stage;
let proxy: RecordingProxy;
/** Links by what their pixels' owner has set; each pixel of `off` is switched off. */
const SETTINGS = ["required", "free", "both", "off"] as const;
type Setting = (typeof SETTINGS)[number];
const links = new Map<Setting, string>();
/** Of every request that a visit to a link made to anybody but us and its destination. */
const figures = { visits: 0, requests: 0 };
const providers = createProviderApi().listen(0, "127.0.0.1");
const providersUrl = () => `http://127.0.0.1:${(providers.address() as AddressInfo).port}`;
const contexts = new Map<Choice, BrowserContext>();

async function addPixel(
  provider: keyof typeof TAGS,
  consent: string,
  enabled = true,
): Promise<string> {
  const token = provider === "meta" || provider === "ga4" ? { access_token: "token" } : {};
  const input = { name: provider, provider, tag: TAGS[provider], consent, enabled, ...token };
  const answer = await stage.workspace.send("POST", "/api/v1/biolinks/pixels", input);
  const { data } = (await answer.json()) as { data: { id: string } };
  return data.id;
}

/** A browser whose every request to another machine goes to the proxy, with a choice made. */
async function browse(choice: Choice): Promise<BrowserContext> {
  const context = await stage.browser.newContext({
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${stage.browser.version()} Safari/537.36`,
    proxy: { server: proxy.server, bypass: "localhost,127.0.0.1" },
    ignoreHTTPSErrors: true,
  });
  if (choice === "none") return context;
  const page = await context.newPage();
  await page.goto(`${stage.signpost.origin}/_privacy`);
  await page.getByRole("button", { name: choice === "yes" ? "Accept" : "Refuse" }).click();
  await page.getByText(choice === "yes" ? "You have accepted." : "You have refused").waitFor();
  await page.close();
  return context;
}

/** Follows a link to its end; what the proxy saw. */
async function follow(
  choice: Choice,
  country: string,
  hasGpc: boolean,
  setting: Setting = "required",
): Promise<URL[]> {
  const [context, link] = [contexts.get(choice), links.get(setting)];
  if (!context || !link) throw new Error(`Nobody chose ${choice}, or no link is ${setting}.`);
  await context.setExtraHTTPHeaders({
    "CF-IPCountry": country,
    ...(hasGpc && { "Sec-GPC": "1" }),
  });
  proxy.seen.length = 0;
  const page = await context.newPage();
  await page.goto(link, { waitUntil: "commit" });
  await page.waitForURL(`${stage.destination.origin}/*`);
  await page.waitForTimeout(100);
  await page.close();
  return [...proxy.seen];
}

interface ServerEvent {
  body: { data?: { event_id: string }[]; events?: { params: { event_id: string } }[] };
}

/** Ids of the events that the providers' servers were told of, Meta's and Google's. */
async function serverEvents(): Promise<{ meta: string[]; ga4: string[] }> {
  const told = async (tag: string): Promise<ServerEvent[]> =>
    (await fetch(`${providersUrl()}/received/${tag}`)).json() as Promise<ServerEvent[]>;
  const [meta, ga4] = await Promise.all([told(TAGS.meta), told(TAGS.ga4)]);
  return {
    meta: meta.map(({ body }) => body.data?.[0]?.event_id ?? ""),
    ga4: ga4.map(({ body }) => body.events?.[0]?.params.event_id ?? ""),
  };
}

beforeAll(async () => {
  if (!providers.listening) await once(providers, "listening");
  proxy = await startRecordingProxy();
  stage = await setStage({
    ALLOW_PRIVATE_TARGETS: "true",
    META_API_URL: `${providersUrl()}/meta`,
    GOOGLE_ANALYTICS_URL: `${providersUrl()}/ga4`,
  });
  const required = [];
  for (const provider of REQUIRED) required.push(await addPixel(provider, "required"));
  const free = [];
  for (const provider of FREE) free.push(await addPixel(provider, "not_required"));
  const off = [
    await addPixel("meta", "required", false),
    await addPixel("linkedin", "not_required", false),
  ];
  const pixels: Record<Setting, string[]> = { required, free, both: [...required, ...free], off };
  for (const setting of SETTINGS)
    links.set(setting, await stage.link(setting, { pixels: pixels[setting] }));
  for (const choice of ["none", "yes", "no"] as const) contexts.set(choice, await browse(choice));
});
afterAll(async () => {
  await stage?.stop();
  await proxy?.stop();
  providers.closeAllConnections();
  providers.close();
});

describe("the beacons that a proxy sees", () => {
  const cells = TABLE.flatMap(([choice, hasGpc, needed, elsewhere]) =>
    (Object.keys(GROUPS) as Group[]).map((group) => ({
      choice,
      hasGpc,
      group,
      fires: group === "elsewhere" ? elsewhere : needed,
    })),
  );
  const OF_REQUIRED = [HOSTS.google_ads, HOSTS.meta];
  const OF_FREE = [HOSTS.linkedin, HOSTS.pinterest];
  /** Whom a visit tells by a beacon, by what fires and what the pixels' owner has set. */
  const BEACONS: Record<Fires, Record<Setting, string[]>> = {
    nothing: { required: [], free: [], both: [], off: [] },
    free: { required: [], free: OF_FREE, both: OF_FREE, off: [] },
    all: { required: OF_REQUIRED, free: OF_FREE, both: [...OF_REQUIRED, ...OF_FREE], off: [] },
  };
  /** Of Meta's beacons, and so of the server events too. */
  const eventIds: string[] = [];

  it.each(cells)(
    "from $group, choice $choice, GPC $hasGpc: $fires",
    async ({ choice, hasGpc, group, fires }) => {
      for (const setting of SETTINGS) {
        const seen = await follow(choice, GROUPS[group], hasGpc, setting);
        figures.visits++;
        figures.requests += seen.length;
        const hosts = seen.map(({ host }) => host).sort();
        expect([setting, hosts]).toEqual([setting, [...BEACONS[fires][setting]].sort()]);
        for (const { host, searchParams } of seen) {
          if (host === HOSTS.meta) eventIds.push(searchParams.get("eid") ?? "");
        }
      }
    },
  );

  it("are what the providers' servers were told of, each once under the beacon's event id", async () => {
    const all = cells.filter(({ fires }) => fires === "all").length;
    console.log(`${cells.length} cells, ${SETTINGS.length} settings of pixels:`, figures);
    expect(figures.visits).toBe(cells.length * SETTINGS.length);
    expect(eventIds).toHaveLength(2 * all);
    expect(new Set(eventIds).size).toBe(2 * all);
    const end = Date.now() + 20_000;
    while ((await serverEvents()).ga4.length < 2 * all && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { meta, ga4 } = await serverEvents();
    expect(meta.sort()).toEqual([...eventIds].sort());
    expect(ga4.sort()).toEqual([...eventIds].sort());
  });
});

describe("before consent", () => {
  it("no request goes to anybody: not from the link, nor from the page that asks", async () => {
    contexts.set("none", await browse("none"));
    const before = await serverEvents();
    expect(await follow("none", "DE", false)).toEqual([]);
    const page = await contexts.get("none")?.newPage();
    await page?.goto(`${stage.signpost.origin}/_privacy`);
    await page?.getByText("You have not chosen.").waitFor();
    expect(proxy.seen).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(await serverEvents()).toEqual(before);
    await page?.close();
  });

  it("given, and then taken back, nothing goes out any more", async () => {
    const context = await browse("yes");
    contexts.set("none", context);
    expect(await follow("none", "FR", false)).toHaveLength(2);
    const page = await context.newPage();
    await page.goto(`${stage.signpost.origin}/_privacy`);
    await page.getByRole("button", { name: "Refuse" }).click();
    await page.getByText("You have refused").waitFor();
    await page.close();
    const cookies = await context.cookies(stage.signpost.origin);
    expect(cookies).toMatchObject([
      { name: "signpost_consent", value: "no.1", httpOnly: true, sameSite: "Lax" },
    ]);
    expect(await follow("none", "FR", false)).toEqual([]);
  });
});

describe("the page of a visitor's choice", () => {
  it("can be used and read by everyone, by keyboard too", async () => {
    const { page, violations, hosts } = await openPage(stage.browser);
    await page.goto(`${stage.signpost.origin}/_privacy`);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const audit = await auditPage(page);
      expect(audit).toMatchObject({ lang: "en", title: "Your privacy", headings: 1, width: 320 });
      expect(audit.smallTargets).toEqual([]);
      expect(audit.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    }
    const [accept, refuse] = await page.getByRole("button").all();
    const looks = (button = accept) =>
      button?.evaluate((element) => {
        const { width, height } = element.getBoundingClientRect();
        const { color, backgroundColor, fontSize, fontWeight, border } = getComputedStyle(element);
        return { width, height, color, backgroundColor, fontSize, fontWeight, border };
      });
    expect(await looks(accept)).toEqual(await looks(refuse));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("You have refused").waitFor();
    expect(violations).toEqual([]);
    expect([...hosts]).toEqual([new URL(stage.signpost.origin).host]);
    await page.context().close();
  });

  it("takes no choice from another site", async () => {
    const { page } = await openPage(stage.browser);
    const action = `${stage.signpost.origin}/_privacy`;
    await page.route(`${stage.destination.origin}/trap`, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<form method="post" action="${action}"><button name="choice" value="yes">Win</button></form>`,
      }),
    );
    await page.goto(`${stage.destination.origin}/trap`);
    await page.getByRole("button").click();
    await page.getByText("Nothing was changed").waitFor();
    expect(await page.context().cookies(stage.signpost.origin)).toEqual([]);
    await page.context().close();
  });
});
