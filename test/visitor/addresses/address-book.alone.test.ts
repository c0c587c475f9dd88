import { env as bindings } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/platform/config.ts";
import { SHARED_PREFIX } from "../../../src/visitor/addresses/shared-cache.ts";
import { createActiveDomain, createDomain, DOMAINS, newHost } from "../../support/domains.ts";
import { faulting, OVERLOADED } from "../../support/faulting.ts";
import { newAddress, operate, send } from "../../support/http.ts";
import { untilEarlyInMinute } from "../../support/rate-limits.ts";
import { tick } from "../../support/work.ts";
import { createActiveLink, createWorkspace, LINKS, updateLink } from "../../support/workspace.ts";

const env = bindings as unknown as Env;
const SECOND = 1000;
const FRESH_SECONDS = 10;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const shared = (name: string) => `https://localhost${SHARED_PREFIX}${encodeURIComponent(name)}`;

/** Moves the clock on, from where it stands. The shared cache has one of its own. */
async function later(milliseconds: number): Promise<void> {
  const time = Date.now() + milliseconds;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(time);
  if (milliseconds <= 5 * SECOND) return;
  // What is put there behind an answer is there by then.
  await scheduler.wait(100);
  await caches.default.delete(shared("changes"));
}

/** The Worker on a database that counts what visits ask it, and fails when told to. */
function watched(message = "D1_ERROR: out of order") {
  const database = faulting(message);
  database.faultOf = () => undefined;
  const visit = async (path: string, headers: Record<string, string> = {}) =>
    send(path.startsWith("http") ? path : `/${path}`, { env: database.env, headers });
  return { database, visit };
}

/** Changes rows as another isolate would: this one is not told. */
function elsewhere(sql: string, ...bound: unknown[]) {
  return env.DB.prepare(sql)
    .bind(...bound)
    .run();
}

/** A link that this isolate knows nothing of, not even that it has made it. */
async function unknownLink(input: object = {}) {
  const link = await createActiveLink(await createWorkspace(), input);
  await later(60 * SECOND);
  return link;
}

/** Has a link held as the log that tells of its last change knows it: it is not read again for that. */
async function settled(slug: string): Promise<void> {
  await send(`/${slug}`);
  await later(60 * SECOND);
  await send(`/${slug}`);
}

const unknownSlug = () => `none-${crypto.randomUUID().slice(0, 8)}`;

describe("what is held of the address book", () => {
  it("is asked for once, however many visitors come at once", async () => {
    const link = await unknownLink();
    const { database, visit } = watched();
    const visits = await Promise.all(Array.from({ length: 50 }, () => visit(link.slug)));
    expect(visits.map(({ status }) => status)).toEqual(Array(50).fill(302));
    // The link, and the log.
    expect(database.asked).toBeLessThanOrEqual(2);
  });

  it("is asked for in few queries by visitors of many links at once", async () => {
    const workspace = await createWorkspace();
    const made = await Promise.all(Array.from({ length: 20 }, () => createActiveLink(workspace)));
    await later(60 * SECOND);
    const { database, visit } = watched();
    const visits = await Promise.all(made.map(({ slug }) => visit(slug)));
    expect(visits.map(({ status }) => status)).toEqual(Array(20).fill(302));
    expect(database.asked).toBeLessThanOrEqual(4);
  });

  it("never goes stale by time: four minutes of visits ask for changes alone, every five seconds", async () => {
    const link = await unknownLink();
    const { database, visit } = watched();
    await settled(link.slug);
    const asked: string[] = [];
    database.faultOf = (sql) => {
      asked.push(sql);
      return undefined;
    };
    for (let second = 0; second < 240; second++) {
      await later(SECOND);
      expect((await visit(link.slug)).status).toBe(302);
    }
    expect(asked.filter((sql) => !sql.includes("FROM address_changes\n"))).toEqual([]);
    // On a slow machine the cache, by its own clock, has forgotten none of them, or each.
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.length).toBeLessThanOrEqual(800 / 15);
  });

  it("is read once more when the log tells of what it may not have known, and then no more", async () => {
    const other = await unknownLink();
    await send(`/${other.slug}`);
    const link = await createActiveLink(await createWorkspace());
    const { database, visit } = watched();
    let looks = 0;
    database.faultOf = (sql) => {
      if (!sql.includes("FROM address_changes\n")) looks++;
      return undefined;
    };
    const seen: number[] = [];
    for (let visits = 0; visits < 5; visits++) {
      expect((await visit(link.slug)).status).toBe(302);
      seen.push(looks);
      await later(60 * SECOND);
    }
    expect(seen).toEqual([1, 2, 2, 2, 2]);
  });

  it("holds unknown slugs too, until there is a link", async () => {
    const { database, visit } = watched();
    const slug = unknownSlug();
    for (let visits = 0; visits < 10; visits++) expect((await visit(slug)).status).toBe(404);
    await later(3600 * SECOND);
    expect((await visit(slug)).status).toBe(404);
    expect(database.asked).toBeLessThanOrEqual(3);
    await createActiveLink(await createWorkspace(), { slug });
    expect((await visit(slug)).status).toBe(302);
  });

  it("is not asked for what can be no slug and no page", async () => {
    const { database, visit } = watched();
    expect((await visit("")).status).toBe(200);
    for (const path of ["a/b", "%ff", "favicon.ico", "@", "@@page", "a".repeat(61), "%E0%A4%A"]) {
      expect([path, (await visit(path)).status]).toEqual([path, 404]);
    }
    expect(database.asked).toBe(0);
  });

  it("has links alone: what of another kind a later version puts there is not served as one", async () => {
    const link = await unknownLink();
    await elsewhere("UPDATE addresses SET kind = 'page' WHERE target_id = ?", link.id);
    expect((await watched().visit(link.slug)).status).toBe(404);
    // For check_addresses, which other tests run.
    await elsewhere("UPDATE addresses SET kind = 'link' WHERE target_id = ?", link.id);
  });

  it("holds no password", async () => {
    const link = await unknownLink({ settings: { password: "Open Sesame" } });
    const { visit } = watched();
    await visit(link.slug);
    const rows = await env.DB.prepare("SELECT document FROM addresses").all<{ document: string }>();
    const key = shared(`address /${link.slug}`);
    await vi.waitFor(async () => expect(await caches.default.match(key)).toBeDefined());
    const cached = await (await caches.default.match(key))?.text();
    expect(cached).toContain(link.id);
    for (const text of [cached, ...rows.results.map(({ document }) => document)]) {
      expect(text).not.toMatch(/pbkdf2|Sesame/i);
    }
  });
});

