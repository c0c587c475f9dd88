import { env as bindings } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { SHARED_PREFIX } from "../../../../src/visitor/addresses/shared-cache.ts";
import { change } from "../../../support/contacts.ts";
import {
  createActiveDomain,
  createDomain,
  createRecords,
  DOMAINS,
  follow,
  newHost,
  verify,
} from "../../../support/domains.ts";
import { operate, send } from "../../../support/http.ts";
import {
  createActiveLink,
  createWorkspace,
  LINKS,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

async function domainWithLink(workspace: Workspace) {
  const domain = await createActiveDomain(workspace);
  const link = await createActiveLink(workspace, {
    domain: domain.id,
    slug: "Sale",
    destination: "https://shop.example/spring",
  });
  return { ...domain, link };
}

function patch(workspace: Workspace, id: string, input: object) {
  return change(workspace, "PATCH", `${DOMAINS}/${id}`, input);
}

describe("visitors of a verified domain", () => {
  it("follow its links, whatever the case of host and slug", async () => {
    const workspace = await createWorkspace();
    const { host, link } = await domainWithLink(workspace);
    expect(link.public_url).toBe(`https://${host}/Sale`);
    for (const at of [host, host.toUpperCase(), `${host}.`, `${host}:8443`]) {
      for (const path of ["/Sale", "/sale", "/SALE/"]) {
        const { status, headers } = await follow(at, path);
        expect([at, path, status, headers.get("Location")]).toEqual([
          at,
          path,
          302,
          "https://shop.example/spring",
        ]);
      }
    }
  });

  it("are told apart from those of the platform and of other domains by the host alone", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const slug = `s-${crypto.randomUUID().slice(0, 8)}`;
    const [first, second] = [await createActiveDomain(workspace), await createActiveDomain(other)];
    const destination = (name: string) => `https://shop.example/${name}`;
    await createActiveLink(workspace, { slug, destination: destination("platform") });
    await createActiveLink(workspace, {
      slug,
      domain: first.id,
      destination: destination("first"),
    });
    await createActiveLink(other, { slug, domain: second.id, destination: destination("second") });
    const locations = await Promise.all([
      send(`/${slug}`),
      follow(first.host, `/${slug}`),
      follow(second.host, `/${slug}`),
    ]);
    expect(locations.map(({ headers }) => headers.get("Location"))).toEqual([
      destination("platform"),
      destination("first"),
      destination("second"),
    ]);
    expect((await follow(newHost(), `/${slug}`)).status).toBe(404);
  });

  it("never meet the API, nor anything else of the platform", async () => {
    const workspace = await createWorkspace();
    const { host } = await domainWithLink(workspace);
    const paths = [
      LINKS,
      "/api",
      "/automation/me",
      "/admin/v1/workspaces",
      "/docs",
      "/openapi.json",
      "/healthz",
    ];
    for (const path of paths) {
      const answer = await send(`https://${host}${path}`, {
        headers: { Authorization: `Bearer ${workspace.key}`, Accept: "text/html" },
      });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get("Content-Type")).toContain("text/html");
    }
  });

  it("get the not-found page at the root and at unknown paths, or what the domain says", async () => {
    const workspace = await createWorkspace();
    const domain = await domainWithLink(workspace);
    for (const path of ["/", "/nothing", "/a/b/c", "/api/v1/x", "/%ff"]) {
      const answer = await follow(domain.host, path, { Accept: "text/html" });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get("X-Robots-Tag")).toBe("noindex");
    }
    const root_url = "https://brand.com/home?x=1";
    const not_found_url = "https://brand.com/oops";
    await patch(workspace, domain.id, { root_url, not_found_url });
    const leads = async (path: string) => {
      const { status, headers } = await follow(domain.host, path);
      expect([status, headers.get("Cache-Control")]).toEqual([302, "no-store"]);
      return headers.get("Location");
    };
    expect(await leads("/")).toBe(root_url);
    const forms = ["/@nobody/form/x", `/@nobody/form/${crypto.randomUUID()}`];
    for (const path of ["/nothing", "/a/b/c", "/api/v1/x", ...forms]) {
      expect(await leads(path)).toBe(not_found_url);
    }
    expect(await leads("/sale")).toBe("https://shop.example/spring");
    await updateLink(workspace, domain.link.id, { status: "paused" });
    expect(await leads("/sale")).toBe(not_found_url);
    await patch(workspace, domain.id, { root_url: null, not_found_url: null });
    expect((await follow(domain.host, "/")).status).toBe(404);
    expect((await follow(domain.host, "/nothing")).status).toBe(404);
  });

  it("are not counted as clicks of a link that is paused", async () => {
    const workspace = await createWorkspace();
    const domain = await domainWithLink(workspace);
    await patch(workspace, domain.id, { not_found_url: "https://brand.com/oops" });
    await updateLink(workspace, domain.link.id, { status: "paused" });
    for (let visits = 0; visits < 3; visits++) await follow(domain.host, "/sale");
    await updateLink(workspace, domain.link.id, { status: "active" });
    await follow(domain.host, "/sale");
    await vi.waitFor(
      async () => {
        const { body } = await workspace.send("GET", `${LINKS}/${domain.link.id}`);
        expect(body.data.clicks).toBe(1);
      },
      { timeout: 60_000, interval: 300 },
    );
  });

  it("get a link's password page on the domain, and go on from there", async () => {
    const workspace = await createWorkspace();
    const { id, host } = await createActiveDomain(workspace);
    await createActiveLink(workspace, {
      domain: id,
      slug: "vip",
      settings: { password: "sesame" },
    });
    const page = await follow(host, "/vip", { Accept: "text/html" });
    expect([page.status, page.text.includes("password")]).toEqual([200, true]);
    const body = "password=sesame";
    const answer = await send(`https://${host}/vip`, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body,
    });
    expect(answer.status).toBe(303);
  });
});

