import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { drawingCode } from "../../../../src/features/biolinks/pages/drawing-code.ts";
import { redrawSoon } from "../../../../src/features/biolinks/pages/page-product-changes.ts";
import { redrawPages } from "../../../../src/features/biolinks/pages/page-redrawing.ts";
import { forgetAddress } from "../../../../src/visitor/addresses/address-book.ts";
import { createActiveDomain, follow } from "../../../support/domains.ts";
import { send } from "../../../support/http.ts";
import { loggedLines } from "../../../support/logs.ts";
import { createPublished, HEADING, LINK, patchPage } from "../../../support/pages.ts";
import { workIn } from "../../../support/work.ts";
import { createLink, createWorkspace } from "../../../support/workspace.ts";

const workspace = await createWorkspace({ plan: "business" });
const publish = () =>
  createPublished(workspace, { seo: { indexable: true }, blocks: [LINK, HEADING] });
const redraw = (rows = 10, slices = 30) => redrawPages(workIn(workspace.id), { rows, slices });

/** As code of before leaves a page: without its name, and drawn otherwise. */
async function drawnBefore(id: string, code: string | null = null): Promise<void> {
  await env.DB.prepare(
    `UPDATE page_renders SET render = json_set(json_remove(render, '$.code'),
       '$.parts', json('["drawn before"]'), '$.hash', 'before') WHERE page_id = ?1`,
  )
    .bind(id)
    .run();
  if (code === null) return;
  await env.DB.prepare(
    "UPDATE page_renders SET render = json_set(render, '$.code', ?2) WHERE page_id = ?1",
  )
    .bind(id, code)
    .run();
}

const codesOf = async (ids: string[]) => {
  const { results } = await env.DB.prepare(
    "SELECT code FROM page_renders WHERE page_id IN (SELECT value FROM json_each(?1))",
  )
    .bind(JSON.stringify(ids))
    .all<{ code: string }>();
  return results.map(({ code }) => code);
};

