import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Env } from "../../src/platform/config.ts";
import worker from "../../src/worker.ts";
import { change } from "../support/contacts.ts";
import { createActiveDomain } from "../support/domains.ts";
import { send } from "../support/http.ts";
import { addPixelOf } from "../support/pixel-events.ts";
import { PIXELS } from "../support/pixels.ts";
import { PERSON } from "../support/visitor.ts";
import { env } from "../support/webhooks.ts";
import { createActiveLink, createWorkspace } from "../support/workspace.ts";

const workspace = await createWorkspace({ plan: "pro" });
const required = await addPixelOf(workspace);
const free = await addPixelOf(workspace, { provider: "linkedin", consent: "not_required" });
const link = await createActiveLink(workspace, {
  settings: { pixels: [required.id, free.id], http_status: 307 },
});

/** Which of the two pixels' beacons the answer has. */
async function fired(headers: Record<string, string>, slug = link.slug): Promise<string[]> {
  const {
    status,
    text,
    headers: told,
  } = await send(`/${slug}`, {
    headers: { "User-Agent": PERSON, ...headers },
  });
  const beacons = [
    ...(text.includes(`facebook.com/tr?id=${required.tag}`) ? ["required"] : []),
    ...(text.includes(`linkedin.com/collect/?pid=${free.tag}`) ? ["free"] : []),
  ];
  if (beacons.length === 0) {
    expect([status, told.get("Location")]).toEqual([307, "https://example.com/"]);
  } else expect([status, told.get("Cache-Control")]).toEqual([200, "no-store"]);
  // Nobody is asked on the way, and no script is run: not ours, and not a provider's.
  expect(text).not.toMatch(/<script|<form|class="ask"/);
  expect(told.get("Content-Security-Policy") ?? "").not.toContain("script-src");
  return beacons;
}

const accepted = { Cookie: "signpost_consent=yes.1" };
const refused = { Cookie: "signpost_consent=no.1" };

