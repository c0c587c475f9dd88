import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/platform/config.ts";
import { SHARED_PREFIX } from "../../../src/visitor/addresses/shared-cache.ts";
import { faulting } from "../../support/faulting.ts";
import { newAddress } from "../../support/http.ts";
import { createActiveLink, createWorkspace } from "../../support/workspace.ts";

/** Isolates of one data centre, which share its cache, while the database does not answer. */

const env = bindings as unknown as Env;
const LOG = "FROM address_changes\n";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An isolate that has just been born: it has modules, and so a memory, of its own. */
async function newIsolate() {
  vi.resetModules();
  const { default: worker } = await import("../../../src/worker.ts");
  const database = faulting("D1_ERROR: out of order", env);
  database.faultOf = () => undefined;
  const visit = async (slug: string, headers: Record<string, string> = {}) => {
    const ctx = createExecutionContext();
    const request = new Request(`http://localhost:8787/${slug}`, {
      headers: { "CF-Connecting-IP": newAddress(), ...headers },
    });
    const began = performance.now();
    const { status, headers: answered } = await worker.fetch(request, database.env, ctx);
    const milliseconds = performance.now() - began;
    return { status, location: answered.get("Location"), milliseconds, ctx };
  };
  /** The visit, and all that goes on behind it. */
  const visitFully = async (slug: string) => {
    const { ctx, ...answer } = await visit(slug);
    await waitOnExecutionContext(ctx);
    return answer;
  };
  return { database, visit, visitFully };
}

async function later(seconds: number): Promise<void> {
  const time = Date.now() + seconds * 1000;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(time);
  await caches.default.delete(`https://localhost${SHARED_PREFIX}changes`);
}

function leadTo(destination: string, { id }: { id: string }) {
  const change = env.DB.prepare("UPDATE links SET destination = ?1 WHERE id = ?2");
  return change.bind(destination, id).run();
}

async function newLinks(count: number) {
  const workspace = await createWorkspace();
  return Promise.all(
    Array.from({ length: count }, () =>
      createActiveLink(workspace, { destination: "https://example.com/old" }),
    ),
  );
}

describe("an isolate that is born while the database is gone", () => {
  it.each([
    ["fails", () => Promise.reject(new Error("D1_ERROR: out of order"))],
    ["hangs", () => new Promise(() => undefined)],
  ])("serves what its data centre knows, if the database %s", async (_how, answer) => {
    const [link, changed] = (await newLinks(2)) as [
      { id: string; slug: string },
      { id: string; slug: string },
    ];
    const older = await newIsolate();
    expect((await older.visitFully(link.slug)).status).toBe(302);
    expect((await older.visitFully(changed.slug)).status).toBe(302);
    await leadTo("https://example.com/new", changed);
    await later(60);
    // It reads the log on.
    await older.visitFully(link.slug);
    await later(60);

    const born = await newIsolate();
    born.database.heldBack = answer;
    for (let visits = 0; visits < 3; visits++) {
      const { status, location } = await born.visit(link.slug);
      expect([status, location]).toEqual([302, "https://example.com/old"]);
    }
    // What had changed before, as the data centre knows, is not served as it was.
    expect((await born.visit(changed.slug)).status).toBe(503);
    born.database.heldBack = () => undefined;
    await later(10);
    expect((await born.visit(changed.slug)).location).toBe("https://example.com/new");
  });
});

describe("while the database hangs", () => {
  it("nobody waits for what the data centre has", async () => {
    const links = await newLinks(4);
    const [known, ...others] = links as { slug: string }[];
    const older = await newIsolate();
    for (const { slug } of links) await older.visitFully(slug);
    const isolate = await newIsolate();
    await isolate.visitFully(known?.slug ?? "");
    isolate.database.heldBack = () => new Promise(() => undefined);
    await later(600);
    // The first waits for news.
    await isolate.visit(known?.slug ?? "");
    const waits: number[] = [];
    for (const { slug } of others) {
      const { status, milliseconds } = await isolate.visit(slug);
      expect(status).toBe(302);
      waits.push(milliseconds);
    }
    // Who waited for news would each time, for two seconds; one of them may meet a busy machine.
    expect(Math.min(...waits)).toBeLessThan(1500);
  });
});

