import { describe, expect, it } from "vitest";
import { ORIGIN, operate } from "../../../support/http.ts";
import { addDomain, addPixel } from "../../../support/records.ts";
import { createLink, createWorkspace, LINKS, updateLink } from "../../../support/workspace.ts";

describe("a change of a link", () => {
  it("keeps what is left out, merges settings, and gives a new revision", async () => {
    const workspace = await createWorkspace();
    const utm = { source: "bio", medium: "social" };
    const settings = { utm, http_status: 301, password: "secret" };
    const link = (await createLink(workspace, { title: "T", settings })).body.data;
    const change = {
      status: "active",
      settings: { forward_query: true, utm: { medium: null, campaign: "c" } },
    };
    const { status, body } = await updateLink(workspace, link.id, change);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      title: "T",
      slug: link.slug,
      status: "active",
      has_password: true,
      settings: { utm: { source: "bio", campaign: "c" }, http_status: 301, forward_query: true },
    });
    expect(body.data.revision).not.toBe(link.revision);
  });

  it("is refused when it is wrong, or would lead the link to itself", async () => {
    const workspace = await createWorkspace();
    const link = (await createLink(workspace)).body.data;
    const taken = (await createLink(workspace)).body.data;
    const refusals: [object, string][] = [
      [{ status: "disabled" }, "status"],
      [{ disabled: true }, "disabled"],
      [{ slug: taken.slug }, "slug"],
      [{ slug: null }, "slug"],
      [{ destination: link.public_url }, "destination"],
      [{ destination: null }, "destination"],
      [{ status: null }, "status"],
      [{ slug: "docs" }, "slug"],
      [{ revision: "x" }, "revision"],
      [{ settings: { http_status: 200 } }, "settings.http_status"],
      [{ settings: { clear_pasword: true } }, "settings.clear_pasword"],
    ];
    for (const [change, field] of refusals) {
      const { status, body } = await updateLink(workspace, link.id, change);
      expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    }
  });

  it("wins once when two hold the same revision", async () => {
    const workspace = await createWorkspace();
    const link = (await createLink(workspace)).body.data;
    const change = (title: string) =>
      workspace.send("PATCH", `${LINKS}/${link.id}`, {
        headers: { "If-Match": `"${link.revision}"` },
        body: { title },
      });
    const answers = await Promise.all(["a", "b", "c", "d"].map(change));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });

  it("takes away what is sent as null, and leaves the rest of its kind", async () => {
    const workspace = await createWorkspace();
    const { id: domain } = await addDomain(workspace.id);
    const pixels = [await addPixel(workspace.id), await addPixel(workspace.id)];
    const utm = { source: "a", medium: "b", campaign: "c" };
    const settings = { utm, pixels, password: "secret" };
    const { id } = (await createLink(workspace, { title: "T", domain, settings })).body.data;
    const change = async (input: object) => (await updateLink(workspace, id, input)).body.data;
    expect(await change({ title: null })).toMatchObject({ title: null, domain, settings: { utm } });
    const withoutTwo = { settings: { utm: { source: null, medium: "" } } };
    expect((await change(withoutTwo)).settings).toMatchObject({ utm: { campaign: "c" }, pixels });
    const onPlatform = await change({ domain: null });
    expect(onPlatform).toMatchObject({ domain: null, has_password: true });
    expect(onPlatform.public_url).toBe(`${ORIGIN}/${onPlatform.slug}`);
    expect((await change({ settings: { clear_password: false } })).has_password).toBe(true);
    expect((await change({ settings: { clear_password: true } })).has_password).toBe(false);
    const last = await change({ settings: { pixels: [pixels[1]] } });
    expect(last.settings.pixels).toEqual([pixels[1]]);
    expect((await change({ settings: { pixels: [] } })).settings).toEqual({
      utm: { campaign: "c" },
      forward_query: false,
      http_status: 302,
      sensitive_content: false,
      pixels: [],
    });
  });

  it("gives a revision never seen before, whatever is changed and whoever does it", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = (await createLink(workspace)).body.data;
    const seen = new Set([revision]);
    const changes = [{ title: "a" }, { title: "b" }, { title: "a" }, { status: "active" }];
    for (const change of changes) {
      const { body, headers } = await updateLink(workspace, id, change);
      expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
      seen.add(body.data.revision);
    }
    const switched = { disabled: true };
    await operate("PATCH", `/workspaces/${workspace.id}/links/${id}`, switched);
    const { body } = await workspace.send("GET", `${LINKS}/${id}`);
    expect(body.data).toMatchObject({ disabled: true, status: "active", title: "a" });
    expect(seen.add(body.data.revision).size).toBe(changes.length + 2);
  });

  it("that is refused changes nothing", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createLink(workspace)).body.data;
    const before = (await workspace.send("GET", `${LINKS}/${id}`)).body.data;
    const change = { title: "new", settings: { http_status: 301, pixels: [id] } };
    expect((await updateLink(workspace, id, change)).status).toBe(422);
    expect((await workspace.send("GET", `${LINKS}/${id}`)).body.data).toEqual(before);
  });

  it("needs to say which revision it replaces", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = (await createLink(workspace)).body.data;
    for (const method of ["PATCH", "DELETE"]) {
      const send = (headers: Record<string, string>) =>
        workspace.send(method, `${LINKS}/${id}`, { headers, body: {} });
      expect((await send({})).status).toBe(428);
      expect((await send({ "If-Match": '"stale"' })).status).toBe(412);
    }
    expect((await workspace.send("GET", `${LINKS}/${id}`)).body.data.revision).toBe(revision);
  });
});
