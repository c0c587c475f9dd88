import { env as bindings } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkAddresses } from "../../../../src/features/biolinks/links/address-check.ts";
import { createActiveDomain } from "../../../support/domains.ts";
import { loggedLines } from "../../../support/logs.ts";
import { tick, workIn } from "../../../support/work.ts";
import { createActiveLink, createWorkspace, type Workspace } from "../../../support/workspace.ts";

const db = (bindings as unknown as { DB: D1Database }).DB;

let workspace: Workspace;

beforeAll(async () => {
  workspace = await createWorkspace({ plan: "business" });
});

beforeEach(startAnew);

/** From the beginning, with nothing to mend. */
async function startAnew(): Promise<void> {
  await run("UPDATE address_check SET link_id = '', place = '', slug_key = ''");
  await checkAddresses(workIn(workspace.id), 100_000);
}

function run(sql: string, ...bound: unknown[]) {
  return db
    .prepare(sql)
    .bind(...bound)
    .run();
}

interface Address {
  place: string;
  slug_key: string;
  kind: string;
  target_id: string;
  workspace_id: string;
  document: string;
}

async function addressesOf(linkId: string): Promise<Address[]> {
  const sql = "SELECT * FROM addresses WHERE target_id = ? ORDER BY place, slug_key";
  return (await db.prepare(sql).bind(linkId).all<Address>()).results;
}

/** What the job told of what it mended, and of which links. */
async function toldBy(work: () => Promise<void>): Promise<string[]> {
  const before = loggedLines().length;
  await work();
  return loggedLines()
    .slice(before)
    .map((line) => JSON.parse(line) as { event: string; record?: string })
    .filter(({ event }) => event.startsWith("address_"))
    .map(({ event, record }) => `${event} ${record}`)
    .sort();
}

const check = (rows?: number) => checkAddresses(workIn(workspace.id), rows);

describe("the comparison of the address book with its links", () => {
  it("finds nothing to mend where triggers kept the two the same", async () => {
    const domain = await createActiveDomain(workspace);
    const settings = { utm: { source: "a" }, password: "Sesame", http_status: 301 };
    await createActiveLink(workspace, { domain: domain.id, settings });
    const plain = await createActiveLink(workspace);
    await run("UPDATE links SET slug = 'moved-on', slug_key = 'moved-on' WHERE id = ?", plain.id);
    expect(await toldBy(tick)).toEqual([]);
  });

  it.each([
    ["is missing", "DELETE FROM addresses WHERE target_id = ?"],
    ["has another document", "UPDATE addresses SET document = '{}' WHERE target_id = ?"],
    ["is of another link", "UPDATE addresses SET target_id = 'none' WHERE target_id = ?"],
    ["is of another workspace", "UPDATE addresses SET workspace_id = 'x' WHERE target_id = ?"],
    ["is of another kind", "UPDATE addresses SET kind = 'page' WHERE target_id = ?"],
  ])("mends an address that %s, and tells of it", async (_what, sql) => {
    const link = await createActiveLink(workspace);
    const right = await addressesOf(link.id);
    await run(sql, link.id);
    expect(await addressesOf(link.id)).not.toEqual(right);
    const logged = await lastChange();
    const told = await toldBy(tick);
    // What is called a page's is dropped as that first, in a minute in which pages come before links.
    const dropped = `address_dropped ${link.id}`;
    if (sql.includes("kind") && told.includes(dropped)) told.splice(told.indexOf(dropped), 1);
    expect(told).toEqual([`address_mended ${link.id}`]);
    expect(await addressesOf(link.id)).toEqual(right);
    // Isolates that hold what was wrong are told as well.
    expect(await changesSince(logged)).toContain(`address /${link.slug}`);
    expect(await toldBy(tick)).toEqual([]);
  });

  it("mends one that stands elsewhere: it is written where it belongs, and dropped there", async () => {
    const link = await createActiveLink(workspace);
    const right = await addressesOf(link.id);
    await run("UPDATE addresses SET slug_key = 'elsewhere' WHERE target_id = ?", link.id);
    expect(await toldBy(tick)).toEqual([`address_dropped ${link.id}`, `address_mended ${link.id}`]);
    expect(await addressesOf(link.id)).toEqual(right);
  });

  it("drops the address of a link that is not there, and tells of it", async () => {
    await run(
      `INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
       VALUES ('', 'stray', 'link', 'nobody', ?, '{}')`,
      workspace.id,
    );
    expect(await toldBy(tick)).toEqual(["address_dropped nobody"]);
    expect(await addressesOf("nobody")).toEqual([]);
  });

  it("leaves alone what later code puts at an address", async () => {
    await run(
      `INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
       VALUES ('', 'a-thing', 'later', 'thing', ?, '{}')`,
      workspace.id,
    );
    expect(await toldBy(tick)).toEqual([]);
    expect(await addressesOf("thing")).toHaveLength(1);
    await run("DELETE FROM addresses WHERE target_id = 'thing'");
  });

  it("goes on from where it was, slice by slice, round and round", async () => {
    const links: { id: string }[] = [];
    for (let made = 0; made < 7; made++) links.push(await createActiveLink(workspace));
    const all = await db.prepare("SELECT count(*) AS n FROM links").first<number>("n");
    const rounds = Math.ceil((all ?? 0) / 3) + 1;
    for (let round = 0; round < 2; round++) {
      await run("UPDATE addresses SET document = '{}'");
      const told = await toldBy(async () => {
        for (let slice = 0; slice < rounds; slice++) await check(3);
      });
      expect(told.filter((line) => links.some(({ id }) => line.endsWith(id)))).toHaveLength(7);
      expect(new Set(told).size).toBe(all);
    }
    expect(await toldBy(() => check(100_000))).toEqual([]);
  });

  it("looks at no more than its slice at once", async () => {
    await run("UPDATE addresses SET document = '{}'");
    expect(await toldBy(() => check(2))).toHaveLength(2);
  });
});

