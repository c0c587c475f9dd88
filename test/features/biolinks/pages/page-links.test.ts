import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { redrawProductPages } from "../../../../src/features/biolinks/pages/page-product-changes.ts";
import { change } from "../../../support/contacts.ts";
import { ORIGIN, send } from "../../../support/http.ts";
import { createPage, createPublished, PAGES, publishPage } from "../../../support/pages.ts";
import { addDomain } from "../../../support/records.ts";
import { workIn } from "../../../support/work.ts";
import {
  createActiveLink,
  createWorkspace,
  LINKS,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

const OLD = "https://old.example/spring";
const NEW = "https://new.example/";
const button = (link: string) => ({ type: "link", settings: { label: "Shop", link } });

const visit = async ({ handle }: { handle: string }) => (await send(`/@${handle}`)).text;

/** The hosts that visitors are shown, one a button; `told`: somewhere in the page. */
async function shownTo(page: { handle: string }, told: RegExp = /old\.example/) {
  const html = await visit(page);
  const hosts = [...html.matchAll(/<small>([^<]*)<\/small>/g)].map(([, host]) => host);
  return { hosts, isTold: told.test(html) };
}

/** The pages of a workspace that are to be drawn anew, or are being drawn. */
async function duePages({ id }: Workspace): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT page_id AS id FROM page_redraws WHERE workspace_id = ?",
  )
    .bind(id)
    .all<{ id: string }>();
  return results.map((row) => row.id);
}

/** Past the API, which has pages drawn right after its answer. */
async function leadTo(destination: string, link: string): Promise<void> {
  await env.DB.prepare("UPDATE links SET destination = ? WHERE id = ?")
    .bind(destination, link)
    .run();
}

/** As the job of the minute does: until nothing of a workspace's waits to be drawn. */
async function settle(workspace: Workspace): Promise<void> {
  await vi.waitFor(
    async () => {
      await redrawProductPages(workIn(workspace.id));
      if ((await duePages(workspace)).length > 0) throw new Error("more is due");
    },
    { timeout: 20_000, interval: 50 },
  );
}

/** A page that is on line, with a button to a short link, and nothing to be drawn. */
async function createShowing(workspace: Workspace, destination = OLD) {
  const link = await createActiveLink(workspace, { destination });
  const page = await createPublished(workspace, { blocks: [button(link.id)] });
  await settle(workspace);
  return { link: link.id as string, page };
}

describe("a page with a button to a short link", () => {
  it("shows the host that the link leads to, also when it leads elsewhere by then", async () => {
    const workspace = await createWorkspace();
    const { link, page } = await createShowing(workspace);
    expect(await shownTo(page)).toEqual({ hosts: ["old.example"], isTold: true });
    expect((await updateLink(workspace, link, { destination: NEW })).status).toBe(200);
    await settle(workspace);
    expect(await shownTo(page)).toEqual({ hosts: ["new.example"], isTold: false });
    const read = await workspace.send("GET", `${PAGES}/${page.id}`);
    expect(read.body.data).toMatchObject({ published_version: 1, revision: page.revision });
    const click = await send(`/@${page.handle}/go/${page.block_order[0]}`);
    expect(click.status).toBe(302);
  });

  it("does not tell where the link leads once that has a password, and tells it without", async () => {
    const workspace = await createWorkspace();
    const { link, page } = await createShowing(workspace);
    await updateLink(workspace, link, { settings: { password: "a secret word" } });
    await settle(workspace);
    expect(await shownTo(page)).toEqual({ hosts: [new URL(ORIGIN).hostname], isTold: false });
    await updateLink(workspace, link, { settings: { password: "another word" } });
    expect(await duePages(workspace)).toEqual([]);
    await updateLink(workspace, link, { settings: { clear_password: true } });
    await settle(workspace);
    expect(await shownTo(page)).toEqual({ hosts: ["old.example"], isTold: true });
  });

  it("shows the domain that a link with a password moves to", async () => {
    const workspace = await createWorkspace();
    const { id, host } = await addDomain(workspace.id);
    const { link, page } = await createShowing(workspace);
    await updateLink(workspace, link, { domain: id, settings: { password: "a secret word" } });
    await settle(workspace);
    expect(await shownTo(page)).toEqual({ hosts: [host], isTold: false });
  });

  it("has no such button any more when the link is deleted", async () => {
    const workspace = await createWorkspace();
    const { link, page } = await createShowing(workspace);
    const isThere = /<b>Shop<\/b>/;
    expect(await shownTo(page, isThere)).toEqual({ hosts: ["old.example"], isTold: true });
    expect((await change(workspace, "DELETE", `${LINKS}/${link}`)).status).toBe(204);
    await settle(workspace);
    expect(await shownTo(page, isThere)).toEqual({ hosts: [], isTold: false });
  });

  it("is left alone by other links, other workspaces' and what it does not show of its own", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const shown = await createShowing(workspace);
    const beside = await createShowing(workspace);
    const foreign = await createShowing(other);
    const before = await visit(foreign.page);
    await updateLink(workspace, shown.link, { title: "Spring", status: "paused" });
    await updateLink(workspace, shown.link, { destination: OLD, settings: { http_status: 301 } });
    await createPage(workspace, { blocks: [button(shown.link)] });
    expect(await duePages(workspace)).toEqual([]);
    await leadTo(NEW, shown.link);
    expect(await duePages(workspace)).toEqual([shown.page.id]);
    expect(await duePages(other)).toEqual([]);
    await settle(workspace);
    expect((await shownTo(shown.page)).hosts).toEqual(["new.example"]);
    expect((await shownTo(beside.page)).hosts).toEqual(["old.example"]);
    expect((await visit(foreign.page)) === before).toBe(true);
  });

  it("is drawn anew for a button that is switched on, and not for one that is off", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace, { destination: OLD });
    const page = await createPublished(workspace, { blocks: [{ ...button(id), enabled: false }] });
    await settle(workspace);
    await leadTo(NEW, id);
    expect(await duePages(workspace)).toEqual([]);
    const [block] = page.block_order;
    await change(workspace, "PATCH", `${PAGES}/${page.id}/blocks/${block}`, { enabled: true });
    await publishPage(workspace, page.id);
    await settle(workspace);
    await updateLink(workspace, id, { destination: "https://newer.example/" });
    await settle(workspace);
    expect((await shownTo(page)).hosts).toEqual(["newer.example"]);
  });

  it("is drawn once more after its publication, which nobody could mark before it was on line", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace, { destination: OLD });
    const page = await createPage(workspace, { blocks: [button(id)] });
    await publishPage(workspace, page.id);
    expect(await duePages(workspace)).toEqual([page.id]);
    await settle(workspace);
    expect((await shownTo(page)).hosts).toEqual(["old.example"]);
  });

  it("is forgotten once it is off line or deleted", async () => {
    const workspace = await createWorkspace();
    const { link, page } = await createShowing(workspace);
    const other = await createPublished(workspace, { blocks: [button(link)] });
    const showing = env.DB.prepare("SELECT count(*) AS n FROM page_products WHERE target_id = ?");
    const count = () => showing.bind(link).first<number>("n");
    expect(await count()).toBe(2);
    const headers = { "If-Match": "*" };
    await workspace.send("POST", `${PAGES}/${page.id}/unpublish`, { headers });
    expect(await count()).toBe(1);
    await change(workspace, "DELETE", `${PAGES}/${other.id}`);
    expect(await count()).toBe(0);
  });
});
