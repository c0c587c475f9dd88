import { describe, expect, it } from "vitest";
import { change } from "../support/contacts.ts";
import { DOMAINS } from "../support/domains.ts";
import { newAddress, operate, send } from "../support/http.ts";
import { addDomain, addPixel } from "../support/records.ts";
import { PERSON_ABROAD, postForm } from "../support/visitor.ts";
import {
  createActiveLink,
  createLink,
  createWorkspace,
  LINKS,
  updateLink,
} from "../support/workspace.ts";

const SECRET_PLACE = "https://secret-place.example/path";

describe("a visitor", () => {
  it("is told nothing of a paused, disabled, suspended or unknown link", async () => {
    const workspace = await createWorkspace();
    const paused = (await createLink(workspace, { destination: SECRET_PLACE })).body.data;
    const disabled = await createActiveLink(workspace, { destination: SECRET_PLACE });
    await operate("PATCH", `/workspaces/${workspace.id}/links/${disabled.id}`, { disabled: true });
    const other = await createWorkspace();
    const suspended = await createActiveLink(other, { destination: SECRET_PLACE });
    await operate("PATCH", `/workspaces/${other.id}`, { status: "suspended" });
    for (const [slug, status] of [
      [paused.slug, 404],
      [disabled.slug, 410],
      [suspended.slug, 410],
      ["no-such-link", 404],
    ]) {
      const visit = await send(`/${slug}`);
      expect(visit.status).toBe(status);
      expect(visit.headers.get("X-Robots-Tag")).toBe("noindex");
      expect(visit.headers.get("X-Request-Id")).toBeTruthy();
      expect(visit.text).not.toContain("secret-place");
    }
  });

  it("cannot be sent on by a workspace that the operator stopped", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    await operate("PATCH", `/workspaces/${workspace.id}/links/${link.id}`, { disabled: true });
    await updateLink(workspace, link.id, { status: "active" });
    expect((await send(`/${link.slug}`)).status).toBe(410);
    expect((await updateLink(workspace, link.id, { disabled: false })).status).toBe(422);
  });

  it("finds nothing in place of what the operator stopped, whatever its workspace does", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await addDomain(workspace.id);
    await change(workspace, "PATCH", `${DOMAINS}/${domain}`, {
      not_found_url: "https://elsewhere.example/",
    });
    const link = await createActiveLink(workspace, { domain });
    const other = (await createLink(workspace, { domain })).body.data;
    const path = `${LINKS}/${link.id}`;
    const switched = (disabled: boolean) =>
      operate("PATCH", `/workspaces/${workspace.id}/links/${link.id}`, { disabled });
    const status = async () => (await send(`https://${host}/${link.slug}`)).status;
    await switched(true);
    expect((await updateLink(workspace, link.id, { status: "paused" })).status).toBe(200);
    expect(await status()).toBe(410);
    for (const move of [{ slug: `${link.slug}-2` }, { domain: null }]) {
      const moved = await updateLink(workspace, link.id, move);
      expect([moved.status, moved.body.code]).toEqual([409, "conflict"]);
    }
    expect((await change(workspace, "DELETE", path)).status).toBe(409);
    expect((await updateLink(workspace, other.id, { slug: link.slug })).status).toBe(422);
    // What leads no visitor elsewhere may change.
    const slug = link.slug.toUpperCase();
    expect((await updateLink(workspace, link.id, { slug, title: "Old" })).status).toBe(200);
    expect(await status()).toBe(410);
    await switched(false);
    expect(await status()).toBe(302);
    expect((await change(workspace, "DELETE", path)).status).toBe(204);
  });

  it("finds a link in any case and with a slash behind it, and gets JSON if that is what it takes", async () => {
    const workspace = await createWorkspace();
    const slug = `Mixed-${crypto.randomUUID().slice(0, 8)}`;
    await createActiveLink(workspace, { slug });
    for (const path of [slug, slug.toUpperCase(), `${slug}/`]) {
      expect((await send(`/${path}`)).status).toBe(302);
    }
    const { status, body } = await send("/no-such-link", {
      headers: { Accept: "application/json" },
    });
    expect([status, body.code]).toEqual([404, "not_found"]);
  });

  it("is answered by method however often a link was visited before", async () => {
    const link = await createActiveLink(await createWorkspace());
    for (let times = 0; times < 3; times++) expect((await send(`/${link.slug}`)).status).toBe(302);
    const statusOf = async (method: string) => (await send(`/${link.slug}`, { method })).status;
    expect([await statusOf("POST"), await statusOf("HEAD"), await statusOf("PUT")]).toEqual([
      405, 302, 405,
    ]);
  });

  it("sees a change at once where it was made", async () => {
    const workspace = await createWorkspace();
    const slug = `fresh-${crypto.randomUUID().slice(0, 8)}`;
    expect((await send(`/${slug}`)).status).toBe(404);
    const link = await createActiveLink(workspace, { slug });
    expect((await send(`/${slug}`)).headers.get("Location")).toBe("https://example.com/");
    await updateLink(workspace, link.id, { destination: "https://example.com/new" });
    expect((await send(`/${slug}`)).headers.get("Location")).toBe("https://example.com/new");
    await workspace.send("DELETE", `${LINKS}/${link.id}`, { headers: { "If-Match": "*" } });
    expect((await send(`/${slug}`)).status).toBe(404);
  });

  it("gets nothing on a host that is nobody's, and a domain's own links on a verified domain", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    expect((await send(`https://elsewhere.example/${link.slug}`)).status).toBe(404);
    const { id: domain, host } = await addDomain(workspace.id);
    const own = await createActiveLink(workspace, {
      slug: link.slug,
      domain,
      destination: "https://example.com/own",
    });
    expect(own.public_url).toBe(`https://${host}/${link.slug}`);
    expect((await send(own.public_url)).headers.get("Location")).toBe("https://example.com/own");
    expect((await send(`/${link.slug}`)).headers.get("Location")).toBe("https://example.com/");
    expect(
      (await send(`https://${host}/api/v1/biolinks/links`)).headers.get("Content-Type"),
    ).toContain("text/html");
  });

  it("may only GET, HEAD, and POST where there is a form", async () => {
    const link = await createActiveLink(await createWorkspace());
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const visit = await send(`/${link.slug}`, { method });
      expect([visit.status, visit.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
    }
    const head = await send(`/${link.slug}`, { method: "HEAD" });
    expect([head.status, head.headers.get("Location"), head.text]).toEqual([
      302,
      "https://example.com/",
      "",
    ]);
  });
});