describe("a change", () => {
  const ANYWHERE = `a link of another isolate is seen within ${FRESH_SECONDS} s`;

  it.each([
    [
      "its destination",
      "UPDATE links SET destination = 'https://example.com/new' WHERE id = ?",
      302,
    ],
    ["its pause", "UPDATE links SET status = 'paused' WHERE id = ?", 404],
    ["the operator's switch", "UPDATE links SET disabled = 1 WHERE id = ?", 410],
    ["its password", "UPDATE links SET password_hash = 'x' WHERE id = ?", 200],
    ["its end", "DELETE FROM links WHERE id = ?", 404],
    [
      "its workspace's suspension",
      "UPDATE workspaces SET status = 'suspended' WHERE id = (SELECT workspace_id FROM links WHERE id = ?)",
      410,
    ],
  ])(`of ${ANYWHERE}: %s`, async (_what, sql, status) => {
    const link = await unknownLink();
    const { visit } = watched();
    expect((await visit(link.slug)).status).toBe(302);
    await elsewhere(sql, link.id);
    await later(FRESH_SECONDS * SECOND);
    const answer = await visit(link.slug);
    expect(answer.status).toBe(status);
    if (status === 302) expect(answer.headers.get("Location")).toBe("https://example.com/new");
  });

  it(`of a domain is seen within ${FRESH_SECONDS} s, at all of its addresses`, async () => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    await elsewhere(
      "UPDATE domains SET not_found_url = 'https://example.com/lost' WHERE id = ?",
      domain.id,
    );
    const link = await createActiveLink(workspace, { domain: domain.id });
    await later(60 * SECOND);
    const { visit } = watched();
    const seen = async () => {
      const statuses = [];
      for (const path of [link.slug, "none", "", "a/b"])
        statuses.push((await visit(`https://${domain.host}/${path}`)).status);
      return statuses;
    };
    expect(await seen()).toEqual([302, 302, 404, 302]);
    await elsewhere("UPDATE domains SET disabled = 1 WHERE id = ?", domain.id);
    await later(FRESH_SECONDS * SECOND);
    expect(await seen()).toEqual([404, 404, 404, 404]);
    await elsewhere(
      "UPDATE domains SET disabled = 0, root_url = 'https://example.com/root' WHERE id = ?",
      domain.id,
    );
    await later(FRESH_SECONDS * SECOND);
    expect(await seen()).toEqual([302, 302, 302, 302]);
  });

  it("of a link that moves is seen at both of its addresses, also by who held the new one as unknown", async () => {
    const link = await unknownLink();
    const { visit } = watched();
    const slug = unknownSlug();
    expect([(await visit(link.slug)).status, (await visit(slug)).status]).toEqual([302, 404]);
    await elsewhere("UPDATE links SET slug = ?1, slug_key = ?1 WHERE id = ?2", slug, link.id);
    await later(FRESH_SECONDS * SECOND);
    expect([(await visit(link.slug)).status, (await visit(slug)).status]).toEqual([404, 302]);
  });

  it.each([
    [900, "one reading"],
    [2500, "three readings in a row"],
  ])("of %i other things has nothing read anew: %s tell of all", async (changes) => {
    const link = await unknownLink();
    const { database, visit } = watched();
    const noise = () =>
      elsewhere(
        `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?)
         INSERT INTO address_changes (scope, name) SELECT 'address', '/other' FROM each`,
        changes,
      );
    await visit(link.slug);
    const asked: string[] = [];
    database.faultOf = (sql) => {
      asked.push(sql);
      return undefined;
    };
    for (let round = 0; round < 3; round++) {
      await noise();
      await later(FRESH_SECONDS * SECOND);
      expect((await visit(link.slug)).status).toBe(302);
    }
    expect(asked.filter((sql) => !sql.includes("FROM address_changes\n"))).toEqual([]);
  });

  it("of a claim that another workspace has proved drops nothing that is held of the host", async () => {
    const [owner, other] = [await createWorkspace(), await createWorkspace()];
    const host = newHost();
    const claim = (await createDomain(other, host)).body.data;
    const domain = await createActiveDomain(owner, host);
    const link = await createActiveLink(owner, { domain: domain.id });
    await later(60 * SECOND);
    const { database, visit } = watched();
    const url = `https://${host}/${link.slug}`;
    expect((await visit(url)).status).toBe(302);
    await caches.default.delete(shared(`address ${host}/${link.slug}`));
    const own = { headers: { "If-Match": "*" } };
    const changed = { ...own, body: { root_url: "https://example.com/taken" } };
    expect((await other.send("PATCH", `${DOMAINS}/${claim.id}`, changed)).status).toBe(200);
    // Nor does a change of the owner's that changes nothing.
    const same = { ...own, body: { disabled: false } };
    expect((await owner.send("PATCH", `${DOMAINS}/${domain.id}`, same)).status).toBe(200);
    expect((await other.send("DELETE", `${DOMAINS}/${claim.id}`, own)).status).toBe(204);
    database.asked = 0;
    expect((await visit(url)).status).toBe(302);
    expect(database.asked).toBe(0);
    const off = { ...own, body: { disabled: true } };
    await owner.send("PATCH", `${DOMAINS}/${domain.id}`, off);
    expect((await visit(url)).status).toBe(404);
  });

  it("made here is seen at once, even where a replica and the shared cache are behind", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const { visit } = watched();
    expect((await visit(link.slug)).status).toBe(302);
    await updateLink(workspace, link.id, { destination: "https://example.com/now" });
    expect((await visit(link.slug)).headers.get("Location")).toBe("https://example.com/now");
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    expect((await visit(link.slug)).status).toBe(410);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    expect((await visit(link.slug)).status).toBe(302);
    await workspace.send("DELETE", `${LINKS}/${link.id}`, { headers: { "If-Match": "*" } });
    expect((await visit(link.slug)).status).toBe(404);
  });

  it("is seen though the log was cleaned since, or goes back as a restored backup's does", async () => {
    const link = await unknownLink();
    const { visit } = watched();
    const locationNow = async () => (await visit(link.slug)).headers.get("Location");
    const leadTo = (path: string) =>
      elsewhere(
        "UPDATE links SET destination = ?1 WHERE id = ?2",
        `https://example.com/${path}`,
        link.id,
      );
    await visit(link.slug);
    await leadTo("one");
    const known = await env.DB.prepare("SELECT max(id) AS id FROM address_changes").first("id");
    await elsewhere(
      `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 600)
       INSERT INTO address_changes (scope, name) SELECT 'address', '/other' FROM each`,
    );
    await elsewhere("UPDATE address_changes SET at = at - 7200");
    // A minute cleans 15,000 changes away, and the tests before this one have made about as many.
    await vi.waitFor(async () => {
      await tick();
      const oldest = await env.DB.prepare("SELECT min(id) AS id FROM address_changes").first("id");
      expect(Number(oldest)).toBeGreaterThan(Number(known));
    });
    await later(FRESH_SECONDS * SECOND);
    expect(await locationNow()).toBe("https://example.com/one");

    // As docs/runbook.md says, of a backup that was restored.
    await leadTo("two");
    await elsewhere("DELETE FROM address_changes WHERE id > 1");
    await elsewhere(
      "INSERT INTO address_changes (id, scope, name) VALUES (unixepoch() * 1000, 'host', '')",
    );
    await later(FRESH_SECONDS * SECOND);
    expect(await locationNow()).toBe("https://example.com/two");
    // The log goes on from there.
    await leadTo("three");
    await later(FRESH_SECONDS * SECOND);
    expect(await locationNow()).toBe("https://example.com/three");
  });
});

