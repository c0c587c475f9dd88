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
import { workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const MONTHS_25 = 25 * 31 * 24 * 60 * 60_000;

let workspace: Workspace;

beforeEach(async () => {
  workspace = await createWorkspace({ plan: "business" });
});

const check = (rows?: number) => checkPageAddresses(workIn(workspace.id), rows);

function run(sql: string, ...bound: unknown[]) {
  return env.DB.prepare(sql)
    .bind(...bound)
    .run();
}

async function addressesOf(id: string) {
  const sql = "SELECT * FROM addresses WHERE target_id = ? ORDER BY place, slug_key";
  return (await env.DB.prepare(sql).bind(id).all()).results;
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
    for (const id of ids) await run("DELETE FROM addresses WHERE target_id = ?", id);
    const told: string[] = [];
    for (let minute = 0; minute < 20; minute++) told.push(...(await toldBy(() => check(2))));
    expect(told.sort()).toEqual(ids.map((id) => `address_mended ${id}`).sort());
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
