import { describe, expect, it } from "vitest";
import { linkItem } from "../../../src/features/biolinks/pages/blocks/link-item.ts";
import { createFile } from "../../support/files.ts";
import { send } from "../../support/http.ts";
import { createPublished } from "../../support/pages.ts";
import { PERSON } from "../../support/visitor.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const visit = (path: string) => send(path, { headers: { "User-Agent": PERSON } });

/** What visitors get of a page with one block, and where a click on it leads. */
async function served(type: string, settings: object, workspace?: Workspace, more: object = {}) {
  const { handle, block_order } = await createPublished(workspace ?? (await createWorkspace()), {
    ...more,
    blocks: [{ type, settings }],
  });
  const { text } = await visit(`/@${handle}`);
  const at = (below: string) => visit(`/@${handle}/${below.replace("{block}", block_order[0])}`);
  const leadsTo = async (item = "") => (await at(`go/{block}${item}`)).headers.get("Location");
  return { main: /<main>(.*)<\/main>/s.exec(text)?.[1] ?? "", text, leadsTo };
}

describe("a block that visitors get", () => {
  it("of type link has its description, picture and badge, and stands out", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const settings = {
      label: "Shop",
      url: "https://example.com/shop",
      description: "Bowls & cups",
      thumbnail: { file, alt: "A bowl" },
      badge: "New",
      highlight: true,
    };
    const { main } = await served("link", settings, workspace);
    expect(main).toMatch(
      /<a class="link hi" [^>]+><img src="\/assets\/f\/[0-9a-f]{64}\.png" alt="A bowl" width="\d+" height="\d+"[^>]*><span><b>Shop<\/b><small>Bowls &amp; cups<\/small><small>example\.com<\/small><\/span><i>New<\/i><\/a>/,
    );
    const plain = await served("link", {
      label: "Shop",
      url: "https://example.com/",
      icon: "star",
    });
    expect(plain.main).toMatch(/<a class="link" [^>]+><svg[^>]+aria-hidden="true"/);
    expect(plain.main).not.toMatch(/<i>|<img/);
  });

  it("of type image has its caption, and leads somewhere; one that decorates is silent", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const url = "https://example.com/bowls";
    const leading = await served(
      "image",
      { image: { file, alt: "Three bowls" }, caption: "Last firing", url },
      workspace,
    );
    expect(leading.main).toMatch(
      /<a href="[^"]+\/go\/[^"]+"><img [^>]*alt="Three bowls"[^>]*><\/a>/,
    );
    expect(leading.main).toContain("<figcaption>Last firing</figcaption>");
    expect(await leading.leadsTo()).toBe(url);
    const silent = await served("image", { image: { file, decorative: true } }, workspace);
    expect(silent.main).toMatch(/<img [^>]*alt=""/);
    expect(silent.main).not.toContain("<a href");
  });

  it("of type gallery is a grid, or a strip that the keyboard moves", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const images = [
      { file, alt: "One" },
      { file, decorative: true },
    ];
    const grid = await served("gallery", { title: "Kiln", images }, workspace);
    expect(grid.main).toMatch(/<h2>Kiln<\/h2><ul class="grid"><li><img [^>]*alt="One"/);
    const strip = await served("gallery", { images, layout: "strip" }, workspace);
    expect(strip.main).toMatch(/<ul class="strip" tabindex="0">/);
  });

  it.each([
    [{}, "https://www.openstreetmap.org/search?query=Studio%2C%20Hamngatan%204"],
    [
      { latitude: 55.6, longitude: 13 },
      "https://www.openstreetmap.org/?mlat=55.6&mlon=13#map=17/55.6/13",
    ],
    [
      { map: "google", latitude: 55.6, longitude: 13 },
      "https://www.google.com/maps/search/?api=1&query=55.6%2C13",
    ],
    [{ map: "apple" }, "https://maps.apple.com/?q=Studio%2C%20Hamngatan%204"],
  ])("of type location with %j leads to %s", async (point, url) => {
    const place = { name: "Studio", address: "Hamngatan 4", hours: "Thu–Sat" };
    const { main, leadsTo } = await served("location", { ...place, ...point });
    expect(main).toContain("<h2>Studio</h2><address>Hamngatan 4</address><p>Thu–Sat</p>");
    expect(await leadsTo()).toBe(url);
  });

  it("tells a moment in the page's language and time zone, without a script too", async () => {
    const local = { language: "de", time_zone: "Asia/Tokyo" };
    const settings = { title: "Verkauf", ends_at: "2027-05-14T17:00:00Z" };
    const countdown = await served("countdown", settings, undefined, local);
    expect(countdown.main).toMatch(
      /<time [^>]*datetime="2027-05-14T17:00:00.000Z">.*15\. Mai 2027.*02:00/,
    );
    const event = { title: "Feier", starts_at: "2027-05-14T17:00:00Z" };
    const { main } = await served("event", event, undefined, local);
    expect(main).toMatch(/<time datetime="2027-05-14T17:00:00.000Z">.*15\. Mai 2027.*02:00/);
  });

  it("of type event names both zones where the clocks change meanwhile, else one", async () => {
    const local = { language: "en", time_zone: "America/New_York" };
    const hoursOf = async (starts_at: string, ends_at: string) => {
      const { main } = await served(
        "event",
        { title: "Night", starts_at, ends_at },
        undefined,
        local,
      );
      return [...main.matchAll(/<time [^>]*>([^<]*)<\/time>/g)].map(([, time = ""]) =>
        time.replace(/^.*, /, "").replaceAll("\u202f", " "),
      );
    };
    expect(await hoursOf("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z")).toEqual([
      "1:30 AM EDT",
      "1:30 AM EST",
    ]);
    expect(await hoursOf("2026-11-01T06:30:00Z", "2026-11-01T07:30:00Z")).toEqual([
      "1:30 AM",
      "2:30 AM EST",
    ]);
  });

  it("of type divider is a line, dots or room", async () => {
    for (const style of ["line", "dots", "space"]) {
      expect((await served("divider", { style })).main).toContain(`<hr class="div ${style}">`);
    }
  });

  it("of type contact_card is called, written to and followed", async () => {
    const card = {
      name: "Ada",
      phones: ["+46 40 123 (45)"],
      emails: ["ada@example.com"],
      website: "https://example.com/",
    };
    const { main, leadsTo } = await served("contact_card", card);
    expect(main).toContain('href="tel:+464012345"');
    expect(main).toContain('href="mailto:ada@example.com"');
    expect(await leadsTo()).toBe("https://example.com/");
  });

  it("of type faq and testimonials says all of it, in order", async () => {
    const items = [
      { question: "Why?", answer: "*Because*." },
      { question: "When?", answer: "[Soon](https://example.com/soon)." },
    ];
    const faq = await served("faq", { title: "Good to know", items });
    expect(faq.main).toMatch(
      /<h2>Good to know<\/h2>.*<summary>Why\?.*<em>Because<\/em>.*<summary>When\?.*>Soon<\/a>/s,
    );
    const soon = "https://example.com/soon";
    // As it stands in pages that were published before: SHA-256 of the address, its first 48 bits.
    expect(linkItem(soon)).toBe("2326d50c9f61");
    expect(await faq.leadsTo(`/${linkItem(soon)}`)).toBe(soon);
    const words = [{ quote: "Fine.", name: "Mira", role: "Baker", rating: 4 }];
    const { main } = await served("testimonials", { title: "Kind words", items: words });
    expect(main).toMatch(/<h2>Kind words<\/h2>.*<blockquote>Fine\.<.*<b>Mira<\/b><small>Baker</s);
    expect(main.match(/<p class="stars">.*?<\/p>/s)?.[0].match(/<svg/g)).toHaveLength(4);
  });
});

