import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { generateApiKey } from "../../../src/access/keys/api-key.ts";
import { SlidingWindow } from "../../../src/access/limits/sliding-window.repository.ts";
import type { Env } from "../../../src/platform/config.ts";
import { sha256Hex } from "../../../src/platform/crypto/digest.ts";
import { newId } from "../../../src/platform/ids.ts";
import type { Send } from "../../support/http.ts";
import {
  createWorkspace,
  LINKS,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../support/workspace.ts";

const env = bindings as unknown as Env;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

function gateOf(workspaceId: string) {
  return env.WORKSPACE_GATE.getByName(workspaceId);
}

function keyed(key: string, destination = "https://hidden.example/place"): Send {
  return { headers: { "Idempotency-Key": key }, body: { destination } };
}

/** Admits the request as the Worker would, and then does what a Worker that dies does: nothing. */
async function admitAndDie(workspace: Workspace, key: string) {
  const body = JSON.stringify(keyed(key).body);
  return gateOf(workspace.id).admit(workspace.id, {
    feature: "biolinks",
    permission: "biolinks:links:write",
    idempotencyKey: "required",
    keyHash: await sha256Hex(workspace.key),
    idempotencyKeySent: key,
    fingerprint: await sha256Hex(`POST ${LINKS}\n${body}`),
  });
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the gate of a workspace", () => {
  it("keeps its counters when it is evicted", async () => {
    const workspace = await createWorkspace();
    const before = await workspace.send("GET", LINKS);
    // Counters are in storage within a second.
    await scheduler.wait(1100);
    await evictDurableObject(gateOf(workspace.id));
    const after = await workspace.send("GET", LINKS);
    expect(before.headers.get("RateLimit")).toContain("r=59");
    expect(after.headers.get("RateLimit")).toContain("r=58");
  });

  it("takes no quota from a request that it refuses", async () => {
    const workspace = await createWorkspace();
    for (let sent = 0; sent < 5; sent++) await workspace.send("POST", LINKS, { body: {} });
    expect((await workspace.send("GET", LINKS)).headers.get("RateLimit")).toContain("r=59");
  });

  it("keeps nothing for a workspace that somebody invented", async () => {
    const id = newId();
    expect((await sendAs(generateApiKey(id), "GET", LINKS)).status).toBe(401);
    const tables = await runInDurableObject(gateOf(id), (_gate, state) =>
      state.storage.sql
        .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'")
        .toArray(),
    );
    expect(tables).toEqual([]);
  });

  it("remembers responses encrypted, and forgets them after a day", async () => {
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(start);
    const workspace = await createWorkspace();
    await workspace.send("POST", LINKS, keyed(newIdempotencyKey()));
    const gate = gateOf(workspace.id);
    const stored = () =>
      runInDurableObject(gate, (_gate, state) =>
        state.storage.sql
          .exec<{ response: ArrayBuffer }>("SELECT response FROM kept_answers")
          .toArray(),
      );
    const [row] = await stored();
    expect(row?.response.byteLength).toBeGreaterThan(100);
    expect(new TextDecoder("latin1").decode(row?.response)).not.toContain("hidden");
    vi.setSystemTime(start + DAY_MILLISECONDS - 1);
    expect(await runDurableObjectAlarm(gate)).toBe(true);
    expect(await stored()).toHaveLength(1);
    vi.setSystemTime(start + DAY_MILLISECONDS);
    expect(await runDurableObjectAlarm(gate)).toBe(true);
    expect(await stored()).toHaveLength(0);
  });

  it("replays what another key has encrypted, while that one is known", async () => {
    const workspace = await createWorkspace();
    const sent = keyed(newIdempotencyKey());
    const first = await workspace.send("POST", LINKS, sent);
    const changed = (ENCRYPTION_KEYS_OLD: string) => {
      const given = { ...env, ENCRYPTION_KEY: btoa("n".repeat(32)), ENCRYPTION_KEYS_OLD };
      return workspace.send("POST", LINKS, { ...sent, env: given as Env });
    };
    const replayed = await changed(String(Reflect.get(env, "ENCRYPTION_KEY")));
    expect([replayed.status, replayed.text]).toEqual([201, first.text]);
    expect(replayed.headers.get("Idempotency-Replayed")).toBe("true");
    expect((await changed("")).status).toBe(409);
  });

  it("holds a request that was cut off for 30 seconds, then lets it run with the same id", async () => {
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(start);
    const workspace = await createWorkspace();
    const key = newIdempotencyKey();
    const admission = await admitAndDie(workspace, key);
    if (admission.outcome !== "admitted" || !admission.claim) throw new Error("not admitted");
    vi.setSystemTime(start + 29_999);
    const early = await workspace.send("POST", LINKS, keyed(key));
    expect([early.status, early.body.code]).toEqual([409, "idempotency_in_progress"]);
    vi.setSystemTime(start + 30_000);
    const late = await workspace.send("POST", LINKS, keyed(key));
    expect([late.status, late.body.data.id]).toEqual([201, admission.claim.resourceId]);
  });

  it("finds what a run committed that could not say so", async () => {
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(start);
    const workspace = await createWorkspace();
    const key = newIdempotencyKey();
    const first = await workspace.send("POST", LINKS, keyed(key));
    await runInDurableObject(gateOf(workspace.id), (_gate, state) => {
      state.storage.sql.exec("UPDATE idempotency_claims SET state = 'running', response = NULL");
    });
    vi.setSystemTime(start + 30_000);
    const again = await workspace.send("POST", LINKS, keyed(key));
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get("Idempotency-Replayed")).toBeNull();
    expect((await workspace.send("GET", LINKS)).body.data).toHaveLength(1);
  });

  it("gives a run after a fault the same id, and a mended request a new one", async () => {
    const workspace = await createWorkspace();
    const key = newIdempotencyKey();
    const admission = await admitAndDie(workspace, key);
    if (admission.outcome !== "admitted" || !admission.claim) throw new Error("not admitted");
    await gateOf(workspace.id).release(workspace.keyId, admission.claim, "faulted");
    const mended = await workspace.send("POST", LINKS, keyed(key, "https://mended.example/"));
    expect(mended.status).toBe(201);
    expect(mended.body.data.id).not.toBe(admission.claim.resourceId);

    const other = newIdempotencyKey();
    const second = await admitAndDie(workspace, other);
    if (second.outcome !== "admitted" || !second.claim) throw new Error("not admitted");
    await gateOf(workspace.id).release(workspace.keyId, second.claim, "faulted");
    const retried = await workspace.send("POST", LINKS, keyed(other));
    expect(retried.body.data.id).toBe(second.claim.resourceId);
  });

  it("asks the database for every request while a change is under way", async () => {
    const workspace = await createWorkspace();
    await workspace.send("GET", LINKS);
    const change = await gateOf(workspace.id).beginChange();
    // The Worker writes and dies before it can say that it is done.
    const revoke = "UPDATE api_keys SET revoked_at = 1 WHERE id = ?";
    await env.DB.prepare(revoke).bind(workspace.keyId).run();
    expect((await workspace.send("GET", LINKS)).status).toBe(401);
    await gateOf(workspace.id).endChange(change);
    expect((await workspace.send("GET", LINKS)).status).toBe(401);
  });
});

