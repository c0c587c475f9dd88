import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createContact, SEGMENTS } from "../../support/contacts.ts";
import { createDomain, DOMAINS, newHost } from "../../support/domains.ts";
import { claimAt, gateOf, insideGate, linkCreation } from "../../support/gate.ts";
import {
  createWorkspace,
  LINKS,
  newIdempotencyKey,
  type Workspace,
} from "../../support/workspace.ts";

const MEBIBYTE = 1024 * 1024;

afterEach(() => {
  vi.useRealTimers();
});

async function claimsOf({ id }: Workspace): Promise<number> {
  return runInDurableObject(
    gateOf(id),
    (_gate, { storage }) =>
      storage.sql.exec<{ count: number }>("SELECT count(*) AS count FROM idempotency_claims").one()
        .count,
  );
}

describe("an answer kept for a replay", () => {
  it("may be as large as any: a segment of all that a request can hold is replayed", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const languages = Array.from({ length: 100 }, (_, at) => `en-x${100 + at}`);
    const rules = Array(15).fill({ field: "language", op: "in", value: languages });
    const conditions = { match: "all", groups: Array(10).fill({ match: "any", rules }) };
    const body = { name: "Large", conditions };
    const first = await workspace.send("POST", SEGMENTS, { headers, body });
    expect(first.status).toBe(201);
    expect(first.text.length).toBeGreaterThan(128 * 1024);
    const again = await workspace.send("POST", SEGMENTS, { headers, body });
    expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
    expect(again.body).toEqual(first.body);
    const other = await workspace.send("POST", SEGMENTS, {
      headers,
      body: { ...body, name: "Another" },
    });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
    expect((await workspace.send("GET", SEGMENTS)).body.data).toHaveLength(1);
  });

  it("is let go when 64 MB of later ones came, and its request does not run again", async () => {
    const workspace = await createWorkspace();
    const keyed = { "Idempotency-Key": newIdempotencyKey() };
    const request = { headers: keyed, body: { destination: "https://example.com/first" } };
    const first = await workspace.send("POST", LINKS, request);
    expect(first.status).toBe(201);
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    const kept = await insideGate(workspace.id, async ({ gate, state, costOf }) => {
      const creation = await linkCreation(workspace.key, null);
      const response = new Uint8Array(64 * 1024);
      const sizes: number[] = [];
      let settled = { read: 0, written: 0 };
      for (let at = 0; at < 1100; at++) {
        vi.setSystemTime(start + at * 1100);
        const one = { ...creation, idempotencyKeySent: `large-answer-${at}` };
        const { keyId, claim } = await claimAt(gate, workspace.id, one);
        settled = await costOf(() => gate.settle(keyId, claim, response));
        if (at % 100 === 0) sizes.push(state.storage.sql.databaseSize);
      }
      // The newest is kept, the oldest is let go: a handful of rows each.
      expect(settled.read).toBeLessThan(15);
      expect(Math.max(...sizes)).toBeLessThan(80 * MEBIBYTE);
      const sum = "SELECT sum(length(response)) AS bytes FROM kept_answers";
      return state.storage.sql.exec<{ bytes: number }>(sum).one().bytes;
    });
    expect(kept).toBeLessThanOrEqual(64 * MEBIBYTE);
    expect(kept).toBeGreaterThan(63 * MEBIBYTE);
    vi.setSystemTime(start + 1300 * 1000);
    const again = await workspace.send("POST", LINKS, request);
    expect([again.status, again.body.code]).toEqual([409, "idempotency_answer_gone"]);
    expect(again.body.message).toContain("succeeded");
    expect((await workspace.send("GET", LINKS)).body.data).toHaveLength(1);
    await insideGate(workspace.id, async ({ gate }) => {
      const newest = await linkCreation(workspace.key, "large-answer-1099");
      expect((await gate.admit(workspace.id, newest)).outcome).toBe("replay");
    });
  });

  it("leaves a mark where code of before looks for it, so that a rollback runs nothing twice", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const body = { destination: "https://example.com/" };
    expect((await workspace.send("POST", LINKS, { headers, body })).status).toBe(201);
    const [claim] = await runInDurableObject(gateOf(workspace.id), (_gate, { storage }) =>
      storage.sql
        .exec(
          "SELECT state, typeof(response) AS type, length(response) AS size FROM idempotency_claims",
        )
        .toArray(),
    );
    // It ran again what was done and had NULL here.
    expect(claim).toEqual({ state: "done", type: "blob", size: 0 });
    const again = await workspace.send("POST", LINKS, { headers, body });
    expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
  });

  it("is none where the request stores nothing or is safe to run again", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const preview = (name: string) =>
      workspace.send("POST", `${SEGMENTS}/preview`, { headers, body: { name } });
    const before = await preview("A");
    await createContact(workspace);
    const after = await preview("A");
    expect([before.body.data.contacts_count, after.body.data.contacts_count]).toEqual([0, 1]);
    expect(after.headers.get("Idempotency-Replayed")).toBeNull();
    expect((await preview("B")).status).toBe(200);
    const claims = await claimsOf(workspace);
    const { id } = (await createDomain(workspace, newHost())).body.data;
    const verify = () => workspace.send("POST", `${DOMAINS}/${id}/verify`, { headers });
    expect((await verify()).status).toBe(200);
    expect((await verify()).headers.get("Idempotency-Replayed")).toBeNull();
    // That of the domain itself.
    expect(await claimsOf(workspace)).toBe(claims + 1);
    for (const path of [`${SEGMENTS}/preview`, `${DOMAINS}/${id}/verify`]) {
      const short = { headers: { "Idempotency-Key": "short" }, body: {} };
      const { status, body } = await workspace.send("POST", path, short);
      expect([path, status, Object.keys(body.errors)]).toEqual([path, 422, ["Idempotency-Key"]]);
    }
  });
});
