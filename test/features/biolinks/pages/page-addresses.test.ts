import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { change } from "../../../support/contacts.ts";
import { createActiveDomain, follow } from "../../../support/domains.ts";
import { operate } from "../../../support/http.ts";
import {
  createPage,
  createPublished,
  newHandle,
  PAGES,
  patchPage,
  publishPage,
} from "../../../support/pages.ts";
import { createPixel } from "../../../support/pixels.ts";
import { createActiveLink, createWorkspace } from "../../../support/workspace.ts";

/** What the address book has of a page, by its keys: `[place, key, document]`. */
async function addressesOf(id: string) {
  const { results } = await env.DB.prepare(
    "SELECT place, slug_key, kind, document FROM addresses WHERE target_id = ? ORDER BY slug_key",
  )
    .bind(id)
    .all<{ place: string; slug_key: string; kind: string; document: string }>();
  expect(results.every(({ kind }) => kind === "page")).toBe(true);
  return results.map(({ place, slug_key, document }) => [place, slug_key, JSON.parse(document)]);
}

const keysOf = async (id: string) =>
  (await addressesOf(id)).map(([place, key]) => `${place}/${key}`);

/** What changed for visitors while something was done. */
async function told(work: () => Promise<unknown>): Promise<string[]> {
  const last = "SELECT coalesce(max(id), 0) AS n FROM address_changes";
  const before = await env.DB.prepare(last).first<number>("n");
  await work();
  const { results } = await env.DB.prepare(
    "SELECT scope || ' ' || name AS what FROM address_changes WHERE id > ? ORDER BY id",
  )
    .bind(before)
    .all<{ what: string }>();
  return results.map(({ what }) => what);
}

describe("a page in the address book", () => {
  it("is there while it has a published version, with what visitors meet first", async () => {
    const workspace = await createWorkspace();
    const { id: pixel } = await createPixel(workspace);
    const page = await createPage(workspace, {
      handle: newHandle().toUpperCase(),
      settings: { pixels: [pixel], utm: { source: "bio" }, sensitive_content: true },
    });
    expect(await addressesOf(page.id)).toEqual([]);
    await publishPage(workspace, page.id);
    const key = `@${page.handle.toLowerCase()}`;
    const document = {
      status: "published",
      disabled: 0,
      version: 1,
      hasPassword: 0,
      sensitiveContent: 1,
      utm: { source: "bio" },
      pixels: [pixel],
    };
    expect(await addressesOf(page.id)).toEqual([["", key, document]]);
    const changes = [
      [() => patchPage(workspace, page.id, { status: "paused" }), { status: "paused" }],
      [() => patchPage(workspace, page.id, { settings: { password: "a" } }), { hasPassword: 1 }],
      [
        () => operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: true }),
        { disabled: 1 },
      ],
    ] as const;
    let now: object = document;
    for (const [change, difference] of changes) {
      expect(await told(change)).toEqual([`address /${key}`]);
      now = { ...now, ...difference };
      expect(await addressesOf(page.id)).toEqual([["", key, now]]);
    }
    const settings = { sensitive_content: false, pixels: [] };
    expect(await told(() => patchPage(workspace, page.id, { title: "B", settings }))).toEqual([]);
    expect(await addressesOf(page.id)).toEqual([["", key, now]]);
    await publishPage(workspace, page.id);
    expect(await addressesOf(page.id)).toEqual([
      ["", key, { ...now, status: "published", version: 2, sensitiveContent: 0, pixels: [] }],
    ]);
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: false });
    await workspace.send("POST", `${PAGES}/${page.id}/unpublish`);
    expect(await addressesOf(page.id)).toEqual([]);
  });

  it("moves with its handle and domain, and stands at the domain's root if it is to", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const one = await createActiveDomain(workspace);
    const other = await createActiveDomain(workspace);
    const { id, handle } = await createPublished(workspace);
    expect(await keysOf(id)).toEqual([`/@${handle}`]);
    const next = newHandle();
    const moved = { handle: next, domain: one.id, settings: { domain_root: true } };
    // What is drawn anew is told of too.
    expect(new Set(await told(() => patchPage(workspace, id, moved)))).toEqual(
      new Set([`address /@${handle}`, `address ${one.host}/`, `address ${one.host}/@${next}`]),
    );
    expect(await keysOf(id)).toEqual([`${one.id}/`, `${one.id}/@${next}`]);
    await patchPage(workspace, id, { domain: other.id });
    expect(await keysOf(id)).toEqual([`${other.id}/`, `${other.id}/@${next}`]);
    await patchPage(workspace, id, { settings: { domain_root: false } });
    expect(await keysOf(id)).toEqual([`${other.id}/@${next}`]);
    await change(workspace, "DELETE", `${PAGES}/${id}`);
    expect(await keysOf(id)).toEqual([]);
  });

  it("leaves links, and a domain's root without it, as they are", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const domain = await createActiveDomain(workspace);
    const settings = { domain_root: true };
    const page = await createPublished(workspace, { domain: domain.id, settings });
    const { slug } = await createActiveLink(workspace, { domain: domain.id });
    expect((await follow(domain.host, `/${slug}`)).status).toBe(302);
    const root_url = "https://example.com/home";
    await change(workspace, "PATCH", `/api/v1/biolinks/domains/${domain.id}`, { root_url });
    expect((await follow(domain.host, "/")).status).toBe(200);
    await patchPage(workspace, page.id, { status: "paused" });
    const root = await follow(domain.host, "/");
    expect([root.status, root.headers.get("Location")]).toEqual([302, root_url]);
  });
});
