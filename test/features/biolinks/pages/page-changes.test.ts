import { describe, expect, it } from "vitest";
import { change, post } from "../../../support/contacts.ts";
import { operate, send } from "../../../support/http.ts";
import {
  createPage,
  createPublished,
  HEADING,
  LINK,
  newHandle,
  PAGES,
  patchPage,
  postBlock,
  publishPage,
  readPage,
} from "../../../support/pages.ts";
import { createEndpoint, WEBHOOKS } from "../../../support/webhooks.ts";
import { createWorkspace, issueKey, sendAs, type Workspace } from "../../../support/workspace.ts";

const EVENTS = ["biolinks.page.published", "biolinks.page.unpublished"];

async function keyOf(workspace: Workspace, role: string): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`;
  const member = await operate("POST", `/workspaces/${workspace.id}/members`, { email, role });
  return (await issueKey(workspace.id, { member: member.body.data.id })).key;
}

const put = (workspace: Workspace, path: string, body: object) =>
  workspace.send("PUT", path, { headers: { "If-Match": "*" }, body });

describe("a page's revision", () => {
  it("is another after each change of its blocks, which the ETag of before no longer fits", async () => {
    const workspace = await createWorkspace();
    const { id, block_order } = await createPage(workspace, { blocks: [HEADING, LINK, HEADING] });
    const [first, second, third] = block_order;
    const blocks = `${PAGES}/${id}/blocks`;
    const changes: [string, () => Promise<{ status: number }>][] = [
      ["add", () => post(workspace, blocks, HEADING)],
      [
        "order",
        async () => {
          const order = (await readPage(workspace, id)).block_order.reverse();
          return put(workspace, `${PAGES}/${id}/block-order`, { order });
        },
      ],
      ["change", () => change(workspace, "PATCH", `${blocks}/${first}`, { enabled: false })],
      ["delete", () => change(workspace, "DELETE", `${blocks}/${second}`)],
      ["replace", () => put(workspace, blocks, { blocks: [{ id: third, ...HEADING }] })],
    ];
    const known = new Set([(await readPage(workspace, id)).revision]);
    for (const [name, send] of changes) {
      expect([name, (await send()).status]).toEqual([name, expect.toBeOneOf([200, 201, 204])]);
      const { revision } = await readPage(workspace, id);
      expect([name, known.has(revision)]).toEqual([name, false]);
      for (const stale of known) {
        const headers = { "If-Match": `"${stale}"` };
        const late = await workspace.send("PATCH", `${PAGES}/${id}`, {
          headers,
          body: { title: "Late" },
        });
        expect([name, late.status]).toEqual([name, 412]);
      }
      known.add(revision);
    }
  });

  it("of a block guards its deletion: 412 for what somebody has changed since", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const block = (await postBlock(workspace, page.id)).body.data;
    const path = `${PAGES}/${page.id}/blocks/${block.id}`;
    await change(workspace, "PATCH", path, { settings: { text: "Newer" } });
    const stale = { headers: { "If-Match": `"${block.revision}"` } };
    expect((await workspace.send("DELETE", path, stale)).status).toBe(412);
    const { headers } = await workspace.send("GET", path);
    const fresh = { headers: { "If-Match": headers.get("ETag") ?? "" } };
    expect((await workspace.send("DELETE", path, fresh)).status).toBe(204);
  });
});

describe("a version", () => {
  it("stays as it was published, whatever becomes of the draft, and goes with its page", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { title: "First", blocks: [HEADING, LINK] });
    const path = `${PAGES}/${page.id}`;
    const read = async () => (await workspace.send("GET", `${path}/versions/1`)).body.data;
    const before = await read();
    expect(before.title).toBe("First");
    await patchPage(workspace, page.id, { title: "Second", theme: { preset: "ocean" } });
    await change(workspace, "DELETE", `${path}/blocks/${page.block_order[0]}`);
    await change(workspace, "PATCH", `${path}/blocks/${page.block_order[1]}`, { enabled: false });
    await publishPage(workspace, page.id);
    await workspace.send("POST", `${path}/versions/1/restore`);
    expect(await read()).toEqual({ ...before, is_published: false });
    for (const method of ["PATCH", "PUT", "DELETE"]) {
      const headers = { "If-Match": "*" };
      const refused = await workspace.send(method, `${path}/versions/1`, { headers, body: {} });
      expect([method, refused.status]).toEqual([method, expect.toBeOneOf([404, 405])]);
    }
    await change(workspace, "DELETE", path);
    expect((await workspace.send("GET", `${path}/versions/1`)).status).toBe(404);
  });
});

describe("a published page that is deleted", () => {
  it("is gone for visitors at once, with all that lies below it, and its handle is free", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [LINK] });
    const places = [`/@${page.handle}`, `/@${page.handle}/go/${page.block_order[0]}`];
    for (const place of places) expect((await send(place)).status).toBeLessThan(400);
    await change(workspace, "DELETE", `${PAGES}/${page.id}`);
    for (const place of places) expect([place, (await send(place)).status]).toEqual([place, 404]);
    const other = await createWorkspace();
    await createPublished(other, { handle: page.handle, title: "Somebody else" });
    expect((await send(`/@${page.handle}`)).text).toContain("Somebody else");
  });
});

describe("who may do what with what a page has", () => {
  it.each([
    ["viewer", [200, 200, 200, 200, 403, 403, 403, 403, 200, 403, 403, 403]],
    ["editor", [200, 200, 200, 200, 201, 200, 200, 201, 200, 200, 403, 403]],
    ["owner", [200, 200, 200, 200, 201, 200, 200, 201, 200, 200, 200, 200]],
  ])("%s", async (role, expected) => {
    const workspace = await createWorkspace();
    const { id, block_order } = await createPublished(workspace, { blocks: [HEADING] });
    const key = await keyOf(workspace, role);
    const page = `${PAGES}/${id}`;
    const block = `${page}/blocks/${block_order[0]}`;
    const statuses = [];
    for (const [method, path, body] of [
      ["GET", `${page}/blocks`],
      ["GET", block],
      ["GET", `${page}/versions/1`],
      ["GET", "/api/v1/biolinks/catalogue/themes"],
      ["POST", `${page}/blocks`, LINK],
      ["PATCH", block, { enabled: false }],
      ["PUT", `${page}/blocks`, { blocks: [{ id: block_order[0], ...HEADING }] }],
      ["POST", `${page}/duplicate`, { handle: newHandle() }],
      ["POST", `${page}/preview`],
      ["POST", `${page}/versions/1/restore`],
      ["POST", `${page}/publish`],
      ["PATCH", page, { status: "paused" }],
    ] as const) {
      const headers = { "If-Match": "*" };
      statuses.push((await sendAs(key, method, path, { headers, ...(body && { body }) })).status);
    }
    expect(statuses).toEqual(expected);
  });

  it("subscribes to a page's events with the right to those of its product", async () => {
    const workspace = await createWorkspace();
    const { body } = await workspace.send("GET", `${WEBHOOKS}/events`);
    const listed = body.data.filter(({ event }: { event: string }) => EVENTS.includes(event));
    const [channels, permission] = [["all"], "biolinks:webhooks:subscribe"];
    expect(listed).toMatchObject(EVENTS.map((event) => ({ event, channels, permission })));
    const subscriptions = EVENTS.map((event) => ({ event, channel: "all" }));
    const attempt = async (product: string, channel = "all") => {
      const permissions = ["webhooks:write", "webhooks:read", `${product}:webhooks:subscribe`];
      const { key } = await issueKey(workspace.id, { permissions });
      const own: Workspace = { ...workspace, send: (...given) => sendAs(key, ...given) };
      const chosen = subscriptions.map((one) => ({ ...one, channel }));
      return (await createEndpoint(own, { subscriptions: chosen })).status;
    };
    expect(await attempt("salesbot")).toBe(403);
    expect(await attempt("biolinks", "instagram")).toBe(422);
    expect(await attempt("biolinks")).toBe(201);
  });
});
