import { env as bindings } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FIND_ADDRESS } from "../../../src/features/biolinks/addresses/address-directory.repository.ts";
import type { Env } from "../../../src/platform/config.ts";
import { SHARED_PREFIX } from "../../../src/visitor/addresses/shared-cache.ts";
import { faulting } from "../../support/faulting.ts";
import { newAddress, operate, send } from "../../support/http.ts";
import { loggedLines } from "../../support/logs.ts";
import { createQrCode } from "../../support/qr-codes.ts";
import { createActiveLink, createWorkspace, updateLink } from "../../support/workspace.ts";

/** Ways by which an isolate came to hold, or to answer, what had changed long ago. */

const env = bindings as unknown as Env;
const SECOND = 1000;
const LOG = "FROM address_changes\n";
const sharedKey = (name: string) => `https://localhost${SHARED_PREFIX}${encodeURIComponent(name)}`;
const CHANGES = sharedKey("changes");
const to = (path: string) => `https://example.com/${path}`;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Moves the clock on. The shared cache has one of its own: it forgets what it would have. */
async function later(milliseconds: number): Promise<void> {
  const time = Date.now() + milliseconds;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(time);
  if (milliseconds <= 5 * SECOND) return;
  // What is put there behind an answer is there by then.
  await scheduler.wait(100);
  await caches.default.delete(CHANGES);
}

function watched() {
  const database = faulting("D1_ERROR: out of order");
  database.faultOf = () => undefined;
  const answerOf = (slug: string) => send(`/${slug}`, { env: database.env });
  const locationOf = async (slug: string) => (await answerOf(slug)).headers.get("Location");
  return { database, answerOf, locationOf };
}

/** As another isolate changes it: this one is not told. */
function leadTo(path: string, { id }: { id: string }) {
  const change = env.DB.prepare("UPDATE links SET destination = ?1 WHERE id = ?2");
  return change.bind(to(path), id).run();
}

/** A door that answers wait at until it is opened. */
function closedDoor() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let came = () => {};
  const waitedAt = new Promise<void>((resolve) => {
    came = resolve;
  });
  const wait = () => {
    came();
    return opened;
  };
  return { open, wait, waitedAt };
}

describe("an isolate that nobody came to for a while", () => {
  it("takes nothing from the shared cache before it has read what changed since", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { destination: to("old") });
    await later(60 * SECOND);
    const { locationOf } = watched();
    expect(await locationOf(link.slug)).toBe(to("old"));
    // It holds it no longer, as it makes a change itself; the shared cache has it as it was.
    await updateLink(workspace, link.id, { destination: to("new") });
    await later(60 * SECOND);
    expect(await locationOf(link.slug)).toBe(to("new"));
  });

  it("waits for the log though the database is slow, and answers nothing old", async () => {
    const link = await createActiveLink(await createWorkspace(), { destination: to("old") });
    await later(60 * SECOND);
    const { database, locationOf } = watched();
    expect(await locationOf(link.slug)).toBe(to("old"));
    await leadTo("new", link);
    await later(3600 * SECOND);
    database.heldBack = (sql) => (sql.includes(LOG) ? scheduler.wait(800) : undefined);
    expect(await locationOf(link.slug)).toBe(to("new"));
  });
});

describe("an answer of the database that comes late", () => {
  it("is asked for again when the log has told of a change meanwhile", async () => {
    const workspace = await createWorkspace();
    const other = await createActiveLink(workspace);
    const { database, locationOf } = watched();
    // With the log read on, which tells that it was made.
    await later(60 * SECOND);
    await locationOf(other.slug);
    const link = await createActiveLink(workspace, { destination: to("old") });
    const door = closedDoor();
    // This isolate has just made it, so it is read from the primary. So may the log be, behind the
    // visit before: only the link's own reading says that the link was read as it was.
    database.heldBack = (sql, from) =>
      sql === FIND_ADDRESS && from === "first-primary" ? door.wait() : undefined;
    const early = locationOf(link.slug);
    await door.waitedAt;
    database.heldBack = () => undefined;
    await leadTo("new", link);
    const asked: string[] = [];
    database.faultOf = (sql) => void asked.push(sql);
    // The cache goes by a clock of its own: it may give its last reading once more.
    for (let looks = 0; asked.length === 0 && looks < 5; looks++) {
      await later(10 * SECOND);
      await locationOf(other.slug);
    }
    // Nobody trusts any more what was known before: this visit waits until the log has told.
    await later(10 * SECOND);
    await locationOf(other.slug);
    expect(new Set(asked.map((sql) => sql.includes(LOG)))).toEqual(new Set([true]));
    door.open();
    expect(await early).toBe(to("new"));
    for (let visits = 0; visits < 3; visits++) {
      await later(10 * SECOND);
      expect(await locationOf(link.slug)).toBe(to("new"));
    }
  });

  it("is shared for as long only as it would be, had it come at once", async () => {
    const link = await createActiveLink(await createWorkspace());
    await later(60 * SECOND);
    const { database, locationOf } = watched();
    const door = closedDoor();
    database.heldBack = (sql) => (sql.includes(LOG) ? door.wait() : undefined);
    const visit = locationOf(link.slug);
    await door.waitedAt;
    database.heldBack = () => undefined;
    await later(4999);
    door.open();
    await visit;
    // A second by the cache's own clock: it is there still.
    const cached = await vi.waitFor(async () => {
      const one = await caches.default.match(CHANGES);
      expect(one).toBeDefined();
      return one;
    });
    expect(cached?.headers.get("Cache-Control")).toBe("public, max-age=1");
  });
});

