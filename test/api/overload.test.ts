import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EVENT_TYPES } from "../../src/event-types.ts";
import type { Env } from "../../src/platform/config.ts";
import { EventIntake } from "../../src/worker.ts";
import { CONTACTS } from "../support/contacts.ts";
import { CONNECTION_LOST, faulting, OVERLOADED } from "../support/faulting.ts";
import { type Answer, operate, type Send } from "../support/http.ts";
import { loggedLines } from "../support/logs.ts";
import { createTarget, describedOperations } from "../support/operations.ts";
import { POST_PUBLISHED } from "../support/webhooks.ts";
import {
  createLink,
  createWorkspace,
  issueKey,
  LINKS,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../support/workspace.ts";

const env = bindings as unknown as Env;
const HOUR_MILLISECONDS = 60 * 60_000;

afterEach(() => {
  vi.useRealTimers();
});

function expectOverloaded({ status, headers, body }: Answer): void {
  expect([status, body?.code]).toEqual([503, "overloaded"]);
  const wait = Number(headers.get("Retry-After"));
  expect(Number.isInteger(wait) && wait >= 3 && wait <= 10).toBe(true);
}

describe("a database that has too much to do", () => {
  it("is a 503 with Retry-After of every operation that asks it, described, and asked once", async () => {
    const { sendTo } = await createTarget();
    const asking: string[] = [];
    for (const operation of await describedOperations()) {
      const overloaded = faulting(OVERLOADED);
      const body = operation.method === "GET" ? {} : { body: {} };
      const answer = await sendTo(operation, { ...body, env: overloaded.env });
      if (overloaded.asked === 0) {
        expect([operation.operationId, answer.status]).not.toEqual([operation.operationId, 500]);
        continue;
      }
      asking.push(operation.operationId);
      expect([operation.operationId, answer.status]).toEqual([operation.operationId, 503]);
      expectOverloaded(answer);
      // Some ask several things at a time; none asks again.
      expect([operation.operationId, overloaded.asked <= 4]).toEqual([operation.operationId, true]);
    }
    expect(asking.length).toBeGreaterThan(40);
  });

  it("is told by one line a second of an isolate, however many are refused, and by no error", async () => {
    const workspace = await createWorkspace();
    vi.useFakeTimers({ toFake: ["Date"] });
    // Another moment at a second try: what is told within a second of the last is not told again.
    const start = Date.now() + HOUR_MILLISECONDS * (1 + Math.random());
    const before = loggedLines().length;
    for (const time of [start, start + 1000]) {
      vi.setSystemTime(time);
      for (let sent = 0; sent < 10; sent++) {
        const { env } = faulting(OVERLOADED);
        expectOverloaded(await workspace.send("GET", LINKS, { env }));
      }
    }
    const lines = loggedLines()
      .slice(before)
      .map((line) => JSON.parse(line));
    // What goes on behind other tests has lines of its own.
    const told = lines.filter(({ event }) => event === "overloaded");
    const tellingOf = lines.filter(({ fault }) => fault?.message.includes(OVERLOADED));
    expect(tellingOf).toEqual(told);
    expect(told.map(({ event, refused }) => [event, refused])).toEqual([
      ["overloaded", expect.any(Number)],
      ["overloaded", 10],
    ]);
    expect(
      lines.filter(({ event, code }) => event === "request" && code === "overloaded"),
    ).toHaveLength(20);
  });

  it("is described with its header and example at every operation", async () => {
    const { body } = await (await createWorkspace()).send("GET", "/openapi.json");
    for (const methods of Object.values(body.paths as Record<string, Record<string, never>>)) {
      for (const { responses } of Object.values(methods) as { responses: never }[]) {
        expect(responses).toMatchObject({
          503: {
            headers: { "Retry-After": { $ref: "#/components/headers/Retry-After" } },
            content: { "application/json": { examples: { overloaded: expect.anything() } } },
          },
        });
      }
    }
  });

  it.each([
    ["before it wrote", "undone"],
    ["after it wrote, its answer lost", "done"],
  ] as const)("%s: the retry of a keyed request gets its id, and makes one", async (_case, how) => {
    const workspace = await createWorkspace();
    const overloaded = faulting(OVERLOADED);
    const sent = (env?: Env): Promise<Answer> =>
      workspace.send("POST", CONTACTS, {
        headers,
        body: { name: "Ada" },
        ...(env && { env }),
      });
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    overloaded.faultOf = (what) => (what === "batch" ? how : undefined);
    expectOverloaded(await sent(overloaded.env));
    const claim = await runInDurableObject(
      env.WORKSPACE_GATE.getByName(workspace.id),
      (_gate, state) =>
        state.storage.sql.exec("SELECT state, resource_id FROM idempotency_claims").one(),
    );
    expect(claim.state).toBe("faulted");
    const retried = await sent();
    expect([retried.status, retried.body.data.id]).toEqual([201, claim.resource_id]);
    expect((await workspace.send("GET", CONTACTS)).body.data).toHaveLength(1);
  });

  it("is told to the operator, and to another Worker that publishes an event", async () => {
    const workspace = await createWorkspace();
    const path = `/workspaces/${workspace.id}`;
    expectOverloaded(await operate("GET", path, undefined, { env: faulting(OVERLOADED).env }));
    const intake = new EventIntake(createExecutionContext(), faulting(OVERLOADED).env);
    const data = EVENT_TYPES[0]?.sample ?? {};
    const told = await intake.publish(workspace.id, { ...POST_PUBLISHED, data });
    expect(told).toMatchObject({ ok: false, code: "overloaded" });
    expect(told).toHaveProperty("retryAfterSeconds", expect.any(Number));
  });
});

describe("a Durable Object that has too much to do", () => {
  it("is a 503 with Retry-After, and is asked once", async () => {
    const workspace = await createWorkspace();
    let asked = 0;
    const admit = async () => {
      asked++;
      throw Object.assign(new Error("Too much is asked of this object."), { overloaded: true });
    };
    const WORKSPACE_GATE = { getByName: () => ({ admit }) };
    const given = { ...env, WORKSPACE_GATE } as unknown as Env;
    expectOverloaded(await workspace.send("GET", LINKS, { env: given }));
    expect(asked).toBe(1);
  });
});

describe("the gate, while the database has too much to do,", () => {
  /** Has a workspace's gate meet an overloaded database; answers how often it asked. */
  async function overload(workspace: Workspace) {
    const overloaded = faulting(OVERLOADED);
    await runInDurableObject(env.WORKSPACE_GATE.getByName(workspace.id), (gate) => {
      Object.defineProperty(gate, "env", { value: overloaded.env, configurable: true });
    });
    return overloaded;
  }

  it("admits the keys that it knows, and asks for each of them once a minute", async () => {
    const workspace = await createWorkspace();
    const { key } = await issueKey(workspace.id);
    expect((await workspace.send("GET", LINKS)).status).toBe(200);
    const overloaded = await overload(workspace);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + HOUR_MILLISECONDS);
    for (let sent = 0; sent < 5; sent++) {
      expect((await workspace.send("GET", LINKS)).status).toBe(200);
    }
    expect(overloaded.asked).toBe(1);
    // Of a key that it does not know it cannot say anything.
    expectOverloaded(await sendAs(key, "GET", LINKS));
    expect(overloaded.asked).toBe(2);
  });

  it("admits none that was revoked since, nor while a change is under way", async () => {
    const workspace = await createWorkspace();
    expect((await workspace.send("GET", LINKS)).status).toBe(200);
    await overload(workspace);
    await operate("DELETE", `/workspaces/${workspace.id}/keys/${workspace.keyId}`);
    expectOverloaded(await workspace.send("GET", LINKS));
    const other = await createWorkspace();
    expect((await other.send("GET", LINKS)).status).toBe(200);
    await overload(other);
    // Whoever changes it may have died before it could say what it did.
    await env.WORKSPACE_GATE.getByName(other.id).beginChange();
    expectOverloaded(await other.send("GET", LINKS));
  });

  it("admits no key past its end", async () => {
    const workspace = await createWorkspace();
    const expires_at = new Date(Date.now() + HOUR_MILLISECONDS).toISOString();
    const { key } = await issueKey(workspace.id, { expires_at });
    expect((await sendAs(key, "GET", LINKS)).status).toBe(200);
    await overload(workspace);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 2 * HOUR_MILLISECONDS);
    expect((await sendAs(key, "GET", LINKS)).status).toBe(401);
  });
});

