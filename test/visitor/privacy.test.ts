import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { change } from "../support/contacts.ts";
import { createActiveDomain, DOMAINS, follow } from "../support/domains.ts";
import { ORIGIN, operate, send } from "../support/http.ts";
import { createActiveLink, createLink, createWorkspace, LINKS } from "../support/workspace.ts";

const SAME = {
  "Sec-Fetch-Site": "same-origin",
  "Content-Type": "application/x-www-form-urlencoded",
};
const page = (headers: Record<string, string> = {}) => send("/_privacy", { headers });
const choose = (body: string, headers: Record<string, string> = SAME, origin = ORIGIN) =>
  send(`${origin}/_privacy`, { method: "POST", body, headers });
const YES = { Cookie: "signpost_consent=yes.1" };
const NO = { Cookie: "signpost_consent=no.1" };

const workspace = await createWorkspace({ plan: "pro" });
const { host } = await createActiveDomain(workspace);
const domain = `https://${host}`;

describe("the page of a visitor's choice", () => {
  it("is there on the platform's host and on domains, and nowhere else", async () => {
    for (const origin of [ORIGIN, domain]) {
      for (const path of ["/_privacy", "/_privacy/", "/_PRIVACY", "/%5Fprivacy", "/_privacy?x=1"]) {
        const { status, text } = await send(origin + path);
        expect([path, status]).toEqual([path, 200]);
        expect(text).toContain("<h1>Your privacy</h1>");
      }
    }
    expect((await send("https://nobodys.example/_privacy")).status).toBe(404);
    expect((await send("/_privacy/more")).status).toBe(404);
  });

  it("comes before where a domain sends visitors of unknown addresses", async () => {
    const other = await createActiveDomain(workspace);
    await change(workspace, "PATCH", `${DOMAINS}/${other.id}`, {
      not_found_url: "https://brand.example/",
    });
    expect((await follow(other.host, "/nothing")).status).toBe(302);
    expect((await follow(other.host, "/_privacy")).status).toBe(200);
  });

  it("has two choices that look alike, and refers to nothing outside", async () => {
    const { text, headers } = await page();
    const buttons = [...text.matchAll(/<button([^>]*)>(\w+)<\/button>/g)];
    expect(buttons.map(([, attributes, label]) => [attributes, label])).toEqual([
      [' name="choice" value="yes"', "Accept"],
      [' name="choice" value="no"', "Refuse"],
    ]);
    expect(text).not.toMatch(/https?:|<script|<img|src=/);
    expect(headers.get("Content-Security-Policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Robots-Tag")).toBe("noindex");
    expect(headers.get("X-Frame-Options")).toBe("DENY");
  });

  it("says what was chosen, and that Global Privacy Control refuses whatever that was", async () => {
    expect((await page()).text).toContain("You have not chosen.");
    expect((await page(YES)).text).toContain("You have accepted.");
    expect((await page(NO)).text).toContain("You have refused");
    for (const chosen of [{}, YES, NO] as Record<string, string>[]) {
      const { text } = await page({ ...chosen, "Sec-GPC": "1" });
      expect(text).toContain("Global Privacy Control: that refuses");
      expect(text).not.toContain("You have accepted");
    }
    expect((await page({ ...YES, "Sec-GPC": "0" })).text).toContain("You have accepted.");
  });

  it("answers HEAD as GET, and no other method but POST", async () => {
    const head = await send("/_privacy", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const { status, headers } = await send("/_privacy", { method });
      expect([status, headers.get("Allow")]).toEqual([405, "GET, HEAD, POST"]);
    }
  });
});

