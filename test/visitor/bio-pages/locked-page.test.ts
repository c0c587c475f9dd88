import { afterEach, describe, expect, it, vi } from "vitest";
import { createActiveDomain, follow } from "../../support/domains.ts";
import { operate, send } from "../../support/http.ts";
import { listenToCosts } from "../../support/noted-statements.ts";
import { blocksOf, createPublished, LINK, patchPage } from "../../support/pages.ts";
import { PERSON, postForm } from "../../support/visitor.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const CARD = { type: "contact_card", settings: { name: "Ada Lovelace" } };
const EVENT = {
  type: "event",
  settings: { title: "Launch", starts_at: "2027-03-01T18:00:00Z", ends_at: "2027-03-01T20:00:00Z" },
};

const get = (path: string, cookie = "", method = "GET") =>
  send(path, { method, headers: { "User-Agent": PERSON, ...(cookie && { Cookie: cookie }) } });
const cookieOf = ({ headers }: { headers: Headers }) =>
  headers.get("Set-Cookie")?.split(";")[0] ?? "";

afterEach(() => {
  vi.useRealTimers();
});

async function locked(workspace: Workspace, settings: object) {
  const page = await createPublished(workspace, { settings, blocks: [LINK, CARD, EVENT] });
  const [link, card, event] = (await blocksOf(workspace, page.id)).map(
    ({ id }: { id: string }) => id,
  );
  const path = `@${page.handle}`;
  return {
    page,
    path,
    click: `${path}/go/${link}`,
    below: [`${path}/go/${link}`, `${path}/${card}.vcf`, `${path}/${event}.ics`],
  };
}

