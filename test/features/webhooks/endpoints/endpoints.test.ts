import { createExecutionContext } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EVENT_TYPES } from "../../../../src/event-types.ts";
import worker from "../../../../src/worker.ts";
import {
  change,
  createEndpoint,
  ENDPOINTS,
  env,
  guardedEnv,
  newBox,
  POST_PUBLISHED,
  WEBHOOKS,
} from "../../../support/webhooks.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../../support/workspace.ts";

const CONTACT_CREATED = { event: "salesbot.contact.created", channel: "whatsapp" };

afterEach(() => {
  vi.useRealTimers();
});

/** Sends as in production: only public https targets. */
async function sendGuarded(workspace: Workspace, body: object) {
  const headers = { "x-api-key": workspace.key, "Idempotency-Key": newIdempotencyKey() };
  const request = new Request(`https://sign.example${ENDPOINTS}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const answer = await worker.fetch(request, guardedEnv, createExecutionContext());
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  return { status: answer.status, body: (await answer.json()) as any };
}

describe("the catalogue", () => {
  it("has a sample of every event that satisfies its schema", () => {
    for (const kind of EVENT_TYPES)
      expect([kind.name, kind.data.safeParse(kind.sample).success]).toEqual([kind.name, true]);
    expect(new Set(EVENT_TYPES.map(({ name }) => name)).size).toBe(EVENT_TYPES.length);
  });

  it("is shown with channels, schemas and samples", async () => {
    const workspace = await createWorkspace();
    const all = (await workspace.send("GET", `${WEBHOOKS}/events`)).body.data;
    expect(all.map(({ event }: { event: string }) => event)).toEqual(
      EVENT_TYPES.map(({ name }) => name),
    );
    expect(all[0]).toMatchObject({
      channels: ["all"],
      schema: { type: "object" },
      sample: { id: expect.any(String) },
    });
  });
});

describe("a webhook endpoint", () => {
  it("is made paused, with a secret that is shown once and stored encrypted", async () => {
    const workspace = await createWorkspace();
    const { status, body, headers } = await createEndpoint(workspace, { enabled: true });
    expect(status).toBe(201);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.data).toMatchObject({
      enabled: false,
      disabled_reason: null,
      subscriptions: [POST_PUBLISHED],
    });
    expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
    const read = await workspace.send("GET", `${ENDPOINTS}/${body.data.id}`);
    const { metrics: _metrics, ...made } = read.body.data;
    expect([made, read.headers.get("ETag")]).toEqual([body.data, headers.get("ETag")]);
    expect(read.text).not.toContain("whsec_");
    const row = await env.DB.prepare("SELECT * FROM webhook_endpoints WHERE id = ?")
      .bind(body.data.id)
      .first();
    expect(JSON.stringify(row)).not.toContain(body.secret.slice(6));
    expect(new TextDecoder("latin1").decode(new Uint8Array(row?.secret as number[]))).not.toContain(
      body.secret.slice(6),
    );
  });

  it("gives its secret again to the same key and body", async () => {
    const workspace = await createWorkspace();
    const body = { name: "A", url: newBox(), subscriptions: [POST_PUBLISHED] };
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const first = await workspace.send("POST", ENDPOINTS, { headers, body });
    const again = await workspace.send("POST", ENDPOINTS, { headers, body });
    expect([again.headers.get("Idempotency-Replayed"), again.text]).toEqual(["true", first.text]);
  });

  it("gives its secret again when its maker was cut off before the answer", async () => {
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(start);
    const workspace = await createWorkspace();
    const body = { name: "A", url: newBox(), subscriptions: [POST_PUBLISHED] };
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const first = await workspace.send("POST", ENDPOINTS, { headers, body });
    const { runInDurableObject } = await import("cloudflare:test");
    await runInDurableObject(env.WORKSPACE_GATE.getByName(workspace.id), (_gate, state) => {
      state.storage.sql.exec("UPDATE idempotency_claims SET state = 'running', response = NULL");
    });
    vi.setSystemTime(start + 30_000);
    const again = await workspace.send("POST", ENDPOINTS, { headers, body });
    expect([again.status, again.body.secret, again.body.data.id]).toEqual([
      201,
      first.body.secret,
      first.body.data.id,
    ]);
    expect((await workspace.send("GET", ENDPOINTS)).body.data).toHaveLength(1);
  });

  it.each([
    ["name", { name: "" }],
    ["url", { url: "ftp://example.com" }],
    ["url", { url: "https://user:pass@example.com/" }],
    ["subscriptions", { subscriptions: [] }],
    ["subscriptions.0.event", { subscriptions: [{ event: "no.such.event", channel: "all" }] }],
    [
      "subscriptions.0.channel",
      { subscriptions: [{ event: "publishing.post.published", channel: "whatsapp" }] },
    ],
    ["subscriptions.1", { subscriptions: [POST_PUBLISHED, POST_PUBLISHED] }],
    ["secret", { secret: "whsec_mine" }],
  ])("is refused for its %s", async (field, input) => {
    const { status, body } = await createEndpoint(await createWorkspace(), input);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it.each([
    ["http://public.example/"],
    ["https://127.0.0.1/"],
    ["https://localhost/"],
    ["https://private.example/"],
    ["https://private6.example/"],
    ["https://mixed.example/"],
    ["https://metadata.example/"],
    ["https://broken.example/"],
    ["https://no-such-name.example/"],
    ["https://[::ffff:8.8.8.8]/"],
    ["https://localhost../"],
    ["https://10.0.0.1../"],
    ["https://public.example../"],
    ["https://private.example./"],
    ["https:public.example/hook"],
    ["https:///public.example/hook"],
  ])("may not be %s, by its text or by what it resolves to", async (url) => {
    const answer = await sendGuarded(await createWorkspace(), {
      name: "A",
      url,
      subscriptions: [POST_PUBLISHED],
    });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["url"]]);
  });

  it("may be a public name, and development's freedom is refused on a platform host", async () => {
    const workspace = await createWorkspace();
    const body = { name: "A", url: "https://public.example/hook", subscriptions: [POST_PUBLISHED] };
    expect((await sendGuarded(workspace, body)).status).toBe(201);
    const dotted = { ...body, url: "https://public.example./hook" };
    expect((await sendGuarded(workspace, dotted)).status).toBe(201);
    vi.spyOn(console, "error").mockImplementationOnce(() => undefined);
    const request = new Request(`https://sign.example${ENDPOINTS}`, {
      method: "POST",
      headers: { "x-api-key": workspace.key, "Idempotency-Key": newIdempotencyKey() },
      body: "{}",
    });
    const careless = { ...env, ALLOW_PRIVATE_TARGETS: "true", PLATFORM_HOST: "sign.example" };
    const answer = await worker.fetch(request, careless, createExecutionContext());
    expect(answer.status).not.toBe(201);
  });

  it("is one of at most 25, also when they come all at once", async () => {
    const workspace = await createWorkspace();
    const answers = await Promise.all(Array.from({ length: 30 }, () => createEndpoint(workspace)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(25);
    expect(statuses.filter((status) => status === 422)).toHaveLength(5);
    expect((await workspace.send("GET", ENDPOINTS)).body.data).toHaveLength(25);
  });

  it("wants If-Match for every change, and the order of checks is kept", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = (await createEndpoint(workspace)).body.data;
    const path = `${ENDPOINTS}/${id}`;
    const calls: [string, string][] = [
      ["PATCH", path],
      ["DELETE", path],
      ["POST", `${path}/rotate-secret`],
      ["POST", `${path}/test`],
      ["POST", `${path}/recover`],
    ];
    for (const [method, where] of calls) {
      const key = () => ({ "Idempotency-Key": newIdempotencyKey() });
      expect((await workspace.send(method, where, { headers: key(), body: { x: 1 } })).status).toBe(
        428,
      );
      expect(
        (
          await workspace.send(method, where, {
            headers: { ...key(), "If-Match": '"x"' },
            body: { x: 1 },
          })
        ).status,
      ).toBe(412);
    }
    const renamed = await change(
      workspace,
      "PATCH",
      path,
      { name: "B" },
      { headers: { "If-Match": `"${revision}"` } },
    );
    expect([renamed.status, renamed.body.data.name, renamed.body.data.subscriptions]).toEqual([
      200,
      "B",
      [POST_PUBLISHED],
    ]);
    expect(renamed.body.data.revision).not.toBe(revision);
    const replaced = await change(workspace, "PATCH", path, { subscriptions: [CONTACT_CREATED] });
    expect(replaced.body.data.subscriptions).toEqual([CONTACT_CREATED]);
    expect((await change(workspace, "DELETE", path)).status).toBe(204);
    expect((await workspace.send("GET", path)).status).toBe(404);
  });

  it("is hidden from keys that cannot subscribe to all of its products, and from other workspaces", async () => {
    const workspace = await createWorkspace();
    const both = (
      await createEndpoint(workspace, { subscriptions: [POST_PUBLISHED, CONTACT_CREATED] })
    ).body.data;
    const own = (await createEndpoint(workspace)).body.data;
    const permissions = [
      "webhooks:read",
      "webhooks:write",
      "webhooks:deliveries:read",
      "publishing:webhooks:subscribe",
    ];
    const { key } = await issueKey(workspace.id, { permissions });
    const list = (await sendAs(key, "GET", ENDPOINTS)).body.data;
    expect(list.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    expect((await sendAs(key, "GET", `${ENDPOINTS}/${both.id}`)).status).toBe(403);
    expect((await sendAs(key, "GET", `${ENDPOINTS}/${both.id}/deliveries`)).status).toBe(403);
    const headers = () => ({ "Idempotency-Key": newIdempotencyKey(), "If-Match": "*" });
    const subscriptions = [CONTACT_CREATED];
    expect(
      (
        await sendAs(key, "PATCH", `${ENDPOINTS}/${own.id}`, {
          headers: headers(),
          body: { subscriptions },
        })
      ).status,
    ).toBe(403);
    const body = { name: "A", url: newBox(), subscriptions };
    expect((await sendAs(key, "POST", ENDPOINTS, { headers: headers(), body })).status).toBe(403);
    const other = await createWorkspace();
    expect((await other.send("GET", `${ENDPOINTS}/${own.id}`)).status).toBe(404);
    expect((await other.send("GET", ENDPOINTS)).body.data).toEqual([]);
  });

  it("is changed at most 60 times a minute in a workspace, and read still", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createEndpoint(workspace)).body.data;
    const path = `${ENDPOINTS}/${id}`;
    const keys = [workspace.key, (await issueKey(workspace.id)).key];
    for (let changes = 1; changes < 60; changes++) {
      const headers = { "If-Match": "*" };
      const answer = await sendAs(keys[changes % 2] ?? "", "PATCH", path, {
        headers,
        body: { name: `N${changes}` },
      });
      expect(answer.status).toBe(200);
    }
    const refused = await change(workspace, "PATCH", path, { name: "one too many" });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect((await workspace.send("GET", path)).status).toBe(200);
  });
});