describe("while the database is gone", () => {
  it("what is held is served, at once, and what is not is told kindly", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const link = await unknownLink();
    const { database, visit } = watched();
    expect((await visit(link.slug)).status).toBe(302);
    database.faultOf = () => "undone";
    await later(600 * SECOND);
    for (let visits = 0; visits < 5; visits++) expect((await visit(link.slug)).status).toBe(302);
    const cold = await visit(unknownSlug());
    expect([cold.status, cold.headers.get("Retry-After")]).toEqual([503, expect.any(String)]);
    expect(cold.text).not.toMatch(/D1_ERROR|out of order/);
    database.faultOf = () => undefined;
    await elsewhere("UPDATE links SET status = 'paused' WHERE id = ?", link.id);
    await later(FRESH_SECONDS * SECOND);
    expect((await visit(link.slug)).status).toBe(404);
  });

  it("or has too much to do, it is asked for changes every five seconds", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const link = await unknownLink();
    const { database, visit } = watched(OVERLOADED);
    expect((await visit(link.slug)).status).toBe(302);
    database.faultOf = () => "undone";
    await later(3600 * SECOND);
    database.asked = 0;
    // The first visitor has it asked twice, with a second in between.
    for (let visits = 0; visits < 10; visits++) expect((await visit(link.slug)).status).toBe(302);
    expect(database.asked).toBe(2);
    await later(5001);
    for (let visits = 0; visits < 10; visits++) expect((await visit(link.slug)).status).toBe(302);
    // Behind their backs.
    await vi.waitFor(() => expect(database.asked).toBe(3));
  });
});

