import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createContact } from "../../support/contacts.ts";
import { CONTACT_CREATED, HOOKS, SUBSCRIBE, subscribe, UNSUBSCRIBE } from "../../support/hooks.ts";
import { operate } from "../../support/http.ts";
import {
  env,
  laneOf,
  newBox,
  POST_PUBLISHED,
  publish,
  receivedBy,
  waitForReceived,
} from "../../support/webhooks.ts";
import { createWorkspace, issueKey, sendAs, type Workspace } from "../../support/workspace.ts";

afterEach(() => {
  vi.useRealTimers();
});

const FAILING = "status=503&header=Retry-After:900";

/** A second key, of a member of its own, with a hook that has a delivery waiting for its retry. */
async function createOwnedHook(workspace: Workspace, input: object = {}) {
  const path = `/workspaces/${workspace.id}/members`;
  const email = `${crypto.randomUUID()}@example.com`;
  const member = (await operate("POST", path, { email, role: "admin" })).body.data.id as string;
  const key = await issueKey(workspace.id, { member, ...input });
  const box = newBox(FAILING);
  const body = { target_url: box, event: CONTACT_CREATED };
  const hook = (await sendAs(key.key, "POST", SUBSCRIBE, { body })).body.data.id as string;
  await createContact(workspace);
  await waitForReceived(box, 1);
  await vi.waitFor(async () => {
    const waiting = await env.DB.prepare(
      "SELECT next_attempt_at > ?2 AS n FROM target_deliveries WHERE target_id = ?1",
    );
    expect(await waiting.bind(hook, Date.now() + 300_000).first("n")).toBe(1);
  });
  return { memberPath: `${path}/${member}`, key, box, hook };
}

/** Makes what waits due, and has the hook's lane look. */
async function tryAgain(workspace: Workspace, hook: string): Promise<string> {
  await env.DB.prepare("UPDATE target_deliveries SET next_attempt_at = 0 WHERE target_id = ?")
    .bind(hook)
    .run();
  const { stub, wake } = laneOf(workspace, { kind: "hook", id: hook });
  await wake();
  await runDurableObjectAlarm(stub);
  return vi.waitFor(async () => {
    const status = await env.DB.prepare("SELECT status FROM target_deliveries WHERE target_id = ?")
      .bind(hook)
      .first<string>("status");
    if (!status || status === "pending") throw new Error("not attempted yet");
    return status;
  });
}

async function hooksOf(workspace: Workspace) {
  return (await operate("GET", `/workspaces/${workspace.id}/hooks`)).body.data;
}

type Owned = Awaited<ReturnType<typeof createOwnedHook>>;

const ENDS: [string, (workspace: Workspace, owned: Owned) => Promise<unknown>][] = [
  [
    "is revoked",
    (workspace, { key }) => operate("DELETE", `/workspaces/${workspace.id}/keys/${key.id}`),
  ],
  ["loses its member", (_, { memberPath }) => operate("DELETE", memberPath)],
  [
    "has its member demoted",
    (_, { memberPath }) => operate("PATCH", memberPath, { role: "editor" }),
  ],
];

interface Ended {
  id: string;
  member: string;
}

describe("a hook whose key", () => {
  it.each(ENDS)("%s gets nothing more, what was waiting included", async (_, end) => {
    const workspace = await createWorkspace();
    const owned = await createOwnedHook(workspace);
    expect(await hooksOf(workspace)).toMatchObject([{ key: owned.key.id, active: true }]);
    await end(workspace, owned);
    expect(await hooksOf(workspace)).toMatchObject([{ key: owned.key.id, active: false }]);
    expect(await tryAgain(workspace, owned.hook)).toBe("failed");
    const live = newBox();
    expect((await subscribe(workspace, { target_url: live })).status).toBe(201);
    await createContact(workspace);
    await waitForReceived(live, 1);
    expect(await receivedBy(owned.box)).toHaveLength(1);
  });

  it("expires gets nothing more, what was waiting included", async () => {
    const workspace = await createWorkspace();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const owned = await createOwnedHook(workspace, { expires_at });
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.parse(expires_at));
    expect(await tryAgain(workspace, owned.hook)).toBe("failed");
    expect(await hooksOf(workspace)).toMatchObject([{ active: false }]);
    expect(await receivedBy(owned.box)).toHaveLength(1);
  });

  it("is over is the next one's that asks for it, under the same id", async () => {
    const workspace = await createWorkspace();
    const { key, box, hook } = await createOwnedHook(workspace);
    await operate("DELETE", `/workspaces/${workspace.id}/keys/${key.id}`);
    const again = await subscribe(workspace, { target_url: box });
    expect([again.status, again.body.data.id]).toEqual([200, hook]);
    expect(await hooksOf(workspace)).toMatchObject([{ key: workspace.keyId, active: true }]);
  });

  it.each([
    [
      "is revoked",
      (workspace: Workspace, { id }: Ended) =>
        operate("DELETE", `/workspaces/${workspace.id}/keys/${id}`),
    ],
    [
      "loses its member",
      (workspace: Workspace, { member }: Ended) =>
        operate("DELETE", `/workspaces/${workspace.id}/members/${member}`),
    ],
  ])("%s takes no place of the hundred", async (_, end) => {
    const workspace = await createWorkspace();
    const email = `${crypto.randomUUID()}@example.com`;
    const path = `/workspaces/${workspace.id}/members`;
    const member = (await operate("POST", path, { email, role: "admin" })).body.data.id as string;
    const { id } = await issueKey(workspace.id, { member });
    await env.DB.prepare(
      `INSERT INTO automation_hooks (id, workspace_id, key_id, event, target_url, created_at)
       WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 100)
       SELECT n || ?1, ?1, ?2, ?3, 'https://example.com/' || n, 0 FROM each`,
    )
      .bind(workspace.id, id, CONTACT_CREATED)
      .run();
    expect((await subscribe(workspace)).body.code).toBe("too_many_hooks");
    await end(workspace, { id, member });
    expect((await subscribe(workspace)).status).toBe(201);
    expect(await hooksOf(workspace)).toHaveLength(1);
  });
});

