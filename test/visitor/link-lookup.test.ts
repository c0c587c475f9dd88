import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FIND_BY_SLUG } from "../../src/features/biolinks/links/links.ports.ts";
import type { Env } from "../../src/platform/config.ts";
import worker from "../../src/worker.ts";
import { faulting, OVERLOADED } from "../support/faulting.ts";
import { ORIGIN, send } from "../support/http.ts";
import { createActiveLink, createWorkspace } from "../support/workspace.ts";

const env = bindings as unknown as Env;

afterEach(() => {
  vi.useRealTimers();
});

/** The Worker on a database that counts how often visits ask it, and fails when told to. */
function watchedDatabase() {
  const watch = { queries: 0, fails: false };
  const DB = new Proxy(env.DB, {
    get(target, name) {
      if (name !== "withSession") return Reflect.get(target, name).bind(target);
      watch.queries++;
      if (watch.fails) throw new Error("D1_ERROR: out of order");
      return target.withSession.bind(target);
    },
  });
  const visit = (slug: string) =>
    worker.fetch(
      new Request(`http://localhost:8787/${slug}`),
      { ...env, DB },
      createExecutionContext(),
    );
  return { watch, visit };
}

/** As if this isolate had not just made the link: past the time in which it asks the primary. */
async function activeLinkOfAnotherTime() {
  const link = await createActiveLink(await createWorkspace());
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 60_000);
  return link;
}

