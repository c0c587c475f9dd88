import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { redrawProductPages } from "../../../../src/features/biolinks/pages/page-product-changes.ts";
import { operate, send } from "../../../support/http.ts";
import { createPage, createPublished, PAGES, publishPage } from "../../../support/pages.ts";
import { createLiveEndpoint, WEBHOOKS } from "../../../support/webhooks.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const posts = (count = 12) => ({ type: "posts", settings: { title: "Latest posts", count } });

const postOf = (title: string | null, more: object = {}) => ({
  id: `post_${title ?? crypto.randomUUID()}`,
  title,
  url: "https://social.example/ada/1",
  networks: ["instagram"],
  scheduled_at: null,
  published_at: null,
  ...more,
});
const eventOf = (data: Record<string, unknown>) => ({
  event: "publishing.post.published",
  channel: "all",
  data,
});

async function tell({ id }: Workspace, ...told: Record<string, unknown>[]): Promise<void> {
  const { status, text } = await operate("POST", `/workspaces/${id}/events/batch`, {
    events: told.map((data) => eventOf(data)),
  });
  if (status !== 202) throw new Error(text);
}

const visit = async ({ handle }: { handle: string }) => (await send(`/@${handle}`)).text;
const titlesIn = (html: string) => [...html.matchAll(/<b>([^<]*)<\/b>/g)].map(([, title]) => title);

/** What visitors get once the page is drawn anew. */
async function whenShown(page: { handle: string }, titles: string[]): Promise<string> {
  return vi.waitFor(
    async () => {
      const html = await visit(page);
      expect(titlesIn(html)).toEqual(titles);
      return html;
    },
    { timeout: 20_000, interval: 50 },
  );
}

/** Until nothing of a workspace's waits to be drawn. */
async function settle({ id }: Workspace): Promise<void> {
  await vi.waitFor(
    async () => {
      await redrawProductPages(workIn(id));
      const due = await env.DB.prepare(
        "SELECT count(*) AS n FROM page_redraws WHERE workspace_id = ? AND mark IS NULL",
      )
        .bind(id)
        .first<number>("n");
      if (due !== 0) throw new Error("more is due");
    },
    { timeout: 20_000, interval: 50 },
  );
}

