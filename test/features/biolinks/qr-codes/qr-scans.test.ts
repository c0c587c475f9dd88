import { describe, expect, it, vi } from "vitest";
import { createActiveDomain, DOMAINS, follow } from "../../../support/domains.ts";
import { newAddress, ORIGIN, operate, send } from "../../../support/http.ts";
import { createQrCode, postQrCode, QR_CODES, updateQrCode } from "../../../support/qr-codes.ts";
import { untilEarlyInMinute } from "../../../support/rate-limits.ts";
import {
  createActiveLink,
  createLink,
  createWorkspace,
  LINKS,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

const URL_TARGET = { type: "url", url: "https://example.com/ü?a=b#c" };
const newSlug = () => `s-${crypto.randomUUID().slice(0, 8)}`;

async function codeOfLink(workspace: Workspace, input: object = {}) {
  const link = await createActiveLink(workspace, { slug: newSlug(), ...input });
  const code = await createQrCode(workspace, { target: { type: "link", link: link.id } });
  return { link, code };
}

/** Where a scan of a code of the platform's host leads. */
async function scan({ code }: { code: string }, more: Parameters<typeof send>[1] = {}) {
  const { status, headers } = await send(`/Q/${code}`, more);
  return [status, headers.get("Location")];
}

describe("a scan", () => {
  it("leads to a URL by a 302 that nobody keeps, whatever the case of the code", async () => {
    const { code } = await createQrCode(await createWorkspace(), { target: URL_TARGET });
    for (const path of [`/Q/${code}`, `/q/${code.toLowerCase()}`, `/Q/${code.toLowerCase()}/`]) {
      const { status, headers } = await send(path);
      expect([path, status, headers.get("Location"), headers.get("Cache-Control")]).toEqual([
        path,
        302,
        "https://example.com/%C3%BC?a=b#c",
        "no-store",
      ]);
    }
    expect(await scan({ code }, { method: "HEAD" })).toEqual([
      302,
      "https://example.com/%C3%BC?a=b#c",
    ]);
    const posted = await send(`/Q/${code}`, { method: "POST" });
    expect([posted.status, posted.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("leads to a link's own address, whose rules apply there", async () => {
    const workspace = await createWorkspace();
    const settings = { http_status: 301, password: "open sesame", forward_query: true };
    const { link, code } = await codeOfLink(workspace, { settings });
    expect(await scan(code)).toEqual([302, link.public_url]);
    const there = await send(new URL(link.public_url).pathname);
    expect([there.status, there.text.includes("This link is protected")]).toEqual([200, true]);
    await updateLink(workspace, link.id, { status: "paused" });
    expect(await scan(code)).toEqual([302, link.public_url]);
  });

  it("is of the host that is printed, and of no other", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await createActiveDomain(workspace);
    const { link, code } = await codeOfLink(workspace, { domain });
    const there = await follow(host, `/Q/${code.code}`);
    expect([there.status, there.headers.get("Location")]).toEqual([302, link.public_url]);
    expect(await scan(code)).toEqual([404, null]);
    const other = await createQrCode(workspace, { target: URL_TARGET });
    expect((await follow(host, `/Q/${other.code}`)).status).toBe(404);
  });

  it.each(["/Q/AAAAAAAA", "/Q/ILOUILOU", "/Q/AAAAAAA", "/Q/AAAAAAAAA", "/Q/AAAAAAAA/x", "/Q/"])(
    "of %s, where no code is, is a 404",
    async (path) => {
      expect((await send(path)).status).toBe(404);
    },
  );

  it("of a code that is paused, or deleted, is a 404, and of a suspended workspace a 410", async () => {
    const workspace = await createWorkspace();
    const { id, code } = await createQrCode(workspace, { target: URL_TARGET });
    const location = "https://example.com/%C3%BC?a=b#c";
    await updateQrCode(workspace, id, { status: "paused" });
    expect(await scan({ code })).toEqual([404, null]);
    await updateQrCode(workspace, id, { status: "active" });
    expect(await scan({ code })).toEqual([302, location]);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    expect(await scan({ code })).toEqual([410, null]);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    expect(await scan({ code })).toEqual([302, location]);
    await workspace.send("DELETE", `${QR_CODES}/${id}`, { headers: { "If-Match": "*" } });
    expect(await scan({ code })).toEqual([404, null]);
  });

  it("of a code that is paused goes where its domain sends visitors without a link", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await createActiveDomain(workspace);
    const { code } = await codeOfLink(workspace, { domain });
    const elsewhere = { not_found_url: "https://brand.com/oops" };
    const headers = { "If-Match": "*" };
    await workspace.send("PATCH", `${DOMAINS}/${domain}`, { headers, body: elsewhere });
    await updateQrCode(workspace, code.id, { status: "paused" });
    const there = await follow(host, `/Q/${code.code}`);
    expect([there.status, there.headers.get("Location")]).toEqual([302, "https://brand.com/oops"]);
  });

  it("at random is limited as slugs are", async () => {
    const address = newAddress();
    await untilEarlyInMinute();
    const seen = new Set<number>();
    const ask = (code: string) => send(`/Q/${code}`, { headers: { "CF-Connecting-IP": address } });
    for (let tries = 0; tries < 150 && !seen.has(429); tries++) {
      seen.add((await ask(`ZZ${String(tries).padStart(6, "0")}`)).status);
    }
    expect([...seen]).toEqual([404, 429]);
  });
});

describe("what is printed", () => {
  it("is never broken by a new target, a new slug, a move, or a new look", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await createActiveDomain(workspace);
    const { link, code } = await codeOfLink(workspace);
    expect(await scan(code)).toEqual([302, link.public_url]);

    const slug = newSlug();
    await updateLink(workspace, link.id, { slug });
    expect(await scan(code)).toEqual([302, `${ORIGIN}/${slug}`]);
    await updateLink(workspace, link.id, { slug: slug.toUpperCase() });
    expect(await scan(code)).toEqual([302, `${ORIGIN}/${slug.toUpperCase()}`]);
    await updateLink(workspace, link.id, { domain });
    expect(await scan(code)).toEqual([302, `https://${host}/${slug.toUpperCase()}`]);
    await updateLink(workspace, link.id, { domain: null });
    expect(await scan(code)).toEqual([302, `${ORIGIN}/${slug.toUpperCase()}`]);

    const look = { shape: "dots", compact: false, error_correction: "H" };
    const restyled = await updateQrCode(workspace, code.id, { name: "New", style: look });
    expect([restyled.status, restyled.body.data.code]).toEqual([200, code.code]);
    expect((await scan(code))[0]).toBe(302);
    await updateQrCode(workspace, code.id, { target: URL_TARGET });
    expect(await scan(code)).toEqual([302, "https://example.com/%C3%BC?a=b#c"]);
    const other = await createActiveLink(workspace, { domain });
    await updateQrCode(workspace, code.id, { target: { type: "link", link: other.id } });
    expect(await scan(code)).toEqual([302, other.public_url]);
  });

  it("is a 404 while its link is gone, and goes on with another", async () => {
    const workspace = await createWorkspace();
    const { link, code } = await codeOfLink(workspace);
    expect(await scan(code)).toEqual([302, link.public_url]);
    await workspace.send("DELETE", `${LINKS}/${link.id}`, { headers: { "If-Match": "*" } });
    expect(await scan(code)).toEqual([404, null]);
    // What is said of anything else needs no target that is there.
    expect((await updateQrCode(workspace, code.id, { name: "Lost" })).status).toBe(200);
    await updateQrCode(workspace, code.id, { target: URL_TARGET });
    expect((await scan(code))[0]).toBe(302);
  });

  it("is a 404 while its link's domain is gone", async () => {
    const workspace = await createWorkspace();
    const { id: domain } = await createActiveDomain(workspace);
    const { link, code } = await codeOfLink(workspace);
    await updateLink(workspace, link.id, { domain });
    expect((await scan(code))[0]).toBe(302);
    await workspace.send("DELETE", `${DOMAINS}/${domain}`, { headers: { "If-Match": "*" } });
    vi.useFakeTimers({ toFake: ["Date"] });
    // The isolate held the code at another host: the log tells it.
    vi.setSystemTime(Date.now() + 10_000);
    expect(await scan(code)).toEqual([404, null]);
    vi.useRealTimers();
  });

  it("does not lead back to itself, by whatever way", async () => {
    const workspace = await createWorkspace();
    const { link, code } = await codeOfLink(workspace);
    const own = `${ORIGIN}/q/${code.code.toLowerCase()}`;
    const itself = await updateQrCode(workspace, code.id, { target: { type: "url", url: own } });
    expect([itself.status, Object.keys(itself.body.errors)]).toEqual([422, ["target.url"]]);
    const back = await updateLink(workspace, link.id, { destination: own });
    expect([back.status, Object.keys(back.body.errors)]).toEqual([422, ["destination"]]);
    const other = (await createLink(workspace, { destination: own })).body.data;
    const round = await updateQrCode(workspace, code.id, {
      target: { type: "link", link: other.id },
    });
    expect([round.status, Object.keys(round.body.errors)]).toEqual([422, ["target.link"]]);
    expect((await postQrCode(workspace, { target: { type: "url", url: own } })).status).toBe(201);
  });
});
