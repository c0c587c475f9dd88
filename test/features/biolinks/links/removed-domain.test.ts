import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  deleteLink,
  getLink,
  updateLink,
} from "../../../../src/features/biolinks/links/links.service.ts";
import { change } from "../../../support/contacts.ts";
import { DOMAINS } from "../../../support/domains.ts";
import { operate } from "../../../support/http.ts";
import { addDomain } from "../../../support/records.ts";
import { workIn } from "../../../support/work.ts";
import { createLink, createWorkspace, LINKS } from "../../../support/workspace.ts";

/** A link on a domain of its own, and one on another. */
async function newLinks() {
  const workspace = await createWorkspace({ plan: "pro" });
  const [domain, other] = [await addDomain(workspace.id), await addDomain(workspace.id)];
  const link = (await createLink(workspace, { domain: domain.id })).body.data;
  const beside = (await createLink(workspace, { domain: other.id })).body.data;
  const path = `${LINKS}/${link.id}`;
  return {
    workspace,
    link,
    beside,
    path,
    read: (headers: Record<string, string> = {}) => workspace.send("GET", path, { headers }),
    patch: (ifMatch: string, body: object) =>
      workspace.send("PATCH", path, { headers: { "If-Match": ifMatch }, body }),
    remove: (ifMatch: string) =>
      workspace.send("DELETE", path, { headers: { "If-Match": ifMatch } }),
    removeDomain: async () => {
      const removed = await change(workspace, "DELETE", `${DOMAINS}/${domain.id}`);
      expect(removed.status).toBe(204);
    },
  };
}

describe("a link whose domain is deleted", () => {
  it("has another revision with its other public_url, the same wherever it is told", async () => {
    const { workspace, link, beside, read, removeDomain } = await newLinks();
    await removeDomain();
    const { body, headers } = await read();
    expect(body.data).toMatchObject({
      public_url: `https://domain-removed.invalid/${link.slug}`,
      domain: link.domain,
      updated_at: link.updated_at,
    });
    expect(body.data.revision).not.toBe(link.revision);
    expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
    expect((await read()).body.data.revision).toBe(body.data.revision);
    const list = (await workspace.send("GET", LINKS)).body.data;
    expect(list.map(({ revision }: { revision: string }) => revision)).toEqual([
      beside.revision,
      body.data.revision,
    ]);
    const found = (await workspace.send("GET", `${LINKS}?domain=${link.domain}`)).body.data;
    expect(found).toMatchObject([{ revision: body.data.revision }]);
  });

  it("is changed and deleted by its new ETag, no more by the old one", async () => {
    const { link, read, patch, remove, removeDomain } = await newLinks();
    await removeDomain();
    const old = `"${link.revision}"`;
    expect((await patch(old, { title: "new" })).status).toBe(412);
    expect((await remove(old)).status).toBe(412);
    const etag = (await read()).headers.get("ETag") ?? "";
    const changed = await patch(etag, { title: "new" });
    expect([changed.status, changed.body.data.title]).toEqual([200, "new"]);
    expect(changed.headers.get("ETag")).toBe(`"${changed.body.data.revision}"`);
    expect((await patch(etag, { title: "newer" })).status).toBe(412);
    expect((await patch(changed.headers.get("ETag") ?? "", {})).body.data).toEqual(
      changed.body.data,
    );
    expect((await remove(`W/${changed.headers.get("ETag")}`)).status).toBe(204);
  });

  it("is saved with all that was read of it, and is not let onto it from elsewhere", async () => {
    const { workspace, link, beside, patch, read, removeDomain } = await newLinks();
    await removeDomain();
    const { slug, domain, title, destination } = (await read()).body.data;
    const saved = await patch("*", { slug, domain, title, destination, status: "paused" });
    expect([saved.status, saved.body.data.status]).toEqual([200, "paused"]);
    const headers = { "If-Match": "*" };
    const body = { domain: link.domain };
    const moved = await workspace.send("PATCH", `${LINKS}/${beside.id}`, { headers, body });
    expect([moved.status, Object.keys(moved.body.errors)]).toEqual([422, ["domain"]]);
  });

  it("is not changed by the old ETag when its domain goes at the very moment of the write", async () => {
    const { workspace, link, removeDomain } = await newLinks();
    const row = await getLink(workIn(workspace.id), link.id);
    const named = { any: false, named: link.revision };
    await removeDomain();
    // What comes after the comparison in a request that read the link before that.
    const change = updateLink(workIn(workspace.id), row, named, { title: "late" });
    await expect(change).rejects.toMatchObject({ code: "precondition_failed" });
    const removal = deleteLink(workIn(workspace.id), row, named);
    await expect(removal).rejects.toMatchObject({ code: "precondition_failed" });
    expect((await getLink(workIn(workspace.id), link.id)).title).toBe(null);
  });

  it("is not hidden by a 304 of before", async () => {
    const { link, read, removeDomain } = await newLinks();
    expect((await read({ "If-None-Match": `"${link.revision}"` })).status).toBe(304);
    await removeDomain();
    const whole = await read({ "If-None-Match": `"${link.revision}"` });
    expect([whole.status, whole.body?.data.public_url]).toEqual([
      200,
      `https://domain-removed.invalid/${link.slug}`,
    ]);
    const etag = whole.headers.get("ETag") ?? "";
    const known = await read({ "If-None-Match": etag });
    expect([known.status, known.headers.get("ETag")]).toEqual([304, etag]);
  });

  it("has a plain revision again once it is moved", async () => {
    const { read, patch, removeDomain } = await newLinks();
    await removeDomain();
    const gone = (await read()).body.data.revision;
    const moved = (await patch(`"${gone}"`, { domain: null })).body.data;
    expect(moved.public_url).not.toContain("domain-removed");
    expect(moved.revision).toHaveLength(32);
    expect((await read()).body.data).toMatchObject(moved);
  });

  it("is told of alike by the operator's switch", async () => {
    const { workspace, link, read, removeDomain } = await newLinks();
    await removeDomain();
    const path = `/workspaces/${workspace.id}/links/${link.id}`;
    const { body, headers } = await operate("PATCH", path, { disabled: true });
    expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
    expect((await read()).body.data).toMatchObject(body.data);
  });

  it("is not written to, however many they are", async () => {
    const { link, removeDomain } = await newLinks();
    const stored = () => env.DB.prepare("SELECT * FROM links WHERE id = ?").bind(link.id).first();
    const before = await stored();
    await removeDomain();
    expect(await stored()).toEqual(before);
  });
});
