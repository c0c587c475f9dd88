import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/platform/config.ts";
import { passwordOrigin } from "../../src/visitor/password-origin.ts";
import { PasswordTries } from "../../src/visitor/password-tries.repository.ts";
import { newAddress } from "../support/http.ts";
import { postForm } from "../support/visitor.ts";
import { createActiveLink, createWorkspace } from "../support/workspace.ts";

const env = bindings as unknown as Env;
const workspace = await createWorkspace();
const RIGHT = { password: "right" };
const WRONG = { password: "wrong" };

// The clock stands: else tries come back, and minutes end, while a busy machine makes others.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});

afterEach(() => {
  vi.useRealTimers();
});

async function protectedLink() {
  const link = await createActiveLink(workspace, { settings: RIGHT });
  const attempts = env.PASSWORD_ATTEMPTS.getByName(link.id);
  /** A guess that is judged before any password is looked at: to hash hundreds takes minutes. */
  const take = async (from: string) => {
    const headers = new Headers({ "CF-Connecting-IP": from });
    const { address, network } = await passwordOrigin(env, link.id, headers);
    return attempts.take(address, network);
  };
  const guess = async (addresses: string[]) => {
    const taken = await Promise.all(addresses.map(take));
    return taken.filter(({ allowed }) => allowed).length;
  };
  const rows = () =>
    runInDurableObject(attempts, (_, { storage }) => {
      return Number(storage.sql.exec("SELECT count(*) AS n FROM tries").one().n);
    });
  return { slug: link.slug as string, attempts, take, guess, rows };
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, newAddress);
}

describe("who tries a password", () => {
  it("is stored by no address, and by another name at each link", async () => {
    const links = [await protectedLink(), await protectedLink()];
    for (const address of ["203.0.113.77", "2001:db8:aa:bb::cc"]) {
      const names = [];
      for (const { slug, attempts } of links) {
        await postForm(slug, WRONG, address);
        const rows = await runInDurableObject(attempts, (_, { storage }) =>
          storage.sql.exec("SELECT address, network FROM tries ORDER BY id DESC LIMIT 1").toArray(),
        );
        names.push(...rows.flatMap((row) => Object.values(row)));
      }
      for (const name of names) expect(name).toMatch(/^[0-9a-f]{32}$/);
      expect(new Set(names).size).toBe(address.includes(":") ? 4 : 2);
    }
  });
});

describe("one password guessed from many addresses", () => {
  it("is closed to all of them after 300 tries, for seconds, and opens by itself", async () => {
    const { slug, guess } = await protectedLink();
    expect(await guess(addresses(1000))).toBe(300);
    const refused = await postForm(slug, RIGHT);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("Retry-After"));
    expect(seconds).toBeLessThanOrEqual(3);
    vi.setSystemTime(Date.now() + seconds * 1000);
    expect((await postForm(slug, RIGHT)).status).toBe(303);
  });

  it("stays open to others while few guess all they may", async () => {
    const { slug, guess } = await protectedLink();
    const few = addresses(30);
    const judged = await guess(few.flatMap((address) => Array(10).fill(address)));
    expect(judged).toBeLessThan(300);
    expect((await postForm(slug, WRONG, few[0])).status).toBe(429);
    const late = newAddress();
    expect((await postForm(slug, WRONG, late)).status).toBe(401);
    expect((await postForm(slug, RIGHT, late)).status).toBe(303);
  });

  it("is not used up by those who know it", async () => {
    const { slug, attempts } = await protectedLink();
    expect((await postForm(slug, RIGHT)).status).toBe(303);
    for (const address of addresses(320)) {
      const { allowed, id } = await attempts.take(address, address);
      expect(allowed).toBe(true);
      await attempts.markRight(id ?? -1);
    }
    expect((await postForm(slug, RIGHT)).status).toBe(303);
  });
});

describe("one password guessed from one network of IPv6", () => {
  const inNetwork = (network: string, subnet: number) =>
    `2001:db8:${network}:${subnet.toString(16)}::1`;

  it("is closed to its /48 after 60 tries a minute, from whatever /64s, and to no other", async () => {
    const { slug, attempts, take } = await protectedLink();
    const answers = [];
    // The first and the last through the door, the others past the hashing.
    answers.push((await postForm(slug, WRONG, inNetwork("1", 0))).status);
    for (let subnet = 1; subnet < 60; subnet++) {
      const taken = await take(inNetwork("1", subnet));
      if (taken.id !== undefined) await attempts.markRight(taken.id);
      answers.push(taken.allowed ? 401 : 429);
    }
    expect(answers).toEqual(Array(60).fill(401));
    expect((await postForm(slug, RIGHT, inNetwork("1", 999))).status).toBe(429);
    expect((await postForm(slug, RIGHT, inNetwork("2", 999))).status).toBe(303);
  });
});

describe("what a link keeps of tries", () => {
  it("is bounded: refused ones leave nothing, and an hour later all is gone", async () => {
    const { attempts, guess, rows } = await protectedLink();
    await guess(addresses(1000));
    const kept = await rows();
    expect(kept).toBe(300);
    await guess(addresses(1000));
    expect(await rows()).toBe(kept);
    await runInDurableObject(attempts, (_, { storage }) => {
      const tries = new PasswordTries(storage.sql);
      const now = Date.now();
      expect(tries.forget(now)).toBe(now + 120_000);
      expect(tries.forget(now + 120_000)).toBeLessThanOrEqual(now + 3_600_000);
      storage.sql.exec("UPDATE tries SET at = at - 3600000");
    });
    expect(await runDurableObjectAlarm(attempts)).toBe(true);
    const left = await runInDurableObject(attempts, async (_, { storage }) => [
      storage.sql.exec("SELECT count(*) AS n FROM sqlite_master WHERE name = 'tries'").one().n,
      await storage.getAlarm(),
    ]);
    expect(left).toEqual([0, null]);
  });

  it("of those that were right goes after minutes", async () => {
    const { attempts, rows } = await protectedLink();
    const { id } = await attempts.take("203.0.113.7");
    await attempts.markRight(id ?? -1);
    await runInDurableObject(attempts, (_, { storage }) => {
      storage.sql.exec("UPDATE tries SET at = at - 60000");
      expect(new PasswordTries(storage.sql).forget(Date.now())).toBeUndefined();
    });
    expect(await rows()).toBe(0);
  });
});