describe("looking a link up", () => {
  it("asks the database once, however many visitors come at once to a cold link", async () => {
    const link = await activeLinkOfAnotherTime();
    const { watch, visit } = watchedDatabase();
    const visits = await Promise.all(Array.from({ length: 50 }, () => visit(link.slug)));
    expect(visits.map(({ status }) => status)).toEqual(Array(50).fill(302));
    expect(watch.queries).toBe(1);
  });

  it("asks nobody while the link is fresh in memory, nor while it is in the shared cache", async () => {
    const link = await activeLinkOfAnotherTime();
    const { watch, visit } = watchedDatabase();
    await visit(link.slug);
    for (let visits = 0; visits < 10; visits++) expect((await visit(link.slug)).status).toBe(302);
    // The shared cache is filled behind the first visitor's back.
    await scheduler.wait(100);
    vi.setSystemTime(Date.now() + 21_000);
    expect((await visit(link.slug)).status).toBe(302);
    expect(watch.queries).toBe(1);
  });

  it("holds a link twenty seconds in memory and five in the shared cache, which is under thirty", async () => {
    const link = await createActiveLink(await createWorkspace());
    const { visit } = watchedDatabase();
    const locationAt = async (milliseconds: number) => {
      vi.setSystemTime(start + milliseconds);
      return (await visit(link.slug)).headers.get("Location");
    };
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    expect(await locationAt(0)).toBe("https://example.com/");
    // Changed by another isolate: this one is not told.
    const change = "UPDATE links SET destination = 'https://example.com/new' WHERE id = ?";
    await env.DB.prepare(change).bind(link.id).run();
    expect(await locationAt(18_900)).toBe("https://example.com/");
    expect(await locationAt(20_001)).toBe("https://example.com/new");
    await scheduler.wait(100);
    const shared = await caches.default.match(`https://visitor-links.invalid//${link.slug}`);
    expect(shared?.headers.get("Cache-Control")).toBe("public, max-age=5");
    expect(await shared?.text()).not.toMatch(/pbkdf2|password_hash/);
  });

  it("renews a link in use before it is stale, so that no visitor waits", async () => {
    const link = await createActiveLink(await createWorkspace());
    const { watch, visit } = watchedDatabase();
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    await visit(link.slug);
    vi.setSystemTime(start + 19_500);
    await visit(link.slug);
    expect(watch.queries).toBe(2);
    await scheduler.wait(100);
    vi.setSystemTime(start + 30_000);
    await visit(link.slug);
    expect(watch.queries).toBe(2);
  });

  it("asks once for an unknown slug that is tried again and again", async () => {
    const { watch, visit } = watchedDatabase();
    const slug = `none-${crypto.randomUUID().slice(0, 8)}`;
    for (let visits = 0; visits < 10; visits++) expect((await visit(slug)).status).toBe(404);
    expect(watch.queries).toBe(1);
  });

  it("never asks for what can be no slug", async () => {
    const { watch, visit } = watchedDatabase();
    for (const path of [
      "",
      "a/b",
      "%ff",
      "robots.txt",
      "favicon.ico",
      "@page",
      "a".repeat(61),
      "%E0%A4%A",
    ]) {
      expect([path, (await visit(path)).status]).toEqual([path, 404]);
    }
    expect(watch.queries).toBe(0);
  });

  it("serves what it has when the database fails, and says so kindly when it has nothing", async () => {
    const silence = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const link = await createActiveLink(await createWorkspace());
    const { watch, visit } = watchedDatabase();
    expect((await visit(link.slug)).status).toBe(302);
    watch.fails = true;
    vi.useFakeTimers({ toFake: ["Date"] });
    // Just changed by this isolate, so past the shared cache; and no longer fresh in memory.
    vi.setSystemTime(Date.now() + 21_000);
    expect((await visit(link.slug)).status).toBe(302);
    const cold = await visit(`cold-${crypto.randomUUID().slice(0, 8)}`);
    expect([cold.status, cold.headers.get("Retry-After")]).toEqual([503, expect.any(String)]);
    expect(cold.headers.get("X-Robots-Tag")).toBe("noindex");
    expect(await cold.text()).not.toMatch(/D1_ERROR|out of order/);
    expect(silence).toHaveBeenCalled();
    silence.mockRestore();
    watch.fails = false;
    const change = "UPDATE links SET status = 'paused' WHERE id = ?";
    await env.DB.prepare(change).bind(link.id).run();
    // The answer that was stale is not kept as if it were fresh.
    expect((await visit(link.slug)).status).toBe(404);
  });

  it("serves what it has while the database has too much to do, and asks it every five seconds", async () => {
    const silence = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const link = await createActiveLink(await createWorkspace());
    const overloaded = faulting(OVERLOADED);
    overloaded.faultOf = () => undefined;
    const visit = (slug: string) => send(`${ORIGIN}/${slug}`, { env: overloaded.env });
    expect((await visit(link.slug)).status).toBe(302);
    await scheduler.wait(100);
    await caches.default.delete(`https://visitor-links.invalid//${link.slug}`);
    overloaded.faultOf = () => "undone";
    overloaded.asked = 0;
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 3_600_000);
    for (let visits = 0; visits < 10; visits++) expect((await visit(link.slug)).status).toBe(302);
    expect(overloaded.asked).toBe(1);
    vi.setSystemTime(Date.now() + 5_001);
    expect((await visit(link.slug)).status).toBe(302);
    expect(overloaded.asked).toBe(2);
    // Of what it has not, it asks once, and says when to come again: not to all the same.
    const waits = new Set<string | null>();
    for (let visits = 0; visits < 20; visits++) {
      const cold = await visit(`cold-${crypto.randomUUID().slice(0, 8)}`);
      expect(cold.status).toBe(503);
      waits.add(cold.headers.get("Retry-After"));
    }
    expect(overloaded.asked).toBe(22);
    expect(waits.size).toBeGreaterThan(1);
    for (const wait of waits) expect(Number(wait)).toBeGreaterThanOrEqual(3);
    silence.mockRestore();
  });

  it.each(["platform", "domain"] as const)(
    "finds a link of the %s by a unique index",
    async (host) => {
      const query = env.DB.prepare(`EXPLAIN QUERY PLAN ${FIND_BY_SLUG[host]}`);
      const bound = host === "platform" ? query.bind("a") : query.bind("a", "b.example");
      const plan = (await bound.all<{ detail: string }>()).results.map(({ detail }) => detail);
      expect(plan.join("\n")).toContain(`SEARCH links USING INDEX links_${host}_slug`);
      expect(plan.filter((step) => /^SCAN (?!chosen)/.test(step))).toEqual([]);
    },
  );
});
