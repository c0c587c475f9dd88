import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../src/platform/config.ts";
import worker from "../src/worker.ts";
import { CONNECTION_LOST, faulting } from "./support/faulting.ts";
import { newAddress, ORIGIN } from "./support/http.ts";
import { listenToCosts } from "./support/noted-statements.ts";
import { owe } from "./support/outbox.ts";
import { createEndpoint } from "./support/webhooks.ts";
import { createWorkspace } from "./support/workspace.ts";

const env = bindings as Env;
const MINUTE = 60_000;

/** As an isolate that has not asked yet. */
const anew = (more: object = {}): Env => ({ ...env, ...more }) as Env;

async function ask(given: Env = anew(), method = "GET") {
  const headers = { "CF-Connecting-IP": newAddress() };
  const request = new Request(`${ORIGIN}/readyz`, { method, headers });
  const answer = await worker.fetch(request, given, createExecutionContext());
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: text && JSON.parse(text) };
}

const PARTS = (body: { problems: { part: string }[] }) => body.problems.map(({ part }) => part);

afterEach(() => void vi.useRealTimers());

describe("/readyz", () => {
  beforeEach(async () => {
    await env.DB.prepare("UPDATE events SET fanned_out_at = 1 WHERE fanned_out_at IS NULL").run();
    await env.DB.prepare("UPDATE target_deliveries SET status = 'delivered'").run();
  });

  it("is 200 where all answers and nothing waits, to GET and HEAD, without a key, and is not kept", async () => {
    const get = await ask(anew({ BUILD_ID: "b1" }));
    expect(get.status).toBe(200);
    expect(get.body).toEqual({
      status: "ready",
      build: "b1",
      oldest_waiting_event_seconds: null,
      longest_overdue_delivery_seconds: null,
    });
    expect(get.headers.get("Cache-Control")).toBe("no-store");
    const head = await ask(anew(), "HEAD");
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  it("tells how long an event waits, but not of who has had its deliveries for now", async () => {
    const workspace = await createWorkspace();
    const paced = await createWorkspace();
    const write = (id: string, minutes: number, failures = 0) =>
      env.DB.prepare(
        `INSERT INTO events (id, workspace_id, type, channel, test, data, created_at, failures)
         VALUES (?, ?, 'salesbot.contact.created', 'sms', 0, '{}', ?, ?)`,
      )
        .bind(crypto.randomUUID(), id, Date.now() - minutes * MINUTE, failures)
        .run();
    await write(workspace.id, 2);
    await write(workspace.id, 3);
    await write(paced.id, 9);
    await env.DB.prepare(
      "UPDATE workspace_usage SET hour = ?, deliveries_in_hour = 1e9 WHERE id = ?",
    )
      .bind(Math.floor(Date.now() / (60 * MINUTE)), paced.id)
      .run();
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.oldest_waiting_event_seconds).toBeGreaterThanOrEqual(180);
    expect(body.oldest_waiting_event_seconds).toBeLessThan(240);
    await write(workspace.id, 30, 28);
    await write(workspace.id, 20, 2);
    expect((await ask()).body.oldest_waiting_event_seconds).toBeGreaterThanOrEqual(1800);
  });

  it("tells how long a delivery is overdue, and nothing of those that are due later", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createEndpoint(workspace)).body.data;
    // By hand: its lane, which would send what it finds, is not told.
    await env.DB.prepare("UPDATE webhook_endpoints SET enabled = 1 WHERE id = ?").bind(id).run();
    await owe(workspace, 2);
    const due = (at: number) =>
      env.DB.prepare("UPDATE target_deliveries SET next_attempt_at = ? WHERE target_id = ?")
        .bind(Date.now() + at, id)
        .run();
    await due(MINUTE);
    expect((await ask()).body.longest_overdue_delivery_seconds).toBe(null);
    await due(-5 * MINUTE);
    const { body } = await ask();
    expect(body.longest_overdue_delivery_seconds).toBeGreaterThanOrEqual(300);
    expect(body.longest_overdue_delivery_seconds).toBeLessThan(360);
  });

  it("is 503 and names the database that does not answer, and says no more of why", async () => {
    const lost = faulting(CONNECTION_LOST);
    const { status, text, body } = await ask(lost.env);
    expect([status, PARTS(body)]).toEqual([503, ["database"]]);
    expect(text).not.toContain("D1_ERROR");
  });

  it("is 503 where the newest migration is missing, or all are", async () => {
    await env.DB.prepare("UPDATE d1_migrations SET name = 'x' || name").run();
    const missing = await ask().finally(() =>
      env.DB.prepare("UPDATE d1_migrations SET name = substr(name, 2)").run(),
    );
    expect([missing.status, PARTS(missing.body)]).toEqual([503, ["migrations"]]);
    expect(missing.body.problems[0].problem).toMatch(/^D1 has not had \d{4}_[\w-]+\.sql:/);
    const empty = faulting("D1_ERROR: no such table: d1_migrations: SQLITE_ERROR");
    expect(PARTS((await ask(empty.env)).body)).toEqual(["migrations"]);
    const newer = faulting("D1_ERROR: no such index: events_waiting_order: SQLITE_ERROR");
    newer.faultOf = (_what, batched) => (batched.length > 0 ? "undone" : undefined);
    const [problem] = (await ask(newer.env)).body.problems;
    expect(problem.problem).toMatch(/^D1 was changed by a newer version/);
  });

  it.each([
    ["DB", "database"],
    ["WORKSPACE_GATE", "gate"],
  ])("is 503, and no fault, where %s is not bound at all", async (binding, part) => {
    const { status, body } = await ask(anew({ [binding]: undefined }));
    expect([status, PARTS(body)]).toEqual([503, [part]]);
  });

  it("is 503 where Durable Objects do not answer, and where a setting is wrong", async () => {
    const ping = () => Promise.reject(new Error("Internal error."));
    const gate = { getByName: () => ({ ping }) };
    const given = anew({ WORKSPACE_GATE: gate, ENCRYPTION_KEY: "short" });
    const { status, body } = await ask(given);
    expect([status, PARTS(body)]).toEqual([503, ["ENCRYPTION_KEY", "gate"]]);
  });

  it("names a wrong PLATFORM_HOST, with which nothing else is served", async () => {
    const { status, body } = await ask(anew({ PLATFORM_HOST: "https://not-a-host/" }));
    expect([status, body.status]).toEqual([503, "not_ready"]);
    expect(PARTS(body)).toContain("PLATFORM_HOST");
  });

  it("is asked again at once where the one who asked met a fault of ours", async () => {
    const broken = anew();
    Object.defineProperty(broken, "ENCRYPTION_KEY", {
      get: () => {
        throw new Error("A fault of ours.");
      },
    });
    expect((await ask(broken)).status).toBe(500);
    const began = performance.now();
    expect((await ask(broken)).status).toBe(500);
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it("asks the database once, however many ask", async () => {
    const counted = faulting("");
    counted.faultOf = () => undefined;
    const all = await Promise.all(Array.from({ length: 20 }, () => ask(counted.env)));
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(counted.asked).toBe(1);
  });

  it("comes to all workspaces that wait, a part at a time", async () => {
    const ids = Array.from({ length: 250 }, () => crypto.randomUUID()).sort();
    await env.DB.prepare(
      `INSERT INTO workspaces (id, name, status, plan, features, created_at, updated_at)
       SELECT value, 'Many', 'active', 'free', '[]', 1, 1 FROM json_each(?)`,
    )
      .bind(JSON.stringify(ids))
      .run();
    await env.DB.prepare(
      `INSERT INTO events (id, workspace_id, type, channel, test, data, created_at)
       SELECT value, value, 'salesbot.contact.created', 'sms', 0, '{}', ?2 - key * 1000
       FROM json_each(?1)`,
    )
      .bind(JSON.stringify(ids), Date.now())
      .run();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const given = anew();
    const seconds = async () => (await ask(given)).body.oldest_waiting_event_seconds;
    let read = 0;
    const stop = listenToCosts(({ rowsRead }) => {
      read += rowsRead;
    });
    expect(await seconds()).toBeLessThan(205);
    stop();
    expect(read).toBeLessThan(2000);
    vi.setSystemTime(Date.now() + 11_000);
    expect(await seconds()).toBeGreaterThanOrEqual(255);
    vi.setSystemTime(Date.now() + 11_000);
    expect(await seconds()).toBeLessThan(230);
  });
});
