import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Env } from "../src/platform/config.ts";
import { newId } from "../src/platform/ids.ts";
import { HIT_PROPERTIES, SLOT_MILLISECONDS } from "../src/visitor/clicks/hit-names.ts";
import worker from "../src/worker.ts";
// @ts-expect-error Vite gives the file's text: the tests' runtime has no file system.
import toml from "../wrangler.toml?raw";
import { createContact } from "./support/contacts.ts";
import { CONNECTION_LOST, faulting, OVERLOADED } from "./support/faulting.ts";
import { withFormerLedger } from "./support/former-ledger.ts";
import { operate } from "./support/http.ts";
import { loggedLines } from "./support/logs.ts";
import { waitForStatus } from "./support/messages.ts";
import { packHits } from "./support/packets.ts";
import { PERSON } from "./support/visitor.ts";
import {
  createLiveEndpoint,
  env,
  POST_PUBLISHED,
  waitForDelivery,
  waitForReceived,
} from "./support/webhooks.ts";
import { deliver, failingFor, type Taken, tick, workIn } from "./support/work.ts";
import { createActiveLink, createWorkspace, LINKS } from "./support/workspace.ts";

const HOUR = 3_600_000;
const TIMED_OUT =
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.";
const SAMPLE = {
  id: "p1",
  title: null,
  url: null,
  networks: [],
  scheduled_at: null,
  published_at: null,
};

/** Puts an event into the outbox as a change would, and loses its wake-up. */
async function publishUnheard(workspaceId: string, data = JSON.stringify(SAMPLE), at = Date.now()) {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    "INSERT INTO events (id, workspace_id, type, channel, test, data, created_at) VALUES (?, ?, ?, 'all', 0, ?, ?)",
  )
    .bind(id, workspaceId, POST_PUBLISHED.event, data, at)
    .run();
  return id;
}

