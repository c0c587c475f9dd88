import { afterEach, describe, expect, it, vi } from "vitest";
import { change } from "../../support/contacts.ts";
import { createActiveDomain, DOMAINS, follow } from "../../support/domains.ts";
import { createFile } from "../../support/files.ts";
import { ORIGIN, operate, send } from "../../support/http.ts";
import {
  createPage,
  createPublished,
  HEADING,
  LINK,
  newHandle,
  PAGES,
  patchPage,
  postBlock,
  publishPage,
} from "../../support/pages.ts";
import { PERSON, postForm } from "../../support/visitor.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";

const visit = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  send(path, { method, headers: { "User-Agent": PERSON, ...headers } });
const cookieOf = ({ headers }: { headers: Headers }) =>
  headers.get("Set-Cookie")?.split(";")[0] ?? "";
const unpublish = (workspace: Workspace, id: string) =>
  workspace.send("POST", `${PAGES}/${id}/unpublish`);
const saying = (text: string, visibility: object) => ({
  type: "heading",
  settings: { text },
  visibility,
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a published page", () => {
  it("is HTML that may load nothing but its own host's pictures", async () => {
    const workspace = await createWorkspace();
    const { handle } = await createPublished(workspace, { title: "Ada's page", blocks: [HEADING] });
    const { status, headers, text } = await visit(`/@${handle}`);
    expect(status).toBe(200);
    expect(text).toContain("Ada&#39;s page");
    expect(text).toContain("New this week");
    expect(headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
    const hash = btoa(String.fromCharCode(...new Uint8Array(digest)));
    expect(headers.get("Content-Security-Policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(headers.get("Cache-Control")).toBe("private, no-cache");
    expect(headers.get("X-Robots-Tag")).toBe("noindex");
    expect(headers.get("Referrer-Policy")).toBe("strict-origin-when-cross-origin");
  });

  it("shows its files from its own host, and may be found if it says so", async () => {
    const workspace = await createWorkspace();
    const { id } = await createFile(workspace);
    const input = { profile: { avatar: id }, seo: { indexable: true }, blocks: [LINK] };
    const { handle } = await createPublished(workspace, input);
    const { headers, text } = await visit(`/@${handle}`);
    expect(headers.get("X-Robots-Tag")).toBeNull();
    const picture = /<img class="face" src="([^"]+)"/.exec(text)?.[1] ?? "";
    expect(picture).toMatch(/^\/assets\/f\//);
    expect((await visit(picture)).status).toBe(200);
  });

  it("is found in any case, with a slash behind it and with its @ escaped", async () => {
    const workspace = await createWorkspace();
    const handle = `Ada-${crypto.randomUUID().slice(0, 8)}`;
    await createPublished(workspace, { handle });
    for (const path of [`@${handle}`, `@${handle.toUpperCase()}`, `@${handle}/`, `%40${handle}`]) {
      expect([path, (await visit(`/${path}`)).status]).toEqual([path, 200]);
    }
    for (const path of [handle, `@${handle}/more`, `@${handle}//`, `@@${handle}`]) {
      expect([path, (await visit(`/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it("is not there as a draft or paused, and gone where the operator says so", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const path = `/@${page.handle}`;
    const statusOf = async () => (await visit(path)).status;
    expect(await statusOf()).toBe(404);
    await publishPage(workspace, page.id);
    expect(await statusOf()).toBe(200);
    await patchPage(workspace, page.id, { status: "paused" });
    expect(await statusOf()).toBe(404);
    await patchPage(workspace, page.id, { status: "published" });
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: true });
    const gone = await visit(path);
    expect([gone.status, gone.headers.get("Cache-Control")]).toEqual([410, "no-store"]);
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: false });
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    expect(await statusOf()).toBe(410);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    expect(await statusOf()).toBe(200);
    await unpublish(workspace, page.id);
    expect(await statusOf()).toBe(404);
  });

  it("stays switched off by the operator, whatever its workspace does", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await createActiveDomain(workspace);
    await change(workspace, "PATCH", `${DOMAINS}/${domain}`, {
      not_found_url: "https://elsewhere.example/",
    });
    const { id, handle } = await createPublished(workspace, { domain, blocks: [HEADING] });
    const status = async () => (await visit(`https://${host}/@${handle}`)).status;
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${id}`, { disabled: true });
    const paused = await patchPage(workspace, id, { status: "paused" });
    expect([paused.status, await status()]).toEqual([200, 410]);
    expect((await publishPage(workspace, id)).status).toBe(200);
    for (const move of [
      { handle: newHandle() },
      { domain: null },
      { settings: { domain_root: true } },
    ])
      expect((await patchPage(workspace, id, move)).status).toBe(409);
    expect((await unpublish(workspace, id)).status).toBe(409);
    expect((await change(workspace, "DELETE", `${PAGES}/${id}`)).status).toBe(409);
    expect((await patchPage(workspace, id, { title: "B" })).status).toBe(200);
    expect(await status()).toBe(410);
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${id}`, { disabled: false });
    expect(await status()).toBe(200);
    expect((await change(workspace, "DELETE", `${PAGES}/${id}`)).status).toBe(204);
  });

  it("is at once what was published last, and nothing of the draft", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [HEADING] });
    const path = `/@${page.handle}`;
    await postBlock(workspace, page.id, { type: "heading", settings: { text: "Still a draft" } });
    await postBlock(workspace, page.id, { ...HEADING, enabled: false });
    const before = await visit(path);
    expect(before.text).not.toContain("Still a draft");
    await publishPage(workspace, page.id);
    const after = await visit(path);
    expect(after.text).toContain("Still a draft");
    expect(after.text.match(/New this week/g)).toHaveLength(1);
    expect(after.headers.get("ETag")).not.toBe(before.headers.get("ETag"));
  });

  it("moves with its handle at once, and says so in its own links", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [LINK] });
    expect((await visit(`/@${page.handle}`)).status).toBe(200);
    const handle = newHandle();
    await patchPage(workspace, page.id, { handle, title: "Not published" });
    expect((await visit(`/@${page.handle}`)).status).toBe(404);
    const { status, text } = await visit(`/@${handle}`);
    expect(status).toBe(200);
    expect(text).toContain(`rel="canonical" href="http://localhost:8787/@${handle}"`);
    expect(text).toContain(`href="/@${handle}/go/`);
    expect(text).not.toContain("Not published");
  });

  it("stands at its domain, and at the domain's root if it is to", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const domain = await createActiveDomain(workspace);
    const page = await createPublished(workspace, { domain: domain.id, blocks: [LINK] });
    const path = `/@${page.handle}`;
    expect((await follow(domain.host, path)).status).toBe(200);
    expect((await visit(path)).status).toBe(404);
    expect((await follow(domain.host, "/")).status).toBe(404);
    await patchPage(workspace, page.id, { settings: { domain_root: true } });
    const root = await follow(domain.host, "/");
    expect(root.text).toContain(`rel="canonical" href="https://${domain.host}${path}"`);
    const go = /href="([^"]+\/go\/[^"]+)"/.exec(root.text)?.[1] ?? "";
    expect((await follow(domain.host, go)).headers.get("Location")).toBe(LINK.settings.url);
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: true });
    expect((await follow(domain.host, "/")).status).toBe(410);
  });

  it("answers 304 to who has it, HEAD without a body, and other methods with 405", async () => {
    const workspace = await createWorkspace();
    const { handle } = await createPublished(workspace);
    const path = `/@${handle}`;
    const first = await visit(path);
    const tag = first.headers.get("ETag") ?? "";
    expect(tag).toMatch(/^"[0-9a-f]+"$/);
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const again = await visit(path, { "If-None-Match": known });
      expect([known, again.status, again.text, again.headers.get("ETag")]).toEqual([
        known,
        304,
        "",
        tag,
      ]);
    }
    // What a browser keeps is guarded by what it was told last.
    const [kept, told] = [(await visit(path, { "If-None-Match": tag })).headers, first.headers];
    for (const name of ["Content-Security-Policy", "X-Frame-Options", "Referrer-Policy"]) {
      expect([name, kept.get(name)]).toEqual([name, told.get(name)]);
      expect(kept.get(name)).not.toBeNull();
    }
    for (const name of ["Cache-Control", "X-Robots-Tag"]) {
      expect([name, kept.get(name)]).toEqual([name, told.get(name)]);
    }
    expect((await visit(path, { "If-None-Match": '"x"' })).status).toBe(200);
    const head = await visit(path, {}, "HEAD");
    expect([head.status, head.text, head.headers.get("ETag")]).toEqual([200, "", tag]);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const refused = await visit(path, {}, method);
      expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
    }
  });
});

