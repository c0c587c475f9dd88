import { env as bindings } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeSitemap } from "../../../src/features/biolinks/pages/sitemap.ts";
import type { Env } from "../../../src/platform/config.ts";
import { createActiveDomain, follow } from "../../support/domains.ts";
import { operate, send } from "../../support/http.ts";
import { listenToCosts } from "../../support/noted-statements.ts";
import {
  createPage,
  createPublished,
  HEADING,
  LINK,
  patchPage,
  postBlock,
  publishPage,
} from "../../support/pages.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const FOUND = { seo: { indexable: true }, blocks: [LINK] };
const locations = (text: string) => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, at]) => at);

afterEach(() => {
  vi.useRealTimers();
});

/** A domain of a workspace of its own, so that its sitemap holds nothing of other tests. */
async function stage() {
  const workspace = await createWorkspace({ plan: "pro" });
  const { id, host } = await createActiveDomain(workspace);
  const listed = async () => locations((await follow(host, "/sitemap.xml")).text);
  const publish = (input: object) => createPublished(workspace, { domain: id, ...FOUND, ...input });
  const at = ({ handle }: { handle: string }) => `https://${host}/@${handle}`;
  return { workspace, domain: id as string, host: host as string, listed, publish, at };
}

/** What is held of it is older than it may be. */
function later(seconds: number) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 });
}

const switchPage = (workspace: Workspace, id: string, disabled: boolean) =>
  operate("PATCH", `/workspaces/${workspace.id}/pages/${id}`, { disabled });

