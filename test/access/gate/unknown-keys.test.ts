import { env as bindings, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Principal } from "../../../src/access/gate/principal.repository.ts";
import { PrincipalCache } from "../../../src/access/gate/principal-cache.ts";
import { generateApiKey } from "../../../src/access/keys/api-key.ts";
import type { Env } from "../../../src/platform/config.ts";
import { sha256Hex } from "../../../src/platform/crypto/digest.ts";
import { newId } from "../../../src/platform/ids.ts";
import { gateOf, linkCreation } from "../../support/gate.ts";
import { newAddress, ORIGIN } from "../../support/http.ts";
import { untilEarlyInMinute } from "../../support/rate-limits.ts";
import { createWorkspace, issueKey, LINKS, sendAs } from "../../support/workspace.ts";

const env = bindings as unknown as Env;

afterEach(() => {
  vi.useRealTimers();
});

function freezeTime(): number {
  const start = Date.now();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(start);
  return start;
}

/** A key of the workspace that D1 does not have yet; `store` writes it there, past the API. */
async function unwrittenKey(workspaceId: string, memberId: string) {
  const key = generateApiKey(workspaceId);
  const hash = await sha256Hex(key);
  const store = async () => {
    await env.DB.prepare(
      `INSERT INTO api_keys (id, workspace_id, member_id, name, hash, last_four, permissions, created_at)
       VALUES (?, ?, ?, 'Late', ?, 'late', '["*"]', 1)`,
    )
      .bind(newId(), workspaceId, memberId, hash)
      .run();
  };
  return { key, store };
}

describe("a well-formed key that nobody was given", () => {
  it("is looked up once a minute", async () => {
    const start = freezeTime();
    const { id, ownerId } = await createWorkspace();
    const { key, store } = await unwrittenKey(id, ownerId);
    expect((await sendAs(key, "GET", LINKS)).status).toBe(401);
    await store();
    vi.setSystemTime(start + 59_000);
    expect((await sendAs(key, "GET", LINKS)).status).toBe(401);
    vi.setSystemTime(start + 60_000);
    expect((await sendAs(key, "GET", LINKS)).status).toBe(200);
  });

  it("is forgotten when a key is issued", async () => {
    freezeTime();
    const { id, ownerId } = await createWorkspace();
    const { key, store } = await unwrittenKey(id, ownerId);
    expect((await sendAs(key, "GET", LINKS)).status).toBe(401);
    await store();
    const issued = await issueKey(id);
    expect((await sendAs(issued.key, "GET", LINKS)).status).toBe(200);
    expect((await sendAs(key, "GET", LINKS)).status).toBe(200);
  });
});

describe("what a gate remembers of keys", () => {
  const principal = { keyId: "known" } as Principal;

  /** How often the cache asks, for each of these keys in turn. */
  async function loadsFor(cache: PrincipalCache, keys: string[], found?: Principal) {
    let loads = 0;
    for (const key of keys) {
      await cache.get(key, 0, async () => {
        loads++;
        return found;
      });
    }
    return loads;
  }
  const names = (count: number) => Array.from({ length: count }, (_, at) => `unknown-${at}`);

  it("is bounded, and no stranger's key pushes out one of the workspace's", async () => {
    const cache = new PrincipalCache();
    await loadsFor(cache, ["known"], principal);
    expect(await loadsFor(cache, names(1000))).toBe(1000);
    expect(await loadsFor(cache, names(1000))).toBe(0);
    // One too many: the oldest is let go, and asked for once more when it comes again.
    expect(await loadsFor(cache, ["one more"])).toBe(1);
    expect(await loadsFor(cache, ["unknown-999", "one more"])).toBe(0);
    expect(await loadsFor(cache, ["unknown-0"])).toBe(1);
    expect(await loadsFor(cache, names(5000))).toBeGreaterThan(4000);
    expect(await loadsFor(cache, ["known"], principal)).toBe(0);
  });

  it("is asked for once by requests that come together", async () => {
    const cache = new PrincipalCache();
    let loads = 0;
    let answer = (_found: Principal | undefined) => {};
    const load = () => {
      loads++;
      return new Promise<Principal | undefined>((resolve) => {
        answer = resolve;
      });
    };
    const together = [1, 2, 3].map(() => cache.get("key", 0, load));
    answer(undefined);
    expect(await Promise.all(together)).toEqual([undefined, undefined, undefined]);
    expect(loads).toBe(1);
  });

  it("never takes a look that began before a change for one after it", async () => {
    const cache = new PrincipalCache();
    let answer = (_found: Principal | undefined) => {};
    const before = cache.get("key", 0, () => new Promise((resolve) => (answer = resolve)));
    cache.endChange(cache.beginChange(0));
    expect(await cache.get("key", 0, async () => principal)).toBe(principal);
    answer(undefined);
    expect(await before).toBeUndefined();
    expect(await loadsFor(cache, ["key"])).toBe(0);
    expect(await cache.get("key", 0, async () => undefined)).toBe(principal);
  });
});

