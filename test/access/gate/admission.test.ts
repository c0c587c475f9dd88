import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { generateApiKey } from "../../../src/access/keys/api-key.ts";
import { sha256Hex } from "../../../src/platform/crypto/digest.ts";
import { newId } from "../../../src/platform/ids.ts";
import worker from "../../../src/worker.ts";
import { claimAt, gateOf, linkCreation } from "../../support/gate.ts";
import { ADMIN_TOKEN, newAddress, ORIGIN, operate, type Send, send } from "../../support/http.ts";
import { IMPORTS, postImport } from "../../support/product-imports.ts";
import { untilEarlyInMinute } from "../../support/rate-limits.ts";
import { createEndpoint, ENDPOINTS } from "../../support/webhooks.ts";
import {
  createLink,
  createWorkspace,
  issueKey,
  LINKS,
  newIdempotencyKey,
  sendAs,
} from "../../support/workspace.ts";

afterEach(() => {
  vi.useRealTimers();
});

function freezeTime(at = Date.now()): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(at);
}

describe("who is let in", () => {
  it("takes the key in either header, and in both if it is the same", async () => {
    const { key } = await createWorkspace();
    const both = { Authorization: `Bearer ${key}`, "x-api-key": key };
    expect((await send(LINKS, { headers: { "x-api-key": key } })).status).toBe(200);
    expect((await send(LINKS, { headers: both })).status).toBe(200);
  });

  it("refuses two different keys", async () => {
    const workspace = await createWorkspace();
    const other = await issueKey(workspace.id);
    const headers = { Authorization: `Bearer ${workspace.key}`, "x-api-key": other.key };
    const { status, body } = await send(LINKS, { headers });
    expect([status, body.code]).toEqual([401, "unauthenticated"]);
  });

  it.each([
    ["no key", {}],
    ["an older credential", { Authorization: "Bearer sbk_1234567890" }],
    ["a personal token", { Authorization: "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x" }],
    ["a cookie", { Cookie: "session=1" }],
    ["an invented key", { "x-api-key": `osk_${"0".repeat(60)}` }],
  ])("refuses %s", async (_name, headers) => {
    const { status, body } = await send(LINKS, { headers: headers as Record<string, string> });
    expect([status, body.code]).toEqual([401, "unauthenticated"]);
  });

  it("refuses a key with a single character mistyped", async () => {
    const { key } = await createWorkspace();
    const mistyped = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
    expect((await sendAs(mistyped, "GET", LINKS)).status).toBe(401);
  });

  it("knows of a revoked key on the very next request", async () => {
    const workspace = await createWorkspace();
    expect((await workspace.send("GET", LINKS)).status).toBe(200);
    await operate("DELETE", `/workspaces/${workspace.id}/keys/${workspace.keyId}`);
    expect((await workspace.send("GET", LINKS)).status).toBe(401);
  });

  it("knows that a key has expired, to the millisecond", async () => {
    const start = Date.now();
    freezeTime(start);
    const workspace = await createWorkspace();
    const expires_at = new Date(start + 5000).toISOString();
    const { key } = await issueKey(workspace.id, { expires_at });
    expect((await sendAs(key, "GET", LINKS)).status).toBe(200);
    vi.setSystemTime(start + 5000);
    expect((await sendAs(key, "GET", LINKS)).status).toBe(401);
  });

  it("knows of a suspended workspace on the very next request, and of its return", async () => {
    const workspace = await createWorkspace();
    await workspace.send("GET", LINKS);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    const { status, body } = await workspace.send("GET", LINKS);
    expect([status, body.code]).toEqual([403, "workspace_suspended"]);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    expect((await workspace.send("GET", LINKS)).status).toBe(200);
  });

  it("knows of a demoted and of a removed member on the very next request", async () => {
    const workspace = await createWorkspace();
    const path = `/workspaces/${workspace.id}/members`;
    const member = (await operate("POST", path, { email: "ada@example.com", role: "editor" })).body
      .data;
    const { key } = await issueKey(workspace.id, { member: member.id });
    const create = () =>
      sendAs(key, "POST", LINKS, {
        headers: { "Idempotency-Key": newIdempotencyKey() },
        body: { destination: "https://example.com/" },
      });
    expect((await create()).status).toBe(201);
    await operate("PATCH", `${path}/${member.id}`, { role: "viewer" });
    expect((await create()).status).toBe(403);
    expect((await sendAs(key, "GET", LINKS)).status).toBe(200);
    await operate("DELETE", `${path}/${member.id}`);
    expect((await sendAs(key, "GET", LINKS)).status).toBe(403);
  });

  it("hides the endpoints of a feature that is off, and wants the permission", async () => {
    const workspace = await createWorkspace({ features: ["webhooks"] });
    expect((await workspace.send("GET", LINKS)).status).toBe(404);
    const other = await createWorkspace();
    const { key } = await issueKey(other.id, { permissions: ["biolinks:links:read"] });
    const { status, body } = await sendAs(key, "POST", LINKS, { body: {} });
    expect([status, body.code]).toEqual([403, "forbidden"]);
  });
});