describe("what lies below a page with a password", () => {
  it("asks for it, and gives nothing away", async () => {
    const { below, path } = await locked(await createWorkspace(), { password: "right" });
    for (const each of below) {
      const { status, text, headers } = await get(`/${each}`);
      expect([each, status, headers.get("Location")]).toEqual([each, 200, null]);
      expect(text).toContain('type="password"');
      expect(text).not.toMatch(/example\.com|Lovelace|Launch/);
      expect((await get(`/${each}`, "", "HEAD")).headers.get("Location")).toBeNull();
      const wrong = await postForm(each, { password: "wrong" });
      expect([wrong.status, wrong.headers.get("Set-Cookie")]).toEqual([401, null]);
    }
    expect((await get(`/${path}/more`)).status).toBe(404);
  });

  it("is opened by it where it was asked for; a destination is posted nothing", async () => {
    const { below } = await locked(await createWorkspace(), { password: "right" });
    const answers = await Promise.all(below.map((path) => postForm(path, { password: "right" })));
    const [click, card, event] = answers;
    expect([click?.status, click?.headers.get("Location")]).toEqual([303, LINK.settings.url]);
    expect(card?.text).toContain("FN:Ada Lovelace");
    expect(event?.text).toContain("SUMMARY:Launch");
    for (const { headers } of answers) expect(headers.get("Cache-Control")).toBe("no-store");
  });

  it("asks no more of who opened the page, for an hour", async () => {
    const { below, click, path } = await locked(await createWorkspace(), { password: "right" });
    const opened = await postForm(path, { password: "right" });
    expect(opened.headers.get("Set-Cookie")).toMatch(
      /^signpost_open_[0-9a-f]{32}=\d{10}\.[\w-]{22}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    );
    const cookie = cookieOf(opened);
    const gone = await get(`/${click}`, cookie);
    expect([gone.status, gone.headers.get("Location")]).toEqual([302, LINK.settings.url]);
    expect((await get(`/${below[1]}`, cookie)).text).toContain("FN:Ada Lovelace");
    expect((await get(`/${below[2]}`, cookie)).text).toContain("SUMMARY:Launch");
    const again = await get(`/${path}`, `other=1; ${cookie}`);
    expect(again.text).toContain("/go/");
    expect(again.headers.get("Cache-Control")).toBe("no-store");
    expect(again.headers.get("ETag")).toBeNull();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_601_000 });
    expect((await get(`/${click}`, cookie)).text).toContain('type="password"');
  });

  it("asks again when the password is another, and is opened by no other page's", async () => {
    const workspace = await createWorkspace();
    const [one, two] = [
      await locked(workspace, { password: "right" }),
      await locked(workspace, { password: "right" }),
    ];
    const cookie = cookieOf(await postForm(one.path, { password: "right" }));
    const [name, value = ""] = cookie.split("=");
    const renamed = `signpost_open_${two.page.id.replaceAll("-", "")}=${value}`;
    const forged = `${name}=${value.replace(/^\d{10}/, (until) => String(Number(until) + 1))}`;
    for (const [path, tried] of [
      [two.click, cookie],
      [two.click, renamed],
      [one.click, forged],
      [one.click, `${name}=`],
      [one.click, `${name}=${"9".repeat(10)}.${"A".repeat(22)}`],
    ]) {
      expect((await get(`/${path}`, tried)).headers.get("Location")).toBeNull();
    }
    await patchPage(workspace, one.page.id, { settings: { password: "other" } });
    expect((await get(`/${one.click}`, cookie)).text).toContain('type="password"');
  });

  it("has the database asked about once a second, however many cookies are made up", async () => {
    const { page, click, path } = await locked(await createWorkspace(), { password: "right" });
    const name = `signpost_open_${page.id.replaceAll("-", "")}`;
    const until = Math.floor(Date.now() / 1000) + 600;
    await get(`/${path}`);
    const costs = { asked: 0 };
    const ended = listenToCosts(({ sql }) => {
      if (/ AS hash\b/.test(sql)) costs.asked++;
    });
    const began = performance.now();
    try {
      const locked = async (value: string) =>
        expect((await get(`/${click}`, `${name}=${value}`)).text).toContain('type="password"');
      await Promise.all(["x", "", `${until}.A`, `1000000000.${"A".repeat(22)}`].map(locked));
      expect(costs.asked).toBe(0);
      const madeUp = Array.from({ length: 40 }, (_, at) => `${until}.${`${at}`.padStart(22, "A")}`);
      await Promise.all(madeUp.map(locked));
      for (const value of madeUp) await locked(value);
    } finally {
      ended();
    }
    expect(costs.asked).toBeGreaterThan(0);
    expect(costs.asked).toBeLessThanOrEqual(2 + (performance.now() - began) / 500);
  });

  it("is gone with the page, whatever a visitor has", async () => {
    const workspace = await createWorkspace();
    const { page, path, click } = await locked(workspace, { password: "right" });
    const cookie = cookieOf(await postForm(path, { password: "right" }));
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: true });
    expect((await get(`/${click}`, cookie)).status).toBe(410);
  });

  it("is kept by https for the very host alone", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const { id, host } = await createActiveDomain(workspace);
    const page = await createPublished(workspace, {
      domain: id,
      settings: { password: "right", domain_root: true },
      blocks: [LINK],
    });
    const opened = await send(`https://${host}/`, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "password=right",
    });
    expect(opened.headers.get("Set-Cookie")).toMatch(/^__Host-signpost_open_.*; Secure$/);
    const [block] = await blocksOf(workspace, page.id);
    const go = await follow(host, `/@${page.handle}/go/${block.id}`, { Cookie: cookieOf(opened) });
    expect(go.headers.get("Location")).toBe(LINK.settings.url);
  });
});

describe("what lies below a page with sensitive content", () => {
  it("asks whether to go on, once an hour", async () => {
    const workspace = await createWorkspace();
    const { page, below, click, path } = await locked(workspace, { sensitive_content: true });
    for (const each of below) expect((await get(`/${each}`)).text).toContain("Sensitive content");
    const cookie = cookieOf(await postForm(path, { consent: "yes" }));
    expect((await get(`/${click}`, cookie)).headers.get("Location")).toBe(LINK.settings.url);
    const direct = await postForm(click, { consent: "yes" });
    expect([direct.status, direct.headers.get("Location")]).toEqual([303, LINK.settings.url]);
    // A consent is no password.
    await patchPage(workspace, page.id, { settings: { password: "right" } });
    expect((await get(`/${click}`, cookie)).text).toContain('type="password"');
  });
});
