import { beforeEach, describe, expect, it, vi } from "vitest";
import { endRecoveries, insertRecovery } from "../../../../src/deliveries/recoveries.repository.ts";
import { resendFailed } from "../../../../src/deliveries/recovery.ts";
import { TARGETS } from "../../../../src/delivery-targets.ts";
import { leastIdAt, newId } from "../../../../src/platform/ids.ts";
import {
  change,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  newBox,
  POST_PUBLISHED,
  publish,
  waitForReceived,
} from "../../../support/webhooks.ts";
import { tick, workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const REFUSING = "status=400&header=webhook-delivery:abort-message";
const POST_FAILED = { event: "publishing.post.failed", channel: "all" };
const BY_SMS = { event: "salesbot.contact.created", channel: "sms" };
const BY_EMAIL = { ...BY_SMS, channel: "email" };
const SOON = { timeout: 60_000, interval: 50 };
const ALL = [POST_PUBLISHED, POST_FAILED, BY_SMS, BY_EMAIL];

/** An endpoint with a failed delivery of each of its subscriptions. */
let workspace: Workspace;
let endpoint: LiveEndpoint;

beforeEach(async () => {
  workspace = await createWorkspace();
  endpoint = await createLiveEndpoint(workspace, newBox(REFUSING), ALL);
  for (const subscription of ALL) await publish(workspace, subscription);
  await waitForReceived(endpoint.box, ALL.length);
  const failed =
    "SELECT count(*) AS n FROM target_deliveries WHERE target_id = ? AND status = 'failed'";
  await vi.waitFor(
    async () => expect(await env.DB.prepare(failed).bind(endpoint.id).first("n")).toBe(ALL.length),
    SOON,
  );
});

interface Listed {
  event: string;
  channel: string;
  resend_of: string | null;
}

async function resends(): Promise<Listed[]> {
  const { data } = (await workspace.send("GET", `${endpoint.path}/deliveries`)).body;
  return data.filter(({ resend_of }: Listed) => resend_of !== null);
}

function recover(more: object = {}) {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  return change(workspace, "POST", `${endpoint.path}/recover`, { since, ...more });
}

async function waitForEnd(job: string, expected: object): Promise<void> {
  const isOpen = "SELECT finished_at IS NULL AS open FROM recoveries WHERE id = ?";
  await vi.waitFor(
    async () => expect(await env.DB.prepare(isOpen).bind(job).first("open")).toBe(0),
    SOON,
  );
  const { body } = await workspace.send("GET", `${endpoint.path}/recoveries/${job}`);
  expect(body.data).toMatchObject({ status: "finished", ...expected });
}

/** What the workspace has had of this hour's deliveries: with all of them, its recoveries wait. */
function given(deliveries: number): Promise<unknown> {
  return env.DB.prepare(
    "UPDATE workspace_usage SET hour = ?2, deliveries_in_hour = ?3 WHERE id = ?1",
  )
    .bind(workspace.id, Math.floor(Date.now() / 3_600_000), deliveries)
    .run();
}

/** Past the API: as if what it then tells the lane were lost. */
function switchTo(enabled: boolean): Promise<unknown> {
  return env.DB.prepare("UPDATE webhook_endpoints SET enabled = ? WHERE id = ?")
    .bind(Number(enabled), endpoint.id)
    .run();
}

async function startWaiting(): Promise<string> {
  await given(1e9);
  const { status, body } = await recover();
  expect(status).toBe(202);
  return body.data.id;
}

describe("a recovery", () => {
  it("sends nothing of what the endpoint is subscribed to no more, nor does a dry run count it", async () => {
    const box = newBox();
    const subscriptions = [POST_FAILED, BY_EMAIL];
    await change(workspace, "PATCH", endpoint.path, { url: box, subscriptions });
    expect((await recover({ dry_run: true })).body.data).toMatchObject({ deliveries: 2 });
    const job = await recover();
    await waitForEnd(job.body.data.id, { resent: 2 });
    await waitForReceived(box, 2);
    const sent = (await resends()).map(({ event, channel }) => ({ event, channel }));
    expect(sent).toHaveLength(2);
    expect(sent).toEqual(expect.arrayContaining(subscriptions));
    // What is subscribed to again is recovered then.
    await change(workspace, "PATCH", endpoint.path, { subscriptions: ALL });
    await waitForEnd((await recover()).body.data.id, { resent: 2 });
    expect(await resends()).toHaveLength(4);
  });

  it("ends when its endpoint is paused, though the workspace has had its deliveries", async () => {
    const job = await startWaiting();
    await change(workspace, "PATCH", endpoint.path, { enabled: false });
    await waitForEnd(job, { resent: 0 });
    await given(0);
    await change(workspace, "PATCH", endpoint.path, { enabled: true });
    await tick();
    expect(await resends()).toEqual([]);
    // What it left is sent by another.
    await waitForEnd((await recover()).body.data.id, { resent: ALL.length });
  });

  it("ends as well when its lane learns of the pause from the minute's sweep", async () => {
    const job = await startWaiting();
    await switchTo(false);
    await given(0);
    await tick();
    await waitForEnd(job, { resent: 0 });
    expect(await resends()).toEqual([]);
  });

  it("passes over nothing when its endpoint is paused and switched on in the middle of it", async () => {
    const time = Date.now();
    const job = { id: newId(), workspaceId: workspace.id, targetId: endpoint.id, createdAt: time };
    const since = time - 3_600_000;
    const begin = { since, position: leastIdAt(since), events: null, resent: 0, finishedAt: null };
    const ctx = workIn(workspace.id);
    await insertRecovery(ctx.db, { ...job, ...begin });
    const port = TARGETS.endpoint;
    const lane = { ctx, target: { kind: "endpoint" as const, id: endpoint.id }, port };
    // As a step finds it that comes in between.
    const read: typeof port.read = (row) => ({ ...port.read(row), enabled: false });
    const well = { failingSince: null };
    expect(await resendFailed({ ...lane, port: { ...port, read } }, well, () => 0)).toBe(true);
    expect(await resends()).toEqual([]);
    // And whoever has found it so comes too late to end anything.
    expect(await endRecoveries(lane, { limit: 10, now: Date.now() })).toBe(0);
    expect(await resendFailed(lane, well, () => 0)).toBe(false);
    await waitForEnd(job.id, { resent: ALL.length });
  });
});