describe("a host's sitemap", () => {
  it("lists what is published and may be found, and nothing else", async () => {
    const { workspace, domain, host, publish, at } = await stage();
    const found = await publish({ handle: "Found-here" });
    const root = await publish({ settings: { domain_root: true } });
    await publish({ seo: { indexable: false } });
    await publish({ blocks: [] });
    await publish({ settings: { password: "open sesame" } });
    await publish({ settings: { sensitive_content: true } });
    await createPage(workspace, { domain, ...FOUND });
    const paused = await publish({});
    await patchPage(workspace, paused.id, { status: "paused" });
    const off = await publish({});
    await switchPage(workspace, off.id, true);
    const elsewhere = await createPublished(workspace, FOUND);
    const { status, text, headers } = await follow(host, "/sitemap.xml");
    expect(status).toBe(200);
    expect(locations(text).sort()).toEqual([at(root), at(found)].sort());
    expect(text).toContain(`<lastmod>${found.published_at}</lastmod>`);
    expect(headers.get("Content-Type")).toBe("application/xml; charset=utf-8");
    expect(headers.get("Cache-Control")).toBe("public, max-age=30");
    const platform = await send("/sitemap.xml");
    expect(locations(platform.text)).toContain(`http://localhost:8787/@${elsewhere.handle}`);
    expect(platform.text).not.toContain(host);
  });

  it("is as fresh as pages are: what changes is there, or gone, 30 seconds later", async () => {
    const { workspace, listed, publish, at } = await stage();
    const page = await publish({});
    expect(await listed()).toEqual([at(page)]);
    const steps: [string, () => Promise<unknown>, boolean][] = [
      ["paused", () => patchPage(workspace, page.id, { status: "paused" }), false],
      ["published again", () => patchPage(workspace, page.id, { status: "published" }), true],
      ["switched off", () => switchPage(workspace, page.id, true), false],
      ["switched on", () => switchPage(workspace, page.id, false), true],
      [
        "with a password",
        () => patchPage(workspace, page.id, { settings: { password: "open sesame" } }),
        false,
      ],
      [
        "without one",
        () => patchPage(workspace, page.id, { settings: { clear_password: true } }),
        true,
      ],
      [
        "not to be found",
        async () => {
          await patchPage(workspace, page.id, { seo: { indexable: false } });
          await publishPage(workspace, page.id);
        },
        false,
      ],
      [
        "to be found",
        async () => {
          await patchPage(workspace, page.id, { seo: { indexable: true } });
          await publishPage(workspace, page.id);
        },
        true,
      ],
      [
        "suspended",
        () => operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" }),
        false,
      ],
      ["active", () => operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" }), true],
      [
        "a draft",
        () => workspace.send("POST", `/api/v1/biolinks/pages/${page.id}/unpublish`),
        false,
      ],
    ];
    let seconds = 0;
    for (const [name, step, isThere] of steps) {
      vi.useRealTimers();
      await step();
      seconds += 31;
      later(seconds);
      expect([name, await listed()]).toEqual([name, isThere ? [at(page)] : []]);
    }
  });

  it("has no page of which all is over when it is published, and one that is yet to begin", async () => {
    const { listed, publish, at } = await stage();
    const over = { ends_at: "2026-01-01T00:00:00Z" };
    await publish({ blocks: [HEADING, { ...LINK, visibility: over }] });
    const later = { starts_at: new Date(Date.now() + 3_600_000).toISOString() };
    const coming = await publish({ blocks: [{ ...LINK, visibility: later }] });
    expect(await listed()).toEqual([at(coming)]);
  });

  it("is asked of the database once for many visitors", async () => {
    const { listed, publish, at } = await stage();
    const page = await publish({});
    expect(await listed()).toEqual([at(page)]);
    const other = await publish({});
    expect(await listed()).toEqual([at(page)]);
    later(31);
    expect((await listed()).sort()).toEqual([at(page), at(other)].sort());
  });

  it("comes in parts when it has more than a file may, each address in one of them", async () => {
    const { workspace, domain, host, publish, at } = await stage();
    const pages = [];
    for (let count = 0; count < 7; count++) {
      const page = await createPage(workspace, { domain, ...FOUND });
      await postBlock(workspace, page.id);
      await publishPage(workspace, page.id);
      pages.push(page);
    }
    const origin = `https://${host}`;
    const read = async (part: string) => {
      const limits = { file: 3, part: 2 };
      const reads: number[] = [];
      const stop = listenToCosts(({ sql, rowsRead }) => {
        // Of each part the index looks at one page.
        reads.push(sql.includes("json_each") ? rowsRead / 4 : rowsRead);
      });
      const text = await makeSitemap(bindings as Env, { host, origin, part }, limits);
      stop();
      // No more than four pages and their workspaces, wherever the part is, nor to tell where.
      expect(Math.max(...reads)).toBeLessThanOrEqual(12);
      return locations(text);
    };
    const index = (count: number) =>
      Array.from({ length: count }, (_, at) => `${origin}/sitemap.xml?part=${at + 1}`);
    // All is in the first index: the last part is ended for as long as it has more than a file may.
    expect(await read("")).toEqual(index(3));
    expect(await read("")).toEqual(index(3));
    const all = (await Promise.all(["1", "2", "3"].map(read))).flat();
    expect(all.sort()).toEqual(pages.map(at).sort());
    expect(await read("4")).toEqual([]);
    // A part that grows in the middle is ended by who reads it, and nothing is lost.
    const [first = ""] = await read("1");
    const grown = await Promise.all(
      ["a", "b"].map((end) => publish({ handle: `${first.split("/@")[1]}-${end}` })),
    );
    expect(await read("1")).toHaveLength(2);
    expect(await read("")).toEqual(index(4));
    const others = (await Promise.all(["1", "2", "3", "4"].map(read))).flat();
    expect(others.sort()).toEqual([...pages, ...grown].map(at).sort());
    // A part that has nothing left is not named: a file of no address is none.
    const gone = new Set(await read("3"));
    for (const page of [...pages, ...grown]) {
      if (gone.has(at(page))) await patchPage(workspace, page.id, { status: "paused" });
    }
    const [one, two, , four] = index(4);
    expect(await read("")).toEqual([one, two, four]);
    for (const part of ["5", "0", "999", "1000", "-1", "x"]) {
      expect((await follow(host, `/sitemap.xml?part=${part}`)).status).toBe(404);
    }
  });

  it("knows a part by its number alone, so that nobody spends a host's limit", async () => {
    const { host } = await stage();
    // Twice what a minute has room for, as another minute may begin meanwhile.
    const sent = Array.from({ length: 125 }, (_, at) =>
      follow(host, `/sitemap.xml?part=00${at % 10}`),
    );
    const answers = await Promise.all(sent);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect((await follow(host, "/sitemap.xml")).status).toBe(200);
  });

  it("is there on hosts that are ours alone, by GET and HEAD alone", async () => {
    const { host } = await stage();
    const empty = await follow(host, "/sitemap.xml");
    expect([empty.status, locations(empty.text)]).toEqual([200, []]);
    for (const path of ["/sitemap.xml", "/robots.txt"]) {
      expect((await follow("nobodys.example", path)).status).toBe(404);
      expect((await send(path, { method: "POST" })).status).toBe(405);
      const head = await send(path, { method: "HEAD" });
      expect([head.status, head.text]).toEqual([200, ""]);
    }
  });
});

describe("robots.txt", () => {
  it("names the sitemap of its host, and keeps crawlers from what is for people", async () => {
    const { host } = await stage();
    const own = (await follow(host, "/robots.txt")).text;
    expect(own).toContain(`Sitemap: https://${host}/sitemap.xml\n`);
    expect(own).toContain("Disallow: /*/go/\n");
    expect(own).not.toContain("/admin/");
    const { text, headers } = await send("/robots.txt");
    expect(text).toContain("Sitemap: http://localhost:8787/sitemap.xml\n");
    expect(text).toContain("Disallow: /api/\n");
    expect(headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  });
});
