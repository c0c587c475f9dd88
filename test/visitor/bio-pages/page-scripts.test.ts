import { describe, expect, it } from "vitest";
import { findScriptOf } from "../../../src/features/biolinks/pages/page-scripts.ts";
import { send } from "../../support/http.ts";
import { createPublished, HEADING, LINK } from "../../support/pages.ts";
import { PERSON } from "../../support/visitor.ts";
import { createWorkspace } from "../../support/workspace.ts";

const EMBED = {
  type: "embed",
  settings: { url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ", title: "A bowl" },
};
const COUNTDOWN = {
  type: "countdown",
  settings: { title: "Sale", ends_at: "2031-05-14T17:00:00.000Z" },
};
const MOST_BYTES = 3 * 1024;

const visit = (path: string) => send(path, { headers: { "User-Agent": PERSON } });
const scriptsIn = (text: string) =>
  [...text.matchAll(/<script src="([^"]+)" defer><\/script>/g)].map(([, src]) => src ?? "");

async function pageWith(blocks: object[]) {
  const { handle } = await createPublished(await createWorkspace(), { blocks });
  const { text, headers } = await visit(`/@${handle}`);
  return { scripts: scriptsIn(text), policy: headers.get("Content-Security-Policy") ?? "", text };
}

async function gzipped(text: string): Promise<number> {
  const stream = new Response(text).body?.pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

describe("scripts of a page", () => {
  it("are only there where a block needs one, and from its own host", async () => {
    const plain = await pageWith([LINK, HEADING]);
    expect(plain.scripts).toEqual([]);
    expect(plain.policy).not.toContain("script-src");
    const both = await pageWith([EMBED, COUNTDOWN, EMBED]);
    // One file, whichever of them come first.
    expect(both.scripts).toEqual([
      expect.stringMatching(/^\/assets\/s\/embed-countdown\.[0-9a-f]{16}\.js$/),
    ]);
    expect((await pageWith([COUNTDOWN, EMBED])).scripts).toEqual(both.scripts);
    expect(both.policy).toContain("script-src 'self';");
    expect(both.policy).toContain("frame-src https://www.youtube-nocookie.com;");
    expect(both.text).not.toMatch(/<iframe|src="https:|<script>/);
    expect((await pageWith([COUNTDOWN])).policy).not.toContain("frame-src");
  });

  it("are files of at most 3 KB that are kept for ever", async () => {
    const scriptOf = await findScriptOf();
    const { scripts } = await pageWith([EMBED, COUNTDOWN]);
    const alone = (await pageWith([EMBED])).scripts;
    for (const path of [...scripts, ...alone, scriptOf(["turnstile", "countdown", "embed"])]) {
      const { status, headers, text } = await visit(path);
      expect(status).toBe(200);
      expect(headers.get("Content-Type")).toBe("text/javascript; charset=utf-8");
      expect(headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
      expect(await gzipped(text)).toBeLessThanOrEqual(MOST_BYTES);
      expect(text).not.toMatch(/innerHTML|document\.write|eval|https?:/);
      const head = await send(path, { method: "HEAD" });
      expect([head.status, head.text]).toEqual([200, ""]);
      expect((await send(path, { method: "POST" })).status).toBe(405);
    }
  });

  it("are there for a page that other code drew, for now; and nothing else is", async () => {
    const before = await visit("/assets/s/embed.0123456789abcdef.js");
    expect([before.status, before.headers.get("Cache-Control")]).toEqual([
      200,
      "public, max-age=60",
    ]);
    for (const path of [
      "other.0123456789abcdef.js",
      "constructor.0123456789abcdef.js",
      "countdown-embed.0123456789abcdef.js",
      "embed-.0123456789abcdef.js",
      "embed.js",
    ]) {
      expect([path, (await visit(`/assets/s/${path}`)).status]).toEqual([path, 404]);
    }
  });
});