describe("a sliding window", () => {
  it("never lets more than its limit pass in any minute, and promises truly", async () => {
    const gate = gateOf(newId());
    await runInDurableObject(gate, (_gate, state) => {
      const limits = fc.constantFrom(1, 3, 60, 2000);
      const wait = fc.integer({ min: 0, max: 30_000 });
      const pauses = fc.array(fc.record({ wait, evicted: fc.boolean() }), { maxLength: 80 });
      let subject = 0;
      fc.assert(
        fc.property(limits, fc.boolean(), pauses, (limit, deferred, steps) => {
          let window = new SlidingWindow(state.storage.sql, { deferred });
          const name = `subject-${subject++}`;
          const passed: number[] = [];
          let now = 1_800_000_000_000;
          for (const { wait: waited, evicted } of steps) {
            now += waited;
            if (evicted) {
              if (deferred) window.persist();
              window = new SlidingWindow(state.storage.sql, { deferred });
            }
            const { allowed, waitSeconds } = window.peek(name, limit, now);
            const inMinute = passed.filter((at) => at > now - 60_000).length;
            if (allowed) {
              expect(inMinute).toBeLessThan(limit);
              window.count(name, limit, now);
              passed.push(now);
            } else {
              if (limit <= 1000) expect(inMinute).toBe(limit);
              const later = new SlidingWindow(state.storage.sql);
              if (deferred) window.persist();
              expect(later.peek(name, limit, now + waitSeconds * 1000).allowed).toBe(true);
              expect(waitSeconds).toBeLessThanOrEqual(61);
            }
          }
        }),
        { numRuns: 100 },
      );
    });
  });

  it("takes back a place that is given back, and only one that was taken", async () => {
    await runInDurableObject(gateOf(newId()), (_gate, state) => {
      const window = new SlidingWindow(state.storage.sql, { deferred: true });
      const start = 1_800_000_000_000;
      const places = [0, 0, 5].map((after) => window.count("changes", 3, start + after));
      expect(window.peek("changes", 3, start + 10).allowed).toBe(false);
      window.giveBack("changes", start + 3, start + 10);
      expect(window.peek("changes", 3, start + 10).remaining).toBe(0);
      for (const place of places) window.giveBack("changes", place, start + 10);
      expect(window.peek("changes", 3, start + 10).remaining).toBe(3);
      window.giveBack("changes", places[0] ?? 0, start + 10);
      expect(window.peek("changes", 3, start + 10).remaining).toBe(3);
      window.persist();
      const left = new SlidingWindow(state.storage.sql).peek("changes", 3, start + 10);
      expect(left.remaining).toBe(3);
    });
  });
});
