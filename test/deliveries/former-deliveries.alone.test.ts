import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { CONNECTION_LOST, faulting } from "../support/faulting.ts";
import {
  change,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  newBox,
  publish,
  receivedBy,
  WEBHOOKS,
  waitForDelivery,
  waitForReceived,
} from "../support/webhooks.ts";
import { tick } from "../support/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** Deliveries that the release before wrote, and goes on to write while a deploy lasts. */

let workspace: Workspace;
let endpoint: LiveEndpoint;
let eventId: string;
beforeEach(async () => {
  workspace = await createWorkspace();
  endpoint = await createLiveEndpoint(workspace, newBox());
  eventId = (await publish(workspace)).body.data.id;
  await waitForDelivery(workspace, endpoint, ({ status }) => status === "delivered");
});

interface Former {
  status: "pending" | "parked" | "failed" | "delivered";
  attempts: { error: string | null; body: string | null }[];
}

/** A delivery as the release before makes it; its id. */
async function addFormer({ status, attempts }: Former): Promise<string> {
  const id = newId();
  const time = Date.now();
  const bound = [id, workspace.id, endpoint.id, eventId, status, attempts.length, time];
  const attempt = env.DB.prepare(
    `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, status_code, error,
       response_body, manual) VALUES (?1, ?2, ?3, 7, 500, ?4, ?5, 0)`,
  );
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel, test,
         resend_of, status, attempts_count, next_attempt_at, created_at)
       VALUES (?1, ?2, 'endpoint', ?3, ?4, 'publishing.post.published', 'all', 0, ?1, ?5, ?6,
         iif(?5 IN ('pending', 'parked'), ?7, NULL), ?7)`,
    ).bind(...bound),
    ...attempts.map(({ error, body }, at) => attempt.bind(id, at + 1, time, error, body)),
  ]);
  return id;
}

const usageOf = () =>
  env.DB.prepare(
    `SELECT stored_bytes AS bytes, deliveries, pending_deliveries AS pending, deliveries_in_hour AS hour
     FROM workspace_usage WHERE id = ?`,
  )
    .bind(workspace.id)
    .first();

const detail = async (id: string) =>
  (await workspace.send("GET", `${WEBHOOKS}/deliveries/${id}`)).body.data;

const left = () =>
  env.DB.prepare(
    "SELECT (SELECT count(*) FROM deliveries) + (SELECT count(*) FROM delivery_attempts) AS n",
  ).first("n");

describe("a delivery of the release before", () => {
  it("is in the history within a minute, with its attempts, and counts no second time", async () => {
    const id = await addFormer({
      status: "failed",
      attempts: [
        { error: "bad_status", body: "no" },
        { error: "timeout", body: null },
      ],
    });
    const before = await usageOf();
    await tick();
    expect(await detail(id)).toMatchObject({
      ...{ id, event_id: eventId, status: "failed", attempts_count: 2 },
      attempts: [
        { number: 1, duration_ms: 7, error: "bad_status", response_body: "no", manual: false },
        { number: 2, duration_ms: 7, error: "timeout", response_body: null, manual: false },
      ],
    });
    expect(await usageOf()).toEqual(before);
    expect(await left()).toBe(0);
    const { body } = await workspace.send("GET", `${endpoint.path}/deliveries?event_id=${eventId}`);
    expect(body.data.map((one: { id: string }) => one.id)).toContain(id);
    expect(body.data).toHaveLength(2);
  });

  it.each(["pending", "parked"] as const)("is sent if it is %s", async (status) => {
    const id = await addFormer({ status, attempts: [] });
    await tick();
    const received = await waitForReceived(endpoint.box, 2);
    expect(received.map(({ headers }) => headers["webhook-id"])).toContain(id);
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "delivered");
    expect(await detail(id)).toMatchObject({ status: "delivered", attempts_count: 1 });
    expect(await usageOf()).toMatchObject({ pending: 0, deliveries: 2 });
    await tick();
    expect(await receivedBy(endpoint.box)).toHaveLength(2);
  });

  it("is moved without what was answered, if it is of a contact that was erased meanwhile", async () => {
    const contact = newId();
    await env.DB.batch([
      env.DB.prepare("UPDATE events SET subject = ?2 WHERE id = ?1").bind(eventId, contact),
      env.DB.prepare(
        `INSERT INTO erasures (subject, workspace_id, place, position, due_at, finished_at, created_at)
         VALUES (?1, ?2, 0, '', 1e15, 1, 1)`,
      ).bind(contact, workspace.id),
    ]);
    const id = await addFormer({ status: "failed", attempts: [{ error: "x", body: "Ada" }] });
    const waiting = await addFormer({ status: "pending", attempts: [] });
    await tick();
    expect(await detail(waiting)).toMatchObject({ status: "failed", next_attempt_at: null });
    expect(await detail(id)).toMatchObject({ attempts: [{ error: "x", response_body: null }] });
    expect(await left()).toBe(0);
  });

  it("is looked at by a recovery, which waits for it", async () => {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const id = await addFormer({ status: "failed", attempts: [{ error: "timeout", body: null }] });
    const recover = (more: object) =>
      change(workspace, "POST", `${endpoint.path}/recover`, { since, ...more });
    expect((await recover({ dry_run: true })).body.data).toMatchObject({ more: true });
    expect((await recover({})).status).toBe(202);
    await tick();
    await waitForReceived(endpoint.box, 2);
    const { body } = await workspace.send("GET", `${endpoint.path}/deliveries`);
    expect(body.data[0].resend_of).toBe(id);
  });

  it("is moved once, though the answer to its moving was lost", async () => {
    const id = await addFormer({ status: "delivered", attempts: [{ error: null, body: "ok" }] });
    const broken = faulting(CONNECTION_LOST);
    let isLost = false;
    broken.faultOf = (_, batched) => {
      if (!batched.some((sql) => sql.startsWith("DELETE FROM deliveries "))) return undefined;
      isLost = true;
      return "done";
    };
    await tick(broken.env);
    expect(isLost).toBe(true);
    await tick();
    expect(await detail(id)).toMatchObject({ id, attempts: [{ response_body: "ok" }] });
    expect(await left()).toBe(0);
  });
});