describe("how often", () => {
  it("refuses the 61st request in a minute, and tells truly when the next one passes", async () => {
    const start = Date.UTC(2026, 10, 21, 12);
    freezeTime(start);
    const workspace = await createWorkspace();
    for (let sent = 0; sent < 60; sent++) {
      vi.setSystemTime(start + sent * 100);
      const answer = await workspace.send("GET", LINKS);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("RateLimit-Policy")).toBe('"key";q=60;w=60');
      expect(answer.headers.get("RateLimit")).toMatch(new RegExp(`^"key";r=${59 - sent};t=\\d+$`));
    }
    const refused = await workspace.send("GET", LINKS);
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    const waitSeconds = Number(refused.headers.get("Retry-After"));
    expect(waitSeconds).toBe(55);
    vi.setSystemTime(start + 5900 + (waitSeconds - 1) * 1000);
    expect((await workspace.send("GET", LINKS)).status).toBe(429);
    vi.setSystemTime(start + 5900 + waitSeconds * 1000);
    expect((await workspace.send("GET", LINKS)).status).toBe(200);
  });

  it("lets a file in as the 60th, asked for before and after it came, while keys change", async () => {
    freezeTime();
    const workspace = await createWorkspace();
    for (let sent = 0; sent < 59; sent++) await workspace.send("GET", LINKS);
    await gateOf(workspace.id).beginChange();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const empty = () => postImport(workspace, "", { headers });
    expect((await empty()).status).toBe(422);
    expect((await empty()).status).toBe(429);
  });

  it("refuses the 31st invalid key of an address, and still lets its valid key pass", async () => {
    const { key } = await createWorkspace();
    await untilEarlyInMinute();
    const address = { "CF-Connecting-IP": newAddress() };
    const invalid: Send = { headers: { ...address, "x-api-key": "osk_wrong" } };
    for (let sent = 0; sent < 30; sent++) expect((await send(LINKS, invalid)).status).toBe(401);
    const refused = await send(LINKS, invalid);
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await send(LINKS, { headers: { ...address, "x-api-key": key } })).status).toBe(200);
  });

  it("looks nothing up for an address over its limit of unknown keys, but what it knows", async () => {
    const { id, key } = await createWorkspace();
    const { key: unseen } = await issueKey(id);
    await untilEarlyInMinute();
    const headers = { "CF-Connecting-IP": newAddress() };
    expect((await sendAs(key, "GET", LINKS, { headers })).status).toBe(200);
    for (let sent = 0; sent < 30; sent++) {
      const invented = generateApiKey(newId());
      expect((await sendAs(invented, "GET", LINKS, { headers })).status).toBe(401);
    }
    for (let sent = 0; sent < 3; sent++)
      expect((await sendAs(generateApiKey(newId()), "GET", LINKS, { headers })).status).toBe(429);
    // That even a right one is refused shows that nothing is looked up.
    const refused = await sendAs(unseen, "GET", LINKS, { headers });
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect((await sendAs(key, "GET", LINKS, { headers })).status).toBe(200);
    expect((await sendAs(unseen, "GET", LINKS)).status).toBe(200);
    expect((await sendAs(unseen, "GET", LINKS, { headers })).status).toBe(200);
  });

  it("refuses a right operator's token too from where 30 wrong ones came", async () => {
    await untilEarlyInMinute();
    const headers = { "CF-Connecting-IP": newAddress() };
    const list = (token: string) =>
      sendAs(token, "GET", "/admin/v1/workspaces?limit=1", { headers });
    expect((await list(ADMIN_TOKEN)).status).toBe(200);
    for (let sent = 0; sent < 30; sent++) expect((await list(`wrong-${sent}`)).status).toBe(401);
    expect((await list("wrong")).status).toBe(429);
    expect((await list(ADMIN_TOKEN)).status).toBe(429);
    expect((await operate("GET", "/workspaces?limit=1")).status).toBe(200);
  });

  it("refuses the 301st request of an address", async () => {
    await untilEarlyInMinute();
    const headers = { "CF-Connecting-IP": newAddress() };
    for (let sent = 0; sent < 300; sent++)
      expect((await send(LINKS, { headers })).status).toBe(401);
    expect((await send(LINKS, { headers })).status).toBe(429);
    let taken = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (taken >= 8 * 1024 * 1024) return controller.close();
        taken += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const pouring = new Request(`${ORIGIN}/api/v1/nothing`, { method: "POST", headers, body });
    expect((await worker.fetch(pouring, env, createExecutionContext())).status).toBe(429);
    expect(taken).toBeLessThan(512 * 1024);
  });

  it("counts the operator's API, other methods and what is not there against the address too", async () => {
    await untilEarlyInMinute();
    const headers = { "CF-Connecting-IP": newAddress() };
    const operator = { ...headers, Authorization: `Bearer ${ADMIN_TOKEN}` };
    const requests: [string, Send, number][] = [
      ["/admin/v1/workspaces?limit=1", { headers: operator }, 200],
      [LINKS, { method: "PUT", headers }, 405],
      ["/docs", { method: "PUT", headers }, 405],
      ["/api/v1/nothing", { headers }, 404],
      ["/docs/nothing", { headers }, 404],
    ];
    for (let sent = 0; sent < 300; sent++) {
      const [path, more, status] = requests[sent % requests.length] as (typeof requests)[0];
      expect((await send(path, more)).status).toBe(status);
    }
    for (const [path, more] of requests) {
      const refused = await send(path, more);
      expect([path, refused.status, refused.body.code]).toEqual([path, 429, "rate_limited"]);
      expect(refused.headers.get("Retry-After")).toBe("60");
      expect(refused.headers.get("X-Request-Id")).toBeTruthy();
    }
    // What tells people about the limit, or a monitor about the Worker, is not limited.
    for (const path of ["/docs", "/openapi.json", "/healthz"]) {
      expect((await send(path, { headers })).status).toBe(200);
    }
  });
});