describe("a posts block", () => {
  it("shows a post that goes out, with its network, host and day, and counts its clicks", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [posts()] });
    expect(await visit(page)).not.toContain("Latest posts");
    const published_at = "2026-11-20T08:00:02.120Z";
    const { status } = await operate(
      "POST",
      `/workspaces/${workspace.id}/events`,
      eventOf(postOf("Spring sale", { published_at })),
    );
    expect(status).toBe(202);
    const html = await whenShown(page, ["Spring sale"]);
    expect(html).toContain("Latest posts");
    expect(html).toContain(
      `<small>Instagram · social.example · <time datetime="${published_at}">Nov 20, 2026</time>`,
    );
    const [, href = ""] = /<ul class="posts card"><li><a href="([^"]*)"/.exec(html) ?? [];
    expect(href).toContain(`/@${page.handle}/go/${page.block_order[0]}/`);
    const click = await send(href);
    expect([click.status, click.headers.get("Location")]).toEqual([
      302,
      "https://social.example/ada/1",
    ]);
    const read = await workspace.send("GET", `${PAGES}/${page.id}`);
    expect(read.body.data).toMatchObject({ published_version: 1, revision: page.revision });
  });

  it("shows what came before it was published, as many as it says, the latest first", async () => {
    const workspace = await createWorkspace();
    const day = (n: number) => ({ published_at: `2026-10-0${n}T00:00:00Z` });
    await tell(workspace, postOf("B", day(2)), postOf("C", day(3)), postOf("A", day(1)));
    const page = await createPublished(workspace, { blocks: [posts(2)] });
    expect(titlesIn(await visit(page))).toEqual(["C", "B"]);
    const draft = await createPage(workspace, { blocks: [posts()] });
    const preview = await workspace.send("POST", `${PAGES}/${draft.id}/preview`);
    const { pathname } = new URL(preview.body.data.url);
    expect(titlesIn((await send(pathname)).text)).toEqual(["C", "B", "A"]);
  });

  it("keeps twelve: the thirteenth pushes the first out", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [posts()] });
    const names = Array.from({ length: 13 }, (_, at) => `P${at + 1}`);
    await tell(workspace, ...names.slice(0, 12).map((name) => postOf(name)));
    await whenShown(page, names.slice(0, 12).reverse());
    await tell(workspace, postOf("P13"));
    await whenShown(page, names.slice(1).reverse());
    const kept = env.DB.prepare("SELECT count(*) AS n FROM latest_posts WHERE workspace_id = ?");
    expect(await kept.bind(workspace.id).first<number>("n")).toBe(12);
  });

  it("gives no place to posts of which nothing can be shown, and one to each without an id", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [posts()] });
    const names = Array.from({ length: 12 }, (_, at) => `P${at + 1}`);
    await tell(workspace, ...names.map((name) => ({ ...postOf(name), id: "" })));
    await whenShown(page, names.toReversed());
    const long = `https://social.example/${"x".repeat(2048)}`;
    await tell(
      workspace,
      ...["", " ", "\u00a0\n"].map((title) => postOf(title, { url: null })),
      postOf(null, { url: long }),
      postOf(null, { url: "http://ada:secret@social.example/1" }),
    );
    await settle(workspace);
    expect(titlesIn(await visit(page))).toEqual(names.toReversed());
    await tell(workspace, postOf(null, { url: "https://social.example/@ada" }));
    await whenShown(page, ["social.example", ...names.slice(1).reverse()]);
  });

  it("leads on from a page that is open, though the post is told of again, or others came", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [posts(1)] });
    const post = { ...postOf("Old"), id: "post / 1" };
    await tell(workspace, post);
    const html = await whenShown(page, ["Old"]);
    const [, href = ""] = /<ul class="posts card"><li><a href="([^"]*)"/.exec(html) ?? [];
    const leadsTo = async () => (await send(href)).headers.get("Location");
    expect(await leadsTo()).toBe(post.url);
    await tell(workspace, { ...post, title: "Corrected" });
    await whenShown(page, ["Corrected"]);
    expect(await leadsTo()).toBe(post.url);
    await tell(workspace, postOf("New", { url: "https://social.example/new" }));
    await whenShown(page, ["New"]);
    expect(await leadsTo()).toBe(post.url);
  });

  it("never shows another workspace's", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const page = await createPublished(workspace, { blocks: [posts()] });
    await tell(other, postOf("Foreign"));
    await tell(workspace, postOf("Own"));
    await whenShown(page, ["Own"]);
    await settle(workspace);
    expect(titlesIn(await visit(page))).toEqual(["Own"]);
  });

  it("shows an event once that is sent twice, and a post as it was told last", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [posts()] });
    const path = `/workspaces/${workspace.id}/events`;
    for (const title of ["First", "Twice"]) {
      const sent = { ...eventOf(postOf(title)), id: "post_1:published" };
      expect((await operate("POST", path, sent)).status).toBe(202);
    }
    await whenShown(page, ["First"]);
    await settle(workspace);
    expect(titlesIn(await visit(page))).toEqual(["First"]);
    await tell(workspace, { ...postOf("First"), title: "Corrected" });
    await whenShown(page, ["Corrected"]);
  });

  it("takes in what another Worker of the account publishes", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [posts()] });
    const { EventIntake } = exports;
    expect(await EventIntake.publish(workspace.id, eventOf(postOf("One")))).toMatchObject({
      ok: true,
    });
    await whenShown(page, ["One"]);
    const two = ["Two", "Three"].map((title) => eventOf(postOf(title)));
    expect(await EventIntake.publishMany(workspace.id, two)).toMatchObject({ ok: true });
    await whenShown(page, ["Three", "Two", "One"]);
  });

  it("shows nothing of posts that were only planned or failed, nor of a test", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [posts()] });
    const endpoint = await createLiveEndpoint(workspace);
    const tested = await workspace.send("POST", `${WEBHOOKS}/endpoints/${endpoint.id}/test`, {
      body: { event: "publishing.post.published" },
      headers: { "If-Match": "*", "Idempotency-Key": crypto.randomUUID() },
    });
    expect(tested.status).toBeLessThan(300);
    const path = `/workspaces/${workspace.id}/events`;
    for (const [event, more] of [
      ["publishing.post.scheduled", {}],
      ["publishing.post.failed", { error: "No." }],
    ] as const) {
      const data = { ...postOf("Not yet"), ...more };
      expect((await operate("POST", path, { event, channel: "all", data })).status).toBe(202);
    }
    await tell(workspace, postOf(null, { url: null }), postOf("Real"));
    await whenShown(page, ["Real"]);
  });

  it.each([
    ["with credentials", "http://ada:secret@social.example/1"],
    ["that hides its host", "https://@social.example/1"],
    ["longer than a link's", `https://social.example/${"x".repeat(2048)}`],
  ])("shows a post without a link for an address %s", async (_, url) => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [posts()] });
    await tell(workspace, postOf("Spring", { url }));
    const html = await whenShown(page, ["Spring"]);
    expect(html).toContain('<ul class="posts card"><li><div>');
    expect(html).not.toMatch(/secret|social\.example/);
    expect(html).not.toContain(`/go/${page.block_order[0]}`);
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "//social.example", "https:///x.example"])(
    "never gets a post's address that is none of the web: %s",
    async (url) => {
      const { id } = await createWorkspace();
      const sent = eventOf(postOf("Evil", { url }));
      const { status, body } = await operate("POST", `/workspaces/${id}/events`, sent);
      expect([status, Object.keys(body.errors)]).toEqual([422, ["data.url"]]);
    },
  );

  it("shows a hostile title as text, a long one cut, and a time to come as now", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [posts()] });
    const hostile = "<script>alert(1)</script>";
    const long = { ...postOf("x".repeat(5000)), id: "long" };
    await tell(workspace, { ...postOf(hostile), published_at: "2999-01-01T00:00:00Z" }, long);
    const html = await whenShown(page, ["x".repeat(200), "&lt;script&gt;alert(1)&lt;/script&gt;"]);
    expect(html).not.toContain("2999");
  });

  it("is shown posts that were told while it was being published, and forgotten once off line", async () => {
    const workspace = await createWorkspace();
    const { id, handle } = await createPage(workspace, { blocks: [posts()] });
    await publishPage(workspace, id);
    const showing = env.DB.prepare("SELECT count(*) AS n FROM page_products WHERE target_id = ?");
    expect(await showing.bind(workspace.id).first<number>("n")).toBe(1);
    // Between what it was drawn of and its commit nobody marked it: its publication did.
    await settle(workspace);
    await tell(workspace, postOf("New"));
    await whenShown({ handle }, ["New"]);
    const headers = { "If-Match": "*" };
    await workspace.send("POST", `${PAGES}/${id}/unpublish`, { headers });
    expect(await showing.bind(workspace.id).first<number>("n")).toBe(0);
  });
});
