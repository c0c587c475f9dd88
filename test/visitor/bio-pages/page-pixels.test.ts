import { describe, expect, it } from "vitest";
import { send } from "../../support/http.ts";
import { createPublished, LINK, patchPage, publishPage } from "../../support/pages.ts";
import { addPixelOf, waitForTold } from "../../support/pixel-events.ts";
import { PIXELS } from "../../support/pixels.ts";
import { PERSON, postForm } from "../../support/visitor.ts";
import { createWorkspace } from "../../support/workspace.ts";

const workspace = await createWorkspace({ plan: "pro" });
const required = await addPixelOf(workspace);
const free = await addPixelOf(workspace, { provider: "linkedin", consent: "not_required" });
const page = await createPublished(workspace, {
  settings: { pixels: [required.id, free.id] },
  blocks: [LINK],
});
const asking = await createPublished(workspace, {
  settings: { pixels: [required.id] },
  blocks: [LINK],
});
const accepted = { Cookie: "signpost_consent=yes.1" };
const refused = { Cookie: "signpost_consent=no.1" };

const visit = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  send(path, { method, headers: { "User-Agent": PERSON, ...headers } });

/** Which pixels fire at a visit, and whether it is asked; what it may load says the same. */
async function seen(headers: Record<string, string>, { handle } = page) {
  const { status, text, headers: told } = await visit(`/@${handle}`, headers);
  expect(status).toBe(200);
  const fires = [
    ...(text.includes(`facebook.com/tr?id=${required.tag}`) ? ["required"] : []),
    ...(text.includes(`linkedin.com/collect/?pid=${free.tag}`) ? ["free"] : []),
  ];
  const images = /img-src ([^;]+)/.exec(told.get("Content-Security-Policy") ?? "")?.[1];
  expect(images?.split(" ")).toEqual([
    "'self'",
    ...(fires.includes("required") ? ["https://www.facebook.com"] : []),
    ...(fires.includes("free") ? ["https://px.ads.linkedin.com"] : []),
  ]);
  const isKept = told.get("ETag") !== null;
  expect([isKept, told.get("Cache-Control")]).toEqual(
    fires.length > 0 ? [false, "no-store"] : [true, "private, no-cache"],
  );
  const bars = text.match(/class="ask"/g)?.length ?? 0;
  expect(bars).toBeLessThanOrEqual(1);
  return { fires, asks: bars === 1 };
}

