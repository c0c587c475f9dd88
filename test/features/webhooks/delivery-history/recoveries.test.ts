import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { faulting } from "../../../support/faulting.ts";
import {
  change,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  newBox,
  POST_PUBLISHED,
  publish,
  WEBHOOKS,
  waitForReceived,
} from "../../../support/webhooks.ts";
import { createWorkspace, newIdempotencyKey, type Workspace } from "../../../support/workspace.ts";

const REFUSING = "status=400&header=webhook-delivery:abort-message";
const MOST_LOOKED_AT = 10_000;

afterEach(() => void vi.useRealTimers());

interface Failed {
  id: string;
  event_id: string;
  created_at: string;
  test: boolean;
}

const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

function recover(workspace: Workspace, endpoint: LiveEndpoint, body: object, headers = {}) {
  return change(workspace, "POST", `${endpoint.path}/recover`, body, { headers });
}

async function listed(workspace: Workspace, endpoint: LiveEndpoint, query = ""): Promise<Failed[]> {
  return (await workspace.send("GET", `${endpoint.path}/deliveries${query}`)).body.data;
}

/** An endpoint where so many deliveries failed; the newest first. */
async function createFailing(workspace: Workspace, events: number) {
  const endpoint = await createLiveEndpoint(workspace, newBox(REFUSING));
  for (let event = 1; event <= events; event++) {
    await publish(workspace);
    await waitForReceived(endpoint.box, event);
  }
  await allFailed(workspace, endpoint, events);
  return endpoint;
}

function allFailed(workspace: Workspace, endpoint: LiveEndpoint, count: number) {
  return vi.waitFor(
    async () => expect(await listed(workspace, endpoint, "?status=failed")).toHaveLength(count),
    { timeout: 60_000, interval: 250 },
  );
}

describe("a dry run of a recovery", () => {
  it("tells how many the recovery then sends: each event that reached nobody, once", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createFailing(workspace, 5);
    const [newest, second, , , oldest] = await listed(workspace, endpoint);
    // A test that failed, an event whose payload is gone, one that reached the endpoint later.
    await change(workspace, "POST", `${endpoint.path}/test`, { event: POST_PUBLISHED.event });
    await allFailed(workspace, endpoint, 6);
    await env.DB.prepare("UPDATE events SET data = NULL WHERE id = ?").bind(newest?.event_id).run();
    await change(workspace, "PATCH", endpoint.path, { url: newBox() });
    await change(workspace, "POST", `${WEBHOOKS}/deliveries/${second?.id}/resend`);
    const before = await listed(workspace, endpoint);
    const since = oldest?.created_at;
    const later = new Date(Date.parse(since ?? "") + 1).toISOString();
    for (const [from, deliveries] of [
      [anHourAgo(), 3],
      [since, 3],
      [later, 2],
      [new Date(Date.now() + 60_000).toISOString(), 0],
    ]) {
      const { status, body } = await recover(workspace, endpoint, { since: from, dry_run: true });
      expect([status, body]).toEqual([
        200,
        { data: { dry_run: true, endpoint: endpoint.id, since: from, deliveries, more: false } },
      ]);
    }
    expect((await listed(workspace, endpoint)).map(({ id }) => id)).toEqual(
      before.map(({ id }) => id),
    );
    const job = await recover(workspace, endpoint, { since, dry_run: false });
    expect(job.status).toBe(202);
    await vi.waitFor(
      async () => {
        const path = `${endpoint.path}/recoveries/${job.body.data.id}`;
        expect((await workspace.send("GET", path)).body.data).toMatchObject({
          status: "finished",
          resent: 3,
        });
      },
      { timeout: 60_000, interval: 250 },
    );
    const none = await recover(workspace, endpoint, { since, dry_run: true });
    expect(none.body.data).toMatchObject({ deliveries: 0, more: false });
  });

  it("looks at so many and no more, for so long and no longer, and says so", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const event = (await publish(workspace)).body.data.id;
    await waitForReceived(endpoint.box, 1);
    const fail = (from: number, to: number) =>
      env.DB.prepare(
        `WITH RECURSIVE each (n) AS (SELECT ?3 UNION ALL SELECT n + 1 FROM each WHERE n < ?4)
         INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
           test, resend_of, status, attempts_count, created_at)
         SELECT substr(id, 1, 19) || 'ffff-' || printf('%012d', n), workspace_id, 'endpoint', target_id,
           event_id, event, channel, 0, id, 'failed', 1, created_at
         FROM each CROSS JOIN target_deliveries WHERE workspace_id = ?1 AND event_id = ?2
           AND resend_of IS NULL`,
      )
        .bind(workspace.id, event, from, to)
        .run();
    const database = faulting("");
    database.faultOf = () => undefined;
    let statements = 0;
    let tookMilliseconds = 0;
    // The clock stands still but for what a statement takes.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    database.heldBack = (sql) => {
      if (!sql.includes("deliveries_failed")) return undefined;
      statements++;
      vi.setSystemTime(Date.now() + tookMilliseconds);
      return undefined;
    };
    const dryRun = async () => {
      statements = 0;
      const headers = { "Idempotency-Key": newIdempotencyKey(), "If-Match": "*" };
      const body = { since: anHourAgo(), dry_run: true };
      const given = { headers, body, env: database.env };
      return (await workspace.send("POST", `${endpoint.path}/recover`, given)).body.data;
    };
    await fail(1, MOST_LOOKED_AT - 1);
    // Of one event, it is the newest that is sent again.
    expect(await dryRun()).toMatchObject({ deliveries: 1, more: false });
    await fail(MOST_LOOKED_AT, MOST_LOOKED_AT + 1);
    expect(await dryRun()).toMatchObject({ deliveries: 0, more: true });
    expect(statements).toBe(10);
    tookMilliseconds = 100;
    expect(await dryRun()).toMatchObject({ deliveries: 0, more: true });
    expect(statements).toBe(3);
  });
});

