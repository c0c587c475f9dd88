import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Env } from "../../src/platform/config.ts";
import { leastIdAt } from "../../src/platform/ids.ts";
import { createContact } from "../support/contacts.ts";
import { CONNECTION_LOST, faulting } from "../support/faulting.ts";
import { MESSAGES } from "../support/messages.ts";
import { listenToCosts } from "../support/noted-statements.ts";
import { createLiveEndpoint, type LiveEndpoint } from "../support/webhooks.ts";
import { tick } from "../support/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const env = bindings as unknown as Env;
const DAY = 24 * 60 * 60 * 1000;
/** At 200 rows a second. */
const A_MINUTE = 12_000;
const EACH = "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)";
const ID = "printf('0190%04x-%04x-7000-8000-', n / 65536, n % 65536) || substr(?2, 25)";
/** The age of an event, and of a delivery, is told by its id. */
const ID_OF_TIME = `substr(printf('%012x', ?3), 1, 8) || '-' || substr(printf('%012x', ?3), 9)
  || printf('-7%03x-8%03x-', n % 4096, n / 4096) || substr(?2, 25)`;

const EVENTS = `INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at, created_at)
  SELECT ${ID_OF_TIME}, ?2, 'publishing.post.published', 'all', 0, '{}', ?3, ?3 FROM each`;
const DELIVERIES = `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event,
    channel, test, status, attempts_count, created_at)
  SELECT ${ID_OF_TIME}, ?2, 'endpoint', ?4, ${ID}, 'publishing.post.published', 'all', 0, 'failed', 1, ?3 FROM each`;

interface Kind {
  name: string;
  days: number;
  /** Inserts ?1 rows of a workspace, ?2, made at ?3, for an endpoint, ?4. */
  inserts: string[];
  /** How many are left that are older than ?1. */
  left: string;
  /** What one slice deletes, and how it looks to the database. */
  slice: number;
  statement: RegExp;
  /** The rows that one which goes costs, with its attempt. */
  read: number;
  written: number;
}

const KINDS: Kind[] = [
  {
    name: "payloads",
    days: 7,
    inserts: [EVENTS],
    left: "SELECT count(*) AS n FROM events WHERE created_at < ?1 AND data IS NOT NULL",
    slice: 1000,
    statement: /^UPDATE events SET data = NULL/,
    read: 7,
    written: 2,
  },
  {
    name: "events",
    days: 30,
    inserts: [EVENTS],
    left: "SELECT count(*) AS n FROM events WHERE created_at < ?1",
    slice: 1000,
    statement: /^DELETE FROM events/,
    read: 7,
    written: 2,
  },
  {
    name: "deliveries",
    days: 30,
    inserts: [DELIVERIES],
    left: "SELECT count(*) AS n FROM target_deliveries WHERE created_at < ?1",
    slice: 500,
    statement: /^DELETE FROM target_deliveries/,
    read: 11,
    written: 3,
  },
  {
    name: "packets",
    days: 15,
    inserts: ["INSERT INTO click_packets (id, created_at) SELECT ?2 || n, ?3 FROM each"],
    left: "SELECT count(*) AS n FROM click_packets WHERE created_at < ?1",
    slice: 1000,
    statement: /^DELETE FROM click_packets/,
    read: 4,
    written: 1,
  },
  {
    name: "metrics",
    days: 2,
    inserts: [
      `INSERT INTO target_metrics (workspace_id, target_id, hour, delivered, failed, answer_times)
       SELECT ?2, ${ID}, ?3, 1, 0, '{}' FROM each`,
    ],
    left: "SELECT count(*) AS n FROM target_metrics WHERE hour < ?1",
    slice: 1000,
    statement: /^DELETE FROM target_metrics/,
    read: 4,
    written: 1,
  },
  {
    name: "messages",
    days: 180,
    inserts: [
      `INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, status,
         attempts_count, created_at, updated_at)
       SELECT ${ID}, ?2, ${ID}, 'sms', 'outbound', 'Hi', 'sent', 1, ?3, ?3 FROM each`,
    ],
    left: "SELECT count(*) AS n FROM messages WHERE created_at < ?1",
    slice: 1000,
    statement: /^DELETE FROM messages/,
    read: 6,
    written: 2,
  },
  {
    name: "dead letters",
    days: 30,
    inserts: [
      `INSERT INTO dead_letters (id, source, body, fault, attempts, created_at)
       SELECT ${ID}, 'jobs', '', '', 1, ?3 FROM each WHERE ?2`,
    ],
    left: "SELECT count(*) AS n FROM dead_letters WHERE created_at < ?1",
    slice: 200,
    statement: /^DELETE FROM dead_letters/,
    read: 4,
    written: 1,
  },
];

let workspace: Workspace;
let endpoint: LiveEndpoint;
beforeAll(async () => {
  workspace = await createWorkspace();
  endpoint = await createLiveEndpoint(workspace);
});
afterEach(async () => {
  const tables = ["events", "target_deliveries", "job_places", "click_packets", "messages"];
  await env.DB.batch(
    [...tables, "dead_letters", "target_metrics"].map((of) => env.DB.prepare(`DELETE FROM ${of}`)),
  );
});

