import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LaneJournal } from "../../src/deliveries/lane-journal.repository.ts";
import { EVENT_TYPES } from "../../src/event-types.ts";
import { faulting, OVERLOADED } from "../support/faulting.ts";
import {
  change,
  createLiveEndpoint,
  env,
  laneOf,
  newBox,
  POST_PUBLISHED,
  publish,
  receivedBy,
  waitForDelivery,
  waitForReceived,
} from "../support/webhooks.ts";
import { deliver, tick } from "../support/work.ts";
import { createWorkspace, newIdempotencyKey } from "../support/workspace.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

/** Puts an event into the outbox as a change would, and loses its wake-up. */
async function publishUnheard(workspaceId: string, at: number): Promise<string> {
  const id = crypto.randomUUID();
  const data = JSON.stringify(EVENT_TYPES[0]?.sample);
  const insert =
    "INSERT INTO events (id, workspace_id, type, channel, test, data, created_at) VALUES (?, ?, ?, 'all', 0, ?, ?)";
  await env.DB.prepare(insert).bind(id, workspaceId, POST_PUBLISHED.event, data, at).run();
  return id;
}

describe("an event", () => {
  it("whose wake-up is lost is found by the next sweep, and fanned out once", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const id = await publishUnheard(workspace.id, Date.now() - 6000);
    await tick();
    await tick();
    const wakeUp = { v: 1, workspace: workspace.id, event: id };
    await deliver("signpost-events", [wakeUp, wakeUp]);
    await waitForReceived(endpoint.box, 1);
    expect((await workspace.send("GET", `${endpoint.path}/deliveries`)).body.data).toHaveLength(1);
    expect(await receivedBy(endpoint.box)).toHaveLength(1);
  });

  it("loses its payload after 7 days, and its deliveries' rows after 30", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await publish(workspace);
    const { id, event_id } = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "delivered",
    );
    const rows = async () => {
      const queries = [
        ["SELECT data FROM events WHERE id = ?", event_id],
        ["SELECT id FROM target_deliveries WHERE id = ?", id],
      ] as const;
      return Promise.all(queries.map(([query, of]) => env.DB.prepare(query).bind(of).first()));
    };
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(start + 7 * DAY_MILLISECONDS - 60_000);
    await tick();
    expect((await rows())[0]?.data).toEqual(expect.any(String));
    // A minute may leave some for the next.
    const minutes = async () => {
      await tick();
      await tick();
    };
    vi.setSystemTime(start + 7 * DAY_MILLISECONDS + 1000);
    await minutes();
    expect(await rows()).toEqual([{ data: null }, { id }]);
    vi.setSystemTime(start + 30 * DAY_MILLISECONDS + 1000);
    await minutes();
    expect(await rows()).toEqual([null, null]);
  });

  it("comes from another Worker of the account as well", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const data = EVENT_TYPES[0]?.sample ?? {};
    const answer = await exports.EventIntake.publish(workspace.id, { ...POST_PUBLISHED, data });
    expect(answer).toEqual({ ok: true, id: expect.any(String) });
    await waitForReceived(endpoint.box, 1);
    const refused = await exports.EventIntake.publish(workspace.id, {
      ...POST_PUBLISHED,
      data: {},
    });
    expect(refused).toMatchObject({ ok: false, code: "validation_failed" });
    const nobody = await exports.EventIntake.publish(crypto.randomUUID(), {
      ...POST_PUBLISHED,
      data,
    });
    expect(nobody).toMatchObject({ ok: false, code: "not_found" });
  });
});