describe("a domain that is not to be served", () => {
  it("is one that is pending, disabled or deleted: visitors get 404 at once", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const domain = await domainWithLink(workspace);
    const status = async () => (await follow(domain.host, "/sale")).status;
    expect(await status()).toBe(302);
    await patch(workspace, domain.id, { disabled: true });
    expect(await status()).toBe(404);
    await patch(workspace, domain.id, { disabled: false });
    expect(await status()).toBe(302);
    await change(workspace, "DELETE", `${DOMAINS}/${domain.id}`);
    expect(await status()).toBe(404);
    const pending = (await createDomain(workspace, newHost())).body.data;
    await patch(workspace, pending.id, { root_url: "https://brand.com/" });
    expect((await follow(pending.host, "/")).status).toBe(404);
  });

  it("is forgotten within 10 seconds where nobody said that it was switched off", async () => {
    const workspace = await createWorkspace();
    const domain = await domainWithLink(workspace);
    // Past the time in which this isolate reads the host from the primary.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    try {
      expect((await follow(domain.host, "/sale")).status).toBe(302);
      await (bindings as { DB: D1Database }).DB.prepare(
        "UPDATE domains SET disabled = 1 WHERE id = ?",
      )
        .bind(domain.id)
        .run();
      // The shared cache has a clock of its own: it forgets by then what it would have.
      await caches.default.delete(
        `https://localhost${SHARED_PREFIX}${encodeURIComponent("changes")}`,
      );
      vi.setSystemTime(Date.now() + 10_000);
      expect((await follow(domain.host, "/sale")).status).toBe(404);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is a suspended workspace's: its links are gone, and it sends nobody elsewhere", async () => {
    const workspace = await createWorkspace();
    const domain = await domainWithLink(workspace);
    const url = "https://brand.com/";
    await patch(workspace, domain.id, { root_url: url, not_found_url: url });
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    const statuses = ["/sale", "/", "/nothing"].map(
      async (path) => (await follow(domain.host, path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([410, 404, 404]);
  });

  it("passes its links to nobody who connects the name next", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const domain = await domainWithLink(workspace);
    await change(workspace, "DELETE", `${DOMAINS}/${domain.id}`);
    const next = (await createDomain(other, domain.host)).body.data;
    await createRecords(next);
    expect((await verify(other, next.id)).body.data.status).toBe("active");
    expect((await follow(domain.host, "/sale")).status).toBe(404);
    // Nor does its first owner get them back by connecting it anew.
    await change(other, "DELETE", `${DOMAINS}/${next.id}`);
    await createActiveDomain(workspace, domain.host);
    expect((await follow(domain.host, "/sale")).status).toBe(404);
    const moved = (await workspace.send("GET", DOMAINS)).body.data[0];
    await updateLink(workspace, domain.link.id, { domain: moved.id });
    expect((await follow(domain.host, "/sale")).status).toBe(302);
  });
});
