import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { checkPageAddresses } from "../../../../src/features/biolinks/pages/page-address-check.ts";
import {
  purgeTombstones,
  removeDeletedPages,
} from "../../../../src/features/biolinks/pages/page-retention.ts";
import { change } from "../../../support/contacts.ts";
import { createActiveDomain } from "../../../support/domains.ts";
import { operate } from "../../../support/http.ts";
import { loggedLines } from "../../../support/logs.ts";
import {
  createPage,
  createPublished,
  HEADING,
  PAGES,
  patchPage,
  publishPage,
  readPage,
} from "../../../support/pages.ts";
import { createPixel, PIXELS } from "../../../support/pixels.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const MONTHS_25 = 25 * 31 * 24 * 60 * 60_000;

let workspace: Workspace;

beforeEach(async () => {
  workspace = await createWorkspace({ plan: "business" });
});

const check = (rows?: number) => checkPageAddresses(workIn(workspace.id), rows, rows);

function run(sql: string, ...bound: unknown[]) {
  return env.DB.prepare(sql)
    .bind(...bound)
    .run();
}

async function addressesOf(id: string) {
  const sql = "SELECT * FROM addresses WHERE target_id = ? ORDER BY place, slug_key";
  return (await env.DB.prepare(sql).bind(id).all()).results;
}

/** Where a page's rendering stands, and what it says of the page. */
async function rendersOf(id: string) {
  const { results } = await env.DB.prepare(
    "SELECT workspace_id, address, root_address, document FROM page_renders WHERE page_id = ?",
  )
    .bind(id)
    .all<{ address: string | null; root_address: string | null; document: string | null }>();
  return results.map((one) => ({ ...one, document: JSON.parse(one.document ?? "null") }));
}

async function countOf(table: string, page: string): Promise<number | null> {
  const sql = `SELECT count(*) AS n FROM ${table} WHERE page_id = ?`;
  return env.DB.prepare(sql).bind(page).first<number>("n");
}

const storedBytes = async () =>
  (await operate("GET", `/workspaces/${workspace.id}/usage`)).body.data.stored_bytes;

/** What the job told of, and of which pages. */
async function toldBy(work: () => Promise<void>): Promise<string[]> {
  const before = loggedLines().length;
  await work();
  return loggedLines()
    .slice(before)
    .map((line) => JSON.parse(line) as { event: string; record?: string })
    .filter(({ event }) => event.startsWith("address_"))
    .map(({ event, record }) => `${event} ${record}`);
}

/** A published page at a domain's root. */
async function pageAtRoot() {
  const { id: domain } = await createActiveDomain(workspace);
  return createPublished(workspace, { domain, settings: { domain_root: true } });
}

