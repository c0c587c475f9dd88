import { describe, expect, it } from "vitest";
import { BLOCK_TYPES } from "../../../../src/features/biolinks/pages/blocks/block-types.ts";
import { contactCardFile } from "../../../../src/features/biolinks/pages/blocks/contact-card-file.ts";
import { embedOf } from "../../../../src/features/biolinks/pages/blocks/embed-providers.ts";
import { eventFile } from "../../../../src/features/biolinks/pages/blocks/event-file.ts";
import { honeypotName } from "../../../../src/features/biolinks/pages/blocks/form-names.ts";
import type { PageBlock } from "../../../../src/features/biolinks/pages/view/page-document.ts";
import { renderPage } from "../../../../src/features/biolinks/pages/view/render-page.ts";
import { joinParts } from "../../../../src/visitor/bio-pages/page-parts.ts";
import {
  blockId,
  blockOf,
  documentOf,
  everyBlock,
  FILE_ID,
  surroundingsOf,
} from "../../../support/page-documents.ts";

const AUDIENCE = { now: 0, country: null, device: "mobile" as const };
async function htmlOf(blocks: PageBlock[], changes = {}, around = surroundingsOf()) {
  const page = await renderPage(documentOf(blocks, changes), around);
  return { ...page, html: joinParts(page.parts, AUDIENCE, (id) => `token-of-${id}`) };
}
const LOOKS = [
  ...["grid", "strip", "list"].map((layout) => ({ layout })),
  ...["line", "dots", "space"].map((style) => ({ style })),
];

/** The classes that a block has on its page, in each of its looks. */
async function classesOf(block: PageBlock): Promise<Set<string>> {
  const type = BLOCK_TYPES.find(({ type }) => type === block.type);
  const all = [block.settings, ...LOOKS.map((look) => ({ ...block.settings, ...look }))];
  const taken = all.filter((settings) => type?.settings.safeParse(settings).success);
  const pages = await Promise.all(taken.map((settings) => htmlOf([{ ...block, settings }])));
  const named = pages.flatMap(({ html }) => [...html.matchAll(/ class="([^"]*)"/g)]);
  return new Set(named.flatMap(([, names = ""]) => names.split(" ")));
}

/** What the rules of a block are about. */
function selectorsOf(css: string): string[] {
  const selectors = css.replace(/\{[^{}]*\}/g, "{}").split(/[{},]+/);
  return selectors
    .map((selector) => selector.trim().replace(/^\[dir=rtl\] /, ""))
    .filter((selector) => selector && !selector.startsWith("@"));
}

/** What a rule begins with: `a.item` of `a.item:hover b`. What follows lies within, or beside it. */
function beginningOf(selector: string): string {
  return /^[^\s>+~]+/.exec(selector)?.[0] ?? selector;
}

const link = (index: number, url = `https://shop-${index}.example.com/offers/${index}`) =>
  blockOf("link", { label: `Offer number ${index} of our long spring sale`, url }, index);

async function gzippedBytes(text: string): Promise<number> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).arrayBuffer()).byteLength;
}