describe("a database that fails once", () => {
  it("does not have anything served that changed more than ten seconds ago", async () => {
    const [link] = (await newLinks(1)) as [{ id: string; slug: string }];
    const isolate = await newIsolate();
    await isolate.visitFully(link.slug);
    await leadTo("https://example.com/new", link);
    await later(3600);
    let failures = 0;
    isolate.database.faultOf = (sql) =>
      sql.includes(LOG) && failures++ === 0 ? "undone" : undefined;
    const visits = await Promise.all(Array.from({ length: 5 }, () => isolate.visit(link.slug)));
    expect(visits.map(({ location }) => location)).toEqual(
      Array(5).fill("https://example.com/new"),
    );
    expect(failures).toBe(2);
  });

  it("nor for visitors who come while it is left alone, however many", async () => {
    const [link] = (await newLinks(1)) as [{ id: string; slug: string }];
    const isolate = await newIsolate();
    await isolate.visitFully(link.slug);
    await leadTo("https://example.com/new", link);
    await later(3600);
    let asked = 0;
    let isWell = false;
    isolate.database.faultOf = (sql) => {
      if (!sql.includes(LOG)) return undefined;
      asked++;
      return isWell ? undefined : "undone";
    };
    const first = isolate.visit(link.slug);
    await vi.waitFor(() => expect(asked).toBe(1));
    await scheduler.wait(100);
    const second = isolate.visit(link.slug);
    await scheduler.wait(100);
    isWell = true;
    const visits = await Promise.all([first, second]);
    expect(visits.map(({ location }) => location)).toEqual(
      Array(2).fill("https://example.com/new"),
    );
    expect(asked).toBe(2);
  });

  it("keeps nobody waiting once another has had it read", async () => {
    const [held, other] = (await newLinks(2)) as [{ slug: string }, { slug: string }];
    const isolate = await newIsolate();
    await isolate.visitFully(held.slug);
    await later(3600);
    let asked = 0;
    isolate.database.faultOf = (sql) => (sql.includes(LOG) && asked++ === 0 ? "undone" : undefined);
    let isAnswered = false;
    const first = isolate.visit(held.slug).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await vi.waitFor(() => expect(asked).toBe(1));
    await scheduler.wait(50);
    // What is not held asks the log at once.
    expect((await isolate.visit(other.slug)).status).toBe(302);
    expect(asked).toBe(2);
    await scheduler.wait(50);
    expect(isAnswered).toBe(true);
    expect((await first).status).toBe(302);
  });

  it("behind visitors' backs, is asked again a second later", async () => {
    const [link] = (await newLinks(1)) as [{ id: string; slug: string }];
    await later(60);
    const isolate = await newIsolate();
    await isolate.visitFully(link.slug);
    await later(5.5);
    isolate.database.faultOf = () => "undone";
    isolate.database.asked = 0;
    await isolate.visitFully(link.slug);
    expect(isolate.database.asked).toBe(1);
    isolate.database.faultOf = () => undefined;
    await leadTo("https://example.com/new", link);
    await later(1);
    await isolate.visitFully(link.slug);
    expect((await isolate.visit(link.slug)).location).toBe("https://example.com/new");
  });
});

describe("who waits for the same look-up at nothing", () => {
  it("pays for it once, however long it takes", async () => {
    const isolate = await newIsolate();
    const client = { "CF-Connecting-IP": newAddress() };
    isolate.database.heldBack = (sql) => (sql.includes(LOG) ? undefined : scheduler.wait(1200));
    const slug = `none-${crypto.randomUUID().slice(0, 8)}`;
    const visits = await Promise.all(Array.from({ length: 70 }, () => isolate.visit(slug, client)));
    expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([404]));
    isolate.database.heldBack = () => undefined;
    expect((await isolate.visit(`${slug}-other`, client)).status).toBe(404);
    expect((await isolate.visit(`${slug}-third`, client)).status).toBe(404);
  });
});

describe("a data centre whose own services hang", () => {
  it("keeps no visitor waiting for its cache, nor for its limits", async () => {
    const [link] = (await newLinks(1)) as [{ slug: string }];
    const isolate = await newIsolate();
    vi.spyOn(caches.default, "match").mockImplementation(() => new Promise(() => undefined));
    const limit = { limit: () => new Promise<never>(() => undefined) };
    Object.assign(isolate.database.env, { MISS_RATE_LIMIT: limit, HOST_MISS_RATE_LIMIT: limit });
    const found = await isolate.visit(link.slug);
    expect([found.status, found.milliseconds < 4000]).toEqual([302, true]);
    const client = { "CF-Connecting-IP": newAddress() };
    const tries = Array.from({ length: 70 }, (_, at) => isolate.visit(`no-${at}`, client));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([404]));
  });
});