describe("a key that is looked up while the database has too much to do", () => {
  it("is not known by that to open anything: over the limit it is not looked up again", async () => {
    const { id } = await createWorkspace();
    const [address, other] = [newAddress(), newAddress()];
    await untilEarlyInMinute();
    let [code, asked] = ["unauthenticated", 0];
    const admit = async () => {
      asked++;
      return { outcome: "refused", code, retryAfterSeconds: 3 };
    };
    const given = { ...env, WORKSPACE_GATE: { getByName: () => ({ admit }) } } as unknown as Env;
    const send = (key: string, from: string) =>
      sendAs(key, "GET", LINKS, { headers: { "CF-Connecting-IP": from }, env: given });
    for (let tried = 0; tried < 31; tried++) await send(generateApiKey(id), address);
    const invented = generateApiKey(id);
    expect((await send(invented, address)).status).toBe(429);
    code = "overloaded";
    expect((await send(invented, other)).status).toBe(503);
    [code, asked] = ["unauthenticated", 0];
    expect((await send(invented, address)).status).toBe(429);
    expect(asked).toBe(0);
  });

  it("is told by memory not to be one, if it was not a minute ago", async () => {
    const cache = new PrincipalCache();
    const overloaded = async () => {
      throw new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.");
    };
    expect(await cache.get("unknown", 0, async () => undefined)).toBeUndefined();
    expect(await cache.get("unknown", 100_000, overloaded)).toBeUndefined();
    await expect(cache.get("never seen", 100_000, overloaded)).rejects.toThrow("overloaded");
  });
});

describe("limits before the work", () => {
  it("asks the key's limit before the database, which each request reads during a change", async () => {
    freezeTime();
    const workspace = await createWorkspace();
    const gate = gateOf(workspace.id);
    const request = await linkCreation(workspace.key, null, { idempotencyKey: "unused" });
    for (let sent = 0; sent < 60; sent++) await gate.admit(workspace.id, request);
    const change = await gate.beginChange();
    const read = vi.spyOn(env.DB, "prepare");
    const refused = await gate.admit(workspace.id, request);
    expect(refused).toMatchObject({ outcome: "refused", code: "rate_limited" });
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    await gate.endChange(change);
  });

  it("judges a key before it reads the body", async () => {
    // Nothing ever comes: whoever reads it waits, but for what is drained of it for a few seconds.
    const endless = new ReadableStream({ pull: () => new Promise(() => {}) });
    const answer = exports.default.fetch(`${ORIGIN}${LINKS}`, {
      method: "POST",
      headers: { "CF-Connecting-IP": newAddress(), "x-api-key": "osk_wrong" },
      body: endless,
    });
    const late = scheduler.wait(20_000).then(() => undefined);
    expect((await Promise.race([answer, late]))?.status).toBe(401);
  });
});