describe("a page with pixels", () => {
  it.each(["DE", "NO", "GB", "CH", "XX", "T1", ""])(
    "asks in %j, fires nothing that needs consent before, and asks no more after",
    async (country) => {
      const there = { "CF-IPCountry": country };
      expect(await seen(there)).toEqual({ fires: ["free"], asks: true });
      expect(await seen(there, asking)).toEqual({ fires: [], asks: true });
      const all = { fires: ["required", "free"], asks: false };
      expect(await seen({ ...there, ...accepted })).toEqual(all);
      for (const headers of [
        refused,
        { "Sec-GPC": "1" },
        { ...accepted, "Sec-GPC": "1" },
        { "User-Agent": "Googlebot/2.1 (+http://www.google.com/bot.html)" },
        { "Sec-Purpose": "prefetch" },
        { "Sec-Fetch-Dest": "image" },
      ]) {
        expect(await seen({ ...there, ...headers })).toEqual({ fires: [], asks: false });
      }
    },
  );

  it("fires elsewhere without asking, but against a refusal", async () => {
    const there = { "CF-IPCountry": "US" };
    expect(await seen(there)).toEqual({ fires: ["required", "free"], asks: false });
    expect(await seen({ ...there, ...refused })).toEqual({ fires: [], asks: false });
  });

  it("is kept by its visitor with its bar, and without it once it is answered", async () => {
    const path = `/@${asking.handle}`;
    const there = { "CF-IPCountry": "DE" };
    const asked = (await visit(path, there)).headers.get("ETag") ?? "";
    const plain = (await visit(path, { ...there, ...refused })).headers.get("ETag") ?? "";
    expect(plain).not.toBe(asked);
    const again = (headers: Record<string, string>, tag: string) =>
      visit(path, { ...there, ...headers, "If-None-Match": tag });
    expect((await again({}, asked)).status).toBe(304);
    expect((await again(refused, plain)).status).toBe(304);
    expect((await again(refused, asked)).status).toBe(200);
    const fired = await again(accepted, asked);
    expect([fired.status, fired.text.includes("facebook.com/tr")]).toEqual([200, true]);
    expect((await visit(path, there, "HEAD")).headers.get("ETag")).toBe(asked);
  });

  it("tells each visit apart, and of a visitor no more than the host", async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const { text } = await visit(`/@${page.handle}`, { "CF-IPCountry": "US" });
        expect(text).toContain('width="1" height="1" referrerpolicy="strict-origin"');
        return /eid=([0-9a-f-]{36})/.exec(text)?.[1];
      }),
    );
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(undefined);
  });

  it("has a bar that is a form without a script, and that leads back to the page", async () => {
    const { text } = await visit(`/@${asking.handle}`, { "CF-IPCountry": "DE" });
    const bar = /<section class="ask".*?<\/section>/s.exec(text)?.[0] ?? "";
    const buttons = [...bar.matchAll(/<button([^>]*)>(\w+)<\/button>/g)];
    expect(buttons.map(([, attributes, label]) => [attributes, label])).toEqual([
      [' class="btn" name="choice" value="yes"', "Accept"],
      [' class="btn" name="choice" value="no"', "Refuse"],
    ]);
    expect(text).not.toMatch(/<script(?! type="application\/ld\+json")/);
    const back = /name="back" value="([^"]+)"/.exec(bar)?.[1] ?? "";
    expect(back).toBe(`/@${asking.handle}`);
    const answer = await send("/_privacy", {
      method: "POST",
      headers: {
        "Sec-Fetch-Site": "same-origin",
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ choice: "yes", back }).toString(),
    });
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, back]);
    const Cookie = answer.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    const after = await seen({ "CF-IPCountry": "DE", Cookie }, asking);
    expect(after).toEqual({ fires: ["required"], asks: false });
  });

  it.each([
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/@a/../..",
    "/@",
    "",
    "/x",
  ])("leads back to %j from no bar", async (back) => {
    const { status, headers } = await send("/_privacy", {
      method: "POST",
      headers: { "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams({ choice: "no", back }).toString(),
    });
    expect([status, headers.get("Location")]).toEqual([303, "/_privacy"]);
  });

  it("asks and fires behind its password too", async () => {
    const locked = await createPublished(workspace, {
      settings: { pixels: [required.id], password: "right" },
      blocks: [LINK],
    });
    const form = await visit(`/@${locked.handle}`, { "CF-IPCountry": "US" });
    expect(form.text).not.toContain("facebook.com");
    const opened = await postForm(`@${locked.handle}`, { password: "right" });
    const cookie = opened.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    const again = await visit(`/@${locked.handle}`, { "CF-IPCountry": "DE", Cookie: cookie });
    expect(again.text).toContain('class="ask"');
  });

  it("does neither once its pixels are off, gone, or no more of what is published", async () => {
    const one = await addPixelOf(workspace);
    const { id, handle } = await createPublished(workspace, {
      settings: { pixels: [one.id] },
      blocks: [LINK],
    });
    const asks = async () =>
      (await visit(`/@${handle}`, { "CF-IPCountry": "DE" })).text.includes('class="ask"');
    expect(await asks()).toBe(true);
    const change = (enabled: boolean) =>
      workspace.send("PATCH", `${PIXELS}/${one.id}`, {
        headers: { "If-Match": "*" },
        body: { enabled },
      });
    await change(false);
    expect(await asks()).toBe(false);
    await change(true);
    expect(await asks()).toBe(true);
    await patchPage(workspace, id, { settings: { pixels: [] } });
    expect(await asks()).toBe(true);
    await publishPage(workspace, id);
    expect(await asks()).toBe(false);
  });

  it("asks for nobody: a pixel without a beacon that has no access token tells no one", async () => {
    const there = { "CF-IPCountry": "DE" };
    const mute = await addPixelOf(workspace, { provider: "ga4" });
    const told = await addPixelOf(workspace, { provider: "ga4", access_token: "token" });
    const asksWith = async (...pixels: string[]) =>
      seen(there, await createPublished(workspace, { settings: { pixels }, blocks: [LINK] }));
    expect(await asksWith(mute.id)).toEqual({ fires: [], asks: false });
    expect(await asksWith(mute.id, free.id)).toEqual({ fires: ["free"], asks: false });
    expect(await asksWith(mute.id, told.id)).toEqual({ fires: [], asks: true });
    expect(await asksWith(mute.id, required.id)).toEqual({ fires: [], asks: true });
  });

  it("is as it was for pages without pixels: no bar, no rule, no word of it", async () => {
    const plain = await createPublished(workspace, { blocks: [LINK] });
    const { text } = await visit(`/@${plain.handle}`, { "CF-IPCountry": "DE" });
    expect(text).not.toMatch(/\.ask|class="ask"|\.px/);
  });
});

describe("a page's pixel with an access token", () => {
  it("is told of by the provider's server API, with the id of the visit's beacon", async () => {
    const one = await addPixelOf(workspace, { access_token: "token" });
    const { handle } = await createPublished(workspace, {
      settings: { pixels: [one.id] },
      blocks: [LINK],
    });
    await visit(`/@${handle}`, { "CF-IPCountry": "DE" });
    await visit(`/@${handle}`, { "CF-IPCountry": "US" }, "HEAD");
    const { text } = await visit(`/@${handle}`, { "CF-IPCountry": "US" });
    const [told, ...others] = await waitForTold(one.tag, 1);
    expect(others).toEqual([]);
    const [event] = told?.body.data ?? [];
    expect(text).toContain(`eid=${event.event_id}&amp;`);
    expect(event.event_source_url).toBe(`http://localhost:8787/@${handle}`);
  });
});