describe("a dry run", () => {
  let workspace: Workspace;
  let endpoint: LiveEndpoint;
  beforeAll(async () => {
    workspace = await createWorkspace();
    endpoint = await createFailing(workspace, 1);
  });

  it("needs what the recovery needs", async () => {
    const body = { since: anHourAgo(), dry_run: true };
    const path = `${endpoint.path}/recover`;
    const key = { "Idempotency-Key": newIdempotencyKey() };
    for (const [status, headers] of [
      [422, { "If-Match": "*" }],
      [428, key],
      [412, { ...key, "If-Match": '"stale"' }],
    ] as const) {
      expect((await workspace.send("POST", path, { headers, body })).status).toBe(status);
    }
    for (const dry_run of ["true", 1, null]) {
      const refused = await recover(workspace, endpoint, { ...body, dry_run });
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["dry_run"]]);
    }
    const unsaid = await recover(workspace, endpoint, { dry_run: true });
    expect([unsaid.status, Object.keys(unsaid.body.errors)]).toEqual([422, ["since"]]);
    await change(workspace, "PATCH", endpoint.path, { enabled: false });
    expect((await recover(workspace, endpoint, body)).status).toBe(409);
    await change(workspace, "PATCH", endpoint.path, { enabled: true });
  });

  it("is answered once for its key, which no recovery may have then", async () => {
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const since = anHourAgo();
    const first = await recover(workspace, endpoint, { since, dry_run: true }, headers);
    const again = await recover(workspace, endpoint, { since, dry_run: true }, headers);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    const real = await recover(workspace, endpoint, { since }, headers);
    expect([real.status, real.body.code]).toEqual([409, "idempotency_key_reused"]);
    expect(await listed(workspace, endpoint)).toHaveLength(1);
  });
});

it("a recovery of an endpoint that is gone is over, also of a workspace that has had its deliveries", async () => {
  const workspace = await createWorkspace();
  const endpoint = await createFailing(workspace, 2);
  await env.DB.prepare(
    "UPDATE workspace_usage SET hour = ?2, deliveries_in_hour = 1e9 WHERE id = ?1",
  )
    .bind(workspace.id, Math.floor(Date.now() / 3_600_000))
    .run();
  expect((await recover(workspace, endpoint, { since: anHourAgo() })).status).toBe(202);
  await change(workspace, "DELETE", endpoint.path);
  await vi.waitFor(
    async () =>
      expect(
        await env.DB.prepare(
          "SELECT finished_at IS NULL AS open FROM recoveries WHERE target_id = ?",
        )
          .bind(endpoint.id)
          .all(),
      ).toMatchObject({ results: [{ open: 0 }] }),
    { timeout: 60_000, interval: 100 },
  );
});
