import { describe, expect, it } from "vitest";
import { createFile } from "../../support/files.ts";
import { operate, send } from "../../support/http.ts";
import { createPage, createPublished, dataOf, LINK, postBlock } from "../../support/pages.ts";
import { createProduct } from "../../support/products.ts";
import { PERSON } from "../../support/visitor.ts";
import { createWorkspace } from "../../support/workspace.ts";

const BLOCK_TYPES = "/api/v1/biolinks/catalogue/block-types";
const SAMPLE_ID = "01930000-0000-7000-8000-000000000001";

const visit = (path: string) => send(path, { headers: { "User-Agent": PERSON } });

/** What visitors get of a page with these blocks; where the first leads, if it counts its clicks. */
async function served(...blocks: object[]) {
  const { handle, block_order } = await createPublished(await createWorkspace(), { blocks });
  const { text, headers } = await visit(`/@${handle}`);
  const click = await visit(`/@${handle}/go/${block_order[0]}`);
  return { text, headers, click, go: `/@${handle}/go/${block_order[0]}` };
}

/** What tells that a block's sample is on a page. */
const MARKS: Record<string, string> = {
  contact_card: ".vcf",
  countdown: "data-countdown",
  divider: '<hr class="div line">',
  embed: 'data-embed="https://www.youtube-nocookie.com/',
  event: ".ics",
  faq: "<summary>Can it go into the dishwasher?",
  file: " download><svg",
  form: 'name="_token" value="',
  gallery: 'alt="Cups drying on a rack"',
  heading: "<h2>New this week</h2>",
  image: 'alt="Three glazed bowls on a wooden shelf"',
  link: "<b>Shop the spring collection</b>",
  location: "<address>Hamngatan 4, 211 22 Malmö, Sweden</address>",
  messaging: "<b>Ask about a commission</b>",
  posts: "<b>Glazing day</b>",
  products: "<b>Breakfast bowl</b>",
  social: "Instagram",
  testimonials: "<blockquote>Careful work",
  text: "<strong>stoneware for everyday tables</strong>",
};

