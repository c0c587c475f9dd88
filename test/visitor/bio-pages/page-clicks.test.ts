import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { change } from "../../support/contacts.ts";
import { createActiveDomain, DOMAINS } from "../../support/domains.ts";
import { faulting, OVERLOADED } from "../../support/faulting.ts";
import { operate, send } from "../../support/http.ts";
import {
  blocksOf,
  createPublished,
  HEADING,
  LINK,
  PAGES,
  patchPage,
  publishPage,
} from "../../support/pages.ts";
import { PERSON, postForm } from "../../support/visitor.ts";
import { tick } from "../../support/work.ts";
import {
  createActiveLink,
  createWorkspace,
  LINKS,
  updateLink,
  type Workspace,
} from "../../support/workspace.ts";

const SOCIAL = {
  type: "social",
  settings: {
    items: [
      { platform: "github", url: "https://github.com/ada" },
      { platform: "mastodon", url: "https://mastodon.social/@ada" },
    ],
  },
};
const CARD = {
  type: "contact_card",
  settings: { name: "Ada Lovelace", phones: ["+44 20 7946 0000"] },
};
const EVENT = {
  type: "event",
  settings: { title: "Launch", starts_at: "2027-03-01T18:00:00Z", ends_at: "2027-03-01T20:00:00Z" },
};

const click = (path: string, method = "GET") =>
  send(path, { method, headers: { "User-Agent": PERSON } });

/** Where links lead that begin so, without that. */
function hrefsIn(text: string, beginning: string): string[] {
  const hrefs = [...text.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href);
  return hrefs.flatMap((href) => (href.startsWith(beginning) ? href.slice(beginning.length) : []));
}

/** A published page, its path, and its blocks' ids in their order. */
async function published(workspace: Workspace, input: object) {
  const page = await createPublished(workspace, input);
  const ids = (await blocksOf(workspace, page.id)).map(({ id }: { id: string }) => id);
  return { page, path: `/@${page.handle}`, ids };
}