describe("a choice", () => {
  it.each([
    ["yes", "yes.1"],
    ["no", "no.1"],
  ])("of %s is kept for 180 days for this host, out of scripts' reach", async (choice, value) => {
    const always = `signpost_consent=${value}; Path=/; Max-Age=15552000; HttpOnly; SameSite=Lax`;
    const { status, headers } = await choose(`choice=${choice}`);
    expect([status, headers.get("Location")]).toEqual([303, "/_privacy"]);
    expect(headers.get("Set-Cookie")).toBe(always);
    expect(headers.get("Cache-Control")).toBe("no-store");
    // By https a yes is this very host's; a no holds where a link of the host is opened by http too.
    const secure = await choose(`choice=${choice}`, SAME, domain);
    const gone = "Path=/; Max-Age=0; HttpOnly; SameSite=Lax";
    expect(secure.headers.getSetCookie()).toEqual(
      choice === "yes"
        ? [`__Host-${always}; Secure`, `signpost_consent=; ${gone}`]
        : [always, `__Host-signpost_consent=; ${gone}; Secure`],
    );
  });

  it.each<[string, Record<string, string>]>([
    ["another site", { "Sec-Fetch-Site": "cross-site" }],
    ["a host beside this one", { "Sec-Fetch-Site": "same-site" }],
    ["nowhere", {}],
    ["another site that names itself", { Origin: "https://evil.example" }],
    ["nobody who names itself", { Origin: "null" }],
    ["another site, with our origin", { "Sec-Fetch-Site": "cross-site", Origin: ORIGIN }],
  ])("that is posted by %s is not kept", async (_, headers) => {
    const answer = await choose("choice=yes", { ...headers, "Content-Type": SAME["Content-Type"] });
    expect([answer.status, answer.headers.get("Set-Cookie")]).toEqual([403, null]);
    expect(answer.text).toContain("Nothing was changed");
  });

  it.each([
    ["a link", "GET", "?choice=yes"],
    ["HEAD", "HEAD", "?choice=yes"],
    ["a POST's address", "POST", "?choice=yes"],
  ])("is made by the form alone, not by %s", async (_, method, query) => {
    const { headers } = await send(`/_privacy${query}`, { method, headers: SAME });
    expect(headers.get("Set-Cookie")).toBeNull();
  });

  it("is kept from a browser that names the origin alone", async () => {
    const { status } = await choose("choice=no", { Origin: ORIGIN });
    expect(status).toBe(303);
  });

  it.each(["", "choice=", "choice=maybe", "choice=YES"])(
    "that is none (%j) is not kept",
    async (body) => {
      const { status, headers } = await choose(body);
      expect([status, headers.get("Set-Cookie")]).toEqual([422, null]);
    },
  );

  it("that is too long is not kept", async () => {
    const { status, headers } = await choose(`choice=yes&more=${"x".repeat(300_000)}`);
    expect([status, headers.get("Set-Cookie")]).toEqual([413, null]);
  });
});

describe("a link that had the slug before it was reserved", () => {
  async function formerLink(place: string | null, status: "active" | "paused", origin: string) {
    const { body } = await createLink(workspace, { ...(place && { domain: place }) });
    const { id } = body.data;
    await env.DB.prepare(
      "UPDATE links SET slug = '_privacy', slug_key = '_privacy', status = ? WHERE id = ?",
    )
      .bind(status, id)
      .run();
    return { id, visit: () => send(`${origin}/_privacy`) };
  }

  it("keeps it", async () => {
    const own = await createActiveDomain(workspace);
    const { id, visit } = await formerLink(own.id, "active", `https://${own.host}`);
    const { status, headers } = await visit();
    expect([status, headers.get("Location")]).toEqual([302, "https://example.com/"]);
    expect((await choose("choice=yes", SAME, `https://${own.host}`)).status).toBe(405);
    await workspace.send("DELETE", `${LINKS}/${id}`, { headers: { "If-Match": "*" } });
    expect((await visit()).status).toBe(200);
  });

  it.each([
    ["paused", false],
    ["paused", true],
    ["active", true],
  ] as const)(
    "stands in nobody's way while it is %s, switched off %s",
    async (status, disabled) => {
      const own = await createActiveDomain(workspace);
      const { id, visit } = await formerLink(own.id, status, `https://${own.host}`);
      await operate("PATCH", `/workspaces/${workspace.id}/links/${id}`, { disabled });
      const answer = await visit();
      expect([answer.status, answer.text.includes("Your privacy")]).toEqual([200, true]);
    },
  );

  it("is made by nobody any more", async () => {
    expect((await createLink(workspace, { slug: "_privacy" })).status).toBe(422);
    await createActiveLink(workspace, { slug: `_privacy-${crypto.randomUUID().slice(0, 8)}` });
  });
});