describe("a link with a password", () => {
  it("tells its destination only to who knows the password, and never re-posts it", async () => {
    const settings = { password: "open sesame", http_status: 307 };
    const link = await createActiveLink(await createWorkspace(), {
      destination: SECRET_PLACE,
      settings,
    });
    expect(link.has_password).toBe(true);
    expect(JSON.stringify(link)).not.toContain("sesame");
    const form = await send(`/${link.slug}`);
    expect([form.status, form.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    expect(form.text).not.toContain("secret-place");
    const wrong = await postForm(link.slug, { password: "open barley" });
    expect(wrong.status).toBe(401);
    expect(wrong.text).not.toContain("secret-place");
    const right = await postForm(link.slug, { password: "open sesame" });
    expect([right.status, right.headers.get("Location")]).toEqual([303, SECRET_PLACE]);
    expect(right.headers.get("Cache-Control")).toBe("no-store");
  });

  it("refuses the 11th try of an address in a minute though it is right, and nobody else's", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { settings: { password: "right" } });
    const address = newAddress();
    for (let tries = 0; tries < 10; tries++) {
      expect((await postForm(link.slug, { password: "wrong" }, address)).status).toBe(401);
    }
    const refused = await postForm(link.slug, { password: "right" }, address);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await postForm(link.slug, { password: "right" })).status).toBe(303);
  });

  it("can be opened again by clear_password", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { settings: { password: "right" } });
    const updated = await updateLink(workspace, link.id, { settings: { clear_password: true } });
    expect(updated.body.data.has_password).toBe(false);
    expect((await send(`/${link.slug}`)).status).toBe(302);
  });
});

describe("a link with sensitive content or pixels", () => {
  it("asks for consent first, and then goes on with 303", async () => {
    const settings = { sensitive_content: true };
    const link = await createActiveLink(await createWorkspace(), {
      destination: SECRET_PLACE,
      settings,
    });
    const page = await send(`/${link.slug}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain("secret-place");
    const onward = await postForm(link.slug, { consent: "yes" });
    expect([onward.status, onward.headers.get("Location")]).toEqual([303, SECRET_PLACE]);
  });

  it("fires pixels for people only", async () => {
    const workspace = await createWorkspace();
    const pixel = await addPixel(workspace.id);
    const link = await createActiveLink(workspace, { settings: { pixels: [pixel] } });
    const page = await send(`/${link.slug}`, { headers: PERSON_ABROAD });
    expect(page.status).toBe(200);
    expect(page.text).toContain("https://www.facebook.com/tr?id=4711");
    expect(
      (
        await send(`/${link.slug}`, {
          headers: { ...PERSON_ABROAD, "User-Agent": "Googlebot/2.1" },
        })
      ).status,
    ).toBe(302);
  });
});