describe("a product's permission", () => {
  const hooks = "salesbot:automation:hooks";

  it("is needed to subscribe a hook to its events, to see a sample, and to have them listed", async () => {
    const workspace = await createWorkspace();
    const { key } = await issueKey(workspace.id, {
      permissions: [hooks, "publishing:webhooks:subscribe"],
    });
    const body = { target_url: newBox(), event: CONTACT_CREATED };
    const refused = await sendAs(key, "POST", SUBSCRIBE, { body });
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    const sample = await sendAs(key, "GET", `/automation/sample/${CONTACT_CREATED}`);
    expect([sample.status, sample.body.code]).toEqual([403, "forbidden"]);
    const { events } = (await sendAs(key, "GET", "/automation/me")).body.data;
    expect(new Set(events.map(({ event }: { event: string }) => event.split(".")[0]))).toEqual(
      new Set(["publishing"]),
    );
    const taken = { ...body, event: POST_PUBLISHED.event };
    expect((await sendAs(key, "POST", SUBSCRIBE, { body: taken })).status).toBe(201);
    await publish(workspace);
    await waitForReceived(body.target_url, 1);
  });
});

describe("GET /automation/hooks", () => {
  it("lists the key's own, in pages, and DELETE removes only those", async () => {
    const workspace = await createWorkspace();
    const other = await issueKey(workspace.id);
    const theirs = await sendAs(other.key, "POST", SUBSCRIBE, {
      body: { target_url: newBox(), event: CONTACT_CREATED },
    });
    const made: object[] = [];
    for (let hooks = 0; hooks < 3; hooks++) made.unshift((await subscribe(workspace)).body.data);
    const first = await workspace.send("GET", `${HOOKS}?limit=2`);
    const second = await workspace.send("GET", `${HOOKS}?cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...second.body.data]).toEqual(made);
    expect(second.body.next_cursor).toBeNull();
    const foreign = theirs.body.data.id;
    for (const id of [foreign, first.body.data[0].id, first.body.data[0].id]) {
      expect((await workspace.send("DELETE", `${HOOKS}/${id}`)).status).toBe(204);
    }
    await workspace.send("POST", UNSUBSCRIBE, { body: { id: foreign } });
    expect((await workspace.send("GET", HOOKS)).body.data).toEqual(made.slice(1));
    expect((await sendAs(other.key, "GET", HOOKS)).body.data).toEqual([theirs.body.data]);
    const path = `/workspaces/${workspace.id}/hooks/${foreign}`;
    for (let times = 0; times < 2; times++)
      expect((await operate("DELETE", path)).status).toBe(204);
    expect((await sendAs(other.key, "GET", HOOKS)).body.data).toEqual([]);
  });

  it("lists a hook of before keys were noted to each key that may have its event", async () => {
    const workspace = await createWorkspace();
    const id = (await subscribe(workspace)).body.data.id;
    await env.DB.prepare("UPDATE automation_hooks SET key_id = NULL WHERE id = ?").bind(id).run();
    const seen = async (permissions: string[]) => {
      const { key } = await issueKey(workspace.id, { permissions });
      return (await sendAs(key, "GET", HOOKS)).body.data.length;
    };
    expect(await seen(["*"])).toBe(1);
    expect(await seen(["salesbot:automation:hooks"])).toBe(0);
    expect(await hooksOf(workspace)).toMatchObject([{ key: null, active: true }]);
  });
});