describe("A page", () => {
  it("of 20 links is at most 14 KB of HTML and CSS gzipped, without a script", async () => {
    const { html, scripts } = await htmlOf(Array.from({ length: 20 }, (_, index) => link(index)));
    // The budget is 14,000; what was reached is held.
    expect(await gzippedBytes(html)).toBeLessThanOrEqual(5000);
    expect(scripts).toEqual([]);
    expect(html.match(/<script/g)).toHaveLength(1);
  });

  it("of every block is at most 20 KB", async () => {
    expect(await gzippedBytes((await htmlOf(everyBlock())).html)).toBeLessThanOrEqual(20_000);
  });

  it("has the same bytes each time, and the hash of its one style sheet", async () => {
    const [one, other] = [await htmlOf(everyBlock()), await htmlOf(everyBlock())];
    expect(one).toEqual(other);
    const style = /<style>(.*?)<\/style>/s.exec(one.html)?.[1] ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
    expect(one.styleHash).toBe(`'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`);
    expect(one.html).not.toContain("style=");
  });

  it("has only the rules of the blocks that are on it", async () => {
    const { html } = await htmlOf([blockOf("heading", { text: "Hello" })]);
    expect(html).not.toContain(".link{");
    expect((await htmlOf([link(1)])).html).toContain(".link{");
  });

  /** Classes that a block has on purpose though another's rules are about them. */
  const SHARED: Record<string, string[]> = {
    faq: ["text"],
    messaging: ["link"],
    // The link below an opened embed; its rule changes nothing of an event's paragraph.
    event: ["more"],
  };

  it("has no block that another block's rules change", async () => {
    const rules = BLOCK_TYPES.map(({ type, css = "" }) => ({
      type,
      begin: selectorsOf(css).map(beginningOf),
    }));
    for (const { type, begin } of rules)
      for (const beginning of begin) expect(beginning, type).toMatch(/^[a-z]*\.[a-z]/);
    const taken: string[] = [];
    for (const block of everyBlock()) {
      const classes = await classesOf(block);
      for (const { type, begin } of rules)
        for (const [name] of begin.flatMap((of) => [...of.matchAll(/(?<=\.)[a-z][\w-]*/g)]))
          if (type !== block.type && classes.has(name) && !SHARED[block.type]?.includes(name))
            taken.push(`${block.type} has .${name} of ${type}`);
    }
    expect(taken).toEqual([]);
  });

  it("has no rule about what stands beside a block", async () => {
    const beside = BLOCK_TYPES.flatMap(({ css = "" }) =>
      selectorsOf(css).filter((selector) => /^[^\s>+~]+\s*[+~]/.test(selector)),
    );
    // Both of these lie in the form's block.
    expect(beside).toEqual([".sent:target+form"]);
  });

  it("tells search engines and messengers what it is", async () => {
    const image = { title: "Ada’s pots", description: "Bowls", image: FILE_ID, indexable: true };
    const { html, noindex } = await htmlOf([link(1)], { seo: image });
    expect(noindex).toBe(false);
    for (const told of [
      "<title>Ada’s pots</title>",
      '<meta name="description" content="Bowls">',
      '<link rel="canonical" href="https://signpost.example/@ada">',
      '<meta property="og:image" content="https://signpost.example/assets/f/picture.png">',
      '<meta name="twitter:card" content="summary_large_image">',
    ]) {
      expect(html).toContain(told);
    }
    expect(html).not.toContain("noindex");
  });

  it.each<[string, PageBlock[], object, object]>([
    [
      "it is not to be",
      [link(1)],
      { seo: { title: null, description: null, image: null, indexable: false } },
      {},
    ],
    ["it is empty", [], {}, {}],
    ["it has headings only", [blockOf("heading", { text: "Soon" })], {}, {}],
    ["what it shows is gone", [blockOf("file", { file: blockId(9), label: "x" })], {}, {}],
    ["it is a preview", [link(1)], {}, { isPreview: true }],
  ])("is found by nobody while %s", async (_name, blocks, changes, around) => {
    const page = await htmlOf(blocks, changes, surroundingsOf(undefined, around));
    expect(page.noindex).toBe(true);
    expect(page.html).toContain('<meta name="robots" content="noindex">');
  });

  it("has JSON-LD of its profile and of its products, prices in each currency's decimals", async () => {
    const products = ["EUR", "JPY", "KWD"].map((currency, index) => ({
      id: blockId(index),
      title: currency,
      description: null,
      url: null,
      image: null,
      price: { amount: 12_345, currency },
      sale_price: null,
      availability: "in_stock" as const,
      brand: null,
    }));
    const around = surroundingsOf(undefined, {
      products: new Map(products.map((product) => [product.id, product])),
    });
    const shop = blockOf("products", { products: products.map(({ id }) => id) });
    const social = everyBlock().filter(({ type }) => type === "social");
    const { html } = await htmlOf([shop, ...social], {}, around);
    const data = JSON.parse(/ld\+json">(.*?)<\/script>/.exec(html)?.[1] ?? "");
    const [profile, ...things] = data["@graph"];
    expect(profile).toMatchObject({
      "@type": "ProfilePage",
      mainEntity: { name: "Ada Lindqvist" },
    });
    expect(profile.mainEntity.sameAs).toContain("https://www.instagram.com/example");
    expect(things.map((thing: { offers: { price: string } }) => thing.offers.price)).toEqual([
      "123.45",
      "12345",
      "12.345",
    ]);
  });

  it("tells nobody of a block that is not for everybody, and cuts it out whole", async () => {
    const visibility = { starts_at: 1000 };
    const shop = { ...blockOf("products", { products: [FILE_ID] }), visibility };
    const form = {
      ...everyBlock().filter(({ type }) => type === "form")[0],
      visibility,
    } as PageBlock;
    const page = await renderPage(documentOf([link(1), shop, form, link(2)]), surroundingsOf());
    const at = (now: number) => joinParts(page.parts, { ...AUDIENCE, now }, () => "the-token");
    expect(at(999)).not.toContain("Breakfast bowl");
    expect(at(999)).not.toContain("the-token");
    expect(at(1000)).toContain("Breakfast bowl");
    expect(at(1000)).toContain('name="_token" value="the-token"');
    expect(at(999)).toContain("Offer number 2");
  });

  it("is read from right to left where its language is", async () => {
    expect((await htmlOf([], { language: "ar-EG" })).html).toContain(
      '<html lang="ar-EG" dir="rtl">',
    );
    expect((await htmlOf([], { language: "de" })).html).toContain(">Datenschutz</a>");
  });

  it("is drawn whatever its language and its ids stand for", async () => {
    const bare = surroundingsOf(undefined, {
      files: new Map(),
      links: new Map(),
      products: new Map(),
      posts: [],
    });
    for (const language of ["en", "zh-Hant-TW", "x-klingon", "xx", "de-DE-u-co-phonebk"]) {
      expect((await htmlOf(everyBlock(), { language }, bare)).html).toContain("<h1>");
    }
  });
});

describe("Clicks", () => {
  it("on what leads to the web go through the page's address, others do not", async () => {
    const { html, destinations } = await htmlOf([
      link(1, "https://example.com/a?b=c&d"),
      link(2, "mailto:ada@example.com"),
      blockOf("link", { label: "Short", link: FILE_ID }, 3),
      ...everyBlock().filter(({ type }) => type === "social"),
    ]);
    expect(destinations[blockId(1)]).toEqual({ "": "https://example.com/a?b=c&d" });
    expect(destinations[blockId(2)]).toBeUndefined();
    expect(destinations[blockId(3)]).toEqual({ "": "https://go.example.com/spring" });
    expect(html).toContain(`href="/@ada/go/${blockId(1)}"`);
    expect(html).toContain('href="mailto:ada@example.com"');
    const led = Object.values(destinations).flatMap((places) => Object.values(places));
    expect(led).toContain("https://www.tiktok.com/@example");
    expect(html).not.toMatch(/<a[^>]+href="https?:/);
  });

  it("on every block lead to an item that the page knows", async () => {
    const { html, destinations } = await htmlOf(everyBlock());
    const clicks = [...html.matchAll(/href="\/@ada\/go\/([^"/]+)(?:\/([^"]+))?"/g)];
    expect(clicks.length).toBeGreaterThan(10);
    for (const [, block = "", item = ""] of clicks)
      expect(destinations[block]?.[item]).toBeTruthy();
  });

  it("show where they lead", async () => {
    expect((await htmlOf([link(1)])).html).toContain("<small>shop-1.example.com</small>");
  });
});

describe("Every block type", () => {
  it.each(BLOCK_TYPES.map((type) => [type.type, type] as const))(
    "%s has a sample that its schema takes, again as stored, and refuses unknown fields",
    (_name, type) => {
      const once = type.settings.parse(type.sample);
      expect(type.settings.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
      expect(type.settings.safeParse({ ...type.sample, unknown: 1 }).success).toBe(false);
    },
  );

  it.each(BLOCK_TYPES.map((type) => [type.type, type] as const))(
    "%s names each id that stands in it",
    (_name, type) => {
      const ids = JSON.stringify(type.sample).match(/01930000-[0-9a-f-]{27}/g) ?? [];
      const names = type.names(type.sample);
      expect(names.filter(({ kind }) => kind !== "posts").map(({ id }) => id)).toEqual(ids);
    },
  );
});

describe("What is embedded", () => {
  const cases: [string, string | undefined][] = [
    [
      "https://www.youtube.com/watch?v=abc-_123&t=9",
      "https://www.youtube-nocookie.com/embed/abc-_123?autoplay=1",
    ],
    ["https://youtu.be/abc", "https://www.youtube-nocookie.com/embed/abc?autoplay=1"],
    ["https://m.youtube.com/shorts/abc", "https://www.youtube-nocookie.com/embed/abc?autoplay=1"],
    ["https://vimeo.com/123", "https://player.vimeo.com/video/123?dnt=1&autoplay=1"],
    [
      "https://vimeo.com/123/abcdef",
      "https://player.vimeo.com/video/123?h=abcdef&dnt=1&autoplay=1",
    ],
    ["https://open.spotify.com/intl-de/track/7x", "https://open.spotify.com/embed/track/7x"],
    ["https://www.tiktok.com/@a/video/71", "https://www.tiktok.com/player/v1/71"],
    [
      "https://soundcloud.com/a/b",
      "https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fa%2Fb&auto_play=true",
    ],
    ["https://www.youtube.com/@channel", undefined],
    ["https://youtube.com.evil.example/watch?v=abc", undefined],
    ["https://evil.example/youtube.com/watch?v=abc", undefined],
    ["https://www.youtube.com/watch?v=a%22onload", undefined],
    ["https://youtube.com:8443/watch?v=abc", undefined],
    ["https://vimeo.com/channels", undefined],
    ["javascript://youtube.com/watch?v=abc", undefined],
  ];
  it.each(cases)("%s", (address, frame) => {
    expect(embedOf(address)?.frame).toBe(frame);
  });
});

describe("A form", () => {
  const form = everyBlock().find(({ type }) => type === "form") as PageBlock;
  it("never names its honeypot like a field, whatever the fields are", () => {
    const names = new Set(
      Array.from({ length: 500 }, (_, index) => honeypotName(blockId(index), [])),
    );
    expect(names.size).toBeGreaterThan(10);
    const taken: string[] = [];
    for (let count = 0; count < 20; count++) taken.push(honeypotName(form.id, taken));
    expect(new Set(taken).size).toBe(20);
    expect(taken).not.toContain(honeypotName(form.id, taken));
  });

  it("never ticks a consent, not even when it is shown again", async () => {
    const values = { news: "yes", name: "Tom" };
    const around = surroundingsOf(undefined, {
      form: { blockId: form.id, values, errors: { email: "Is missing." } },
    });
    const { html } = await htmlOf([form], {}, around);
    expect(html).toContain('value="Tom"');
    expect(html).toContain('aria-invalid="true"');
    expect(html).toMatch(/role="alert".*href="#f-[^"]+-email">Email</);
    expect(html).not.toMatch(/<input[^>]* checked/);
  });

  const settings = form.settings as { fields: object[] };
  const refused: [string, object][] = [
    ["no field", { fields: [] }],
    [
      "21 fields",
      { fields: Array.from({ length: 21 }, (_, n) => ({ id: `f${n}`, type: "text", label: "x" })) },
    ],
    ["an id twice", { fields: [settings.fields[0], settings.fields[0]], contact: undefined }],
    ["an id like the token's", { fields: [{ id: "_token", type: "text", label: "x" }] }],
    [
      "a select without options",
      { fields: [{ id: "a", type: "select", label: "x" }], contact: undefined },
    ],
    [
      "options of a text",
      { fields: [{ id: "a", type: "text", label: "x", options: ["y"] }], contact: undefined },
    ],
    ["neither message nor redirect", { success: {} }],
    ["both", { success: { message: "x", redirect: "https://example.com" } }],
    ["an http redirect", { success: { redirect: "http://example.com" } }],
    ["a contact of a field that is not there", { contact: { map: { email: "mail" } } }],
    ["731 days", { retention_days: 731 }],
    ["0 days", { retention_days: 0 }],
  ];
  it.each(refused)("with %s is refused", (_name, changes) => {
    const type = BLOCK_TYPES.find((one) => one.type === "form");
    expect(type?.settings.safeParse({ ...settings, ...changes }).success).toBe(false);
  });
});

it("A contact card is folded at 75 bytes, never within a character", () => {
  const file = contactCardFile({ name: "Ada; Lovelace, née Byron", note: "ü€😀".repeat(60) });
  const lines = file.split("\r\n");
  expect(
    Math.max(...lines.map((line) => new TextEncoder().encode(line).length)),
  ).toBeLessThanOrEqual(75);
  expect(file.replaceAll("\r\n ", "")).toContain(`NOTE:${"ü€😀".repeat(60)}`);
  expect(file).toContain("FN:Ada\\; Lovelace\\, née Byron");
});

it("An event is a calendar's file: its times in UTC, its texts escaped, its lines folded", () => {
  const event = {
    title: "Kiln; opening, with cake",
    starts_at: "2027-05-14T17:00:00.000Z",
    ends_at: "2027-05-14T20:00:00.000Z",
    description: "Line one\nLine two\r\nBEGIN:VEVENT",
    location: { name: "Studio", address: "Hamngatan 4, Malmö" },
  };
  const stampedAt = "2026-11-23T01:02:03.000Z";
  const lines = eventFile(event, { uid: "block@signpost.example", stampedAt }).split("\r\n");
  expect(lines).toContain("DTSTART:20270514T170000Z");
  expect(lines).toContain("DTEND:20270514T200000Z");
  expect(lines).toContain("DTSTAMP:20261123T010203Z");
  expect(lines).toContain("SUMMARY:Kiln\\; opening\\, with cake");
  expect(lines).toContain("DESCRIPTION:Line one\\nLine two\\nBEGIN:VEVENT");
  expect(lines).toContain("LOCATION:Studio\\, Hamngatan 4\\, Malmö");
  expect(lines.filter((line) => line === "BEGIN:VEVENT")).toHaveLength(1);
});
