import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event-types.ts";
import { hookPayload } from "../../../src/features/automation-hooks/hook-payload.ts";
import worker from "../../../src/worker.ts";
import {
  CONTACT_CREATED,
  HOOKS,
  SUBSCRIBE,
  subscribe,
  UNSUBSCRIBE,
  unsubscribe,
} from "../../support/hooks.ts";
import { operate, send } from "../../support/http.ts";
import { env, guardedEnv, newBox } from "../../support/webhooks.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../support/workspace.ts";

/** Subscribes as in production: only public https targets. */
async function subscribeGuarded(workspace: Workspace, target_url: string) {
  const headers = { "x-api-key": workspace.key };
  const body = JSON.stringify({ target_url, event: CONTACT_CREATED });
  const request = new Request(`https://sign.example${SUBSCRIBE}`, {
    method: "POST",
    headers,
    body,
  });
  const answer = await worker.fetch(request, guardedEnv, createExecutionContext());
  return { status: answer.status, body: await answer.json<{ code: string }>() };
}

describe("GET /automation/me", () => {
  it("names the workspace and the key, and lists every event, flat", async () => {
    const workspace = await createWorkspace({ name: "Shop" });
    const { key } = await issueKey(workspace.id, { name: "Zapier" });
    const { status, body } = await sendAs(key, "GET", "/automation/me");
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: workspace.id,
      workspace_name: "Shop",
      key_name: "Zapier",
      events: EVENT_TYPES.map(({ name, description, channels }) => ({
        event: name,
        description,
        channels,
      })),
    });
  });
});

describe("POST /automation/subscribe", () => {
  it("answers 201 with the hook, and 200 with the same id for the same subscription", async () => {
    const workspace = await createWorkspace();
    const target_url = newBox();
    const first = await subscribe(workspace, { target_url });
    expect(first.status).toBe(201);
    expect(first.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: CONTACT_CREATED,
      target_url,
      created_at: expect.any(String),
    });
    const second = await subscribe(workspace, { target_url });
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    const other = await subscribe(workspace, { target_url, event: "salesbot.contact.updated" });
    expect([other.status, other.body.data.id === first.body.data.id]).toEqual([201, false]);
    expect((await subscribe(await createWorkspace(), { target_url })).status).toBe(201);
  });

  it("makes one hook of many that come at once", async () => {
    const workspace = await createWorkspace();
    const target_url = newBox();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => subscribe(workspace, { target_url })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
  });

  it.each(["target_url", "targetUrl", "hookUrl", "url"])(
    "takes %s for the target",
    async (name) => {
      const workspace = await createWorkspace();
      const target = newBox();
      const body = { [name]: target, event: CONTACT_CREATED };
      const answer = await workspace.send("POST", SUBSCRIBE, { body });
      expect([answer.status, answer.body.data?.target_url]).toEqual([201, target]);
    },
  );

  it("is refused with unknown_event for an event that is not listed", async () => {
    const { status, body } = await subscribe(await createWorkspace(), { event: "salesbot.x.y" });
    expect([status, body.code, Object.keys(body.errors)]).toEqual([
      422,
      "unknown_event",
      ["event"],
    ]);
  });

  it.each([
    "http://example.com/",
    "https://localhost/",
    "https://10.0.0.1/",
    "https://[::1]/",
    "https://0x7f.1/",
    "https://private.example/",
    "https://nowhere.example/",
    "https://user:pass@public.example/",
    "ftp://public.example/",
    "zap",
  ])("is refused with invalid_target_url for %s", async (target) => {
    const { status, body } = await subscribeGuarded(await createWorkspace(), target);
    expect([status, body.code]).toEqual([422, "invalid_target_url"]);
  });

  it("takes a public https target", async () => {
    const answer = await subscribeGuarded(await createWorkspace(), "https://public.example/hook");
    expect(answer.status).toBe(201);
  });

  it("is refused with too_many_hooks beyond 100, also when many come at once", async () => {
    const workspace = await createWorkspace();
    const ids = Array.from({ length: 97 }, () => crypto.randomUUID());
    await env.DB.prepare(
      `INSERT INTO automation_hooks (id, workspace_id, event, target_url, created_at)
       SELECT value, ?1, ?2, 'https://example.com/' || key, 0
       FROM json_each(?3)`,
    )
      .bind(workspace.id, CONTACT_CREATED, JSON.stringify(ids))
      .run();
    const answers = await Promise.all(Array.from({ length: 8 }, () => subscribe(workspace)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(3).fill(201),
      ...Array(5).fill(422),
    ]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused?.body.code).toBe("too_many_hooks");
    const again = await subscribe(workspace, { target_url: "https://example.com/1" });
    expect(again.status).toBe(200);
  });

  it("honours an Idempotency-Key", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const body = { target_url: newBox(), event: CONTACT_CREATED };
    const first = await workspace.send("POST", SUBSCRIBE, { headers, body });
    const second = await workspace.send("POST", SUBSCRIBE, { headers, body });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
  });
});