describe("the comparison of the address book with pages", () => {
  it("finds nothing where triggers kept the two the same", async () => {
    await createPage(workspace);
    await pageAtRoot();
    const page = await createPublished(workspace, { settings: { utm: { source: "ä\"'" } } });
    await patchPage(workspace, page.id, { settings: { password: "a" } });
    await patchPage(workspace, page.id, { status: "paused" });
    expect(await toldBy(() => check(100))).toEqual([]);
  });

  it.each([
    ["are missing", "DELETE FROM addresses WHERE target_id = ?"],
    ["lack the root", "DELETE FROM addresses WHERE target_id = ? AND slug_key = ''"],
    ["say something else", "UPDATE addresses SET document = '{}' WHERE target_id = ?"],
    ["are another workspace's", "UPDATE addresses SET workspace_id = 'x' WHERE target_id = ?"],
    ["are of another kind", "UPDATE addresses SET kind = 'link' WHERE target_id = ?"],
  ])("mends addresses that %s", async (_, sql) => {
    const { id } = await pageAtRoot();
    const right = await addressesOf(id);
    expect(right).toHaveLength(2);
    await run(sql, id);
    expect(await toldBy(() => check(100))).toEqual([`address_mended ${id}`]);
    expect(await addressesOf(id)).toEqual(right);
    expect(await toldBy(() => check(100))).toEqual([]);
  });

  it("finds each page's rendering where the page stands, whatever becomes of the page", async () => {
    const { id: domain } = await createActiveDomain(workspace);
    const { id: another } = await createActiveDomain(workspace);
    const { id: pixel } = await createPixel(workspace);
    const { id, handle } = await createPage(workspace, { domain, blocks: [HEADING] });
    const edit = (body: object) => patchPage(workspace, id, body);
    const operated = (disabled: boolean) =>
      operate("PATCH", `/workspaces/${workspace.id}/pages/${id}`, { disabled });
    const key = handle.toLowerCase();
    const state = { status: "published", disabled: 0, hasPassword: 0, sensitiveContent: 0 };
    const whole = { ...state, utm: {}, pixels: [] };
    const { id: workspace_id } = workspace;
    const own = { workspace_id, address: `${domain}/@${key}`, root_address: null, document: whole };
    const locked = { ...own, document: { ...whole, hasPassword: 1 } };
    const steps: [() => Promise<unknown>, object | undefined][] = [
      [() => publishPage(workspace, id), own],
      [() => edit({ settings: { domain_root: true } }), { ...own, root_address: `${domain}/` }],
      [() => edit({ settings: { domain_root: false } }), own],
      [() => edit({ status: "paused" }), { ...own, document: { ...whole, status: "paused" } }],
      [() => edit({ status: "published" }), own],
      [() => operated(true), { ...own, document: { ...whole, disabled: 1 } }],
      [() => operated(false), own],
      [() => edit({ settings: { password: "a" } }), locked],
      [() => edit({ settings: { clear_password: true } }), own],
      [() => edit({ settings: { utm: { source: "bio" }, sensitive_content: true } }), own],
      [() => edit({ settings: { pixels: [pixel] } }), own],
      [() => publishPage(workspace, id), undefined],
      [() => change(workspace, "DELETE", `${PIXELS}/${pixel}?force=true`), undefined],
      [() => edit({ settings: { domain_root: true } }), undefined],
      [() => edit({ domain: another }), undefined],
      [() => edit({ settings: { domain_root: false }, handle: `${handle}-2` }), undefined],
      [() => edit({ domain: null }), undefined],
      [() => workspace.send("POST", `${PAGES}/${id}/unpublish`), undefined],
      [() => publishPage(workspace, id), undefined],
    ];
    for (const [step, expected] of steps) {
      await step();
      const [render] = await rendersOf(id);
      if (expected) expect(render).toEqual(expected);
      expect(await toldBy(() => check(100))).toEqual([]);
    }
    expect(await rendersOf(id)).toEqual([
      {
        workspace_id,
        address: `/@${key}-2`,
        root_address: null,
        document: { ...whole, utm: { source: "bio" }, sensitiveContent: 1 },
      },
    ]);
    await change(workspace, "DELETE", `${PAGES}/${id}`);
    expect(await rendersOf(id)).toEqual([]);
  });

  it.each([
    ["stand elsewhere", "address = '/@nobody'"],
    ["stand nowhere", "address = NULL"],
    ["stand at no root", "root_address = NULL"],
    ["say something else", "document = '{}'"],
    ["have a place but no document", "document = NULL"],
    ["are of another workspace", "workspace_id = 'another'"],
  ])("mends renderings that %s, and visitors see it", async (_, wrong) => {
    const { id } = await pageAtRoot();
    const right = await rendersOf(id);
    await run(`UPDATE page_renders SET ${wrong} WHERE page_id = ?`, id);
    expect(await rendersOf(id)).not.toEqual(right);
    const known = await env.DB.prepare("SELECT max(id) AS id FROM address_changes").first("id");
    expect(await toldBy(() => check(100))).toEqual([`address_mended ${id}`]);
    expect(await rendersOf(id)).toEqual(right);
    const news = "SELECT scope, name FROM address_changes WHERE id > ?";
    const name = wrong.startsWith("workspace_id") ? "another" : workspace.id;
    expect((await env.DB.prepare(news).bind(known).all()).results).toEqual([
      { scope: "workspace", name },
    ]);
    expect(await toldBy(() => check(100))).toEqual([]);
  });

  it("mends two renderings that say each other's place", async () => {
    const [one, other] = [await pageAtRoot(), await pageAtRoot()];
    const [mine, its] = [await rendersOf(one.id), await rendersOf(other.id)];
    const claim = (page: { id: string }, [render]: typeof mine) =>
      env.DB.prepare(
        "UPDATE page_renders SET address = ?2, root_address = ?3 WHERE page_id = ?1",
      ).bind(page.id, render?.address ?? null, render?.root_address ?? null);
    await env.DB.batch([claim(one, []), claim(other, mine), claim(one, its)]);
    const told = await toldBy(() => check(100));
    expect(told).toEqual([`address_mended ${one.id}`, `address_mended ${other.id}`]);
    expect([await rendersOf(one.id), await rendersOf(other.id)]).toEqual([mine, its]);
    expect(await toldBy(() => check(100))).toEqual([]);
  });

  it("drops a rendering whose page is gone", async () => {
    const { id } = await pageAtRoot();
    await run(
      `INSERT INTO page_renders (page_id, workspace_id, version, bytes, render, address)
       SELECT '~stray', workspace_id, version, bytes, render, '/@stray' FROM page_renders
       WHERE page_id = ?`,
      id,
    );
    expect(await toldBy(() => check(100))).toEqual(["address_mended ~stray"]);
    expect(await rendersOf("~stray")).toEqual([]);
    expect(await toldBy(() => check(100))).toEqual([]);
  });

  it("fills in what code of before has left out, and tells nobody", async () => {
    const { id } = await pageAtRoot();
    const right = await rendersOf(id);
    const empty = "address = NULL, root_address = NULL, document = NULL";
    await run(`UPDATE page_renders SET ${empty} WHERE page_id = ?`, id);
    const last = env.DB.prepare("SELECT max(id) AS id FROM address_changes");
    const known = await last.first("id");
    expect(await toldBy(() => check(100))).toEqual([]);
    expect(await rendersOf(id)).toEqual(right);
    expect(await last.first("id")).toBe(known);
  });

  it("drops an address that no page has", async () => {
    const { id } = await pageAtRoot();
    const right = await addressesOf(id);
    await run(
      `INSERT INTO addresses SELECT place, '@nobody', kind, target_id, workspace_id, document
       FROM addresses WHERE target_id = ? AND slug_key = ''`,
      id,
    );
    expect(await toldBy(() => check(100))).toEqual([`address_dropped ${id}`]);
    expect(await addressesOf(id)).toEqual(right);
  });

  it("comes round to all, a few at a time", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await pageAtRoot()).id);
    for (const id of ids) {
      await run("DELETE FROM addresses WHERE target_id = ?", id);
      await run("UPDATE page_renders SET document = '{}' WHERE page_id = ?", id);
    }
    const told: string[] = [];
    for (let minute = 0; minute < 20; minute++) told.push(...(await toldBy(() => check(2))));
    const twice = [...ids, ...ids].map((id) => `address_mended ${id}`);
    expect(told.sort()).toEqual(twice.sort());
  });
});