describe("a block that is not for everybody", () => {
  it("comes and goes with the second, though the page is held", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const start = Math.floor(Date.now() / 1000) * 1000 + 3000;
    const visibility = {
      starts_at: new Date(start).toISOString(),
      ends_at: new Date(start + 2000).toISOString(),
    };
    const workspace = await createWorkspace();
    const { handle } = await createPublished(workspace, {
      blocks: [saying("Flash sale", visibility)],
    });
    const tags = new Set<string | null>();
    const isThere = async (time: number) => {
      vi.setSystemTime(time);
      const { text, headers } = await visit(`/@${handle}`);
      tags.add(headers.get("ETag"));
      return text.includes("Flash sale");
    };
    expect(await isThere(start - 1)).toBe(false);
    expect(await isThere(start)).toBe(true);
    expect(await isThere(start + 1999)).toBe(true);
    expect(await isThere(start + 2000)).toBe(false);
    expect(tags.size).toBe(2);
  });

  it("is shown by country and device", async () => {
    const workspace = await createWorkspace();
    const blocks = [
      saying("For Germany", { countries: { in: ["DE"] } }),
      saying("Not for Germany", { countries: { not_in: ["DE"] } }),
      saying("For phones", { devices: ["mobile"] }),
    ];
    const { handle } = await createPublished(workspace, { blocks });
    const shown = async (headers: Record<string, string>) => {
      const { text } = await visit(`/@${handle}`, headers);
      return ["For Germany", "Not for Germany", "For phones"].filter((one) => text.includes(one));
    };
    expect(await shown({ "CF-IPCountry": "DE" })).toEqual(["For Germany"]);
    expect(await shown({ "CF-IPCountry": "FR" })).toEqual(["Not for Germany"]);
    expect(await shown({ "CF-IPCountry": "T1", "User-Agent": PHONE })).toEqual([
      "Not for Germany",
      "For phones",
    ]);
  });
});

