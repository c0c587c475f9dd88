import { env as bindings } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { checkQrAddresses } from "../../../../src/features/biolinks/qr-codes/qr-address-check.ts";
import { createActiveDomain } from "../../../support/domains.ts";
import { loggedLines } from "../../../support/logs.ts";
import { createQrCode } from "../../../support/qr-codes.ts";
import { workIn } from "../../../support/work.ts";
import {
  createActiveLink,
  createWorkspace,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

const db = (bindings as unknown as { DB: D1Database }).DB;

let workspace: Workspace;

beforeAll(async () => {
  workspace = await createWorkspace();
});

const check = (rows?: number) => checkQrAddresses(workIn(workspace.id), rows);

function run(sql: string, ...bound: unknown[]) {
  return db
    .prepare(sql)
    .bind(...bound)
    .run();
}

async function addressOf(id: string) {
  const sql = "SELECT * FROM addresses WHERE target_id = ? ORDER BY place, slug_key";
  return (await db.prepare(sql).bind(id).all()).results;
}

/** What the job told of, and of which codes. */
async function toldBy(work: () => Promise<void>): Promise<string[]> {
  const before = loggedLines().length;
  await work();
  return loggedLines()
    .slice(before)
    .map((line) => JSON.parse(line) as { event: string; record?: string })
    .filter(({ event }) => event.startsWith("address_"))
    .map(({ event, record }) => `${event} ${record}`);
}

describe("the comparison of the address book with its QR codes", () => {
  it("finds nothing where triggers kept the two the same", async () => {
    const { id: domain } = await createActiveDomain(workspace);
    const link = await createActiveLink(workspace, { domain });
    await createQrCode(workspace, { target: { type: "link", link: link.id } });
    await createQrCode(workspace, { target: { type: "text", text: "static" } });
    await createQrCode(workspace, { status: "paused" });
    expect(await toldBy(() => check(100))).toEqual([]);
  });

  it.each([
    ["is missing", "DELETE FROM addresses WHERE target_id = ?"],
    ["says something else", "UPDATE addresses SET document = '{}' WHERE target_id = ?"],
    ["is another workspace's", "UPDATE addresses SET workspace_id = 'x' WHERE target_id = ?"],
    ["is of another kind", "UPDATE addresses SET kind = 'page' WHERE target_id = ?"],
  ])("mends an address that %s", async (_, sql) => {
    const { id } = await createQrCode(workspace);
    const right = await addressOf(id);
    await run(sql, id);
    expect(await toldBy(() => check(100))).toEqual([`address_mended ${id}`]);
    expect(await addressOf(id)).toEqual(right);
    expect(await toldBy(() => check(100))).toEqual([]);
  });

  it("drops an address that no code has", async () => {
    const { id } = await createQrCode(workspace);
    const right = await addressOf(id);
    await run(
      `INSERT INTO addresses SELECT place, 'q/00000000', kind, target_id, workspace_id, document
       FROM addresses WHERE target_id = ?`,
      id,
    );
    expect(await toldBy(() => check(100))).toEqual([`address_dropped ${id}`]);
    expect(await addressOf(id)).toEqual(right);
  });

  it("comes round to all, a few at a time", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await createQrCode(workspace)).id);
    for (const id of ids) await run("DELETE FROM addresses WHERE target_id = ?", id);
    const told: string[] = [];
    for (let minute = 0; minute < 12; minute++) told.push(...(await toldBy(() => check(2))));
    expect(told.sort()).toEqual(ids.map((id) => `address_mended ${id}`).sort());
  });
});

describe("the log of what changed for visitors", () => {
  const told = async (work: () => Promise<unknown>) => {
    await run("DELETE FROM address_changes");
    await work();
    const sql = "SELECT scope || ' ' || name AS what FROM address_changes";
    const { results } = await db.prepare(sql).all<{ what: string }>();
    return results.map(({ what }) => what);
  };

  it("tells of the codes of a link that is moved or gone, by one row", async () => {
    const link = await createActiveLink(workspace);
    const target = { type: "link", link: link.id };
    for (let n = 0; n < 3; n++) await createQrCode(workspace, { target });
    const everything = `workspace ${workspace.id}`;
    const moved = await told(() => updateLink(workspace, link.id, { slug: "moved-away" }));
    expect(moved.filter((what) => what === everything)).toHaveLength(1);
    const titled = await told(() => updateLink(workspace, link.id, { title: "T" }));
    expect(titled).toEqual([]);
    const gone = await told(() => run("DELETE FROM links WHERE id = ?", link.id));
    expect(gone).toContain(everything);
  });

  it("tells of a link without codes by its addresses alone", async () => {
    const link = await createActiveLink(workspace, { slug: "lonely" });
    const moved = await told(() => updateLink(workspace, link.id, { slug: "lonelier" }));
    expect(moved.sort()).toEqual(["address /lonelier", "address /lonely"]);
  });
});
