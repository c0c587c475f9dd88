import { afterEach, describe, expect, it, vi } from "vitest";
import { createFile } from "../../support/files.ts";
import { ORIGIN, send } from "../../support/http.ts";
import { createPublished, HEADING, LINK, patchPage, publishPage } from "../../support/pages.ts";
import { PERSON } from "../../support/visitor.ts";
import { createWorkspace } from "../../support/workspace.ts";

const visit = (handle: string) => send(`/@${handle}`, { headers: { "User-Agent": PERSON } });

afterEach(() => {
  vi.useRealTimers();
});

describe("the head of a page that visitors get", () => {
  it("tells search engines and messengers whose it is", async () => {
    const workspace = await createWorkspace();
    const { id: image } = await createFile(workspace);
    const { handle } = await createPublished(workspace, {
      profile: { name: "Ada Lindqvist", tagline: "Stoneware", avatar: image },
      seo: { title: "Ada’s pots", description: "Bowls & cups", image, indexable: true },
      blocks: [
        LINK,
        {
          type: "social",
          settings: { items: [{ platform: "github", url: "https://github.com/ada" }] },
        },
      ],
    });
    const { text } = await visit(handle);
    const url = `${ORIGIN}/@${handle}`;
    const meta = (name: string) =>
      new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(text)?.[1];
    expect(text).toContain("<title>Ada’s pots</title>");
    expect(text).toContain(`<link rel="canonical" href="${url}">`);
    expect({
      description: meta("description"),
      type: meta("og:type"),
      title: meta("og:title"),
      url: meta("og:url"),
      told: meta("og:description"),
      image: meta("og:image"),
      card: meta("twitter:card"),
    }).toEqual({
      description: "Bowls &amp; cups",
      type: "profile",
      title: "Ada’s pots",
      url,
      told: "Bowls &amp; cups",
      image: expect.stringMatching(`^${ORIGIN}/assets/f/[0-9a-f]{64}\\.png$`),
      card: "summary_large_image",
    });
    const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)?.[1] ?? "{}";
    expect(JSON.parse(data)).toEqual({
      "@context": "https://schema.org",
      "@type": "ProfilePage",
      url,
      name: "Ada’s pots",
      mainEntity: {
        "@type": "Person",
        name: "Ada Lindqvist",
        url,
        description: "Bowls & cups",
        image: meta("og:image"),
        sameAs: ["https://github.com/ada"],
      },
    });
  });

  it("asks not to be found while the page is empty, though it says that it may be", async () => {
    const workspace = await createWorkspace();
    const seo = { indexable: true };
    const empty = await createPublished(workspace, { seo, blocks: [HEADING] });
    const before = await visit(empty.handle);
    expect(before.headers.get("X-Robots-Tag")).toBe("noindex");
    expect(before.text).toContain('<meta name="robots" content="noindex">');
    const { handle } = await createPublished(workspace, { seo, blocks: [HEADING, LINK] });
    const filled = await visit(handle);
    expect(filled.headers.get("X-Robots-Tag")).toBeNull();
    expect(filled.text).not.toContain("noindex");
  });

  it("asks not to be found while all that it shows is yet to come, or over", async () => {
    const workspace = await createWorkspace();
    const hour = 3_600_000;
    const at = (time: number) => new Date(time).toISOString();
    const from = Date.now() + hour;
    const during = { starts_at: at(from), ends_at: at(from + hour) };
    const blocks = [HEADING, { ...LINK, visibility: during }];
    const { handle } = await createPublished(workspace, { seo: { indexable: true }, blocks });
    const robotsAt = async (time: number) => {
      vi.useFakeTimers({ toFake: ["Date"], now: time });
      const { status, headers, text } = await visit(handle);
      expect([status, text.includes(LINK.settings.label)]).toEqual([
        200,
        time >= from && time < from + hour,
      ]);
      return headers.get("X-Robots-Tag");
    };
    expect(await robotsAt(from - 1)).toBe("noindex");
    expect(await robotsAt(from)).toBeNull();
    expect(await robotsAt(from + hour)).toBe("noindex");
  });

  it.each([
    ["is shown always", [LINK, { ...LINK, visibility: { ends_at: "2026-01-01T00:00:00Z" } }]],
    ["is shown elsewhere only", [{ ...LINK, visibility: { countries: { in: ["NZ"] } } }]],
  ])("may be found while something of it %s", async (_name, blocks) => {
    const workspace = await createWorkspace();
    const { handle } = await createPublished(workspace, { seo: { indexable: true }, blocks });
    expect((await visit(handle)).headers.get("X-Robots-Tag")).toBeNull();
  });

  it("has the theme that was chosen, each choice of it", async () => {
    const workspace = await createWorkspace();
    const theme = {
      preset: "meadow",
      mode: "light",
      colors: { background: "#fdf6e3", text: "#1b1b1b" },
      background: { type: "gradient", stops: ["#fdf6e3", "#ffffff"], angle: 45 },
      button: "outline",
      radius: 7,
      font: "mono",
      align: "start",
      density: "spacious",
    };
    const page = await createPublished(workspace, { theme, blocks: [LINK] });
    const styleOf = async () =>
      /<style>(.*?)<\/style>/s.exec((await visit(page.handle)).text)?.[1] ?? "";
    const chosen = await styleOf();
    for (const rule of [
      "color-scheme:light;",
      "--r:7px",
      "--gap:1.125rem;--tall:4rem",
      "--font:ui-monospace",
      "--bg:#fdf6e3",
      "--ink:#1b1b1b",
      "--wash:linear-gradient(45deg,#fdf6e3,#ffffff)",
    ]) {
      expect(chosen).toContain(rule);
    }
    expect(chosen).not.toContain("prefers-color-scheme");
    const others = [
      { mode: "dark", colors: undefined, background: undefined },
      { button: "fill" },
      { button: "soft" },
      { radius: 32 },
      { font: "serif" },
      { align: "center" },
      { density: "compact" },
      { background: { type: "color" } },
    ];
    const styles = new Set([chosen]);
    for (const other of others) {
      expect((await patchPage(workspace, page.id, { theme: { ...theme, ...other } })).status).toBe(
        200,
      );
      await publishPage(workspace, page.id);
      styles.add(await styleOf());
    }
    expect(styles.size).toBe(others.length + 1);
  });
});