describe("a page with a password", () => {
  it("is shown to who gives it, and kept by nobody", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, {
      settings: { password: "right" },
      blocks: [HEADING],
    });
    const path = `@${page.handle}`;
    const form = await visit(`/${path}`);
    expect([form.status, form.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    expect(form.text).toContain('type="password"');
    expect(form.text).not.toContain("New this week");
    const wrong = await postForm(path, { password: "wrong" });
    expect([wrong.status, wrong.text.includes("New this week")]).toEqual([401, false]);
    const answer = await postForm(path, { password: "right" });
    expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([303, "no-store"]);
    expect(answer.headers.get("Location")).toBe(`${ORIGIN}/${path}`);
    expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    const opened = await visit(`/${path}`, { Cookie: cookieOf(answer) });
    expect([opened.status, opened.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    expect(opened.headers.get("ETag")).toBeNull();
    expect(opened.text).toContain("New this week");
    await patchPage(workspace, page.id, { settings: { password: "other" } });
    expect((await postForm(path, { password: "right" })).status).toBe(401);
    await patchPage(workspace, page.id, { settings: { clear_password: true } });
    expect((await visit(`/${path}`)).text).toContain("New this week");
  });

  it("asks who comes for sensitive content first", async () => {
    const workspace = await createWorkspace();
    const { handle } = await createPublished(workspace, {
      settings: { sensitive_content: true },
      blocks: [HEADING],
    });
    expect((await visit(`/@${handle}`)).text).not.toContain("New this week");
    expect((await postForm(`@${handle}`, {})).text).not.toContain("New this week");
    const answer = await postForm(`@${handle}?from=mail`, { consent: "yes" });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toBe(`${ORIGIN}/@${handle}?from=mail`);
    const opened = await visit(`/@${handle}`, { Cookie: cookieOf(answer) });
    expect([opened.status, opened.text.includes("New this week")]).toEqual([200, true]);
  });

  it.each([{ password: "right" }, { sensitive_content: true }])(
    "tells who comes back from it without the cookie to allow those: %j",
    async (settings) => {
      const { handle } = await createPublished(await createWorkspace(), { settings });
      const asked = async (site: string) =>
        (await visit(`/@${handle}`, { "Sec-Fetch-Site": site })).text.includes("allow cookies");
      expect([await asked("none"), await asked("cross-site"), await asked("same-origin")]).toEqual([
        false,
        false,
        true,
      ]);
    },
  );

  it("stops a guesser as a link's does", async () => {
    const workspace = await createWorkspace();
    const { handle } = await createPublished(workspace, { settings: { password: "right" } });
    const statuses: number[] = [];
    for (let times = 0; times < 11; times++)
      statuses.push((await postForm(`@${handle}`, { password: "wrong" }, "203.0.113.77")).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });
});

describe("a page that would be too large when it is drawn", () => {
  it("is not published, and what is on line stays", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [HEADING] });
    // Each letter is five in HTML.
    const text = { type: "text", settings: { text: "'".repeat(5000) } };
    const blocks = Array(48).fill(text);
    const put = await workspace.send("PUT", `${PAGES}/${page.id}/blocks`, {
      headers: { "If-Match": "*" },
      body: { blocks },
    });
    expect(put.status).toBe(200);
    const { status, body } = await publishPage(workspace, page.id);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ["blocks"]]);
    expect((await visit(`/@${page.handle}`)).text).toContain("New this week");
  });
});