describe("a page that visitors get", () => {
  it("shows a block of every type by its sample, with files, a product and a post", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const { id: product } = await createProduct(workspace, { title: "Breakfast bowl" });
    await operate("POST", `/workspaces/${workspace.id}/events`, {
      event: "publishing.post.published",
      channel: "all",
      data: {
        id: "post_1",
        title: "Glazing day",
        url: "https://social.example/1",
        networks: ["youtube"],
        scheduled_at: null,
        published_at: null,
      },
    });
    const types: { type: string; sample: object }[] = await dataOf(
      workspace.send("GET", BLOCK_TYPES),
    );
    expect(types.map(({ type }) => type).sort()).toEqual(Object.keys(MARKS).sort());
    const blocks = types.map(({ type, sample }) => {
      const id = type === "products" ? product : file;
      return { type, settings: JSON.parse(JSON.stringify(sample).replaceAll(SAMPLE_ID, id)) };
    });
    const profile = { name: "Ada", avatar: file };
    const theme = { preset: "meadow", background: { type: "image", file } };
    const { handle } = await createPublished(workspace, { profile, theme, blocks });
    const { status, text } = await visit(`/@${handle}`);
    expect(status).toBe(200);
    const missing = Object.entries(MARKS).filter(([, mark]) => !text.includes(mark));
    expect(missing).toEqual([]);
    // Nothing moves when pictures come, and nothing foreign, no style and no script of a person's is there.
    const pictures = text.match(/<img [^>]*>/g) ?? [];
    expect(pictures.length).toBeGreaterThan(4);
    expect(pictures.filter((picture) => !/ width="\d+" height="\d+"/.test(picture))).toEqual([]);
    expect(text).not.toMatch(
      /\sstyle=|\son[a-z]+=|@font-face|@import|url\(|(?:src|srcset)="(?!\/)/,
    );
    const loading = text.match(/<(?:style|script|link|iframe)[^>]*>/g) ?? [];
    expect(loading.sort()).toEqual([
      expect.stringMatching(/^<link rel="canonical"/),
      expect.stringMatching(/^<script src="\/assets\/s\/[^"]+" defer>$/),
      '<script type="application/ld+json">',
      "<style>",
    ]);
  });

  it("has a text's Markdown, and what would be HTML or a picture as it was written", async () => {
    const text = [
      "# One\n\n## Two\n\n**bold** *slanted* `code`",
      "1. first\n\n- item\n\n> quoted\n\n---",
      "[shop](https://shop.example/a?b=c) [mail](mailto:ada@example.com) [bad](javascript:alert(1))",
      "<b onclick=alert(1)>raw</b>\n\n<script>alert(1)</script>",
      "![a picture](https://cdn.example/x.png)",
    ].join("\n\n");
    const { text: page, go } = await served({ type: "text", settings: { text } });
    const body = /<div class="text">(.*?)<\/div>/s.exec(page)?.[1] ?? "";
    const [shop, picture] = body.match(new RegExp(`(?<=href=")${go}/[^"]+`, "g")) ?? [];
    for (const mark of [
      "One</h",
      "Two</h",
      "<strong>bold</strong> <em>slanted</em> <code>code</code>",
      "<ol><li>first</li></ol>",
      "<ul><li>item</li></ul>",
      "<blockquote><p>quoted</p></blockquote>",
      "<hr>",
      `<a href="${shop}" rel="nofollow noopener ugc">shop</a>`,
      '<a href="mailto:ada@example.com" rel="nofollow noopener ugc">mail</a> bad</p>',
      "&lt;b onclick=alert(1)&gt;raw&lt;/b&gt;",
      "&lt;script&gt;alert(1)&lt;/script&gt;",
      `!<a href="${picture}" rel="nofollow noopener ugc">a picture</a>`,
    ]) {
      expect(body).toContain(mark);
    }
    expect(body).not.toMatch(/<(?!\/?(?:h[2-6]|p|strong|em|code|ol|ul|li|blockquote|hr|a|br)\b)/);
    expect(body).not.toMatch(/href="(?!\/@|mailto:)/);
    expect((await visit(shop ?? "")).headers.get("Location")).toBe("https://shop.example/a?b=c");
    expect((await visit(picture ?? "")).headers.get("Location")).toBe("https://cdn.example/x.png");
  });

  it.each([
    ["mailto:ada@example.com?subject=Hi", "mailto:ada@example.com?subject=Hi"],
    ["tel:+4940123456", "tel:+4940123456"],
  ])("leads directly to %s", async (url, href) => {
    const { text, click } = await served({ type: "link", settings: { label: "Reach me", url } });
    expect(text).toContain(`href="${href}"`);
    expect(text).not.toContain("/go/");
    expect(click.status).toBe(404);
  });

  const HELLO = "Hello & good day";
  const encoded = "Hello%20%26%20good%20day";
  it.each([
    ["whatsapp", "+4915123456789", `https://wa.me/4915123456789?text=${encoded}`],
    ["telegram", "ada_pots", `https://t.me/ada_pots?text=${encoded}`],
    ["messenger", "ada.pots", `https://m.me/ada.pots?text=${encoded}`],
  ])("opens %s with the text that a block begins with", async (channel, to, location) => {
    const settings = { channel, to, text: HELLO };
    const { text, click, go } = await served({ type: "messaging", settings });
    expect(text).toContain(`href="${go}"`);
    expect([click.status, click.headers.get("Location")]).toEqual([302, location]);
  });

  it.each([
    ["sms", "+4915123456789", `sms:+4915123456789?&amp;body=${encoded}`],
    ["email", "ada@example.com", `mailto:ada@example.com?body=${encoded}`],
  ])("hands %s to the visitor's own program, with the text", async (channel, to, href) => {
    const settings = { channel, to, text: HELLO };
    const { text, click } = await served({ type: "messaging", settings });
    expect(text).toContain(`href="${href}"`);
    expect(click.status).toBe(404);
  });

  it.each([
    ["https://vimeo.com/123", "https://player.vimeo.com"],
    ["https://open.spotify.com/track/7x", "https://open.spotify.com"],
    ["https://soundcloud.com/ada/song", "https://w.soundcloud.com"],
    ["https://www.tiktok.com/@ada/video/71", "https://www.tiktok.com"],
    ["https://youtu.be/abc", "https://www.youtube-nocookie.com"],
  ])("offers %s as a link, of which nothing is loaded before a click", async (url, origin) => {
    const { text, headers, click, go } = await served({
      type: "embed",
      settings: { url, title: "Listen" },
    });
    expect(text).toContain(`href="${go}" data-embed="${origin}/`);
    expect(text).not.toMatch(/<iframe|(?:src|srcset)="https:/);
    expect(headers.get("Content-Security-Policy")).toContain(`frame-src ${origin};`);
    expect(click.headers.get("Location")).toBe(url);
  });

  it("embeds nothing of places that it does not know", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPage(workspace);
    for (const url of [
      "https://example.com/film",
      "https://vimeo.com.evil.example/123",
      "https://www.youtube.com/@channel",
    ]) {
      const block = { type: "embed", settings: { url, title: "Listen" } };
      const { status, body } = await postBlock(workspace, id, block);
      expect([url, status, Object.keys(body.errors)]).toEqual([url, 422, ["settings.url"]]);
    }
  });

  it("of 20 links has at most 14 KB gzipped, and no script", async () => {
    const links = Array.from({ length: 20 }, (_, at) => ({
      type: "link",
      settings: {
        label: `Offer number ${at} of our long spring sale`,
        url: `https://shop-${at}.example.com/offers/${at}`,
      },
    }));
    const { text, headers } = await served(...links);
    expect(text.match(/class="link"/g)).toHaveLength(20);
    const packed = new Response(text).body?.pipeThrough(new CompressionStream("gzip"));
    // The budget is 14,000; what was reached is held.
    expect((await new Response(packed).arrayBuffer()).byteLength).toBeLessThanOrEqual(5000);
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script type="application/ld+json">']);
    expect(text).not.toMatch(/<(?:link rel="stylesheet|img|iframe)/);
    expect(headers.get("Content-Security-Policy")).not.toContain("script-src");
  });

  it("shows the host that a link leads to", async () => {
    const { text } = await served(LINK);
    expect(text).toContain("<small>example.com</small>");
  });
});
