import { describe, expect, it } from "vitest";
import { ORIGIN } from "../../../support/http.ts";
import { addDomain, addPixel } from "../../../support/records.ts";
import { createLink, createWorkspace, LINKS, updateLink } from "../../../support/workspace.ts";

const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

describe("a new link", () => {
  it("has every field of the published API", async () => {
    const workspace = await createWorkspace();
    const { status, body, headers } = await createLink(workspace, {
      slug: "Spring",
      title: "Sale",
    });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      revision: expect.any(String),
      slug: "Spring",
      domain: null,
      public_url: `${ORIGIN}/Spring`,
      title: "Sale",
      destination: "https://example.com/",
      status: "paused",
      disabled: false,
      has_password: false,
      settings: {
        utm: {},
        forward_query: false,
        http_status: 302,
        sensitive_content: false,
        pixels: [],
      },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.data.created_at,
    });
    expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
  });

  it("gets a slug of seven characters that are not mistaken for others", async () => {
    const workspace = await createWorkspace();
    const { body } = await createLink(workspace, { slug: null });
    expect(body.data.slug).toMatch(/^[2-9a-hjkmnp-z]{7}$/);
  });

  it.each([
    ["destination", { destination: undefined }],
    ["destination", { destination: "" }],
    ["destination", { destination: "example.com" }],
    ["destination", { destination: "/path" }],
    ["destination", { destination: "//example.com" }],
    ["destination", { destination: "https:example.com" }],
    ["destination", { destination: "https://" }],
    ["destination", { destination: "javascript:alert(1)" }],
    ["destination", { destination: "data:text/html,x" }],
    ["destination", { destination: "ftp://example.com/" }],
    ["destination", { destination: "https://user:pass@example.com/" }],
    ["destination", { destination: "https://example.com/\r\nX: y" }],
    ["destination", { destination: " https://example.com/" }],
    ["destination", { destination: "https://example.com/\ud800" }],
    ["destination", { destination: "https://user@example.com/" }],
    ["destination", { destination: "https://example.com:99999/" }],
    ["destination", { destination: "blob:https://example.com/1" }],
    ["destination", { destination: "https://example.com/\u0085" }],
    ["destination", { destination: "tel:" }],
    ["destination", { destination: null }],
    ["destination", { destination: "mailto:" }],
    ["destination", { destination: `https://example.com/${"a".repeat(2029)}` }],
    ["destination", { slug: "to-itself", destination: `${ORIGIN}/To-Itself?x=1` }],
    ["title", { title: "a".repeat(121) }],
    ["title", { title: 1 }],
    ["title", { title: "half a pair: \ud83d" }],
    ["slug", { slug: "a".repeat(61) }],
    ["slug", { slug: "with space" }],
    ["slug", { slug: "ümlaut" }],
    ["slug", { slug: "a/b" }],
    ["slug", { slug: ".." }],
    ["slug", { slug: "API" }],
    ["slug", { slug: ".well-known" }],
    ["domain", { domain: SOMEBODY }],
    ["domain", { domain: "no-uuid" }],
    ["settings.password", { settings: { password: "a".repeat(101) } }],
    ["settings.clear_password", { settings: { password: "a", clear_password: true } }],
    ["settings.http_status", { settings: { http_status: 304 } }],
    ["settings.http_status", { settings: { http_status: "301" } }],
    ["settings.forward_query", { settings: { forward_query: "yes" } }],
    ["settings.sensitive_content", { settings: { sensitive_content: 1 } }],
    ["settings.utm.source", { settings: { utm: { source: "a".repeat(81) } } }],
    ["settings.utm.medium", { settings: { utm: { medium: "a".repeat(81) } } }],
    ["settings.utm.campaign", { settings: { utm: { campaign: "a".repeat(81) } } }],
    ["settings.utm.source", { settings: { utm: { source: "\udc00" } } }],
    ["settings.utm.term", { settings: { utm: { term: "a" } } }],
    ["settings.pixels", { settings: { pixels: Array(101).fill(SOMEBODY) } }],
    ["settings.pixels", { settings: { pixels: [SOMEBODY] } }],
    ["settings.pixels.0", { settings: { pixels: ["no-uuid"] } }],
    ["settings", { settings: [] }],
    ["settings.colour", { settings: { colour: "red" } }],
    ["has_password", { has_password: true }],
    ["id", { id: SOMEBODY }],
    ["status", { status: "active" }],
    ["http_staus", { http_staus: 301 }],
  ])("is refused for its %s in %j", async (field, input) => {
    const { status, body } = await createLink(await createWorkspace(), input);
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(Object.keys(body.errors)).toEqual([field]);
    expect(body.errors[field][0]).toEqual(expect.any(String));
  });

  it.each([
    { destination: `https://example.com/${"a".repeat(2028)}` },
    { destination: "mailto:ada@example.com" },
    { destination: "tel:+447700900123" },
    { destination: "HTTP://example.com" },
    { destination: "https://bücher.example/ä" },
    { title: "a".repeat(120) },
    { title: null },
    { slug: "a".repeat(59) + crypto.randomUUID().slice(0, 1) },
    { settings: { password: "ä".repeat(100) } },
    { settings: { utm: { source: "a".repeat(80), medium: "b", campaign: "c" } } },
    ...[301, 302, 303, 307, 308].map((http_status) => ({ settings: { http_status } })),
  ])("may be %j", async (input) => {
    expect((await createLink(await createWorkspace(), input)).status).toBe(201);
  });

  it("cannot take a slug that another link has in another case, on any workspace", async () => {
    const slug = `taken-${crypto.randomUUID().slice(0, 8)}`;
    await createLink(await createWorkspace(), { slug });
    const { status, body } = await createLink(await createWorkspace(), {
      slug: slug.toUpperCase(),
    });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["slug"]]);
  });

  it("may use the workspace's own pixels and verified domains, not others'", async () => {
    const [own, other] = [await createWorkspace(), await createWorkspace()];
    const pixels = [await addPixel(own.id)];
    const { id: domain, host } = await addDomain(own.id);
    const made = await createLink(own, { domain, settings: { pixels } });
    expect(made.body.data.settings.pixels).toEqual(pixels);
    expect(made.body.data.public_url).toBe(`https://${host}/${made.body.data.slug}`);
    expect((await createLink(other, { domain })).status).toBe(422);
    expect((await createLink(other, { settings: { pixels } })).status).toBe(422);
    const unverified = (await addDomain(own.id, { verified: false })).id;
    const refused = await createLink(own, { domain: unverified });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["domain"]]);
  });

  it("may have a hundred pixels, and each once", async () => {
    const workspace = await createWorkspace();
    const pixels: string[] = [];
    for (let count = 0; count < 99; count++) pixels.push(await addPixel(workspace.id));
    const { status, body } = await createLink(workspace, {
      settings: { pixels: [...pixels, pixels[0]] },
    });
    expect([status, body.data.settings.pixels]).toEqual([201, pixels]);
    pixels.push(await addPixel(workspace.id));
    expect((await createLink(workspace, { settings: { pixels } })).status).toBe(201);
  });
});