describe("pages that other code drew", () => {
  it("are drawn again as they were published, and visitors see it at once", async () => {
    const code = await drawingCode();
    expect(code).toMatch(/^[0-9a-f]{12}$/);
    for (const other of [null, "000000000000", "zzzzzzzzzzzz"]) {
      const page = await publish();
      const before = await send(`/@${page.handle}`);
      expect(await codesOf([page.id])).toEqual([code]);
      await patchPage(workspace, page.id, { title: "Not published" });
      await drawnBefore(page.id, other);
      await redraw();
      expect(await codesOf([page.id])).toEqual([code]);
      const { text, headers } = await send(`/@${page.handle}`);
      expect([text, headers.get("ETag")]).toEqual([before.text, before.headers.get("ETag")]);
      expect(text).not.toContain("Not published");
    }
  });

  it("before renderings said where their pages stand, are found all the same, and say so from then on", async () => {
    const domain = await createActiveDomain(workspace);
    const settings = { domain_root: true };
    const page = await createPublished(workspace, { domain: domain.id, settings });
    const key = `@${page.handle.toLowerCase()}`;
    const seen = async (path: string, slugKey: string) => {
      forgetAddress({ host: domain.host, slugKey });
      return (await follow(domain.host, path)).text;
    };
    const both = async () => [await seen(`/@${page.handle}`, key), await seen("/", "")];
    const before = await both();
    expect(before[0]).toContain("<html");
    await drawnBefore(page.id, "000000000000");
    await env.DB.prepare(
      `UPDATE page_renders SET address = NULL, root_address = NULL, document = NULL
       WHERE page_id = ?1`,
    )
      .bind(page.id)
      .run();
    for (const text of await both()) expect(text).toContain("drawn before");
    await redraw();
    const said = env.DB.prepare(
      "SELECT address, root_address FROM page_renders WHERE page_id = ?1",
    );
    expect(await said.bind(page.id).first()).toEqual({
      address: `${domain.id}/${key}`,
      root_address: `${domain.id}/`,
    });
    expect(await both()).toEqual(before);
  });

  it("are drawn anew by new posts from then on, also if that code did not know of these", async () => {
    const posts = { type: "posts", settings: { count: 3 } };
    const page = await createPublished(workspace, { blocks: [posts] });
    await env.DB.prepare("DELETE FROM page_products WHERE page_id = ?").bind(page.id).run();
    await drawnBefore(page.id);
    await redraw();
    const shown = env.DB.prepare("SELECT target_id AS id FROM page_products WHERE page_id = ?");
    expect(await shown.bind(page.id).first()).toEqual({ id: workspace.id });
  });

  it("are drawn anew by their short links from then on, with room in the workspace and without", async () => {
    const { id: link } = (await createLink(workspace)).body.data;
    const button = { type: "link", settings: { label: "Shop", link } };
    const isNoted = env.DB.prepare(
      "SELECT count(*) AS n FROM page_products WHERE page_id = ?1 AND target_id = ?2",
    );
    const isDue = env.DB.prepare("SELECT count(*) AS n FROM page_redraws WHERE page_id = ?1");
    const setRoom = (bytes: number) =>
      env.DB.prepare("UPDATE workspace_usage SET stored_bytes = ?2 WHERE id = ?1")
        .bind(workspace.id, bytes)
        .run();
    for (const stored of [0, 1e15]) {
      const page = await createPublished(workspace, { blocks: [button] });
      // That code counted no row for it either.
      await env.DB.batch([
        env.DB.prepare("DELETE FROM page_products WHERE page_id = ?").bind(page.id),
        env.DB.prepare("DELETE FROM page_redraws WHERE page_id = ?").bind(page.id),
        env.DB.prepare("UPDATE page_renders SET bytes = bytes - 200 WHERE page_id = ?").bind(
          page.id,
        ),
      ]);
      await drawnBefore(page.id);
      await setRoom(stored);
      await redraw();
      await setRoom(0);
      expect(await codesOf([page.id])).toEqual([await drawingCode()]);
      expect(await isNoted.bind(page.id, link).first<number>("n")).toBe(1);
      expect(await isDue.bind(page.id).first<number>("n")).toBe(1);
      await redrawSoon(workIn(workspace.id));
      expect((await send(`/@${page.handle}`)).text.includes("drawn before")).toBe(false);
    }
  });

  it("are drawn so many at a time, until all are", async () => {
    const pages = await Promise.all(Array.from({ length: 5 }, publish));
    const ids = pages.map(({ id }) => id);
    await Promise.all(ids.map((id) => drawnBefore(id)));
    const left = async () => (await codesOf(ids)).filter((code) => code === "").length;
    await redraw(2, 1);
    expect(await left()).toBe(3);
    await redraw(2, 1);
    await redraw(2, 1);
    expect(await left()).toBe(0);
  });

  it("hold up no other when one of them cannot be drawn: it is told of, and stays as it is", async () => {
    const [broken, whole] = [await publish(), await publish()];
    await env.DB.prepare("UPDATE page_versions SET document = 'null' WHERE page_id = ?1")
      .bind(broken.id)
      .run();
    for (const { id } of [broken, whole]) await drawnBefore(id);
    const before = loggedLines().length;
    await redraw(1, 2);
    const told = loggedLines()
      .slice(before)
      .map((line) => JSON.parse(line) as { event: string; record?: string })
      .filter(({ event }) => event === "page_redraw_failed");
    expect(told.map(({ record }) => record)).toEqual([broken.id]);
    expect(new Set(await codesOf([broken.id, whole.id]))).toEqual(new Set([await drawingCode()]));
    const [row] = (
      await env.DB.prepare("SELECT render FROM page_renders WHERE page_id = ?1")
        .bind(broken.id)
        .all<{ render: string }>()
    ).results;
    expect(row?.render).toContain("drawn before");
    await redraw();
    expect(loggedLines().slice(before).join("")).toContain(broken.id);
  });
});