describe("tombstones of blocks", () => {
  it("stay for 25 months", async () => {
    const page = await createPublished(workspace, { blocks: [HEADING, HEADING] });
    const before = await storedBytes();
    const [first, second] = page.block_order;
    await change(workspace, "DELETE", `${PAGES}/${page.id}/blocks/${first}`);
    const withTombstone = await storedBytes();
    await purgeTombstones(workIn(workspace.id));
    expect(await countOf("page_blocks", page.id)).toBe(2);
    const old = Date.now() - MONTHS_25 - 1000;
    await run("UPDATE page_blocks SET deleted_at = ? WHERE id = ?", old, first);
    await purgeTombstones(workIn(workspace.id));
    expect(await countOf("page_blocks", page.id)).toBe(1);
    expect((await readPage(workspace, page.id)).block_order).toEqual([second]);
    expect(await storedBytes()).toBe(withTombstone - 500);
    expect(withTombstone).toBeLessThan(before + 500);
    // The version still has it.
    await workspace.send("POST", `${PAGES}/${page.id}/versions/1/restore`);
    expect((await readPage(workspace, page.id)).block_order).toEqual([first, second]);
    expect(await storedBytes()).toBe(before);
  });
});

describe("what a deleted page held", () => {
  it("goes in slices, and nothing of another page", async () => {
    const [page, kept] = [
      await createPublished(workspace, { blocks: Array(100).fill(HEADING) }),
      await createPublished(workspace, { blocks: [HEADING] }),
    ];
    for (const title of ["B", "C"]) {
      await patchPage(workspace, page.id, { title });
      await publishPage(workspace, page.id);
    }
    expect(await countOf("page_versions", page.id)).toBe(3);
    await change(workspace, "DELETE", `${PAGES}/${page.id}`);
    await removeDeletedPages(workIn(workspace.id));
    for (const table of ["page_blocks", "page_versions", "page_removals"]) {
      expect([table, await countOf(table, page.id)]).toEqual([table, 0]);
    }
    expect(await countOf("page_blocks", kept.id)).toBe(1);
    expect(await countOf("page_versions", kept.id)).toBe(1);
  });
});