describe("what a person wrote in lines", () => {
  const lines = "First.\nSecond.";
  it.each([
    ["contact_card", { name: "Ada", note: lines }, ".who>p"],
    ["event", { title: "A", starts_at: "2027-05-14T17:00:00Z", description: lines }, ".when .more"],
    ["testimonials", { items: [{ quote: lines, name: "Mira" }] }, ".says blockquote"],
    ["location", { address: "Here", hours: lines }, ".place p"],
  ])("stays in lines in a block of type %s", async (type, settings, selector) => {
    const { main, text } = await served(type, settings);
    expect(main).toContain(`>${lines}</`);
    const start = text.indexOf(`${selector}{`);
    expect(text.slice(start, text.indexOf("}", start))).toContain("white-space:pre-line");
  });
});

describe("the ground of a page that visitors get", () => {
  it("is a picture of the workspace under as much colour as texts need", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const backed = async (background: object) => {
      const theme = { preset: "meadow", mode: "light", background };
      const { handle } = await createPublished(workspace, { theme });
      return (await visit(`/@${handle}`)).text;
    };
    const text = await backed({ type: "image", file });
    const src =
      /<img class="back" src="([^"]+)" width="\d+" height="\d+" alt=""/.exec(text)?.[1] ?? "";
    expect((await visit(src)).headers.get("Content-Type")).toBe("image/png");
    const veil = Number(/--veil:rgb\([\d ]+\/([\d.]+)\)/.exec(text)?.[1]);
    expect(veil).toBeGreaterThan(0.5);
    expect(veil).toBeLessThan(1);
    expect(await backed({ type: "image", file, scrim: 0.97 })).toMatch(
      /--veil:rgb\([\d ]+\/0\.97\)/,
    );
    expect(await backed({ type: "image", file, scrim: 1 })).not.toContain("--veil:rgb");
  });

  it("is a gradient of two or three stops, each mode's own where they differ", async () => {
    const workspace = await createWorkspace();
    const stops = [{ light: "#fdf6e3", dark: "#101010" }, "#808080"];
    const gradient = (more: object) => ({ type: "gradient", ...more });
    const gone = { preset: "meadow", background: gradient({ stops }) };
    const page = await createPublished(workspace);
    const path = `/api/v1/biolinks/pages/${page.id}`;
    const patch = (theme: object) =>
      workspace.send("PATCH", path, { headers: { "If-Match": "*" }, body: { theme } });
    expect((await patch(gone)).status).toBe(422);
    const each = (light: string, dark: string) => ({ light, dark });
    const three = [
      each("#fdf6e3", "#101010"),
      each("#ffffff", "#181818"),
      each("#f0f0f0", "#0c0c0c"),
    ];
    const colors = { text: each("#1b1b1b", "#f0f0f0"), muted: each("#3b3b3b", "#d0d0d0") };
    const theme = { preset: "meadow", colors, radius: 0, background: gradient({ stops: three }) };
    expect((await patch(theme)).body.errors).toBeUndefined();
    await workspace.send("POST", `${path}/publish`, { headers: { "If-Match": "*" } });
    const { text } = await visit(`/@${page.handle}`);
    expect(text).toContain("--r:0px");
    const [light = "", dark = ""] = text.split("@media(prefers-color-scheme:dark)");
    expect(light).toContain("--wash:linear-gradient(180deg,#fdf6e3,#ffffff,#f0f0f0)");
    expect(light).toContain("--ink:#1b1b1b");
    expect(dark).toContain("--wash:linear-gradient(180deg,#101010,#181818,#0c0c0c)");
    expect(dark).toContain("--ink:#f0f0f0");
  });
});