async function lastChange(): Promise<number> {
  return Number(await db.prepare("SELECT max(id) AS id FROM address_changes").first("id"));
}

async function changesSince(id: number): Promise<string[]> {
  const sql = "SELECT scope || ' ' || name AS what FROM address_changes WHERE id > ?";
  return (await db.prepare(sql).bind(id).all<{ what: string }>()).results.map(({ what }) => what);
}

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const anyJson = fc.oneof(
  fc.json(),
  fc
    .dictionary(fc.constantFrom("source", "medium", "campaign"), text)
    .map((utm) => JSON.stringify(utm)),
  fc.array(fc.uuid(), { maxLength: 5 }).map((pixels) => JSON.stringify(pixels)),
  // What no code of ours wrote.
  fc.constantFrom("", "{", "null", "[1", "{a:1}", "nonsense", '{"a":01}', "[".repeat(1200)),
  text,
);
const LINK = fc.record({
  destination: text,
  status: fc.constantFrom("active", "paused"),
  disabled: fc.constantFrom(0, 1),
  http_status: fc.constantFrom(301, 302, 307, 308),
  forward_query: fc.constantFrom(0, 1),
  sensitive_content: fc.constantFrom(0, 1),
  password_hash: fc.option(text),
  utm: anyJson,
  pixels: anyJson,
});

describe("the document of a link", () => {
  it("is the same whether the trigger of a write, of a change, or the job wrote it", async () => {
    const link = await createActiveLink(workspace);
    await fc.assert(
      fc.asyncProperty(LINK, async (given) => {
        const names = Object.keys(given);
        const values = Object.values(given);
        await run(
          `UPDATE links SET ${names.map((name, at) => `${name} = ?${at + 2}`).join(", ")} WHERE id = ?1`,
          link.id,
          ...values,
        );
        const [changed] = await addressesOf(link.id);
        const copy = crypto.randomUUID();
        await run(
          `INSERT INTO links (id, workspace_id, slug, slug_key, title, revision, created_at,
             updated_at, ${names.join(", ")})
           SELECT ?1, workspace_id, ?1, ?1, title, revision, 0, 0, ${names.join(", ")}
           FROM links WHERE id = ?2`,
          copy,
          link.id,
        );
        const [written] = await addressesOf(copy);
        // Nothing differs, so nothing is mended; and what is mended is the same once more.
        expect(await toldBy(() => check(100_000))).toEqual([]);
        await run("UPDATE addresses SET document = '{}' WHERE target_id IN (?, ?)", link.id, copy);
        expect(await toldBy(() => check(100_000))).toHaveLength(2);
        const [mended] = await addressesOf(link.id);
        const [mendedCopy] = await addressesOf(copy);
        expect(mended).toEqual(changed);
        expect(mendedCopy).toEqual(written);
        expect(written?.document).toBe(changed?.document);
        expect(JSON.parse(changed?.document ?? "")).toMatchObject({
          destination: given.destination,
          hasPassword: given.password_hash === null ? 0 : 1,
        });
        await run("DELETE FROM links WHERE id = ?", copy);
        expect(await addressesOf(copy)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