describe("a request with an Idempotency-Key", () => {
  const body = { destination: "https://example.com/once" };
  const keyed = (key: string, more: object = body): Send => ({
    headers: { "Idempotency-Key": key },
    body: more,
  });

  it("is answered as the first time when it comes again", async () => {
    const workspace = await createWorkspace();
    const request = keyed(newIdempotencyKey());
    const first = await workspace.send("POST", LINKS, request);
    const again = await workspace.send("POST", LINKS, request);
    expect(first.headers.get("Idempotency-Replayed")).toBeNull();
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get("ETag")).toBe(first.headers.get("ETag"));
    expect((await workspace.send("GET", LINKS)).body.data).toHaveLength(1);
  });

  it("is the same with a slash at the path's end, and ids in capitals", async () => {
    const workspace = await createWorkspace();
    const listed = keyed(newIdempotencyKey());
    const first = await workspace.send("POST", LINKS, listed);
    const slashed = await workspace.send("POST", `${LINKS}/`, listed);
    expect([slashed.headers.get("Idempotency-Replayed"), slashed.text]).toEqual([
      "true",
      first.text,
    ]);
    const endpoint = (await createEndpoint(workspace)).body.data.id;
    const rotation = {
      headers: { "Idempotency-Key": newIdempotencyKey(), "If-Match": "*" },
      body: {},
    };
    const path = (id: string) => `${ENDPOINTS}/${id}/rotate-secret`;
    const rotated = await workspace.send("POST", path(endpoint), rotation);
    expect(rotated.status).toBe(200);
    const again = await workspace.send("POST", path(endpoint.toUpperCase()), rotation);
    expect([again.headers.get("Idempotency-Replayed"), again.text]).toEqual(["true", rotated.text]);
  });

  it("is the same with a query that its route does not take", async () => {
    const workspace = await createWorkspace();
    const request = keyed(newIdempotencyKey());
    const first = await workspace.send("POST", LINKS, request);
    const again = await workspace.send("POST", `${LINKS}?from=a-retry`, request);
    expect([again.headers.get("Idempotency-Replayed"), again.text]).toEqual(["true", first.text]);
  });

  it("is known across a deploy: method, path and body, where no query is sent", async () => {
    const workspace = await createWorkspace();
    const key = newIdempotencyKey();
    const file = "id,title\nA,Mug\n";
    const asked = await linkCreation(workspace.key, key, {
      fingerprint: await sha256Hex(`POST ${IMPORTS}\n${file}`),
    });
    await claimAt(gateOf(workspace.id), workspace.id, asked);
    const codeOf = async (query: string) => {
      const headers = { "Idempotency-Key": key };
      return (await postImport(workspace, file, { headers, query })).body.code;
    };
    expect(await codeOf("")).toBe("idempotency_in_progress");
    expect(await codeOf("?")).toBe("idempotency_in_progress");
    expect(await codeOf("?mode=replace")).toBe("idempotency_key_reused");
  });

  it("is refused when the key was used for another request", async () => {
    const workspace = await createWorkspace();
    const key = newIdempotencyKey();
    await workspace.send("POST", LINKS, keyed(key));
    const other = keyed(key, { destination: "https://example.com/other" });
    const { status, body: error } = await workspace.send("POST", LINKS, other);
    expect([status, error.code]).toEqual([409, "idempotency_key_reused"]);
  });

  it("makes one record when twins come at once", async () => {
    const workspace = await createWorkspace();
    const request = keyed(newIdempotencyKey());
    const twins = await Promise.all(
      Array.from({ length: 10 }, () => workspace.send("POST", LINKS, request)),
    );
    const made = twins.filter(({ status }) => status === 201);
    const refused = twins.filter(({ status }) => status === 409);
    expect(made.length).toBeGreaterThan(0);
    expect(made.length + refused.length).toBe(10);
    for (const twin of refused) {
      expect(twin.body.code).toBe("idempotency_in_progress");
      expect(twin.headers.get("Retry-After")).toBe("1");
    }
    expect((await workspace.send("GET", LINKS)).body.data).toHaveLength(1);
  });

  it("may be mended after a refusal", async () => {
    const workspace = await createWorkspace();
    const key = newIdempotencyKey();
    const wrong = await workspace.send("POST", LINKS, keyed(key, { destination: "nowhere" }));
    expect(wrong.status).toBe(422);
    expect((await workspace.send("POST", LINKS, keyed(key))).status).toBe(201);
  });

  it("is another request under another API key, and after a day", async () => {
    const start = Date.UTC(2026, 10, 21, 12);
    freezeTime(start);
    const workspace = await createWorkspace();
    const other = await issueKey(workspace.id);
    const request = keyed(newIdempotencyKey());
    const first = await workspace.send("POST", LINKS, request);
    const second = await sendAs(other.key, "POST", LINKS, request);
    expect(second.body.data.id).not.toBe(first.body.data.id);
    vi.setSystemTime(start + 24 * 60 * 60 * 1000);
    const third = await workspace.send("POST", LINKS, request);
    expect([third.status, third.headers.get("Idempotency-Replayed")]).toEqual([201, null]);
  });

  it.each(["short77", "a".repeat(201), "has space", "ümlaut-key"])(
    "wants a well-formed key, not %s",
    async (key) => {
      const workspace = await createWorkspace();
      const { status, body: error } = await workspace.send("POST", LINKS, keyed(encodeHeader(key)));
      expect([status, error.code]).toEqual([422, "validation_failed"]);
      expect(error.errors["Idempotency-Key"]).toHaveLength(1);
    },
  );

  it("is required to create a link", async () => {
    const workspace = await createWorkspace();
    const { status, body: error } = await workspace.send("POST", LINKS, { body });
    expect(status).toBe(422);
    expect(Object.keys(error.errors)).toEqual(["Idempotency-Key"]);
  });
});

