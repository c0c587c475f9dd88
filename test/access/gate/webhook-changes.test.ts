import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/platform/config.ts";
import { sha256Hex } from "../../../src/platform/crypto/digest.ts";
import { countedBy } from "../../support/gate.ts";
import type { Answer, Send } from "../../support/http.ts";
import {
  change,
  createEndpoint,
  createLiveEndpoint,
  ENDPOINTS,
  newBox,
  POST_PUBLISHED,
  publish,
  WEBHOOKS,
  waitForDelivery,
} from "../../support/webhooks.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../support/workspace.ts";

const env = bindings as unknown as Env;
const ANY = { "If-Match": "*" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** How many places of the workspace's 60 webhook changes a minute are taken. */
function changesOf({ id }: Workspace): Promise<number> {
  return countedBy(id, "webhook-changes");
}

/** Keys of a workspace, as many as so many requests need at 60 a minute each. */
async function keysFor({ id }: Workspace, requests: number): Promise<string[]> {
  const keys = Array.from({ length: Math.ceil(requests / 60) }, () => issueKey(id));
  return (await Promise.all(keys)).map(({ key }) => key);
}

function statusesOf(answers: Answer[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, some]) => [
      status,
      some?.length ?? 0,
    ]),
  );
}

describe("the limit of webhook changes", () => {
  it("lets 60 changes pass after 59 that were refused, and no more", async () => {
    const workspace = await createWorkspace();
    const path = `${ENDPOINTS}/${(await createEndpoint(workspace)).body.data.id}`;
    vi.setSystemTime(Date.now() + 61_000);
    const keys = await keysFor(workspace, 120);
    let sent = 0;
    const patch = (send: Send) => sendAs(keys[Math.floor(sent++ / 60)] ?? "", "PATCH", path, send);
    for (let refused = 0; refused < 59; refused++) {
      const headers = refused % 2 === 0 ? { "If-Match": '"stale"' } : {};
      expect([412, 428]).toContain((await patch({ headers, body: { name: "x" } })).status);
    }
    // The creation is a minute old.
    expect(await changesOf(workspace)).toBe(0);
    for (let changed = 0; changed < 60; changed++) {
      const answer = await patch({ headers: ANY, body: { name: `N${changed}` } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("RateLimit")).toContain(`r=${(240 - sent) % 60};`);
    }
    const over = await change(workspace, "PATCH", path, { name: "one too many" });
    expect([over.status, over.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(over.headers.get("Retry-After"))).toBeGreaterThan(0);
  });

  it.each([
    ["", false],
    [", also while keys are being changed", true],
  ])("tells the longer wait where the key has had its requests too%s", async (_, isChanging) => {
    const workspace = await createWorkspace();
    const path = `${ENDPOINTS}/${(await createEndpoint(workspace)).body.data.id}`;
    const [other = ""] = await keysFor(workspace, 60);
    const start = Date.now() + 61_000;
    vi.setSystemTime(start);
    for (let sent = 0; sent < 60; sent++)
      expect((await workspace.send("GET", ENDPOINTS)).status).toBe(200);
    vi.setSystemTime(start + 30_000);
    for (let changed = 0; changed < 60; changed++) {
      const answer = await sendAs(other, "PATCH", path, { headers: ANY, body: { name: "A" } });
      expect(answer.status).toBe(200);
    }
    vi.setSystemTime(start + 50_000);
    if (isChanging) await env.WORKSPACE_GATE.getByName(workspace.id).beginChange();
    const answerAt = async (seconds: number) => {
      vi.setSystemTime(start + seconds * 1000);
      const { status, headers } = await change(workspace, "PATCH", path, { name: "B" });
      return [status, headers.get("Retry-After")];
    };
    expect(await answerAt(50)).toEqual([429, "40"]);
    expect(await answerAt(89)).toEqual([429, "1"]);
    expect(await answerAt(90)).toEqual([200, null]);
  });

  it("lets no more than 60 pass of many at once, refused ones among them", async () => {
    const workspace = await createWorkspace();
    const keys = await keysFor(workspace, 150);
    const made = (await createEndpoint(workspace)).body.data.id;
    vi.setSystemTime(Date.now() + 61_000);
    const requests = Array.from({ length: 150 }, (_, at) => {
      const headers = { "If-Match": at % 3 === 0 ? '"stale"' : "*" };
      const body = { name: `N${at}` };
      return sendAs(keys[at % keys.length] ?? "", "PATCH", `${ENDPOINTS}/${made}`, {
        headers,
        body,
      });
    });
    const statuses = statusesOf(await Promise.all(requests));
    const passed = statuses[200] ?? 0;
    expect(
      Object.keys(statuses).filter((status) => !["200", "412", "429"].includes(status)),
    ).toEqual([]);
    // Those that will be refused hold places while they run, so not all sixty need pass at once.
    expect(passed).toBeGreaterThan(10);
    expect(passed).toBeLessThanOrEqual(60);
    expect(await changesOf(workspace)).toBe(passed);
    const after = await change(workspace, "PATCH", `${ENDPOINTS}/${made}`, { name: "last" });
    expect(after.status).toBe(passed < 60 ? 200 : 429);
  });

  it("counts creation, change, rotation, test, resend, recovery and deletion, and each once", async () => {
    const workspace = await createWorkspace();
    vi.useRealTimers();
    const endpoint = await createLiveEndpoint(workspace);
    expect(await changesOf(workspace)).toBe(2);
    await publish(workspace);
    const { id } = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "delivered",
    );
    const since = "2026-01-01T00:00:00Z";
    const calls: [string, string, object?][] = [
      ["POST", `${endpoint.path}/rotate-secret`, {}],
      ["POST", `${endpoint.path}/test`, { event: POST_PUBLISHED.event }],
      ["POST", `${WEBHOOKS}/deliveries/${id}/resend`],
      ["POST", `${endpoint.path}/recover`, { since }],
      ["DELETE", endpoint.path],
    ];
    let counted = 2;
    for (const [method, path, body] of calls) {
      const headers = { "Idempotency-Key": newIdempotencyKey() };
      const first = await change(workspace, method, path, body, { headers });
      expect([path, first.status < 300]).toEqual([path, true]);
      expect([path, await changesOf(workspace)]).toEqual([path, ++counted]);
      if (method !== "POST") continue;
      const replay = await change(workspace, method, path, body, { headers });
      expect(replay.headers.get("Idempotency-Replayed")).toBe("true");
      expect([path, await changesOf(workspace)]).toEqual([path, counted]);
    }
  });

  it("gives the place back of whatever is refused", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createEndpoint(workspace)).body.data;
    const path = `${ENDPOINTS}/${id}`;
    const none = `${ENDPOINTS}/0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11`;
    const { key } = await issueKey(workspace.id, {
      permissions: ["webhooks:write", "webhooks:deliveries:retry"],
    });
    const sent: [number, Promise<Answer>][] = [
      [404, change(workspace, "PATCH", none, {})],
      [404, change(workspace, "DELETE", none)],
      [404, change(workspace, "POST", `${none}/test`, {})],
      [403, sendAs(key, "PATCH", path, { headers: ANY, body: {} })],
      [412, change(workspace, "DELETE", path, undefined, { headers: { "If-Match": '"x"' } })],
      [422, change(workspace, "PATCH", path, { name: 1 })],
      [422, createEndpoint(workspace, { name: "" })],
      [409, change(workspace, "POST", `${path}/test`, { event: POST_PUBLISHED.event })],
      [428, workspace.send("PATCH", path, { body: {} })],
    ];
    for (const [status, answer] of sent) expect((await answer).status).toBe(status);
    const large = { name: "a".repeat(300_000) };
    expect((await change(workspace, "PATCH", path, large)).status).toBe(413);
    expect(await changesOf(workspace)).toBe(1);
  });

  it("keeps the place of what broke off: it may have changed something", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createEndpoint(workspace)).body.data;
    const broken = "UPDATE webhook_endpoints SET subscriptions = '{' WHERE id = ?";
    await env.DB.prepare(broken).bind(id).run();
    expect((await change(workspace, "PATCH", `${ENDPOINTS}/${id}`, { name: "B" })).status).toBe(
      500,
    );
    expect(await changesOf(workspace)).toBe(2);
    await env.DB.prepare("DELETE FROM webhook_endpoints WHERE id = ?").bind(id).run();
    const key = newIdempotencyKey();
    const body = { name: "A", url: newBox(), subscriptions: [POST_PUBLISHED] };
    const { keyId } = workspace;
    const gate = env.WORKSPACE_GATE.getByName(workspace.id);
    const admission = await gate.admit(workspace.id, {
      feature: "webhooks",
      permission: "webhooks:write",
      idempotencyKey: "required",
      webhookChange: true,
      keyHash: await sha256Hex(workspace.key),
      idempotencyKeySent: key,
      fingerprint: await sha256Hex(`POST ${ENDPOINTS}\n${JSON.stringify(body)}`),
    });
    if (admission.outcome !== "admitted") throw new Error("not admitted");
    expect(await changesOf(workspace)).toBe(3);
    await gate.release(keyId, admission.claim, "faulted", admission.changePlace);
    expect(await changesOf(workspace)).toBe(3);
    const again = await workspace.send("POST", ENDPOINTS, {
      headers: { "Idempotency-Key": key },
      body,
    });
    expect([again.status, await changesOf(workspace)]).toEqual([201, 4]);
  });
});
