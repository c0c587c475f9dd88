import { afterEach, describe, expect, it, vi } from "vitest";
import type { EndedAttempt } from "../../../../src/deliveries/targets.ts";
import { endpointTargets } from "../../../../src/features/webhooks/endpoints/endpoints.ports.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { listenToCosts } from "../../../support/noted-statements.ts";
import {
  createEndpoint,
  createLiveEndpoint,
  ENDPOINTS,
  env,
  newBox,
  POST_PUBLISHED,
  publish,
  waitForDelivery,
} from "../../../support/webhooks.ts";
import { tick, workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const HOUR = 60 * 60 * 1000;
const NONE = { delivered: 0, failed: 0, response_time_ms: { p50: null, p95: null } };

afterEach(() => {
  vi.useRealTimers();
});

async function metricsOf(workspace: Workspace, { id }: { id: string }) {
  return (await workspace.send("GET", `${ENDPOINTS}/${id}`)).body.data.metrics;
}

/** A success of 20 ms that ended now. */
function ended(more: Partial<EndedAttempt> = {}): EndedAttempt {
  const durationMs = more.durationMs ?? 20;
  return {
    ...{ deliveryId: newId(), number: 1, eventId: newId(), event: POST_PUBLISHED.event },
    ...{ channel: "all", test: false, status: "delivered" as const, durationMs },
    ...{ startedAt: Date.now() - durationMs, statusCode: 204, error: null, stop: null },
    ...more,
  };
}

function failed(more: Partial<EndedAttempt> = {}): EndedAttempt {
  return ended({ status: "pending", statusCode: 500, error: "bad_status", ...more });
}

/** Notes attempts as the lane does, in front of the statements that give them their ends. */
async function note(workspace: Workspace, { id }: { id: string }, all: EndedAttempt[]) {
  const { db } = workIn(workspace.id);
  const statements = endpointTargets.noting(db, { workspaceId: workspace.id, id }, all, Date.now());
  const insert = env.DB.prepare(
    `INSERT INTO target_deliveries (target_id, id, workspace_id, target_kind, event_id, event, channel,
       test, status, attempts_count, created_at, attempts)
     VALUES (?1, ?2, ?3, 'endpoint', ?2, '', '', 0, 'delivered', 1, 0, ?4)
     ON CONFLICT DO UPDATE SET attempts = json_patch(attempts, excluded.attempts)`,
  );
  const brought = all.map(({ deliveryId, number, startedAt, durationMs }) => {
    const attempts = JSON.stringify({ [number]: { startedAt, durationMs } });
    return insert.bind(id, deliveryId, workspace.id, attempts);
  });
  await env.DB.batch([...statements, ...brought]);
}

describe("an endpoint's metrics", () => {
  it("say how many attempts were delivered and failed, and how fast it answered", async () => {
    const workspace = await createWorkspace();
    const good = await createLiveEndpoint(workspace);
    const bad = await createLiveEndpoint(workspace, newBox("status=500"));
    const silent = await createLiveEndpoint(workspace, newBox("reset"));
    await publish(workspace);
    for (const endpoint of [good, bad, silent]) {
      await waitForDelivery(workspace, endpoint, ({ attempts }) =>
        Number.isInteger(attempts[0]?.duration_ms),
      );
    }
    const time = expect.any(Number);
    const answered = { p50: time, p95: time };
    const since = new Date(Math.floor(Date.now() / HOUR) * HOUR - 24 * HOUR).toISOString();
    const expected = {
      [good.id]: { since, delivered: 1, failed: 0, response_time_ms: answered },
      [bad.id]: { since, delivered: 0, failed: 1, response_time_ms: answered },
      [silent.id]: { since, ...NONE, failed: 1 },
    };
    for (const endpoint of [good, bad, silent]) {
      expect(await metricsOf(workspace, endpoint)).toEqual(expected[endpoint.id]);
    }
    const listed = (await workspace.send("GET", ENDPOINTS)).body.data;
    const metrics = listed.map(({ id, metrics }: { id: string; metrics: object }) => [id, metrics]);
    expect(Object.fromEntries(metrics)).toEqual(expected);
  });

  it.each([
    "endpoint_paused",
    "payload_purged",
    "secret_unreadable",
    "internal_error",
    "interrupted",
  ])("leave out what says nothing of the receiver: %s", async (error) => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const unsent = [ended({ error, statusCode: null })];
    await note(workspace, endpoint, unsent);
    expect(await metricsOf(workspace, endpoint)).toMatchObject(NONE);
    // Nor do they cost anything.
    const ref = { workspaceId: workspace.id, id: endpoint.id };
    expect(endpointTargets.noting(workIn(workspace.id).db, ref, unsent, Date.now())).toEqual([]);
  });

  it("change neither its revision nor its ETag, and are not hidden by a 304", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const before = await workspace.send("GET", endpoint.path);
    const headers = { "If-None-Match": before.headers.get("ETag") ?? "" };
    expect(before.body.data.metrics).toMatchObject(NONE);
    await note(workspace, endpoint, [ended(), failed()]);
    const after = await workspace.send("GET", endpoint.path, { headers });
    expect([after.status, after.headers.get("ETag")]).toEqual([200, before.headers.get("ETag")]);
    expect(after.body.data).toMatchObject({
      revision: before.body.data.revision,
      metrics: { delivered: 1, failed: 1 },
    });
    // Nor is it hidden that there is nothing to tell any more.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 26 * HOUR });
    const later = await workspace.send("GET", endpoint.path, { headers });
    expect([later.status, later.body?.data.metrics]).toEqual([200, expect.objectContaining(NONE)]);
  });

  it("are of a day: what ended 25 hours ago does not count", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / HOUR) * HOUR + HOUR / 2 });
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await note(workspace, endpoint, [ended()]);
    vi.setSystemTime(Date.now() + HOUR);
    await note(workspace, endpoint, [ended(), failed()]);
    vi.setSystemTime(Date.now() + 23 * HOUR);
    expect(await metricsOf(workspace, endpoint)).toMatchObject({ delivered: 2, failed: 1 });
    vi.setSystemTime(Date.now() + HOUR);
    expect(await metricsOf(workspace, endpoint)).toMatchObject({ delivered: 1, failed: 1 });
    vi.setSystemTime(Date.now() + HOUR);
    expect(await metricsOf(workspace, endpoint)).toMatchObject(NONE);
  });

  it("tell p50 and p95 of what was answered in any hour of the day, to within a tenth", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const of = (durationMs: number) => [ended({ durationMs }), failed({ durationMs })];
    const unanswered = failed({ statusCode: null, error: "timeout", durationMs: 15_000 });
    // 200 answers, so p50 is the 100th: 100 ms; p95 the 190th: 190 ms.
    const answers = Array.from({ length: 100 }, (_, at) => of((at + 1) * 2 - 1)[at % 2]);
    const more = Array.from({ length: 100 }, (_, at) => of((at + 1) * 2)[at % 2]);
    await note(workspace, endpoint, [...(answers as EndedAttempt[]), unanswered]);
    const before = (more as EndedAttempt[]).map((one) => ({
      ...one,
      startedAt: one.startedAt - 5 * HOUR,
    }));
    await note(workspace, endpoint, before.slice(0, 30));
    await note(workspace, endpoint, before.slice(30));
    const metrics = await metricsOf(workspace, endpoint);
    expect(metrics).toMatchObject({ delivered: 100, failed: 101 });
    const { p50, p95 } = metrics.response_time_ms;
    expect(Math.abs(p50 - 100)).toBeLessThanOrEqual(10);
    expect(Math.abs(p95 - 190)).toBeLessThanOrEqual(19);
  });

  it("count an attempt once, though the lane may note some of a batch again", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const [first, second, third] = [ended(), failed(), ended()];
    await note(workspace, endpoint, [first, second]);
    const before = await metricsOf(workspace, endpoint);
    await note(workspace, endpoint, [first, second]);
    expect(await metricsOf(workspace, endpoint)).toEqual(before);
    await note(workspace, endpoint, [first, second, third, { ...second, number: 2 }]);
    expect(await metricsOf(workspace, endpoint)).toMatchObject({ delivered: 2, failed: 2 });
  });

  it("are written by one statement a batch, over the turn of an hour too", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const now = Date.now();
    const batch = Array.from({ length: 100 }, (_, at) =>
      ended({ startedAt: now - (at % 2) * HOUR, durationMs: at }),
    );
    const costs: number[] = [];
    const stop = listenToCosts(({ sql, rowsWritten }) => {
      if (sql.includes("INTO target_metrics")) costs.push(rowsWritten);
    });
    await note(workspace, endpoint, batch);
    const more = batch.map((one) => ({ ...one, deliveryId: newId() }));
    await note(workspace, endpoint, more);
    stop();
    expect(costs).toHaveLength(2);
    expect(costs[1]).toBe(2);
    expect(await metricsOf(workspace, endpoint)).toMatchObject({ delivered: 200, failed: 0 });
  });

  it("of 25 endpoints are read by one query, of 25 hours each", async () => {
    const workspace = await createWorkspace();
    for (let made = 0; made < 25; made++) await createEndpoint(workspace);
    const hours = `WITH RECURSIVE each (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM each WHERE n < 47)
      INSERT INTO target_metrics (workspace_id, target_id, hour, delivered, failed, answer_times)
      SELECT workspace_id, id, ?2 - n * ${HOUR}, 1, 0, '{"20":1}' FROM webhook_endpoints, each
      WHERE workspace_id = ?1`;
    const hour = Math.floor(Date.now() / HOUR) * HOUR;
    await env.DB.prepare(hours).bind(workspace.id, hour).run();
    const costs: number[] = [];
    const stop = listenToCosts(({ sql, rowsRead }) => {
      if (sql.includes("JOIN target_metrics")) costs.push(rowsRead);
    });
    const { data } = (await workspace.send("GET", ENDPOINTS)).body;
    stop();
    expect(data.map(({ metrics }: (typeof data)[0]) => metrics.delivered)).toEqual(
      Array(25).fill(25),
    );
    expect(costs).toHaveLength(1);
    // Each row is found by an entry of the index, and D1 counts both.
    expect(costs[0]).toBeLessThanOrEqual(2 * 25 * 25 + 50);
  });

  it("are another endpoint's and another workspace's secret", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const [endpoint, neighbour] = [
      await createLiveEndpoint(workspace),
      await createLiveEndpoint(workspace),
    ];
    await note(workspace, endpoint, [ended()]);
    // As if another workspace had attempts at an id of this one's.
    await note(other, neighbour, [ended()]);
    expect(await metricsOf(workspace, endpoint)).toMatchObject({ delivered: 1 });
    expect(await metricsOf(workspace, neighbour)).toMatchObject(NONE);
  });

  it("are kept for two days", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await note(workspace, endpoint, [ended()]);
    const rows = () =>
      env.DB.prepare("SELECT count(*) AS n FROM target_metrics WHERE target_id = ?")
        .bind(endpoint.id)
        .first<number>("n");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 47 * HOUR });
    await tick();
    expect(await rows()).toBe(1);
    vi.setSystemTime(Date.now() + 2 * HOUR);
    await tick();
    expect(await rows()).toBe(0);
  });
});
