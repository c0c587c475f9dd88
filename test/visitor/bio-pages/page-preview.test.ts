import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { change } from "../../support/contacts.ts";
import { createActiveDomain, DOMAINS } from "../../support/domains.ts";
import { operate, send } from "../../support/http.ts";
import {
  createPage,
  createPublished,
  dataOf,
  HEADING,
  LINK,
  PAGES,
  patchPage,
  postBlock,
} from "../../support/pages.ts";
import { untilEarlyInMinute } from "../../support/rate-limits.ts";
import { createActiveLink, createWorkspace, type Workspace } from "../../support/workspace.ts";

const HOUR = 3_600_000;
const previewOf = async (workspace: Workspace, id: string): Promise<string> =>
  (await dataOf(workspace.send("POST", `${PAGES}/${id}/preview`))).url;

afterEach(() => {
  vi.useRealTimers();
});

describe("a preview", () => {
  it("shows the draft as it is when it is opened, and is found and kept by nobody", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace, {
      seo: { indexable: true },
      settings: { password: "right" },
      blocks: [HEADING],
    });
    const url = await previewOf(workspace, page.id);
    await postBlock(workspace, page.id, { type: "heading", settings: { text: "Just now" } });
    const { status, headers, text } = await send(url);
    expect(status).toBe(200);
    expect(text).toContain("New this week");
    expect(text).toContain("Just now");
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(headers.get("X-Robots-Tag")).toBe("noindex");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("ETag")).toBeNull();
    const head = await send(url, { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect((await send(url, { method: "POST" })).status).toBe(405);
    expect((await send(`/@${page.handle}`)).status).toBe(404);
  });

  it("has links and files of the draft, of a page that was never published, counted as nothing", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const page = await createPage(workspace, {
      settings: { utm: { source: "page" } },
      blocks: [
        LINK,
        { type: "link", settings: { label: "Short", link: link.id } },
        { type: "contact_card", settings: { name: "Ada Lovelace" } },
      ],
    });
    const url = await previewOf(workspace, page.id);
    const { text } = await send(url);
    const [web = "", short = ""] = [...text.matchAll(/href="([^"]+\/go\/[^"]+)"/g)].map(
      ([, href]) => href ?? "",
    );
    const at = async (path: string) => (await send(path)).headers.get("Location");
    expect(web).toMatch(new RegExp(`^/@${page.handle}/preview/[\\w-]{48}/go/`));
    expect(await at(web)).toBe(`${LINK.settings.url}?utm_source=page`);
    expect(await at(short)).toBe(`http://localhost:8787/${link.slug}`);
    const card = /href="([^"]+\.vcf)"/.exec(text)?.[1] ?? "";
    expect((await send(card)).text).toContain("FN:Ada Lovelace");
    for (const path of [`${web}x`, web.replace(/go\/.*/, "go/"), `${url}/more`, `${url}/go/1`]) {
      expect([path, (await send(path)).status]).toEqual([path, 404]);
    }
    const foreign = web.replace(/preview\/[\w-]{4}/, "preview/AAAA");
    expect((await send(foreign)).status).toBe(404);
    expect((await send(web, { method: "POST" })).status).toBe(405);
  });

  it("opens at its own host and handle alone, where it cannot pass for somebody else's", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const other = await createPublished(await createWorkspace());
    const url = await previewOf(workspace, page.id);
    const token = url.slice(url.lastIndexOf("/") + 1);
    const statusAt = async (host: string, handle: string) =>
      (await send(`https://${host}/@${handle}/preview/${token}`)).status;
    const { host } = new URL(url);
    expect(await statusAt(host, page.handle)).toBe(200);
    expect(await statusAt(host, page.handle.toUpperCase())).toBe(200);
    expect(await statusAt(host, other.handle)).toBe(404);
    expect(await statusAt("unknown.example", page.handle)).toBe(404);
  });

  it("opens nowhere while its domain is out of service, whose host may be another's by now", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const domain = await createActiveDomain(workspace);
    const page = await createPage(workspace, { domain: domain.id, blocks: [LINK] });
    const url = await previewOf(workspace, page.id);
    const go = /href="([^"]+\/go\/[^"]+)"/.exec((await send(url)).text)?.[1] ?? "";
    const disable = (disabled: boolean) =>
      change(workspace, "PATCH", `${DOMAINS}/${domain.id}`, { disabled });
    const statuses = async () => [
      (await send(url)).status,
      (await send(new URL(go, url).href)).status,
      (await workspace.send("POST", `${PAGES}/${page.id}/preview`)).status,
    ];
    expect(new URL(url).host).toBe(domain.host);
    expect(await statuses()).toEqual([200, 302, 200]);
    await disable(true);
    expect(await statuses()).toEqual([404, 404, 409]);
    await disable(false);
    expect(await statuses()).toEqual([200, 302, 200]);
    // As the daily check leaves it behind.
    await env.DB.prepare("UPDATE domains SET verified = 0 WHERE id = ?").bind(domain.id).run();
    await createActiveDomain(other, domain.host);
    expect(await statuses()).toEqual([404, 404, 409]);
  });

  it("leads nowhere from a short link whose domain is out of service", async () => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    const { id: link } = await createActiveLink(workspace, { domain: domain.id });
    const page = await createPage(workspace, {
      blocks: [{ type: "link", settings: { label: "Short", link } }],
    });
    const url = await previewOf(workspace, page.id);
    const go = /href="([^"]+\/go\/[^"]+)"/.exec((await send(url)).text)?.[1] ?? "";
    expect((await send(go)).status).toBe(302);
    await env.DB.prepare("UPDATE domains SET verified = 0 WHERE id = ?").bind(domain.id).run();
    expect((await send(go)).status).toBe(404);
  });

  it("is drawn sixty times a minute, however many have the address", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const url = await previewOf(workspace, page.id);
    await untilEarlyInMinute();
    const statuses = new Set<number>();
    for (let times = 0; times < 121; times++) statuses.add((await send(url)).status);
    expect([...statuses]).toEqual([200, 429]);
  });

  it("opens for an hour, with the very token, while the page is there", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const url = await previewOf(workspace, page.id);
    const statusOf = async (one = url) => (await send(one)).status;
    const last = url.at(-1) === "A" ? "Q" : "A";
    expect(await statusOf(url.slice(0, -1) + last)).toBe(404);
    expect(await statusOf(`/@${page.handle}/preview/x`)).toBe(404);
    await patchPage(workspace, page.id, { title: "B" });
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: true });
    expect(await statusOf()).toBe(410);
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: false });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR - 5000 });
    expect(await statusOf()).toBe(200);
    vi.setSystemTime(Date.now() + 10_000);
    expect(await statusOf()).toBe(404);
    vi.useRealTimers();
    await change(workspace, "DELETE", `${PAGES}/${page.id}`);
    expect(await statusOf()).toBe(404);
  });
});