async function insert(statements: string[], count: number, time: number): Promise<void> {
  for (const sql of statements) {
    const bound = [count, workspace.id, time, endpoint.id];
    const asked = Math.max(...[...sql.matchAll(/\?(\d)/g)].map(([, at]) => Number(at)));
    const all = sql.includes("FROM each") ? `${EACH} ${sql}` : sql;
    await env.DB.prepare(all)
      .bind(...bound.slice(0, Math.max(asked, 1)))
      .run();
  }
}

async function countOf(sql: string, ...bound: unknown[]): Promise<number> {
  return (
    (await env.DB.prepare(sql)
      .bind(...bound)
      .first<number>("n")) ?? 0
  );
}

describe.each(KINDS)("old $name", ({ days, inserts, left, slice, statement, read, written }) => {
  it("go in slices, 200 for each second of a minute", async () => {
    const old = Date.now() - days * DAY - 60_000;
    await insert(inserts, A_MINUTE, old);
    const costs = { statements: 0, read: 0, written: 0 };
    const stop = listenToCosts(({ sql, rowsRead, rowsWritten }) => {
      if (!statement.test(sql)) return;
      costs.statements++;
      costs.read += rowsRead;
      costs.written += rowsWritten;
    });
    await tick();
    stop();
    expect(await countOf(left, old + 1)).toBe(0);
    expect(costs.statements).toBeGreaterThanOrEqual(A_MINUTE / slice);
    expect(costs.read).toBeLessThanOrEqual(A_MINUTE * read + 20);
    expect(costs.written).toBeLessThanOrEqual(A_MINUTE * written);
  });

  it("are gone on with where a minute was cut off, and what is young stays", async () => {
    const old = Date.now() - days * DAY - 60_000;
    await insert(inserts, 3 * slice, old);
    await insert(
      inserts.map((sql) => sql.replaceAll("0190%04x", "0191%04x").replace("?2 || n", "?2 || -n")),
      10,
      old + 120_000,
    );
    const broken = faulting(CONNECTION_LOST);
    let slices = 0;
    broken.faultOf = (what, batched) => {
      const isSlice = [what, ...batched].some((sql) => statement.test(sql));
      return isSlice && ++slices === 2 ? "done" : undefined;
    };
    await tick(broken.env);
    const inside = await countOf(left, old + 1);
    expect(slices).toBe(2);
    expect(inside).toBeGreaterThan(0);
    await tick();
    expect(await countOf(left, old + 1)).toBe(0);
    expect(await countOf(left, old + 120_001)).toBe(10);
  });
});

it("an event goes though a delivery of it is young, and is not looked at each minute for ever", async () => {
  await insert([EVENTS], 300, Date.now() - 31 * DAY);
  await insert([DELIVERIES], 300, Date.now() - 25 * DAY);
  await tick();
  expect(
    await countOf("SELECT count(*) AS n FROM events WHERE created_at < ?", Date.now() - DAY),
  ).toBe(0);
  const { data } = (await workspace.send("GET", `${endpoint.path}/deliveries`)).body;
  const one = await workspace.send("GET", `/api/v1/workspace-webhooks/deliveries/${data[0].id}`);
  expect([one.status, one.body.data?.payload]).toEqual([200, null]);
  let rows = 0;
  const stop = listenToCosts(({ rowsRead }) => {
    rows += rowsRead;
  });
  await tick();
  stop();
  expect(rows).toBeLessThanOrEqual(100);
});

it("recoveries go after 30 days, whether or not they came to their end", async () => {
  const add = (count: number, time: number, finishedAt: number | null) =>
    env.DB.prepare(
      `${EACH} INSERT INTO recoveries (id, workspace_id, target_id, since, position, resent, finished_at, created_at)
       SELECT ?3 || printf('%08x', n), ?2, ?4, 0, '', 0, ?5, ?6 FROM each`,
    )
      .bind(count, workspace.id, leastIdAt(time).slice(0, 28), endpoint.id, finishedAt, time)
      .run();
  await add(1200, Date.now() - 31 * DAY, 1);
  await add(3, Date.now() - 32 * DAY, null);
  await add(2, Date.now() - 29 * DAY, 1);
  await tick();
  expect(await countOf("SELECT count(*) AS n FROM recoveries")).toBe(2);
});

it("a message is shown for 180 days", async () => {
  const contact = await createContact(workspace, { phone: "+447700900123", channel: "sms" });
  const sent = await workspace.send("POST", MESSAGES, {
    headers: { "Idempotency-Key": crypto.randomUUID() },
    body: { contact: contact.id, text: "Hi" },
  });
  const path = `${MESSAGES}/${sent.body.data.id}`;
  const age = (milliseconds: number) =>
    env.DB.prepare("UPDATE messages SET created_at = ? WHERE id = ?")
      .bind(Date.now() - milliseconds, sent.body.data.id)
      .run();
  await age(180 * DAY - 60_000);
  await tick();
  expect((await workspace.send("GET", path)).status).toBe(200);
  await age(180 * DAY + 1);
  await tick();
  expect((await workspace.send("GET", path)).status).toBe(404);
});