/** Queues a message as the API does, and loses its wake-up. */
async function queueUnheard(workspaceId: string, contact: string, template: string | null = null) {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, template, status,
       attempts_count, next_attempt_at, created_at, updated_at)
     VALUES (?1, ?2, ?3, 'sms', 'outbound', 'Hello', ?4, 'queued', 0, 1, ?5, ?5)`,
  )
    .bind(id, workspaceId, contact, template, Date.now())
    .run();
  return id;
}

function clicksOf(link: string) {
  const clicks = [[link, HOUR, 0, "", 0, "", 1]];
  return { id: crypto.randomUUID(), agents: [PERSON], clicks };
}

/** Bindings whose database cannot be reached. */
const cutOff: Env = {
  ...(bindings as Env),
  DB: new Proxy(env.DB, {
    get() {
      throw new Error("D1_ERROR: Network connection lost.");
    },
  }),
};

/** A database that takes single statements, but no batch. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function deadLetters(): Promise<any[]> {
  return (await operate("GET", "/dead-letters?limit=100")).body.data;
}

/** A message as its queue has it by then: tried so often, and sent so many milliseconds ago. */
interface Kept {
  body: unknown;
  attempts: number;
  age: number;
}

/** Hands the Worker a batch of a queue; after how many seconds each comes again, if it does. */
async function replay(queue: string, kept: Kept[], env: Env): Promise<(number | undefined)[]> {
  const pauses: (number | undefined)[] = [];
  const messages = kept.map(({ body, attempts, age }, at) => ({
    ...{ id: crypto.randomUUID(), timestamp: new Date(Date.now() - age), body, attempts },
    ack: () => undefined,
    retry: (options?: QueueRetryOptions) => {
      pauses[at] = options?.delaySeconds ?? 0;
    },
  }));
  const batch = { queue, messages } as unknown as MessageBatch;
  await worker.queue(batch, env, createExecutionContext());
  return kept.map((_, at) => pauses[at]);
}

function withBrokenLedger(): Env {
  const append = () => Promise.reject(new Error("The ledger is broken."));
  return { ...bindings, LEDGER: { getByName: () => ({ append }) } } as unknown as Env;
}

/** People's clicks on something new of a workspace, as an isolate packs them. */
function packedClicks(workspaceId: string, subject: "block" | "product", hits: number) {
  const of = { workspaceId, subject, id: crypto.randomUUID(), count: "clicks" } as const;
  const slot = Math.floor(Date.now() / SLOT_MILLISECONDS);
  const properties = HIT_PROPERTIES.map(() => "");
  return packHits([{ ...of, slot, traffic: "human", properties, hits, visitors: [] }]);
}

describe("a queue message", () => {
  it("of the shape of before its versions is still taken: an event, a message, clicks", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const event = await publishUnheard(workspace.id);
    expect((await deliver("signpost-events", [{ event }])).acked).toHaveLength(1);
    await waitForReceived(endpoint.box, 1);

    const contact = await createContact(workspace, { channel: "sms" });
    const message = await queueUnheard(workspace.id, contact.id);
    expect((await deliver("signpost-messages", [{ message }])).acked).toHaveLength(1);
    await waitForStatus(workspace, message, "sent");

    const link = await createActiveLink(workspace);
    expect((await deliver("signpost-clicks", [clicksOf(link.id)])).acked).toHaveLength(1);
    expect((await workspace.send("GET", `${LINKS}/${link.id}`)).body.data.clicks).toBe(1);
  });

  it("of no shape that is known is set aside for the operator, and stops nothing", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const event = await publishUnheard(workspace.id);
    const odd = { v: 1, workspace: workspace.id, occurrence: event };
    const good = { v: 1, workspace: workspace.id, event };
    const { acked, retried } = await deliver("signpost-events", [odd, null, "text", good]);
    expect([acked.length, retried]).toEqual([4, []]);
    await waitForReceived(endpoint.box, 1);
    const kept = (await deadLetters()).filter((letter) => letter.workspace === workspace.id);
    expect(kept).toMatchObject([{ source: "signpost-events", body: JSON.stringify(odd) }]);
  });

  it("of a later version waits for the deploy that can read it", async () => {
    for (const [queue, v] of [
      ["signpost-events", 2],
      ["signpost-messages", 2],
      ["signpost-clicks", 5],
      ["signpost-pixel-events", 3],
    ] as const) {
      const later = { v, workspace: crypto.randomUUID(), events: [] };
      const { acked, retried } = await deliver(queue, [later]);
      expect([acked, retried.map(({ body }) => body)]).toEqual([[], [later]]);
    }
  });

  it("of products' clicks comes again where the ledger is of before, and holds up no others", async () => {
    const { id: workspaceId, send } = await createWorkspace();
    const known = packedClicks(workspaceId, "block", 2);
    const newer = packedClicks(workspaceId, "product", 5);
    const { acked, retried } = await deliver("signpost-clicks", [...newer, ...known], {
      env: withFormerLedger(),
    });
    expect([acked, retried.map(({ body }) => body)]).toEqual([known, newer]);
    const ask = async (search: string) =>
      (await send("GET", `/api/v1/biolinks/analytics?metrics=clicks&${search}`)).body.data;
    expect([await ask(""), await ask("group_by=product")]).toEqual([[{ clicks: 2 }], []]);
    for (let times = 0; times < 2; times++) await deliver("signpost-clicks", newer);
    expect(await ask("")).toEqual([{ clicks: 2 }]);
    expect(await ask("group_by=product")).toMatchObject([{ clicks: 5 }]);
  });

  it("of products' clicks is not handed to a ledger that has just failed", async () => {
    let calls = 0;
    const ledger = {
      append: () => Promise.reject(new Error("Durable Object is overloaded.")),
      appendNewer: async () => {
        calls++;
      },
    };
    const busy = { ...bindings, LEDGER: { getByName: () => ledger } } as unknown as Env;
    const workspaceId = crypto.randomUUID();
    const known = packedClicks(workspaceId, "block", 2);
    const newer = packedClicks(workspaceId, "product", 5);
    const both = await deliver("signpost-clicks", [...known, ...newer], { env: busy });
    expect([both.acked, both.retried.length, calls]).toEqual([[], 2, 0]);
    const alone = await deliver("signpost-clicks", newer, { env: busy });
    expect([alone.acked, alone.retried, calls]).toEqual([newer, [], 1]);
  });

  it("of clicks that is given up is kept without anybody's user agent, and a later version's as it is", async () => {
    const [workspace, agent] = [crypto.randomUUID(), `${PERSON} MyOwnPhone/1`];
    const packet = {
      v: 1,
      workspace,
      id: "p",
      agents: [agent],
      clicks: [["l", 0, 0, "", 0, "", 1]],
    };
    const later = { v: 5, workspace, packets: [] };
    const broken = withBrokenLedger();
    for (const body of [packet, later]) {
      const { acked } = await deliver("signpost-clicks-dead", [body], {
        env: broken,
        attempts: 30,
      });
      expect(acked).toHaveLength(1);
    }
    const kept = (await deadLetters()).filter((letter) => letter.workspace === workspace);
    expect(kept.map(({ body }) => JSON.parse(body).v)).toEqual([5, 1]);
    expect(JSON.stringify(kept)).not.toContain("MyOwnPhone");
  });

  it("that nobody can read is kept without what it may tell of a person", async () => {
    const workspace = crypto.randomUUID();
    const secret = `${PERSON} MyOwnPhone/2`;
    const odd = { v: 1, workspace, id: "p", agents: [secret], clicks: "none", visitor: secret };
    for (const name of ["clicks", "pixel-events"]) {
      for (const body of [odd, `${workspace} ${secret}`]) {
        await deliver(`signpost-${name}-dead`, [body], { attempts: 30 });
      }
    }
    const kept = JSON.stringify(await deadLetters());
    expect(kept).toContain(workspace);
    expect(kept).not.toContain("MyOwnPhone/2");
  });

  it("of clicks that is given up is kept without its visitors' hashes, and still counts", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const visitor = "a1-_a1-_a1-";
    const slot = Math.floor(Date.now() / SLOT_MILLISECONDS);
    const properties = ["", "DE", "", "mobile", ...Array(8).fill("")];
    const common = { workspaceId: workspace.id, id: link.id, slot, properties } as const;
    const [packet] = packHits(
      [
        {
          ...common,
          subject: "link",
          count: "clicks",
          traffic: "human",
          hits: 2,
          visitors: [visitor],
        },
      ],
      () => crypto.randomUUID(),
    );
    expect(JSON.stringify(packet)).toContain(visitor);
    const broken = withBrokenLedger();
    await deliver("signpost-clicks-dead", [packet], { env: broken, attempts: 30 });
    const [kept] = (await deadLetters()).filter((letter) => letter.workspace === workspace.id);
    expect(kept.body).not.toContain(visitor);
    await deliver("signpost-clicks", [JSON.parse(kept.body)]);
    expect((await workspace.send("GET", `${LINKS}/${link.id}`)).body.data.clicks).toBe(2);
  });

  it("of an environment beside production, whose queues end with its name, is taken alike", async () => {
    const { id } = await createWorkspace();
    const odd = { v: 1, workspace: id, occurrence: "of no shape" };
    expect((await deliver("signpost-events-staging", [odd])).acked).toHaveLength(1);
    expect((await deliver("signpost-pixel-events-dead-staging", [odd])).acked).toHaveLength(1);
    const kept = (await deadLetters()).filter((letter) => letter.workspace === id);
    const sources = kept.map(({ source }) => source).sort();
    expect(sources).toEqual(["signpost-events-staging", "signpost-pixel-events-dead-staging"]);
  });

  it("of a queue that nobody consumes is a fault, not somebody else's message", async () => {
    await expect(deliver("signpost-nothing", [{}])).rejects.toThrow("signpost-nothing");
  });

  it("outlives a database that is gone for longer than its retries: it is replayed, and counts once", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const packet = { v: 1, workspace: workspace.id, ...clicksOf(link.id) };
    const tried = await deliver("signpost-clicks", [packet], { env: cutOff, attempts: 10 });
    expect(tried).toEqual({ acked: [], retried: [{ body: packet, delaySeconds: 60 }] });
    for (const [attempts, delaySeconds] of [
      [1, 60],
      [2, 120],
      [10, 30_720],
      [11, 43_200],
      [30, 43_200],
    ] as const) {
      const replayed = await deliver("signpost-clicks-dead", [packet], { env: cutOff, attempts });
      expect(replayed).toEqual({ acked: [], retried: [{ body: packet, delaySeconds }] });
    }
    expect((await deliver("signpost-clicks-dead", [packet], { attempts: 31 })).acked).toHaveLength(
      1,
    );
    await deliver("signpost-clicks-dead", [packet]);
    expect((await workspace.send("GET", `${LINKS}/${link.id}`)).body.data.clicks).toBe(1);
  });

  it("that fails for days while others pass is kept where the operator reads it", async () => {
    const workspace = await createWorkspace();
    const wakeUp = { v: 1, workspace: workspace.id, event: await publishUnheard(workspace.id) };
    const broken = { ...bindings, DELIVERY_LANE: undefined } as unknown as Env;
    await createLiveEndpoint(workspace);
    const early = await deliver("signpost-events-dead", [wakeUp], { env: broken, attempts: 29 });
    expect(early.retried).toHaveLength(1);
    const last = await publishUnheard(workspace.id);
    const { acked } = await deliver("signpost-events-dead", [{ ...wakeUp, event: last }], {
      env: broken,
      attempts: 30,
    });
    expect(acked).toHaveLength(1);
    const [kept] = (await deadLetters()).filter((letter) => letter.workspace === workspace.id);
    expect(kept).toMatchObject({ source: "signpost-events-dead", attempts: 30 });
    expect(JSON.parse(kept.body).event).toBe(last);
  });
});

describe("a batch that meets a database with too much to do", () => {
  const event = () => ({ v: 1, workspace: crypto.randomUUID(), event: crypto.randomUUID() });
  const pixelEvent = () => ({
    ...event(),
    v: 2,
    pixels: [crypto.randomUUID()],
    link: crypto.randomUUID(),
    at: Date.now(),
    url: "https://sign.example/sale",
  });

  function expectGivenBack({ acked, retried }: Taken, bodies: unknown[], least = 30): void {
    expect(acked).toEqual([]);
    expect(new Set(retried.map(({ body }) => body))).toEqual(new Set(bodies));
    expect(retried).toHaveLength(bodies.length);
    for (const { delaySeconds } of retried) {
      expect(delaySeconds).toBeGreaterThanOrEqual(least);
      expect(delaySeconds).toBeLessThanOrEqual(2 * least);
    }
  }

  it.each([
    ["signpost-events", 4],
    ["signpost-messages", 5],
    ["signpost-pixel-events", 5],
  ])("of %s is given back with a delay, the most of it untried", async (queue, width) => {
    const bodies = Array.from({ length: 20 }, () =>
      queue === "signpost-pixel-events"
        ? pixelEvent()
        : queue === "signpost-events"
          ? event()
          : { ...event(), message: crypto.randomUUID() },
    );
    const overloaded = faulting(OVERLOADED);
    expectGivenBack(await deliver(queue, bodies, { env: overloaded.env, attempts: 10 }), bodies);
    expect(overloaded.asked).toBeLessThanOrEqual(width);
  });

  it("of clicks is given back whole, and not tried one by one", async () => {
    const workspace = await createWorkspace();
    const packets = Array.from({ length: 50 }, () => ({
      v: 1,
      workspace: workspace.id,
      ...clicksOf(crypto.randomUUID()),
    }));
    const overloaded = faulting(OVERLOADED);
    expectGivenBack(await deliver("signpost-clicks", packets, overloaded), packets);
    expect(overloaded.asked).toBe(1);
  });

  it("of dead letters is given back too, and none is set aside for it", async () => {
    const overloaded = faulting(OVERLOADED);
    const [early, late] = [event(), event()];
    const { env } = overloaded;
    expectGivenBack(await deliver("signpost-events-dead", [early], { env }), [early], 60);
    const last = await deliver("signpost-events-dead", [late], { env, attempts: 99 });
    expect(last).toEqual({ acked: [], retried: [{ body: late, delaySeconds: 43_200 }] });
  });

  it.each(["signpost-clicks", "signpost-events", "signpost-messages", "signpost-pixel-events"])(
    "of %s comes again for longer than ten minutes before it is a dead letter",
    async (queue) => {
      const [, retries] =
        new RegExp(`queue = "${queue}"\\n[^[]*max_retries = (\\d+)`).exec(toml) ?? [];
      const body = queue.endsWith("messages") ? { ...event(), message: "m" } : event();
      const packet = { v: 1, workspace: crypto.randomUUID(), ...clicksOf("l") };
      const others: Record<string, object> = {
        "signpost-clicks": packet,
        "signpost-pixel-events": pixelEvent(),
      };
      for (const fault of [OVERLOADED, CONNECTION_LOST]) {
        let seconds = 0;
        for (let attempts = 1; attempts <= Number(retries); attempts++) {
          const { env } = faulting(fault);
          const bodies = [others[queue] ?? body];
          const { retried } = await deliver(queue, bodies, { env, attempts });
          seconds += retried[0]?.delaySeconds ?? 0;
        }
        expect(seconds).toBeGreaterThan(15 * 60 - 1);
      }
    },
  );

  it("of dead letters of which most are untried loses none in days", async () => {
    let seconds = 0;
    for (let attempts = 1; attempts <= 100; attempts++) {
      const bodies = Array.from({ length: 6 }, event);
      const { env } = faulting(OVERLOADED);
      const { retried } = await deliver("signpost-events-dead", bodies, { env, attempts });
      seconds += Math.min(...retried.map(({ delaySeconds = 0 }) => delaySeconds));
    }
    expect(seconds).toBeGreaterThan(7 * 24 * 3600);
  });

  it("of dead letters is kept in the table before the queue deletes them, tried or not", async () => {
    const bodies = Array.from({ length: 6 }, event);
    const overloaded = faulting(OVERLOADED);
    // What always asks too much is taken for an overload; the table itself can be written.
    overloaded.faultOf = (what) => (/dead_letters/i.test(what) ? undefined : "undone");
    const { env } = overloaded;
    const early = await deliver("signpost-events-dead", bodies, { env, attempts: 89 });
    expect(early.acked).toEqual([]);
    const late = await deliver("signpost-events-dead", bodies, { env, attempts: 90 });
    expect(late.acked).toHaveLength(6);
  });

  /** What always asks too much is taken for an overload; the table itself can be written. */
  function alwaysTimingOut(): Env {
    const faulty = faulting(TIMED_OUT);
    faulty.faultOf = (what) => (/dead_letters/i.test(what) ? undefined : "undone");
    return faulty.env;
  }

  function twoOf(queue: string): { workspace: string }[] {
    const packet = () => ({ v: 1, workspace: crypto.randomUUID(), ...clicksOf("l") });
    return queue.includes("clicks") ? [packet(), packet()] : [event(), event()];
  }

  it.each(["signpost-clicks-dead", "signpost-events-dead"])(
    "of %s is kept in the table before it is 14 days old and gone, if it never gets better",
    async (queue) => {
      const bodies = twoOf(queue);
      let age = 0;
      for (let attempts = 1; ; attempts++) {
        const kept = bodies.map((body) => ({ body, attempts, age }));
        const pauses = await replay(queue, kept, alwaysTimingOut());
        if (pauses.every((pause) => pause === undefined)) break;
        age += Math.max(...pauses.map((pause) => pause ?? 0)) * 1000;
        expect(age).toBeLessThan(14 * 24 * HOUR);
      }
      // Not in any outage that may end; and the table may be gone, too, for a day.
      expect(age).toBeGreaterThan(10 * 24 * HOUR);
      expect(age).toBeLessThan(13 * 24 * HOUR);
      const kept = (await deadLetters()).map(({ workspace }) => workspace);
      expect(kept).toEqual(expect.arrayContaining(bodies.map(({ workspace }) => workspace)));
    },
  );

  it.each(["signpost-clicks-dead", "signpost-events-dead"])(
    "of %s keeps in the table only what is old, and of other queues nothing",
    async (queue) => {
      const [old, young] = twoOf(queue);
      const kept = [
        { body: young, attempts: 34, age: 3 * 24 * HOUR },
        { body: old, attempts: 2, age: 13 * 24 * HOUR },
      ];
      const pauses = await replay(queue, kept, alwaysTimingOut());
      expect(pauses).toEqual([expect.any(Number), undefined]);
      const living = queue.replace("-dead", "");
      expect(await replay(living, kept, alwaysTimingOut())).not.toContain(undefined);
    },
  );

  it("of dead letters is kept whatever else is wrong with it, once it is that old", async () => {
    const faulty = faulting(CONNECTION_LOST);
    faulty.faultOf = (what) => (/dead_letters/i.test(what) ? undefined : "undone");
    const kept = { body: event(), attempts: 29 };
    const pausesAt = (age: number) =>
      replay("signpost-events-dead", [{ ...kept, age }], faulty.env);
    expect(await pausesAt(11 * 24 * HOUR)).toEqual([43_200]);
    expect(await pausesAt(13 * 24 * HOUR)).toEqual([undefined]);
  });

  it("gives no message up for it, however often", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const message = await queueUnheard(workspace.id, contact.id);
    await env.DB.prepare("UPDATE messages SET attempts_count = 40 WHERE id = ?")
      .bind(message)
      .run();
    const overloaded = faulting(OVERLOADED);
    // It is taken, and then nothing more can be read of it.
    overloaded.faultOf = (what) => (/^select/i.test(what) ? "undone" : undefined);
    const wakeUp = { v: 1, workspace: workspace.id, message };
    expectGivenBack(await deliver("signpost-messages", [wakeUp], overloaded), [wakeUp]);
    const state = "SELECT status FROM messages WHERE id = ?";
    expect(await env.DB.prepare(state).bind(message).first()).toEqual({ status: "queued" });
  });
});

describe("in one minute, beside records that can never be processed,", () => {
  it("every other event, message, packet and delivery is processed", async () => {
    const [sick, well] = [await createWorkspace(), await createWorkspace()];
    const boxes = {
      sick: await createLiveEndpoint(sick),
      well: await createLiveEndpoint(well),
    };
    const contacts = {
      sick: (await createContact(sick, { channel: "sms" })).id,
      well: (await createContact(well, { channel: "sms" })).id,
    };
    const old = Date.now() - 10_000;
    // Data that is no JSON: its delivery can never be made. The sound one goes to the same target.
    const poisoned = await publishUnheard(sick.id, "{no json", old);
    await publishUnheard(sick.id, JSON.stringify(SAMPLE), old + 1);
    await publishUnheard(well.id, JSON.stringify(SAMPLE), old + 2);
    const broken = await queueUnheard(sick.id, contacts.sick, "{no json");
    const sound = [
      [sick, await queueUnheard(sick.id, contacts.sick)],
      [well, await queueUnheard(well.id, contacts.well)],
    ] as const;
    await tick();
    expect(await waitForReceived(boxes.well.box, 1)).toHaveLength(1);
    expect(await waitForReceived(boxes.sick.box, 1)).toHaveLength(1);
    for (const [workspace, id] of sound) await waitForStatus(workspace, id, "sent");
    const history = await waitForDelivery(sick, boxes.sick, ({ attempts }) => attempts.length > 0);
    expect(history.status).toBe("delivered");
    const [attempt] = await vi.waitFor(async () => {
      const { results } = await env.DB.prepare(
        `SELECT attempt.value ->> 'error' AS error
         FROM target_deliveries, json_each(attempts) AS attempt
         WHERE event_id = ? AND attempt.value ->> 'error' IS NOT NULL`,
      )
        .bind(poisoned)
        .all();
      expect(results).toHaveLength(1);
      return results;
    });
    expect(attempt).toEqual({ error: "internal_error" });
    const state = "SELECT status FROM messages WHERE id = ?";
    expect(await env.DB.prepare(state).bind(broken).first()).toEqual({ status: "queued" });
  });

  it("an event that faults in sixty sweeps is set aside, and named to the operator; not before", async () => {
    const workspace = await createWorkspace();
    const event = await publishUnheard(workspace.id, JSON.stringify(SAMPLE), Date.now() - 10_000);
    const failing = failingFor(new Set([event]));
    const state = "SELECT failures, fanned_out_at AS done FROM events WHERE id = ?";
    await tick(failing);
    expect(await env.DB.prepare(state).bind(event).first()).toEqual({ failures: 1, done: null });
    await env.DB.prepare("UPDATE events SET failures = 59 WHERE id = ?").bind(event).run();
    await tick(failing);
    await tick(failing);
    expect(await env.DB.prepare(state).bind(event).first()).toEqual({
      failures: 60,
      done: expect.any(Number),
    });
    const kept = (await deadLetters()).filter((letter) => letter.workspace === workspace.id);
    expect(kept).toMatchObject([{ source: "fan_out_forgotten", attempts: 60 }]);
  });

  it("events that fail, however many, hold up no newer event of anybody's", async () => {
    const [sick, well] = [await createWorkspace(), await createWorkspace()];
    const healthy = await createLiveEndpoint(well);
    const poisoned = Array.from({ length: 400 }, () => crypto.randomUUID());
    const old = Date.now() - HOUR;
    await env.DB.prepare(
      `INSERT INTO events (id, workspace_id, type, channel, test, data, failures, created_at)
       SELECT value, ?2, ?3, 'all', 0, '{}', 1, ?4 FROM json_each(?1)`,
    )
      .bind(JSON.stringify(poisoned), sick.id, POST_PUBLISHED.event, old)
      .run();
    await publishUnheard(well.id, JSON.stringify(SAMPLE), Date.now() - 10_000);
    await tick(failingFor(new Set(poisoned)));
    await waitForReceived(healthy.box, 1);
    await env.DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(sick.id).run();
  });

  it("an endpoint that cannot be read keeps nothing from its neighbours", async () => {
    const workspace = await createWorkspace();
    const [broken, sound] = [
      await createLiveEndpoint(workspace),
      await createLiveEndpoint(workspace),
    ];
    const poison = "UPDATE webhook_endpoints SET subscriptions = '{no json' WHERE id = ?";
    await env.DB.prepare(poison).bind(broken.id).run();
    const event = await publishUnheard(workspace.id);
    await deliver("signpost-events", [{ v: 1, workspace: workspace.id, event }]);
    await waitForReceived(sound.box, 1);
    await env.DB.prepare("DELETE FROM webhook_endpoints WHERE id = ?").bind(broken.id).run();
  });

  it("a delivery whose event is gone ends, and says so", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const id = newId();
    await env.DB.prepare(
      `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
         test, status, attempts_count, next_attempt_at, created_at)
       VALUES (?1, ?2, 'endpoint', ?3, ?1, ?4, 'all', 0, 'pending', 0, 1, ?5)`,
    )
      .bind(id, workspace.id, endpoint.id, POST_PUBLISHED.event, Date.now())
      .run();
    await tick();
    const ended = await waitForDelivery(workspace, endpoint, ({ status }) => status === "failed");
    expect(ended.attempts.map(({ error }) => error)).toEqual(["payload_purged"]);
  });

  it("a message that faults each time is given up after its attempts, and named to the operator", async () => {
    const workspace = await createWorkspace();
    const contact = (await createContact(workspace, { channel: "sms" })).id;
    const id = await queueUnheard(workspace.id, contact, "{no json");
    await env.DB.prepare("UPDATE messages SET attempts_count = 11 WHERE id = ?").bind(id).run();
    const wakeUp = { v: 1, workspace: workspace.id, message: id };
    expect((await deliver("signpost-messages", [wakeUp])).acked).toHaveLength(1);
    const state = "SELECT status, reason FROM messages WHERE id = ?";
    expect(await env.DB.prepare(state).bind(id).first()).toEqual({
      status: "failed",
      reason: "internal_error",
    });
    const kept = (await deadLetters()).filter((letter) => letter.workspace === workspace.id);
    expect(kept).toMatchObject([{ source: "messages", attempts: 12 }]);
  });

  it("a fault of ours does not count against the receiver", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const event = await publishUnheard(workspace.id, "{no json");
    await deliver("signpost-events", [{ v: 1, workspace: workspace.id, event }]);
    await vi.waitFor(async () => {
      const row = await env.DB.prepare(
        "SELECT status, attempts_count FROM target_deliveries WHERE event_id = ? AND attempts_count = 1",
      )
        .bind(event)
        .first();
      expect(row).toEqual({ status: "pending", attempts_count: 1 });
    });
    const failing = "SELECT failing_since FROM webhook_endpoints WHERE id = ?";
    expect(await env.DB.prepare(failing).bind(endpoint.id).first()).toEqual({
      failing_since: null,
    });
  });
});

describe("a lane of before 2026-11-21", () => {
  it("leaves what is due to the lane of today, and forgets itself", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const event = await publishUnheard(workspace.id);
    await env.DB.prepare(
      `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
         test, status, attempts_count, next_attempt_at, created_at)
       VALUES (?1, ?2, 'endpoint', ?3, ?4, ?5, 'all', 0, 'pending', 0, ?6, ?6)`,
    )
      .bind(crypto.randomUUID(), workspace.id, endpoint.id, event, POST_PUBLISHED.event, Date.now())
      .run();
    const lane = env.DELIVERY_LANE.getByName(endpoint.id);
    await runInDurableObject(lane, (_object, { storage }) => storage.kv.put("target", endpoint.id));
    await lane.wake(endpoint.id);
    await runDurableObjectAlarm(lane);
    await waitForReceived(endpoint.box, 1);
    // Its alarm may have begun by itself, and still be at it.
    await vi.waitFor(async () => {
      const left = await runInDurableObject(lane, (_object, { storage }) =>
        storage.kv.get("target"),
      );
      expect(left).toBeUndefined();
    });
  });
});

describe("the jobs of a minute", () => {
  it("run each on its own: one that throws stops no other, and is named in the log", async () => {
    const { runJobs } = await import("../src/jobs.ts");
    const ran: string[] = [];
    const before = loggedLines().length;
    await runJobs(workIn(crypto.randomUUID()), {
      first: async () => {
        throw new Error("no");
      },
      second: async () => void ran.push("second"),
      third: async () => void ran.push("third"),
    });
    // Which of the two comes first changes with the minute.
    expect(ran.toSorted()).toEqual(["second", "third"]);
    const told = loggedLines().slice(before);
    expect(JSON.parse(told[0] ?? "")).toMatchObject({ event: "job_failed", job: "first" });
  });

  it("say that a setting is wrong, while everything that does not need it goes on", async () => {
    const wrong = { ...env, MESSAGE_CONNECTOR_SECRET: "" };
    const before = loggedLines().length;
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await publishUnheard(workspace.id, JSON.stringify(SAMPLE), Date.now() - 10_000);
    await tick(wrong);
    await waitForReceived(endpoint.box, 1);
    const told = loggedLines().slice(before);
    expect(told.some((line) => line.includes("MESSAGE_CONNECTOR_SECRET is not set"))).toBe(true);
  });

  it("leave messages alone while their connector is set up wrongly: none is lost", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const id = await queueUnheard(workspace.id, contact.id);
    await env.DB.prepare("UPDATE messages SET attempts_count = 11 WHERE id = ?").bind(id).run();
    const wakeUp = { v: 1, workspace: workspace.id, message: id };
    const wrong = { ...env, MESSAGE_CONNECTOR_SECRET: "" };
    expect((await deliver("signpost-messages", [wakeUp], { env: wrong })).retried).toHaveLength(1);
    const state = "SELECT status, attempts_count FROM messages WHERE id = ?";
    expect(await env.DB.prepare(state).bind(id).first()).toEqual({
      status: "queued",
      attempts_count: 11,
    });
    await deliver("signpost-messages", [wakeUp]);
    await waitForStatus(workspace, id, "sent");
  });

  it("forget dead letters after thirty days", async () => {
    const id = crypto.randomUUID();
    const old = Date.now() - 31 * 24 * HOUR;
    await env.DB.prepare("INSERT INTO dead_letters VALUES (?, 'x', NULL, '', '', 1, ?)")
      .bind(id, old)
      .run();
    await tick();
    expect((await deadLetters()).map((letter) => letter.id)).not.toContain(id);
  });
});