describe("a lane", () => {
  it("that dies in an attempt leaves it in the history, and makes it again with the same id", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const target = { kind: "endpoint" as const, id: endpoint.id };
    const lane = laneOf(workspace, target);
    await publishUnheard(workspace.id, Date.now() - 6000);
    await runInDurableObject(lane.stub, () => undefined);
    // The fan-out made the delivery; the lane took it, and died before it could send or say so.
    await tick();
    await waitForReceived(endpoint.box, 1);
    const delivered = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "delivered",
    );
    const reset = `UPDATE target_deliveries SET status = 'pending', attempts_count = 0,
      attempts = '{}', next_attempt_at = ?2, delivered_at = NULL WHERE id = ?1`;
    await env.DB.prepare(reset).bind(delivered.id, Date.now()).run();
    const { id, event, event_id: eventId, channel, test } = delivered;
    const what = { id, workspaceId: workspace.id, eventId, event, channel, test, manual: false };
    await runInDurableObject(lane.stub, (_instance, { storage }) =>
      new LaneJournal(storage).write([], [{ ...what, number: 1, startedAt: Date.now() }]),
    );
    await evictDurableObject(lane.stub);
    await lane.wake();
    await waitForReceived(endpoint.box, 2);
    const seen = await waitForDelivery(workspace, endpoint, ({ status }) => status === "delivered");
    expect(seen.attempts.map(({ number, error }) => [number, error])).toEqual([
      [1, "interrupted"],
      [2, null],
    ]);
    const received = await receivedBy(endpoint.box);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("begins nothing more once its endpoint's change was answered: led elsewhere, paused", async () => {
    const workspace = await createWorkspace();
    const [slow, other] = [await createLiveEndpoint(workspace, newBox("wait=150")), newBox()];
    // What had begun may still be on its way.
    const countOnceSettled = async (box: string) => {
      let [count, isSettled] = [-1, false];
      while (!isSettled) {
        await scheduler.wait(2000);
        const { length } = await receivedBy(box);
        [isSettled, count] = [length === count, length];
      }
      return count;
    };
    await Promise.all(Array.from({ length: 40 }, () => publish(workspace)));
    await waitForReceived(slow.box, 1);
    await change(workspace, "PATCH", slow.path, { url: other });
    const before = await countOnceSettled(slow.box);
    await waitForReceived(other, 2);
    await change(workspace, "PATCH", slow.path, { enabled: false });
    const after = await countOnceSettled(other);
    await vi.waitFor(
      async () => {
        const waiting = await workspace.send("GET", `${slow.path}/deliveries?status=pending`);
        expect(waiting.body.data).toEqual([]);
      },
      { timeout: 60_000, interval: 100 },
    );
    expect((await receivedBy(slow.box)).length).toBe(before);
    expect((await receivedBy(other)).length).toBe(after);
    expect(before).toBeLessThan(40);
  });

  it("leaves a database that has too much to do alone for half a minute, then goes on", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const lane = laneOf(workspace, { kind: "endpoint", id: endpoint.id });
    const overloaded = faulting(OVERLOADED);
    const giveEnv = (value: unknown) =>
      runInDurableObject(lane.stub, (instance) => {
        Object.defineProperty(instance, "env", { value, configurable: true });
      });
    await giveEnv(overloaded.env);
    await publish(workspace);
    const alarm = await vi.waitFor(async () => {
      const at = await runInDurableObject(lane.stub, (_instance, state) =>
        state.storage.getAlarm(),
      );
      if (overloaded.asked === 0 || at === null) throw new Error("not run yet");
      return at;
    });
    expect(alarm - Date.now()).toBeGreaterThan(20_000);
    expect(overloaded.asked).toBe(1);
    await giveEnv(env);
    await runDurableObjectAlarm(lane.stub);
    await waitForReceived(endpoint.box, 1);
  });

  it("sends also while the database takes longer than what it says is believed", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const lane = laneOf(workspace, { kind: "endpoint", id: endpoint.id });
    const slow = faulting(OVERLOADED);
    slow.faultOf = () => undefined;
    slow.heldBack = (what) => (what === "batch" ? scheduler.wait(1500) : undefined);
    await runInDurableObject(lane.stub, (instance) => {
      Object.defineProperty(instance, "env", { value: slow.env, configurable: true });
    });
    await Promise.all([publish(workspace), publish(workspace), publish(workspace)]);
    await waitForReceived(endpoint.box, 3);
    expect(slow.asked).toBeLessThan(10);
  });

  it("that hangs on a receiver holds up nobody else's", async () => {
    const workspace = await createWorkspace();
    const hanging = await createLiveEndpoint(
      workspace,
      `${env.RECEIVER_URL}/${crypto.randomUUID()}?hang`,
    );
    const healthy = await createLiveEndpoint(workspace);
    const start = Date.now();
    for (let events = 0; events < 8; events++) await publish(workspace);
    await waitForReceived(healthy.box, 8);
    expect(Date.now() - start).toBeLessThan(10_000);
    expect((await receivedBy(hanging.box)).length).toBeLessThanOrEqual(5);
    await change(workspace, "DELETE", hanging.path);
  });
});

