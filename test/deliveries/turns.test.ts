import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findWaiting } from "../../src/deliveries/fan-out.repository.ts";
import {
  A_SECOND,
  BURST,
  beginTurn,
  endTurn,
  type Turn,
} from "../../src/deliveries/fan-out-pace.ts";
import { DELIVERIES_A_TURN, takeFanOutTurn } from "../../src/deliveries/fan-out-turn.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import { EVENT_TYPES } from "../../src/event-types.ts";
import { publishEvent } from "../../src/events/events.service.ts";
import type { Env } from "../../src/platform/config.ts";
import { databaseOf } from "../../src/platform/db/client.ts";
import { operate } from "../support/http.ts";
import { listenToCosts } from "../support/noted-statements.ts";
import { firstWaiting, publishUnheard, waitingOf } from "../support/outbox.ts";
import { createLiveEndpoint, POST_PUBLISHED, waitForReceived } from "../support/webhooks.ts";
import { deliver, tick, workIn } from "../support/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

afterEach(() => void vi.useRealTimers());

/** Work whose queue messages are noted instead of sent, and whose lanes sleep on. */
function quietWork({ id }: Workspace, given: Partial<Env> = {}) {
  const sent: { event: string; delaySeconds: number }[] = [];
  const send = async ({ event }: { event: string }, { delaySeconds = 0 } = {}) =>
    void sent.push({ event, delaySeconds });
  const work = workIn(id);
  const quiet = {
    ...work.env,
    EVENTS: { send } as unknown as Queue,
    DELIVERY_LANE: { getByName: () => ({ wake: async () => undefined }) },
    ...given,
  } as unknown as Env;
  return { work: { ...work, env: quiet, db: databaseOf(quiet, id) }, sent };
}