describe("POST /automation/unsubscribe", () => {
  it("removes the hook, and answers 204 also when it is gone or never was", async () => {
    const workspace = await createWorkspace();
    const target_url = newBox();
    const { body } = await subscribe(workspace, { target_url });
    for (const id of [body.data.id, body.data.id, crypto.randomUUID(), "what?"]) {
      expect((await unsubscribe(workspace, id)).status).toBe(204);
    }
    expect((await subscribe(workspace, { target_url })).status).toBe(201);
    expect((await unsubscribe(workspace, undefined)).status).toBe(422);
  });

  it("leaves another workspace's hook", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const target_url = newBox();
    const { body } = await subscribe(workspace, { target_url });
    expect((await unsubscribe(other, body.data.id)).status).toBe(204);
    expect((await subscribe(workspace, { target_url })).status).toBe(200);
  });
});

describe("GET /automation/sample/{event}", () => {
  it("answers a bare list of one flat sample, for every event", async () => {
    const workspace = await createWorkspace();
    for (const kind of EVENT_TYPES) {
      const { status, body } = await workspace.send("GET", `/automation/sample/${kind.name}`);
      expect(status).toBe(200);
      expect(body).toHaveLength(1);
      const [sample] = body;
      const [, object] = kind.name.split(".");
      expect(sample).toEqual({
        ...kind.sample,
        [`${object}_id`]: kind.sample.id,
        ...("event" in kind.sample && { [`${object}_event`]: kind.sample.event }),
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        event: kind.name,
        occurred_at: "2026-11-20T08:00:00.000Z",
      });
    }
  });

  it("refuses an event that is not listed with unknown_event", async () => {
    const { status, body } = await (await createWorkspace()).send("GET", "/automation/sample/x");
    expect([status, body.code]).toEqual([422, "unknown_event"]);
  });

  it("says who is meant where the data has a name of the envelope's", () => {
    const data = { id: "c", event: "theirs", occurred_at: "theirs" };
    const payload = hookPayload({ eventId: "e", event: "a.contact.b", occurredAt: 0, data });
    expect(payload).toEqual({
      id: "e",
      contact_id: "c",
      contact_event: "theirs",
      event: "a.contact.b",
      occurred_at: "1970-01-01T00:00:00.000Z",
    });
  });
});

const ROUTES: [string, string, object | undefined][] = [
  ["GET", "/automation/me", undefined],
  ["POST", SUBSCRIBE, { target_url: "https://example.com/", event: CONTACT_CREATED }],
  ["POST", UNSUBSCRIBE, { id: "x" }],
  ["GET", HOOKS, undefined],
  ["DELETE", `${HOOKS}/${crypto.randomUUID()}`, undefined],
  ["GET", `/automation/sample/${CONTACT_CREATED}`, undefined],
];

describe.each(ROUTES)("%s %s", (method, path, body) => {
  const options = body && { body };

  it("needs a key, and the permission salesbot:automation:hooks", async () => {
    const workspace = await createWorkspace();
    expect((await send(path, { method, ...options })).status).toBe(401);
    const other = await issueKey(workspace.id, { permissions: ["webhooks:write"] });
    const refused = await sendAs(other.key, method, path, options);
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    const permissions = ["salesbot:automation:hooks", "salesbot:webhooks:subscribe"];
    const right = await issueKey(workspace.id, { permissions });
    expect((await sendAs(right.key, method, path, options)).status).toBeLessThan(300);
  });

  it("is refused with automation_not_connected where automation is off", async () => {
    const workspace = await createWorkspace({ features: ["salesbot"] });
    const { status, body: refusal } = await workspace.send(method, path, options);
    expect([status, refusal.code]).toEqual([403, "automation_not_connected"]);
  });

  it("is refused on a suspended workspace", async () => {
    const workspace = await createWorkspace();
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    const { status, body: refusal } = await workspace.send(method, path, options);
    expect([status, refusal.code]).toEqual([403, "workspace_suspended"]);
  });
});