describe("a signing secret", () => {
  it("that is rotated signs beside the new one for 24 hours, and then no more", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const rotated = await change(workspace, "POST", `${endpoint.path}/rotate-secret`, {
      immediate: false,
    });
    expect(rotated.status).toBe(200);
    expect(rotated.body.secret).not.toBe(endpoint.secret);
    const second = await change(workspace, "POST", `${endpoint.path}/rotate-secret`, {
      immediate: false,
    });
    expect([second.status, second.body.code]).toEqual([409, "conflict"]);
    await publish(workspace);
    const [during] = await waitForReceived(endpoint.box, 1);
    for (const secret of [endpoint.secret, rotated.body.secret]) {
      expect(() =>
        new Webhook(secret).verify(during?.body ?? "", during?.headers ?? {}),
      ).not.toThrow();
    }
    // The lane has come to rest.
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "delivered");
    // Deliveries of a day later: the lane's alarm is set by hand, since its clock is ahead.
    const later = Date.parse(rotated.body.data.previous_secret_expires_at);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(later);
    const test = await change(workspace, "POST", `${endpoint.path}/test`, {
      event: POST_PUBLISHED.event,
    });
    expect(test.status).toBe(202);
    await runDurableObjectAlarm(laneOf(workspace, { kind: "endpoint", id: endpoint.id }).stub);
    const [, after] = await waitForReceived(endpoint.box, 2);
    const verify = (secret: string) =>
      new Webhook(secret).verify(after?.body ?? "", after?.headers ?? {});
    expect(() => verify(rotated.body.secret)).not.toThrow();
    expect(() => verify(endpoint.secret)).toThrow();
  });

  it("that is replaced at once signs nothing any more", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await change(workspace, "POST", `${endpoint.path}/rotate-secret`, {});
    const rotated = await change(workspace, "POST", `${endpoint.path}/rotate-secret`, {
      immediate: true,
    });
    expect([rotated.status, rotated.body.data.previous_secret_expires_at]).toEqual([200, null]);
    await publish(workspace);
    const [webhook] = await waitForReceived(endpoint.box, 1);
    expect(() =>
      new Webhook(endpoint.secret).verify(webhook?.body ?? "", webhook?.headers ?? {}),
    ).toThrow();
    expect(() =>
      new Webhook(rotated.body.secret).verify(webhook?.body ?? "", webhook?.headers ?? {}),
    ).not.toThrow();
  });

  it("whose rotation was cut off is answered to the retry, though the revision has changed", async () => {
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(start);
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const { revision } = (await workspace.send("GET", endpoint.path)).body.data;
    const headers = { "Idempotency-Key": newIdempotencyKey(), "If-Match": `"${revision}"` };
    const rotate = () =>
      workspace.send("POST", `${endpoint.path}/rotate-secret`, { headers, body: {} });
    const first = await rotate();
    await runInDurableObject(env.WORKSPACE_GATE.getByName(workspace.id), (_gate, state) => {
      state.storage.sql.exec("UPDATE idempotency_claims SET state = 'running', response = NULL");
    });
    vi.setSystemTime(start + 30_000);
    const again = await rotate();
    expect([again.status, again.body.secret]).toEqual([200, first.body.secret]);
  });
});