describe("a click", () => {
  it("leads where its block does, and is kept by nobody", async () => {
    const workspace = await createWorkspace();
    const { path, ids } = await published(workspace, { blocks: [LINK, HEADING, SOCIAL] });
    const { text } = await click(path);
    expect(text).toContain(`href="${path}/go/${ids[0]}"`);
    const gone = await click(`${path}/go/${ids[0]}`);
    expect([gone.status, gone.headers.get("Location")]).toEqual([302, LINK.settings.url]);
    expect(gone.headers.get("Cache-Control")).toBe("no-store");
    const [, item] = hrefsIn(text, `${path}/go/${ids[2]}/`);
    const second = await click(`${path.toUpperCase()}/go/${ids[2]}/${item}`);
    expect(second.headers.get("Location")).toBe("https://mastodon.social/@ada");
    expect((await click(`${path}/go/${ids[0]}`, "HEAD")).status).toBe(302);
    const posted = await click(`${path}/go/${ids[0]}`, "POST");
    expect([posted.status, posted.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
    for (const below of [
      `go/${ids[1]}`,
      `go/${ids[2]}`,
      `go/${ids[2]}/2`,
      `go/${ids[2]}/constructor`,
      `go/${crypto.randomUUID()}`,
      "go/constructor",
      "go",
      `go/${ids[0]}/1/2`,
      `${ids[0]}.vcf`,
    ]) {
      expect([below, (await click(`${path}/${below}`)).status]).toEqual([below, 404]);
    }
  });

  it.each<[string, (urls: string[]) => object]>([
    ["social", (urls) => ({ items: urls.map((url) => ({ platform: "website", url })) })],
    ["text", (urls) => ({ text: urls.map((url) => `[a](${url})`).join(" ") })],
    [
      "faq",
      (urls) => ({ items: urls.map((url) => ({ question: "Where?", answer: `[a](${url})` })) }),
    ],
  ])("on a page that was opened before the next leads where it says, of a %s", async (type, of) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const workspace = await createWorkspace();
    const urls = ["one", "two", "three", "two"].map((name) => `https://${name}.example/`);
    const { page, path, ids } = await published(workspace, {
      blocks: [{ type, settings: of(urls) }],
    });
    const items = hrefsIn((await click(path)).text, `${path}/go/${ids[0]}/`);
    const locations = async () => {
      vi.setSystemTime(Date.now() + 6000);
      const all: (string | null)[] = [];
      for (const item of items)
        all.push((await click(`${path}/go/${ids[0]}/${item}`)).headers.get("Location"));
      return all;
    };
    expect(await locations()).toEqual(urls);
    const block = `${PAGES}/${page.id}/blocks/${ids[0]}`;
    await change(workspace, "PATCH", block, { settings: of(urls.slice(1)) });
    expect((await publishPage(workspace, page.id)).status).toBe(200);
    expect(await locations()).toEqual([null, ...urls.slice(1)]);
    vi.useRealTimers();
  });

  it("leads nowhere from a block that is off, hidden or not published, or a page that is", async () => {
    const workspace = await createWorkspace();
    const later = { starts_at: "2100-01-01T00:00:00Z" };
    const blocks = [LINK, { ...LINK, enabled: false }, { ...LINK, visibility: later }];
    const { page, path, ids } = await published(workspace, { blocks });
    const statuses = async () => {
      const all: number[] = [];
      for (const id of ids) all.push((await click(`${path}/go/${id}`)).status);
      return all;
    };
    expect(await statuses()).toEqual([302, 404, 404]);
    await patchPage(workspace, page.id, { status: "paused" });
    expect(await statuses()).toEqual([404, 404, 404]);
    await patchPage(workspace, page.id, { status: "published" });
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: true });
    expect((await click(`${path}/go/${ids[0]}`)).status).toBe(410);
  });

  it("carries the page's utm, which what the address says goes before", async () => {
    const workspace = await createWorkspace();
    const url = "https://example.com/shop?utm_source=own";
    const { path, ids } = await published(workspace, {
      settings: { utm: { source: "bio", medium: "page" } },
      blocks: [{ ...LINK, settings: { label: "Shop", url } }],
    });
    const { headers } = await click(`${path}/go/${ids[0]}`);
    expect(headers.get("Location")).toBe(`${url}&utm_medium=page`);
  });

  it("on a short link leads to where that is now, whose own rules hold there", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { destination: "https://secret.example/" });
    const block = { type: "link", settings: { label: "Mine", link: link.id } };
    const { path, ids } = await published(workspace, { blocks: [block] });
    const go = `${path}/go/${ids[0]}`;
    const locationOf = async () => {
      vi.setSystemTime(Date.now() + 6000);
      const { status, headers } = await click(go);
      return [status, headers.get("Location")];
    };
    expect((await click(path)).text).toContain("secret.example");
    expect(await locationOf()).toEqual([302, `http://localhost:8787/${link.slug}`]);
    const slug = `moved-${crypto.randomUUID().slice(0, 8)}`;
    await updateLink(workspace, link.id, { slug });
    expect(await locationOf()).toEqual([302, `http://localhost:8787/${slug}`]);
    await change(workspace, "DELETE", `${LINKS}/${link.id}`);
    expect(await locationOf()).toEqual([404, null]);
    vi.useRealTimers();
  });

  it("on a short link leads nowhere while that one's domain is out of service", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const domain = await createActiveDomain(workspace);
    const link = await createActiveLink(workspace, { domain: domain.id });
    const block = { type: "link", settings: { label: "Mine", link: link.id } };
    const { page, path, ids } = await published(workspace, { blocks: [block] });
    const locationOf = async () => {
      vi.setSystemTime(Date.now() + 6000);
      const { status, headers } = await click(`${path}/go/${ids[0]}`);
      return [status, headers.get("Location")];
    };
    const there = [302, `https://${domain.host}/${link.slug}`];
    const disable = (disabled: boolean) =>
      change(workspace, "PATCH", `${DOMAINS}/${domain.id}`, { disabled });
    expect(await locationOf()).toEqual(there);
    await disable(true);
    expect(await locationOf()).toEqual([404, null]);
    // Drawn meanwhile, the page has its button when the domain is back.
    await patchPage(workspace, page.id, { title: "Other" });
    await publishPage(workspace, page.id);
    await disable(false);
    expect(await locationOf()).toEqual(there);
    await env.DB.prepare("UPDATE domains SET verified = 0 WHERE id = ?").bind(domain.id).run();
    await createActiveDomain(other, domain.host);
    expect(await locationOf()).toEqual([404, null]);
    vi.useRealTimers();
  });

  it("on a short link, one of many at once, asks where it is for all of them, also where it is gone", async () => {
    const workspace = await createWorkspace();
    const links = [await createActiveLink(workspace), await createActiveLink(workspace)];
    const blocks = links.map(({ id: link }) => ({ type: "link", settings: { label: "x", link } }));
    const { path, ids } = await published(workspace, { blocks });
    await change(workspace, "DELETE", `${LINKS}/${links[1]?.id}`);
    expect((await click(path)).status).toBe(200);
    for (const [at, status] of [302, 404].entries()) {
      const slow = faulting("");
      let asked = 0;
      slow.faultOf = () => undefined;
      slow.heldBack = (sql) => {
        if (!sql.includes("isProtected")) return undefined;
        asked++;
        return scheduler.wait(100);
      };
      const go = () => send(`${path}/go/${ids[at]}`, { env: slow.env });
      const answers = await Promise.all(Array.from({ length: 20 }, go));
      expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(status));
      // One, and on a machine so busy that people lose patience a few.
      expect(asked).toBeLessThan(10);
    }
  });

  it("on a short link finds its way though who asked for it first has gone away", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const block = { type: "link", settings: { label: "Mine", link: link.id } };
    const { path, ids } = await published(workspace, { blocks: [block] });
    expect((await click(path)).status).toBe(200);
    const hanging = faulting("");
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    hanging.faultOf = () => undefined;
    hanging.heldBack = (sql) => (sql.includes("isProtected") ? held : undefined);
    const first = send(`${path}/go/${ids[0]}`, { env: hanging.env });
    expect((await click(`${path}/go/${ids[0]}`)).status).toBe(302);
    letGo();
    expect((await first).status).toBe(302);
  });

  it("on a short link is told kindly when the database is out of order", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const block = { type: "link", settings: { label: "Mine", link: link.id } };
    const { path, ids } = await published(workspace, { blocks: [block] });
    const { env } = faulting(OVERLOADED);
    expect((await click(path)).status).toBe(200);
    const { status, headers } = await send(`${path}/go/${ids[0]}`, { env });
    expect([status, headers.get("Retry-After")]).toEqual([503, expect.any(String)]);
  });

  it("shows nobody where a link with a password leads", async () => {
    const workspace = await createWorkspace();
    const destination = "https://secret.example/";
    const link = await createActiveLink(workspace, {
      destination,
      settings: { password: "right" },
    });
    const block = { type: "link", settings: { label: "Mine", link: link.id } };
    const { path } = await published(workspace, { blocks: [block] });
    expect((await click(path)).text).not.toContain("secret.example");
  });
});