/** Headers carry bytes: what a client writes in UTF-8 arrives as Latin-1. */
function encodeHeader(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

describe("the order of checks", () => {
  it("answers 404 before 428, 428 and 412 before 422", async () => {
    const workspace = await createWorkspace();
    const missing = `${LINKS}/0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11`;
    const wrong = { body: { destination: 1 } };
    expect((await workspace.send("PATCH", missing, wrong)).status).toBe(404);
    const { id } = (await createLink(workspace)).body.data;
    expect((await workspace.send("PATCH", `${LINKS}/${id}`, wrong)).status).toBe(428);
    const stale = { headers: { "If-Match": '"stale"' }, ...wrong };
    expect((await workspace.send("PATCH", `${LINKS}/${id}`, stale)).status).toBe(412);
    const any = { headers: { "If-Match": "*" }, ...wrong };
    expect((await workspace.send("PATCH", `${LINKS}/${id}`, any)).status).toBe(422);
  });

  it("answers 404, and 403 for a foreign product, before 422 for a query", async () => {
    const workspace = await createWorkspace();
    const none = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
    for (const path of [
      `/api/v1/segments/${none}/contacts?limit=bad`,
      `/api/v1/segments/${none}/contacts?cursor=bad`,
      `${ENDPOINTS}/${none}/deliveries?status=bad`,
    ]) {
      const { status, body } = await workspace.send("GET", path);
      expect([path, status, body.code]).toEqual([path, 404, "not_found"]);
    }
    expect((await operate("GET", `/workspaces/${none}/keys?limit=bad`)).status).toBe(404);
    const made = await createEndpoint(workspace);
    const bad = `${ENDPOINTS}/${made.body.data.id}/deliveries?status=bad`;
    const { key } = await issueKey(workspace.id, { permissions: ["webhooks:deliveries:read"] });
    expect((await sendAs(key, "GET", bad)).status).toBe(403);
    expect((await workspace.send("GET", bad)).body.errors).toEqual({
      status: [expect.any(String)],
    });
  });

  it("recognises a replay before anything of the record is looked at", async () => {
    const workspace = await createWorkspace();
    const request = keyedCreate();
    const first = await workspace.send("POST", LINKS, request);
    await workspace.send("DELETE", `${LINKS}/${first.body.data.id}`, {
      headers: { "If-Match": "*" },
    });
    const again = await workspace.send("POST", LINKS, request);
    expect(again.text).toBe(first.text);
  });

  function keyedCreate(): Send {
    return {
      headers: { "Idempotency-Key": newIdempotencyKey() },
      body: { destination: "https://example.com/" },
    };
  }
});
