import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { send } from "../support/http.ts";
import { addDomain, addPixel } from "../support/records.ts";
import { PERSON_ABROAD } from "../support/visitor.ts";
import { createActiveLink, createWorkspace, LINKS, updateLink } from "../support/workspace.ts";

const SECRET_PLACE = "https://secret-place.example/path";
const JSON_ONLY = { Accept: "application/json" };

describe("a redirect", () => {
  it.each([
    [301, "private, max-age=90"],
    [302, "no-store"],
    [303, "no-store"],
    [307, "no-store"],
    [308, "private, max-age=90"],
  ])("with %i may be kept as %s says, by GET and HEAD alike", async (http_status, cacheControl) => {
    const link = await createActiveLink(await createWorkspace(), { settings: { http_status } });
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, text } = await send(`/${link.slug}`, { method });
      expect([status, headers.get("Cache-Control"), text]).toEqual([http_status, cacheControl, ""]);
      expect(headers.get("Location")).toBe("https://example.com/");
      expect(headers.get("X-Request-Id")).toBeTruthy();
    }
  });

  it("carries the settings' utm and the visitor's own parameters", async () => {
    const settings = { forward_query: true, utm: { source: "bio", campaign: "ä b" } };
    const destination = "https://a.example/?own=1#part";
    const link = await createActiveLink(await createWorkspace(), { destination, settings });
    const visit = await send(`/${link.slug}?own=2&utm_source=ad&x=%20+&x`);
    expect(visit.headers.get("Location")).toBe(
      "https://a.example/?own=2&utm_source=ad&utm_campaign=%C3%A4%20b&x=%20+&x#part",
    );
  });

  it.each(["mailto:ada@example.com?subject=Hi%20there", "tel:+447700900123"])(
    "to %s goes out as it is",
    async (destination) => {
      const settings = { forward_query: true, utm: { source: "bio" } };
      const link = await createActiveLink(await createWorkspace(), { destination, settings });
      const visit = await send(`/${link.slug}?x=1`);
      expect(visit.headers.get("Location")).toBe(destination);
    },
  );
});

describe("a program that takes JSON alone", () => {
  it("is told by status and code what stands in its way, never the destination", async () => {
    const workspace = await createWorkspace();
    const destination = SECRET_PLACE;
    const guarded = await createActiveLink(workspace, { destination, settings: { password: "x" } });
    const sensitive = { sensitive_content: true };
    const shown = await createActiveLink(workspace, { destination, settings: sensitive });
    const plain = await createActiveLink(workspace, { destination });
    const paused = await createActiveLink(workspace, { destination });
    await updateLink(workspace, paused.id, { status: "paused" });
    for (const [slug, method, status, code] of [
      [guarded.slug, "GET", 403, "password_required"],
      [guarded.slug, "POST", 401, "password_required"],
      [shown.slug, "GET", 403, "consent_required"],
      [plain.slug, "PUT", 405, "method_not_allowed"],
      [paused.slug, "GET", 404, "not_found"],
    ] as const) {
      const answer = await send(`/${slug}`, { method, headers: JSON_ONLY });
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(answer.body.message).toEqual(expect.any(String));
      expect(answer.text).not.toContain("secret-place");
      expect(answer.headers.get("X-Robots-Tag")).toBe("noindex");
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    }
    const follow = await send(`/${plain.slug}`, { headers: JSON_ONLY });
    expect([follow.status, follow.headers.get("Location")]).toEqual([302, SECRET_PLACE]);
    const both = { Accept: "text/html, application/json;q=0.9" };
    expect((await send("/no-such", { headers: both })).headers.get("Content-Type")).toContain(
      "text/html",
    );
  });

  it("goes past a page of pixels", async () => {
    const workspace = await createWorkspace();
    const pixels = [await addPixel(workspace.id)];
    const link = await createActiveLink(workspace, { settings: { pixels } });
    const person = PERSON_ABROAD;
    const page = await send(`/${link.slug}`, { headers: person });
    expect([page.status, page.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    const program = await send(`/${link.slug}`, { headers: { ...person, ...JSON_ONLY } });
    expect(program.status).toBe(302);
    expect((await send(`/${link.slug}`)).status).toBe(302);
  });
});

describe("a custom domain", () => {
  it("that is not verified, or out of service, serves nothing", async () => {
    const workspace = await createWorkspace();
    for (const [column, value] of [
      ["verified", 0],
      ["disabled", 1],
    ] as const) {
      const { id, host } = await addDomain(workspace.id);
      const link = await createActiveLink(workspace, { domain: id, destination: SECRET_PLACE });
      await env.DB.prepare(`UPDATE domains SET ${column} = ${value} WHERE id = ?`).bind(id).run();
      const visit = await send(`https://${host}/${link.slug}`);
      expect([column, visit.status]).toEqual([column, 404]);
      expect(visit.text).not.toContain("secret-place");
    }
  });

  it("is the same in any case, at any port, and is not the platform", async () => {
    const workspace = await createWorkspace();
    const { id, host } = await addDomain(workspace.id);
    const platforms = await createActiveLink(workspace);
    const own = await createActiveLink(workspace, { domain: id });
    for (const authority of [host, host.toUpperCase(), `${host}:8443`]) {
      expect((await send(`https://${authority}/${own.slug}`)).status).toBe(302);
      expect((await send(`https://${authority}/${platforms.slug}`)).status).toBe(404);
    }
    expect((await send(`/${own.slug}`)).status).toBe(404);
    for (const path of [LINKS, "/openapi.json", "/docs", "/healthz", "/admin/v1/workspaces"]) {
      const page = await send(`https://${host}${path}`, {
        headers: { Authorization: `Bearer ${workspace.key}` },
      });
      expect([path, page.status, page.headers.get("Content-Type")]).toEqual([
        path,
        404,
        "text/html; charset=utf-8",
      ]);
    }
  });

  it("shows a change of a link on it at once, and of its move", async () => {
    const workspace = await createWorkspace();
    const { id, host } = await addDomain(workspace.id);
    const link = await createActiveLink(workspace, { domain: id });
    const there = `https://${host}/${link.slug}`;
    expect((await send(there)).status).toBe(302);
    expect((await send(`/${link.slug}`)).status).toBe(404);
    await updateLink(workspace, link.id, { domain: null });
    expect((await send(there)).status).toBe(404);
    expect((await send(`/${link.slug}`)).status).toBe(302);
    await updateLink(workspace, link.id, { status: "paused" });
    expect((await send(`/${link.slug}`)).status).toBe(404);
  });

  it("is no way around the rule that a link may not lead to itself", async () => {
    const workspace = await createWorkspace();
    const { id, host } = await addDomain(workspace.id);
    const slug = "round";
    for (const path of ["round", "ROUND/", "%72ound?x=1#y"]) {
      const destination = `https://${host}/${path}`;
      const link = { slug, domain: id, destination };
      const refused = await workspace.send("POST", LINKS, {
        headers: { "Idempotency-Key": crypto.randomUUID() },
        body: link,
      });
      expect([path, refused.status]).toEqual([path, 422]);
      expect(Object.keys(refused.body.errors)).toEqual(["destination"]);
    }
    const elsewhere = { slug, domain: id, destination: `https://${host}/another` };
    expect((await createActiveLink(workspace, elsewhere)).status).toBe("active");
  });
});