describe("the links of a workspace", () => {
  it("are listed newest first, page by page, whatever is added meanwhile", async () => {
    const workspace = await createWorkspace();
    const made: string[] = [];
    for (let count = 0; count < 5; count++)
      made.unshift((await createLink(workspace)).body.data.id);
    const first = (await workspace.send("GET", `${LINKS}?limit=2`)).body;
    await createLink(workspace);
    const second = (await workspace.send("GET", `${LINKS}?limit=2&cursor=${first.next_cursor}`))
      .body;
    const third = (await workspace.send("GET", `${LINKS}?limit=2&cursor=${second.next_cursor}`))
      .body;
    const seen = [...first.data, ...second.data, ...third.data].map(({ id }) => id);
    expect(seen).toEqual(made);
    expect(third.next_cursor).toBeNull();
  });

  it("are found by status, domain and part of their text", async () => {
    const workspace = await createWorkspace();
    const { id: domain } = await addDomain(workspace.id);
    const a = (await createLink(workspace, { title: "Spring Sale" })).body.data;
    const b = (
      await createLink(workspace, { destination: "https://shop.example/100%_off", domain })
    ).body.data;
    await updateLink(workspace, b.id, { status: "active" });
    const find = async (query: string) =>
      (await workspace.send("GET", `${LINKS}?${query}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await find("search=sPRING")).toEqual([a.id]);
    expect(await find("search=100%25_OFF")).toEqual([b.id]);
    expect(await find("search=1000_off")).toEqual([]);
    expect(await find("status=active")).toEqual([b.id]);
    expect(await find(`domain=${domain}`)).toEqual([b.id]);
  });

  it.each([
    "limit=0",
    "limit=101",
    "limit=x",
    "cursor=x",
    "cursor=YWZ0ZXI6eA",
    "status=gone",
    "domain=x",
  ])("are not listed by %s", async (query) => {
    const { status, body } = await (await createWorkspace()).send("GET", `${LINKS}?${query}`);
    expect([status, Object.keys(body.errors)]).toEqual([422, [query.split("=")[0]]]);
  });

  it("are nobody else's", async () => {
    const [own, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = (await createLink(own)).body.data;
    expect((await other.send("GET", `${LINKS}/${id}`)).status).toBe(404);
    expect((await updateLink(other, id, { status: "active" })).status).toBe(404);
    expect(
      (await other.send("DELETE", `${LINKS}/${id}`, { headers: { "If-Match": "*" } })).status,
    ).toBe(404);
    expect((await other.send("GET", LINKS)).body.data).toEqual([]);
    expect((await own.send("GET", `${LINKS}/${id}`)).body.data.status).toBe("paused");
    expect((await own.send("GET", `${LINKS}/no-uuid`)).status).toBe(404);
  });

  it("are gone once deleted", async () => {
    const workspace = await createWorkspace();
    const link = (await createLink(workspace)).body.data;
    const remove = { headers: { "If-Match": `"${link.revision}"` } };
    expect((await workspace.send("DELETE", `${LINKS}/${link.id}`, remove)).status).toBe(204);
    expect((await workspace.send("GET", `${LINKS}/${link.id}`)).status).toBe(404);
  });
});

describe("an ETag", () => {
  it("spares a caller what it knows, and is matched as RFC 9110 says", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = (await createLink(workspace)).body.data;
    const read = (value: string) =>
      workspace.send("GET", `${LINKS}/${id}`, { headers: { "If-None-Match": value } });
    for (const known of [`"${revision}"`, `W/"${revision}"`, `"x", "${revision}"`, "*"]) {
      const answer = await read(known);
      expect([answer.status, answer.text]).toEqual([304, ""]);
    }
    expect((await read('"x"')).status).toBe(200);
    const change = (value: string) =>
      workspace.send("PATCH", `${LINKS}/${id}`, { headers: { "If-Match": value }, body: {} });
    for (const own of [`"${revision}"`, `W/"${revision}"`, revision, `"x", "${revision}"`]) {
      expect((await change(own)).status).toBe(200);
    }
    expect((await change('"x", *')).status).toBe(412);
  });
});