describe("who tries slugs at random", () => {
  it("is refused, before the database is asked; others, and what exists, are not", async () => {
    const link = await unknownLink();
    const held = await createActiveLink(await createWorkspace());
    const { database, visit } = watched();
    const scanner = { "CF-Connecting-IP": newAddress() };
    await settled(held.slug);
    await untilEarlyInMinute();
    const statuses: number[] = [];
    for (let tries = 0; tries < 150; tries++)
      statuses.push((await visit(unknownSlug(), scanner)).status);
    expect(statuses.slice(0, 50)).toEqual(Array(50).fill(404));
    expect(statuses.slice(-50)).toEqual(Array(50).fill(429));
    database.asked = 0;
    const refused = await visit(unknownSlug(), scanner);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect(refused.text).toContain("Too many unknown links");
    expect(database.asked).toBe(0);
    expect((await visit(held.slug, scanner)).status).toBe(302);
    expect((await visit(link.slug)).status).toBe(302);
    expect((await visit(unknownSlug())).status).toBe(404);
  });

  it("all at once is refused most of them too", async () => {
    const { visit } = watched();
    const scanner = { "CF-Connecting-IP": newAddress() };
    await untilEarlyInMinute();
    await visit(unknownSlug(), scanner);
    const tries = Array.from({ length: 400 }, () => visit(unknownSlug(), scanner));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(120);
  });

  it("is none who comes to many links at once for the first time", async () => {
    const workspace = await createWorkspace();
    const slugs = Array.from({ length: 70 }, (_, n) => `wide-${n}`);
    await elsewhere(
      `INSERT INTO links (id, workspace_id, slug, slug_key, destination, status, disabled,
         http_status, forward_query, sensitive_content, utm, pixels, revision, created_at, updated_at)
       SELECT value, ?1, value, value, 'https://example.com/', 'active', 0, 302, 0, 0, '{}', '[]',
         'r', 0, 0 FROM json_each(?2)`,
      workspace.id,
      JSON.stringify(slugs),
    );
    const { visit } = watched();
    const person = { "CF-Connecting-IP": newAddress() };
    const visits = await Promise.all(slugs.map((slug) => visit(slug, person)));
    expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([302]));
  });

  it("from many addresses at once makes four queries a second; what exists is found", async () => {
    const link = await unknownLink();
    const { database, visit } = watched();
    const scan = (tries: number) =>
      Promise.all(Array.from({ length: tries }, async () => (await visit(unknownSlug())).status));
    for (let round = 0; round < 7; round++) await scan(100);
    database.asked = 0;
    const began = performance.now();
    const [statuses, found] = await Promise.all([scan(400), visit(link.slug)]);
    const quarters = Math.ceil((performance.now() - began) / 250) + 1;
    expect(new Set(statuses)).toEqual(new Set([404]));
    expect(found.status).toBe(302);
    expect(database.asked).toBeLessThanOrEqual(quarters + 1);
  });
});