/** A database that calls back before it takes its nth batch. */
function databaseWith(before: (nth: number) => Promise<void>): D1Database {
  let batches = 0;
  return new Proxy(env.DB, {
    get(target, name) {
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          await before(++batches);
          return target.batch(statements);
        };
      }
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function deliveriesOf({ id }: Workspace): Promise<number | null> {
  const sql = "SELECT count(*) AS n FROM target_deliveries WHERE workspace_id = ?";
  return env.DB.prepare(sql).bind(id).first<number>("n");
}

describe("a turn", () => {
  it("tells each of its events to those who wanted it when it was written", async () => {
    const workspace = await createWorkspace();
    const { work } = quietWork(workspace);
    const data = EVENT_TYPES.find(({ name }) => name === POST_PUBLISHED.event)?.sample ?? {};
    const write = async (count: number) => {
      const events = Array.from({ length: count }, () =>
        publishEvent(work, { ...POST_PUBLISHED, data }),
      );
      return (await Promise.all(events)).map(({ id }) => id);
    };
    const first = await createLiveEndpoint(workspace);
    const early = await write(2);
    const second = await createLiveEndpoint(workspace);
    const late = await write(2);
    await takeFanOutTurn(work, TARGETS, String(early[0]));
    const { results } = await env.DB.prepare(
      "SELECT event_id, target_id FROM target_deliveries WHERE workspace_id = ?",
    )
      .bind(workspace.id)
      .all<{ event_id: string; target_id: string }>();
    const toldOf = ({ id }: { id: string }) =>
      results.filter(({ target_id }) => target_id === id).map(({ event_id }) => event_id);
    expect(toldOf(first).sort()).toEqual([...early, ...late].sort());
    expect(toldOf(second).sort()).toEqual(late.sort());
  });

  it("is taken once for all messages of a batch about a workspace, in few round trips", async () => {
    const workspace = await createWorkspace();
    for (let endpoint = 0; endpoint < 3; endpoint++) await createLiveEndpoint(workspace);
    await publishUnheard(workspace, 100);
    const { results } = await env.DB.prepare("SELECT id FROM events WHERE workspace_id = ?")
      .bind(workspace.id)
      .all<{ id: string }>();
    const messages = results.map(({ id }) => ({ v: 1, workspace: workspace.id, event: id }));
    const trips = new Set<object>();
    let looks = 0;
    const stop = listenToCosts(({ sql, roundTrip }) => {
      if (sql.includes("events_waiting_order")) looks++;
      if (/events_waiting_order|^\s*INSERT INTO target_deliveries|^UPDATE events SET/.test(sql))
        trips.add(roundTrip);
    });
    const { work } = quietWork(workspace);
    // A turn ends by its time too, which here stands still.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { acked, retried } = await deliver("signpost-events", messages, work);
    stop();
    expect([acked.length, retried.length]).toEqual([100, 0]);
    // The others found it under way, and had it look again.
    expect(looks).toBe(2);
    expect(await deliveriesOf(workspace)).toBe(300);
    expect(trips.size / 300).toBeLessThanOrEqual(0.05);
  });

  it("looks again for an event that is announced meanwhile, and nobody begins another", async () => {
    const workspace = await createWorkspace();
    await createLiveEndpoint(workspace);
    await publishUnheard(workspace, 1);
    const [named] = [await firstWaiting(workspace)];
    const other = quietWork(workspace, {
      DB: databaseWith(() => Promise.reject(new Error("asked"))),
    });
    // Between what the turn has read and what it writes, another event comes, with its message.
    const DB = databaseWith(async (nth) => {
      if (nth !== 2) return;
      await publishUnheard(workspace, 1);
      await takeFanOutTurn(other.work, TARGETS, named);
    });
    const { work, sent } = quietWork(workspace, { DB });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await takeFanOutTurn(work, TARGETS, named);
    expect(await waitingOf(workspace)).toBe(0);
    expect([...sent, ...other.sent]).toEqual([]);
  });

  it("that was cut off keeps the workspace waiting for no more than seconds", async () => {
    const workspace = await createWorkspace();
    await createLiveEndpoint(workspace);
    await publishUnheard(workspace, 1);
    const named = await firstWaiting(workspace);
    const { work } = quietWork(workspace, { DB: databaseWith(() => new Promise(() => undefined)) });
    void takeFanOutTurn(work, TARGETS, named);
    const next = quietWork(workspace);
    await takeFanOutTurn(next.work, TARGETS, named);
    expect(await waitingOf(workspace)).toBe(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16_000 });
    await takeFanOutTurn(next.work, TARGETS, named);
    expect(await waitingOf(workspace)).toBe(0);
  });

  it("that fails leaves the workspace to the next, and wakes the lanes of what it made", async () => {
    const workspace = await createWorkspace();
    await createLiveEndpoint(workspace);
    await publishUnheard(workspace, 150);
    const named = await firstWaiting(workspace);
    const woken: string[] = [];
    const getByName = (name: string) => ({ wake: async () => void woken.push(name) });
    const DB = databaseWith(async (nth) => {
      if (nth > 2) throw new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.");
    });
    const DELIVERY_LANE = { getByName } as unknown as Env["DELIVERY_LANE"];
    const { work } = quietWork(workspace, { DB, DELIVERY_LANE });
    // A turn ends by its time too, which here stands still.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await expect(takeFanOutTurn(work, TARGETS, named)).rejects.toThrow("overloaded");
    expect([await waitingOf(workspace), woken.length]).toEqual([50, 1]);
    await takeFanOutTurn(quietWork(workspace).work, TARGETS, named);
    expect(await waitingOf(workspace)).toBe(0);
  });
});

describe("workspaces take turns", () => {
  it("a queue message takes a bounded part of a workspace's events, and asks for another turn", async () => {
    const workspace = await createWorkspace();
    await createLiveEndpoint(workspace);
    await publishUnheard(workspace, DELIVERIES_A_TURN + 100);
    const { work, sent } = quietWork(workspace);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await takeFanOutTurn(work, TARGETS, await firstWaiting(workspace));
    expect(await waitingOf(workspace)).toBe(100);
    expect(sent).toEqual([{ event: expect.any(String), delaySeconds: 0 }]);
    await takeFanOutTurn(work, TARGETS, String(sent[0]?.event));
    expect(await waitingOf(workspace)).toBe(0);
    expect(sent).toHaveLength(1);
  });

  it("whoever has had a burst rests, whoever asks, and then goes on by itself", async () => {
    const workspace = await createWorkspace();
    await createLiveEndpoint(workspace);
    await publishUnheard(workspace, 300);
    const named = await firstWaiting(workspace);
    const { work, sent } = quietWork(workspace);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const burst = beginTurn(workspace.id, named) as Turn;
    burst.made = BURST - 100;
    expect(endTurn(workspace.id, burst)).toBe(0);
    // A hundred are left of the burst; a turn's last part may make it more.
    await takeFanOutTurn(work, TARGETS, named);
    // It has nothing left, and yet asks: whoever comes in its rest is passed over.
    expect([await waitingOf(workspace), sent]).toEqual([0, [{ event: named, delaySeconds: 1 }]]);
    for (let late = 1; late <= 2; late++) {
      await publishUnheard(workspace, 1);
      await takeFanOutTurn(work, TARGETS, await firstWaiting(workspace));
      expect(await waitingOf(workspace)).toBe(late);
    }
    const rested = Date.now() + Number(sent[0]?.delaySeconds) * 1000;
    vi.setSystemTime(rested);
    const message = { v: 1, workspace: workspace.id, event: sent[0]?.event };
    await deliver("signpost-events", [message], { env: work.env });
    expect([await waitingOf(workspace), sent.length]).toEqual([0, 1]);
    // A turn that leaves some asks for the next after the rest that it costs.
    const more = beginTurn(workspace.id, named) as Turn;
    more.made = 3 * A_SECOND;
    expect(endTurn(workspace.id, more)).toBe(3);
  });

  it("parks together what may not be told: a suspended workspace keeps nobody busy", async () => {
    const workspace = await createWorkspace();
    await createLiveEndpoint(workspace);
    await publishUnheard(workspace, 300);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    const { work, sent } = quietWork(workspace);
    const trips = new Set<object>();
    const stop = listenToCosts(({ sql, roundTrip }) => {
      if (/events_waiting_order|INTO target_deliveries|UPDATE events SET/.test(sql))
        trips.add(roundTrip);
    });
    await takeFanOutTurn(work, TARGETS, await firstWaiting(workspace));
    await takeFanOutTurn(work, TARGETS, String(sent[0]?.event));
    stop();
    expect([await waitingOf(workspace), sent.length, await deliveriesOf(workspace)]).toEqual([
      0, 1, 0,
    ]);
    expect(trips.size).toBeLessThanOrEqual(4);
  });

  it("a look reads fewer events of those that go to many, and says where it goes on", async () => {
    const workspace = await createWorkspace();
    await publishUnheard(workspace, 150);
    const many = Array.from({ length: 100 }, () => ["endpoint", crypto.randomUUID()]);
    await env.DB.prepare("UPDATE events SET targets = ? WHERE workspace_id = ?")
      .bind(JSON.stringify(many), workspace.id)
      .run();
    const { work } = quietWork(workspace);
    const { events, more } = await findWaiting(work, 200, Date.now());
    expect(events.length).toBeGreaterThan(5);
    expect(events.length).toBeLessThan(15);
    const few = await findWaiting(work, 3, Date.now());
    expect(few).toMatchObject({ events: events.slice(0, 3), more: events[3]?.id });
    await env.DB.prepare("UPDATE events SET targets = NULL WHERE workspace_id = ?")
      .bind(workspace.id)
      .run();
    const all = await findWaiting(work, 200, Date.now());
    expect([all.events.length, all.more]).toEqual([150, undefined]);
    expect(all.events[events.length]?.id).toBe(more);
  });

  it("many events of one are announced by one message", async () => {
    const workspace = await createWorkspace();
    await createLiveEndpoint(workspace, undefined, [
      { event: "salesbot.contact.created", channel: "webchat" },
    ]);
    const contacts = Array.from({ length: 120 }, (_, at) => ({ name: `Ada ${at}` }));
    const { work, sent } = quietWork(workspace);
    const body = { contacts };
    await workspace.send("POST", "/api/v1/contacts/import", { body, env: work.env });
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    const [message] = sent;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await deliver("signpost-events", [{ v: 1, workspace: workspace.id, event: message?.event }], {
      env: work.env,
    });
    expect([await waitingOf(workspace), await deliveriesOf(workspace)]).toEqual([0, 120]);
    expect(sent).toHaveLength(1);
  });

  it("in a sweep the events of one that has many delay nobody's", async () => {
    const [busy, quiet] = [await createWorkspace(), await createWorkspace()];
    await createLiveEndpoint(busy);
    const endpoint = await createLiveEndpoint(quiet);
    // Written long before: in the order of time it would be after 2,000 others.
    await publishUnheard(busy, 2000, Date.now() - 60_000);
    await publishUnheard(quiet, 1);
    await tick();
    await waitForReceived(endpoint.box, 1);
    expect(await waitingOf(quiet)).toBe(0);
    await env.DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(busy.id).run();
  });
});