describe("a reading of the log that comes after a later one", () => {
  it("is not taken for a restored backup: what is held stays", async () => {
    const link = await createActiveLink(await createWorkspace());
    await later(60 * SECOND);
    const { database, locationOf } = watched();
    await locationOf(link.slug);
    // What it has read is in the shared cache by then, and forgotten there.
    await scheduler.wait(100);
    await later(5001);
    const door = closedDoor();
    database.heldBack = (sql) => (sql.includes(LOG) ? door.wait() : undefined);
    // Behind this visitor's back, who is answered at once.
    await locationOf(link.slug);
    await door.waitedAt;
    database.heldBack = () => undefined;
    await createActiveLink(await createWorkspace());
    await later(5001);
    await locationOf(link.slug);
    door.open();
    await scheduler.wait(100);
    await caches.default.delete(sharedKey(`address /${link.slug}`));
    database.asked = 0;
    await locationOf(link.slug);
    expect(database.asked).toBe(0);
  });
});

describe("a replica that is far behind", () => {
  it("does not keep a change from being seen", async () => {
    const link = await createActiveLink(await createWorkspace(), { destination: to("old") });
    await later(60 * SECOND);
    const { locationOf } = watched();
    await locationOf(link.slug);
    const known = await env.DB.prepare("SELECT max(id) AS id FROM address_changes").first("id");
    await leadTo("new", link);
    await later(10 * SECOND);
    // Its log ends with what was known then.
    const behind = (prepared: D1PreparedStatement) => ({
      bind: (...given: unknown[]) => behind(prepared.bind(...given)),
      all: async () => {
        const read = await prepared.all<{ id: number }>();
        return { ...read, results: read.results.filter(({ id }) => id <= Number(known)) };
      },
    });
    const withSession = (from: string) => {
      const session = env.DB.withSession(from);
      const prepare = (sql: string) =>
        sql.includes(LOG) && from !== "first-primary"
          ? behind(session.prepare(sql))
          : session.prepare(sql);
      return { prepare, getBookmark: () => session.getBookmark() };
    };
    const replica = new Proxy(env.DB, {
      get(target, name) {
        if (name === "withSession") return withSession;
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const answer = await send(`/${link.slug}`, { env: { ...env, DB: replica } });
    expect(answer.headers.get("Location")).toBe(to("new"));
  });
});

describe("a replica that has an address as it was", () => {
  /**
   * Bindings whose replicas answer look-ups of addresses as they would have now, from here on, unless
   * they are asked for what is newer: then they have it. So a bookmark is kept by D1.
   */
  async function withStaleReplica(slug: string) {
    const names = JSON.stringify([["", slug]]);
    const recording = env.DB.withSession("first-primary");
    const recorded = await recording.prepare(FIND_ADDRESS).bind(names, 0).all();
    const known = recording.getBookmark() ?? "";
    const stale = { asked: 0, refusal: "" };
    const isStale = (from: string) =>
      from === "first-unconstrained" || (from !== "first-primary" && from <= known);
    const all = async () => {
      stale.asked++;
      return recorded;
    };
    const withSession = (from: string) => {
      if (stale.refusal && !from.startsWith("first-")) throw new Error(stale.refusal);
      const session = env.DB.withSession(from);
      const prepare = (sql: string) =>
        sql === FIND_ADDRESS && isStale(from) ? { bind: () => ({ all }) } : session.prepare(sql);
      return { prepare, getBookmark: () => session.getBookmark() };
    };
    const database = new Proxy(env.DB, {
      get(target, name) {
        if (name === "withSession") return withSession;
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const visit = () => send(`/${slug}`, { env: { ...env, DB: database } });
    return { stale, visit };
  }

  /** So that nothing of before is news, and the log is not read again by what follows at once. */
  async function readLogTwice(slug: string): Promise<void> {
    for (let readings = 0; readings < 2; readings++) {
      await later(60 * SECOND);
      await send(`/${slug}`);
    }
  }

  /** A link whose making is no news any more, and its replica. */
  async function withOldLink() {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { destination: to("old") });
    const other = await createActiveLink(workspace);
    await readLogTwice(other.slug);
    return { workspace, link, ...(await withStaleReplica(link.slug)) };
  }

  it("is not asked for less than what the log tells has changed", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { destination: to("old") });
    const other = await createActiveLink(workspace);
    await later(60 * SECOND);
    await send(`/${other.slug}`);
    const { stale, visit } = await withStaleReplica(link.slug);
    await leadTo("new", link);
    await later(10 * SECOND);
    const { headers } = await visit();
    expect(headers.get("Location")).toBe(to("new"));
    expect(stale.asked).toBe(0);
  });

  it("is not asked when it lacks a change that the log told of a while ago", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { destination: to("old") });
    const other = await createActiveLink(workspace);
    const { stale, visit } = await withStaleReplica(link.slug);
    await leadTo("new", link);
    await readLogTwice(other.slug);
    expect((await visit()).headers.get("Location")).toBe(to("new"));
    expect(stale.asked).toBe(0);
  });

  it("is taken back when the log tells of what it did not know yet", async () => {
    const { link, stale, visit } = await withOldLink();
    await leadTo("new", link);
    expect((await visit()).headers.get("Location")).toBe(to("old"));
    expect(stale.asked).toBe(1);
    await later(10 * SECOND);
    expect((await visit()).headers.get("Location")).toBe(to("new"));
    expect(stale.asked).toBe(1);
  });

  it("that refuses the log's bookmark, as a database put in its place may, is passed by", async () => {
    const { stale, visit } = await withOldLink();
    stale.refusal = "D1_ERROR: the bookmark is of another database";
    expect((await visit()).headers.get("Location")).toBe(to("old"));
    expect(stale.asked).toBe(0);
    expect(loggedLines()).toContainEqual(expect.stringContaining('"address_lookup_refused"'));
  });

  it("that has too much to do has the primary asked no more", async () => {
    const { stale, visit } = await withOldLink();
    stale.refusal = "D1 DB is overloaded. Requests queued for too long.";
    expect((await visit()).status).toBe(503);
  });

  it("is not asked for what the log told of last: that may be too new for it", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { destination: to("old") });
    const other = await createActiveLink(workspace);
    await readLogTwice(other.slug);
    await leadTo("new", link);
    await later(10 * SECOND);
    await send(`/${other.slug}`);
    const { stale, visit } = await withStaleReplica(link.slug);
    expect((await visit()).headers.get("Location")).toBe(to("new"));
    expect(stale.asked).toBe(0);
  });

  it("is not asked for what was changed here", async () => {
    const { workspace, link, stale, visit } = await withOldLink();
    expect((await visit()).headers.get("Location")).toBe(to("old"));
    expect(stale.asked).toBe(1);
    await updateLink(workspace, link.id, { destination: to("new") });
    expect((await visit()).headers.get("Location")).toBe(to("new"));
    expect(stale.asked).toBe(1);
  });

  it("is not believed of a QR code whose link was moved here", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const { code } = await createQrCode(workspace, { target: { type: "link", link: link.id } });
    const other = await createActiveLink(workspace);
    await readLogTwice(other.slug);
    const { stale, visit } = await withStaleReplica(`q/${code.toLowerCase()}`);
    const moved = (await updateLink(workspace, link.id, { slug: `${link.slug}2` })).body.data;
    expect((await visit()).headers.get("Location")).toBe(moved.public_url);
    expect(stale.asked).toBe(1);
  });

  it("is not believed of a workspace that was suspended here", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const other = await createActiveLink(workspace);
    await readLogTwice(other.slug);
    const { stale, visit } = await withStaleReplica(link.slug);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    expect((await visit()).status).toBe(410);
    expect(stale.asked).toBe(1);
  });
});

describe("a password's form", () => {
  it("never leads by a new password to the old destination", async () => {
    const workspace = await createWorkspace();
    const protect = (password: string) => ({ settings: { password } });
    const link = await createActiveLink(workspace, {
      destination: to("old"),
      ...protect("first"),
    });
    const donor = await createActiveLink(workspace, protect("second"));
    await later(60 * SECOND);
    const { database, answerOf } = watched();
    expect((await answerOf(link.slug)).status).toBe(200);
    await env.DB.prepare(
      `UPDATE links SET destination = ?1,
         password_hash = (SELECT password_hash FROM links WHERE id = ?2) WHERE id = ?3`,
    )
      .bind(to("new"), donor.id, link.id)
      .run();
    const body = "password=second";
    const opened = await send(`/${link.slug}`, {
      method: "POST",
      body,
      env: database.env,
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": String(body.length),
        "CF-Connecting-IP": newAddress(),
      },
    });
    expect([opened.status, opened.headers.get("Location")]).toEqual([303, to("new")]);
  });
});