describe("what is saved of a block", () => {
  it("is a contact card or an event, at the address that the page names", async () => {
    const workspace = await createWorkspace();
    const { path, ids } = await published(workspace, { blocks: [CARD, EVENT] });
    const { text } = await click(path);
    const [vcf, ics] = [`${path}/${ids[0]}.vcf`, `${path}/${ids[1]}.ics`];
    expect(text).toContain(`href="${vcf}"`);
    expect(text).toContain(`href="${ics}"`);
    const card = await click(vcf);
    expect([card.status, card.headers.get("Content-Type")]).toEqual([
      200,
      "text/vcard; charset=utf-8",
    ]);
    expect(card.headers.get("Content-Disposition")).toBe('attachment; filename="contact.vcf"');
    expect(card.text).toContain("FN:Ada Lovelace");
    const event = await click(ics);
    expect(event.headers.get("Content-Type")).toBe("text/calendar; charset=utf-8");
    expect(event.text).toContain("SUMMARY:Launch");
    expect((await click(`${path}/${ids[0]}.ics`)).status).toBe(404);
  });
});

describe("analytics", () => {
  it("count views of pages and clicks on blocks, and nothing of HEAD, prefetch or a locked door", async () => {
    const workspace = await createWorkspace();
    const { page, path, ids } = await published(workspace, { blocks: [LINK] });
    const locked = await createPublished(workspace, { settings: { password: "right" } });
    const { headers } = await click(path);
    const known = { "User-Agent": PERSON, "If-None-Match": headers.get("ETag") ?? "" };
    expect((await send(path, { headers: known })).status).toBe(304);
    await click(path, "HEAD");
    await send(path, { headers: { "User-Agent": PERSON, "Sec-Purpose": "prefetch" } });
    await click(`${path}/go/${ids[0]}`);
    await click(`/@${locked.handle}`);
    await postForm(`@${locked.handle}`, { password: "wrong" });
    const ask = async (search: string) =>
      (await workspace.send("GET", `/api/v1/biolinks/analytics?${search}`)).body.data;
    await vi.waitFor(
      async () => {
        await tick();
        // Whoever asks: of HEAD and of who fetches ahead there is no view at all.
        for (const traffic of ["human", "all"])
          expect(await ask(`group_by=page&metrics=views&traffic=${traffic}`)).toEqual([
            { page: page.id, views: 2 },
          ]);
        expect(await ask("group_by=block&metrics=clicks")).toEqual([
          { block: ids[0], block_name: "Shop", clicks: 1 },
        ]);
      },
      { timeout: 60_000, interval: 500 },
    );
  });

  it("tell of clicks what led to their page, at its handle or its domain's root", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const domain = await createActiveDomain(workspace);
    const settings = { domain_root: true };
    const { path, ids } = await published(workspace, {
      ...{ blocks: [LINK], domain: domain.id, settings },
    });
    const origin = `https://${domain.host}`;
    const go = (from: string) =>
      send(`${origin}${path}/go/${ids[0]}`, {
        headers: { "User-Agent": PERSON, Referer: `${origin}${from}` },
      });
    await send(`${origin}/?utm_source=root`, { headers: { "User-Agent": PERSON } });
    const from = ["/?utm_source=root", `${path}?utm_source=handle`, `${path}x?utm_source=no`];
    from.push(`${path}/?utm_source=handle`);
    from.push(`${path.replace("@", "%40").toUpperCase()}?utm_source=handle`);
    for (const one of from) expect((await go(one)).status).toBe(302);
    const ask = async (search: string) =>
      (await workspace.send("GET", `/api/v1/biolinks/analytics?${search}`)).body.data;
    await vi.waitFor(
      async () => {
        await tick();
        expect(await ask("group_by=utm_source,referrer&metrics=clicks")).toEqual([
          { utm_source: "handle", referrer: null, clicks: 3 },
          { utm_source: null, referrer: null, clicks: 1 },
          { utm_source: "root", referrer: null, clicks: 1 },
        ]);
      },
      { timeout: 60_000, interval: 500 },
    );
    expect(await ask("metrics=views,clicks,ctr&utm_source=root")).toEqual([
      { views: 1, clicks: 1, ctr: 1 },
    ]);
  });

  it("go on under the page's id when it is published anew", async () => {
    const workspace = await createWorkspace();
    const { page, path } = await published(workspace, { blocks: [LINK] });
    await patchPage(workspace, page.id, { title: "Another" });
    await publishPage(workspace, page.id);
    expect((await click(path)).status).toBe(200);
  });
});