describe("a link with pixels", () => {
  it.each(["DE", "NO", "IS", "LI", "GB", "CH", "XX", "T1", ""])(
    "fires nothing that needs consent in %j before it is given",
    async (country) => {
      const there = { "CF-IPCountry": country };
      expect(await fired(there)).toEqual(["free"]);
      expect(await fired({ ...there, ...accepted })).toEqual(["required", "free"]);
      expect(await fired({ ...there, ...refused })).toEqual([]);
      for (const choice of [{}, accepted, refused]) {
        expect(await fired({ ...there, ...choice, "Sec-GPC": "1" })).toEqual([]);
      }
    },
  );

  it("fires elsewhere, but against a refusal", async () => {
    const there = { "CF-IPCountry": "US" };
    expect(await fired(there)).toEqual(["required", "free"]);
    expect(await fired({ ...there, "Sec-GPC": "0" })).toEqual(["required", "free"]);
    expect(await fired({ ...there, ...refused })).toEqual([]);
    expect(await fired({ ...there, ...accepted, "Sec-GPC": "1" })).toEqual([]);
  });

  it.each(["image", "iframe", "empty", "script"])(
    "fires nothing where a page embeds it (%s): another site's brings no cookie",
    async (dest) => {
      for (const site of ["cross-site", "same-site"]) {
        const embedded = { "Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest };
        expect(await fired({ "CF-IPCountry": "US", ...embedded })).toEqual([]);
        const followed = { ...embedded, "Sec-Fetch-Dest": "document" };
        expect(await fired({ "CF-IPCountry": "US", ...followed })).toEqual(["required", "free"]);
      }
    },
  );

  it("fires nothing where a browser that does not say so loads an image, or by a script", async () => {
    for (const [Accept, beacons] of [
      ["image/webp,image/png,image/*;q=0.8,*/*;q=0.5", []],
      ["*/*", []],
      ["text/html,application/xhtml+xml,*/*;q=0.8", ["required", "free"]],
    ] as const) {
      expect([Accept, await fired({ "CF-IPCountry": "US", Accept })]).toEqual([Accept, beacons]);
    }
  });

  it("fires nothing for who says twice not to be followed, or once in two cookies", async () => {
    for (const headers of [
      { "Sec-GPC": "1, 1" },
      { Cookie: "a=b, signpost_consent=no.1" },
      { Cookie: "signpost_consent=yes.1, signpost_consent=no.1" },
    ]) {
      expect(await fired({ "CF-IPCountry": "US", ...headers })).toEqual([]);
    }
  });

  it("takes a yes by https from its own host alone, and a no from any beside it", async () => {
    const { host, id: domain } = await createActiveDomain(workspace);
    const settings = { pixels: [required.id] };
    const { slug } = await createActiveLink(workspace, { domain, settings });
    const visit = async (Cookie: string) => {
      const headers = { "User-Agent": PERSON, "CF-IPCountry": "DE", Cookie };
      return (await send(`https://${host}/${slug}`, { headers })).status;
    };
    expect(await visit("signpost_consent=yes.1")).toBe(302);
    expect(await visit("__Host-signpost_consent=yes.1")).toBe(200);
    expect(await visit("__Host-signpost_consent=yes.1; signpost_consent=no.1")).toBe(302);
    const sent = {
      method: "POST",
      body: "choice=yes",
      headers: { "Sec-Fetch-Site": "same-origin" },
    };
    const chosen = (await send(`https://${host}/_privacy`, sent)).headers.getSetCookie();
    const kept = chosen.filter((one) => !one.includes("Max-Age=0")).map((one) => one.split(";")[0]);
    expect(await visit(kept.join("; "))).toBe(200);
  });

  it("fires what was accepted by the page's own answer, and no more after it was taken back", async () => {
    const there = { "CF-IPCountry": "FR" };
    const choose = async (choice: string) => {
      const headers = { "Sec-Fetch-Site": "same-origin" };
      const sent = { method: "POST", body: `choice=${choice}`, headers };
      return { Cookie: (await send("/_privacy", sent)).headers.get("Set-Cookie") ?? "" };
    };
    expect(await fired({ ...there, ...(await choose("yes")) })).toEqual(["required", "free"]);
    expect(await fired({ ...there, ...(await choose("no")) })).toEqual([]);
  });

  it("fires nothing for crawlers, prefetches and programs, whatever their cookie says", async () => {
    for (const headers of [
      { "User-Agent": "Googlebot/2.1" },
      { "Sec-Purpose": "prefetch" },
      { Accept: "application/json" },
    ]) {
      expect(await fired({ "CF-IPCountry": "US", ...accepted, ...headers })).toEqual([]);
    }
    const head = await send(`/${link.slug}`, { method: "HEAD", headers: accepted });
    expect(head.text).toBe("");
  });

  it("fires nothing that is switched off", async () => {
    const off = await addPixelOf(workspace);
    const { slug } = await createActiveLink(workspace, { settings: { pixels: [off.id] } });
    const visit = () => send(`/${slug}`, { headers: { "User-Agent": PERSON, ...accepted } });
    expect((await visit()).status).toBe(200);
    await change(workspace, "PATCH", `${PIXELS}/${off.id}`, { enabled: false });
    expect((await visit()).status).toBe(302);
  });

  it("has an event id of its own for each visit", async () => {
    const ids = [];
    // One after the other: in the tests' runtime no visit may wait for another's look-up.
    for (let visit = 0; visit < 2; visit++) {
      const headers = { "User-Agent": PERSON, ...accepted };
      const { text } = await send(`/${link.slug}`, { headers });
      ids.push(
        /facebook\.com\/tr\?id=\d+&amp;ev=PageView&amp;eid=([\w-]{36})&amp;/.exec(text)?.[1],
      );
    }
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(undefined);
  });
});

describe("the visitor's country", () => {
  const live = { ...env, PLATFORM_HOST: "sign.example", ALLOW_PRIVATE_TARGETS: "" };
  const development = { ...live, PLATFORM_HOST: "" };

  it("is what Cloudflare says; a header says it in development alone", async () => {
    const { host, id: domain } = await createActiveDomain(workspace);
    const settings = { pixels: [required.id] };
    const { slug } = await createActiveLink(workspace, { domain, settings });
    const visit = async (given: Env, said: string, country?: string) => {
      const headers = { "User-Agent": PERSON, ...(said && { "CF-IPCountry": said }) };
      const cf = (country && { country }) as CfProperties;
      const request = new Request(`https://${host}/${slug}`, { headers, cf, redirect: "manual" });
      const response = await worker.fetch(request, given, createExecutionContext());
      await response.text();
      return response.status;
    };
    expect(await visit(live, "", "US")).toBe(200);
    expect(await visit(live, "", "DE")).toBe(302);
    expect(await visit(live, "DE", "US")).toBe(200);
    expect(await visit(live, "US", "DE")).toBe(302);
    expect(await visit(live, "US")).toBe(302);
    expect(await visit(development, "US", "DE")).toBe(200);
    expect(await visit(development, "DE", "US")).toBe(302);
    expect(await visit(development, "", "US")).toBe(200);
  });
});