describe("a connection that is lost on the way", () => {
  /** A database that loses the first connection, and no other. */
  function losingOne() {
    const lost = faulting(CONNECTION_LOST);
    lost.faultOf = () => (lost.asked === 1 ? "undone" : undefined);
    return lost;
  }

  it("is made up for in a read", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createLink(workspace)).body.data;
    for (const path of [LINKS, `${LINKS}/${id}`, CONTACTS]) {
      const answer = await workspace.send("GET", path, { env: losingOne().env });
      expect([path, answer.status]).toEqual([path, 200]);
    }
    const path = `/workspaces/${workspace.id}`;
    const { status } = await operate("GET", path, undefined, { env: losingOne().env });
    expect(status).toBe(200);
  });

  it("ends a write, of which nobody knows whether it is done: it is not run again", async () => {
    const workspace = await createWorkspace();
    const lost = faulting(CONNECTION_LOST);
    let writes = 0;
    lost.faultOf = (what) => {
      if (what !== "batch") return undefined;
      writes++;
      return "done";
    };
    const sent: Send = { body: { name: "Ada" }, env: lost.env };
    expect((await workspace.send("POST", CONTACTS, sent)).status).toBe(500);
    expect(writes).toBe(1);
    expect((await workspace.send("GET", CONTACTS)).body.data).toHaveLength(1);
  });
});
