import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { VISITOR_CODES } from "../../src/visitor/visitor-codes.ts";
import { newAddress, operate, send } from "../support/http.ts";
import { addDomain, addPixel } from "../support/records.ts";
import { PERSON_ABROAD, postBrokenOff } from "../support/visitor.ts";
import { createActiveLink, createLink, createWorkspace } from "../support/workspace.ts";

const JSON_ONLY = { ...PERSON_ABROAD, Accept: "Application/JSON" };
const FORM = "Application/X-WWW-Form-Urlencoded; Charset=UTF-8";

describe("what a visitor is told in JSON", () => {
  it("is a code of the list with its status, and each of the list is met", async () => {
    const workspace = await createWorkspace();
    const { slug: paused } = (await createLink(workspace)).body.data;
    const off = await createActiveLink(workspace);
    await operate("PATCH", `/workspaces/${workspace.id}/links/${off.id}`, { disabled: true });
    const password = await createActiveLink(workspace, { settings: { password: "x" } });
    const flooded = await createActiveLink(workspace, { settings: { password: "x" } });
    const consent = await createActiveLink(workspace, { settings: { sensitive_content: true } });
    const broken = await createActiveLink(workspace);
    const query = "UPDATE addresses SET document = 'broken' WHERE target_id = ?";
    await env.DB.prepare(query).bind(broken.id).run();
    const address = newAddress();
    const post = (fields: string, more = {}) => ({ method: "POST", body: fields, headers: more });
    const seen: Record<string, Set<number>> = {};
    for (const [slug, more] of [
      [paused, {}],
      ["no-such-link", {}],
      [off.slug, {}],
      [paused, { method: "PUT" }],
      [consent.slug, { method: "PUT" }],
      [password.slug, {}],
      [password.slug, post("password=y")],
      [consent.slug, {}],
      [consent.slug, post("consent=no")],
      [password.slug, post(`password=${"y".repeat(257 * 1024)}`)],
      ...Array.from({ length: 11 }, () => [
        flooded.slug,
        post("password=y", { "CF-Connecting-IP": address }),
      ]),
      [broken.slug, {}],
    ] as [string, { method?: string; body?: string; headers?: object }][]) {
      const headers = { ...JSON_ONLY, "Content-Type": FORM, ...more.headers };
      const { status, body } = await send(`/${slug}`, { ...more, headers });
      expect(Object.keys(body)).toEqual(["message", "code"]);
      seen[body.code] ??= new Set();
      seen[body.code]?.add(status);
    }
    const answer = await postBrokenOff(password.slug, JSON_ONLY);
    expect(await answer.json()).toMatchObject({ code: "form_unreadable" });
    seen.form_unreadable?.add(answer.status);
    const listed = Object.entries(VISITOR_CODES).map(([code, { statuses }]) => [
      code,
      new Set<number>(statuses),
    ]);
    expect(seen).toEqual(Object.fromEntries(listed));
  });

  it("is never the page of a form or of pixels", async () => {
    const workspace = await createWorkspace();
    const settings = { pixels: [await addPixel(workspace.id)], sensitive_content: true };
    const link = await createActiveLink(workspace, { settings });
    const body = "consent=yes";
    const headers = { ...JSON_ONLY, "Content-Type": FORM };
    const onward = await send(`/${link.slug}`, { method: "POST", body, headers });
    expect([onward.status, onward.text]).toEqual([303, ""]);
  });
});

describe("a form", () => {
  it.each([
    "application/x-www-form-urlencoded",
    FORM,
    "APPLICATION/X-WWW-FORM-URLENCODED;charset=utf-8",
  ])("of a link is read as %j", async (type) => {
    const workspace = await createWorkspace();
    const password = await createActiveLink(workspace, { settings: { password: "o p&n" } });
    const consent = await createActiveLink(workspace, { settings: { sensitive_content: true } });
    for (const [{ slug }, body] of [
      [password, "password=o+p%26n"],
      [consent, "consent=yes"],
    ] as const) {
      const headers = { "Content-Type": type };
      const { status } = await send(`/${slug}`, { method: "POST", body, headers });
      expect(status).toBe(303);
    }
  });
});

describe("any method but GET and HEAD", () => {
  it("is refused with what is allowed, wherever the address leads", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await addDomain(workspace.id);
    const query = "UPDATE domains SET root_url = ?1, not_found_url = ?1 WHERE id = ?2";
    await env.DB.prepare(query).bind("https://brand.com/", domain).run();
    const { slug: paused } = (await createLink(workspace, { domain })).body.data;
    const plain = await createActiveLink(workspace, { domain });
    const guarded = await createActiveLink(workspace, { domain, settings: { password: "x" } });
    for (const path of ["/", "/no-such-link", `/${paused}`, `/${plain.slug}`]) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
        const { status, headers } = await send(`https://${host}${path}`, { method });
        expect([path, method, status, headers.get("Allow"), headers.get("Location")]).toEqual([
          path,
          method,
          405,
          "GET, HEAD",
          null,
        ]);
      }
    }
    const put = await send(`https://${host}/${guarded.slug}`, { method: "PUT" });
    expect([put.status, put.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});
