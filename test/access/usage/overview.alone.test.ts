import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createContact } from "../../support/contacts.ts";
import { createFile } from "../../support/files.ts";
import { operate, send } from "../../support/http.ts";
import { hear } from "../../support/messages.ts";
import { type Cost, listenToCosts } from "../../support/noted-statements.ts";
import { createPage } from "../../support/pages.ts";
import { createProduct } from "../../support/products.ts";
import { createLink, createWorkspace, type Workspace } from "../../support/workspace.ts";

const PATH = "/admin/v1/overview";
/** SQL that numbers rows from 1 to ?1. */
const EACH = "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)";
const SUMS = [
  "links",
  "pages",
  "products",
  "contacts",
  "stored_bytes",
  "files",
  "file_bytes",
  "pending_deliveries",
];
const MONTHLY = ["deliveries", "messages"];

async function overview() {
  const { status, body } = await operate("GET", "/overview");
  expect(status).toBe(200);
  return body.data;
}

async function usageOf({ id }: Workspace) {
  return (await operate("GET", `/workspaces/${id}/usage`)).body.data;
}

type Counts = Record<string, number>;
const pick = (from: Counts, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, from[name] ?? Number.NaN]));
const added = (all: Counts[]) =>
  all.reduce((sum, one) => pick(combined(sum, one, 1), Object.keys(sum)));
const combined = (a: Counts, b: Counts, times: number) =>
  Object.fromEntries(Object.keys(a).map((name) => [name, (a[name] ?? 0) + times * (b[name] ?? 0)]));

function setUsage({ id }: Workspace, columns: Counts): Promise<unknown> {
  const names = Object.keys(columns);
  return env.DB.prepare(
    `UPDATE workspace_usage SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`,
  )
    .bind(...Object.values(columns), id)
    .run();
}

function addDeliveries({ id }: Workspace, statuses: string[]): Promise<unknown> {
  return env.DB.batch(
    statuses.map((status) =>
      env.DB.prepare(
        `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event,
           channel, test, status, attempts_count, next_attempt_at, created_at)
         VALUES (?1, ?2, 'endpoint', ?2, ?1, 'publishing.post.published', 'all', 0, ?3, 0, 1e15, ?4)`,
      ).bind(crypto.randomUUID(), id, status, Date.now()),
    ),
  );
}

function addDeadLetters(count: number): Promise<unknown> {
  return env.DB.prepare(
    `${EACH} INSERT INTO dead_letters (id, source, body, fault, attempts, created_at)
     SELECT lower(hex(randomblob(16))), 'jobs', '{}', 'A fault.', 1, n FROM each`,
  )
    .bind(count)
    .run();
}

function addReports(count: number, status: string): Promise<unknown> {
  return env.DB.prepare(
    `${EACH} INSERT INTO reports (id, workspace_id, kind, target_id, url, reason, details, status,
       created_at, updated_at)
     SELECT lower(hex(randomblob(16))), 'w', 'link', n, 'https://sign.example/', 'spam', '', ?2, n, n
     FROM each`,
  )
    .bind(count, status)
    .run();
}

/** Workspaces as their routes make them, but for the owner. */
function addWorkspaces(count: number): Promise<unknown> {
  return env.DB.prepare(
    `${EACH} INSERT INTO workspaces (id, name, plan, status, features, created_at, updated_at)
     SELECT lower(hex(randomblob(4))) || '-0000-7000-8000-000000000000', 'W', 'free', 'active', '[]',
       0, 0 FROM each`,
  )
    .bind(count)
    .run();
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the operator's overview", () => {
  it("wants the operator's token", async () => {
    const workspace = await createWorkspace();
    for (const token of ["", "Bearer wrong", `Bearer ${workspace.key}`]) {
      const headers: Record<string, string> = token === "" ? {} : { Authorization: token };
      const { status, body } = await send(PATH, { headers });
      expect([token, status, body.code]).toEqual([token, 401, "unauthenticated"]);
    }
  });

  it("is of nothing where there is no workspace", async () => {
    await env.DB.batch(
      ["api_keys", "members", "workspaces", "workspace_usage"].map((table) =>
        env.DB.prepare(`DELETE FROM ${table}`),
      ),
    );
    const { this_month, last_month, database_bytes, ...rest } = await overview();
    expect(rest).toEqual({
      workspaces: { all: 0, suspended: 0 },
      ...Object.fromEntries(SUMS.map((name) => [name, 0])),
      dead_letters: 0,
      open_reports: 0,
      largest: [],
    });
    expect([this_month, last_month]).toMatchObject([
      { deliveries: 0, messages: 0 },
      { deliveries: 0, messages: 0 },
    ]);
    expect(database_bytes).toBeGreaterThan(0);
  });

  it("adds up what its workspaces store, as their usage tells of each", async () => {
    const before = await overview();
    const [one, other] = [await createWorkspace(), await createWorkspace()];
    for (const workspace of [one, one, other]) await createLink(workspace);
    const { id } = await createContact(one, { channel: "sms" });
    for (const name of ["Grace", "Joan"]) await createContact(other, { name });
    await hear(one, id);
    await createPage(one);
    await createProduct(other);
    await createFile(other);
    await addDeliveries(one, ["pending", "succeeded"]);
    await addDeliveries(other, ["pending"]);

    const [now, ...usages] = await Promise.all([overview(), usageOf(one), usageOf(other)]);
    expect(combined(now.workspaces, before.workspaces, -1)).toEqual({ all: 2, suspended: 0 });
    const grown = combined(pick(now, SUMS), pick(before, SUMS), -1);
    expect(grown).toEqual(added(usages.map((usage) => pick(usage, SUMS))));
    expect(grown).toMatchObject({
      links: 3,
      pages: 1,
      products: 1,
      contacts: 3,
      files: 1,
      pending_deliveries: 2,
    });
    expect(now.this_month).toEqual({
      month: new Date().toISOString().slice(0, 7),
      deliveries: 3,
      messages: 1,
    });
    expect(now.database_bytes).toBeGreaterThanOrEqual(before.database_bytes);
    const { meta } = await env.DB.prepare("SELECT 1").run();
    expect(now.database_bytes).toBe(meta.size_after);
  });

  it("counts a suspended workspace among all, and what it stores", async () => {
    const workspace = await createWorkspace();
    await createLink(workspace);
    const active = await overview();
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    const { all, suspended } = active.workspaces;
    expect(await overview()).toEqual({
      ...active,
      workspaces: { all, suspended: suspended + 1 },
    });
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    expect(await overview()).toEqual(active);
  });

  it("adds up months, whichever month a workspace was last counted in", async () => {
    await env.DB.prepare(
      `UPDATE workspace_usage SET deliveries = 0, messages = 0, deliveries_before = 0,
         messages_before = 0`,
    ).run();
    const december = 2026 * 12 + 11;
    const workspaces: Workspace[] = [];
    for (const month of [december, december - 1, december - 2, 0]) {
      const workspace = await createWorkspace();
      const kept = { deliveries: 10, messages: 1, deliveries_before: 200, messages_before: 20 };
      await setUsage(workspace, { month, ...kept });
      workspaces.push(workspace);
    }
    vi.useFakeTimers({ toFake: ["Date"] });
    for (const [date, last, newest] of [
      ["2026-12-01T00:00:00.000Z", ["2026-11", 210, 21], ["2026-12", 10, 1]],
      ["2026-11-30T23:59:59.999Z", ["2026-10", 210, 21], ["2026-11", 210, 21]],
      ["2027-01-15T00:00:00.000Z", ["2026-12", 10, 1], ["2027-01", 0, 0]],
      ["2027-02-15T00:00:00.000Z", ["2027-01", 0, 0], ["2027-02", 0, 0]],
    ] as const) {
      vi.setSystemTime(new Date(date));
      const { this_month, last_month } = await overview();
      const told = [last_month, this_month].map((of) => [of.month, of.deliveries, of.messages]);
      expect([date, told]).toEqual([date, [last, newest]]);
      const usages = await Promise.all(workspaces.map(usageOf));
      for (const [month, name] of [
        [this_month, "this_month"],
        [last_month, "last_month"],
      ] as const) {
        const each = usages.map((usage) => pick(usage[name], MONTHLY));
        expect([date, pick(month, MONTHLY)]).toEqual([date, added(each)]);
      }
    }
  });

  it("names the ten that store most, the largest first, those that store as much by their ids", async () => {
    const expected: object[] = [];
    const sizes = [5, 12, 1, 9, 9, 11, 3, 7, 8, 2, 10, 4].map((size) => size * 1e9);
    for (const [at, stored_bytes] of sizes.entries()) {
      const input = { name: `W${at}`, plan: at % 2 === 0 ? "pro" : "business" };
      const workspace = await createWorkspace(input);
      await setUsage(workspace, { stored_bytes, pending_deliveries: at });
      expected.push({ workspace: workspace.id, ...input, stored_bytes, pending_deliveries: at });
    }
    const { largest } = await overview();
    const order = [1, 5, 10, 3, 4, 8, 7, 0, 11, 6];
    expect(largest).toEqual(order.map((at) => expected[at]));
  });

  it("counts dead letters and open reports up to 1,000", async () => {
    const counted = async () => {
      const { dead_letters, open_reports } = await overview();
      return [dead_letters, open_reports];
    };
    expect(await counted()).toEqual([0, 0]);
    await addDeadLetters(2);
    await addReports(1, "open");
    await addReports(3, "resolved");
    await addReports(3, "dismissed");
    expect(await counted()).toEqual([2, 1]);
    await addDeadLetters(997);
    await addReports(998, "open");
    expect(await counted()).toEqual([999, 999]);
    await addDeadLetters(1);
    await addReports(1, "open");
    expect(await counted()).toEqual([1000, 1000]);
    await addDeadLetters(1);
    await addReports(1, "open");
    expect(await counted()).toEqual([1000, 1000]);
  });

  it("is not changed by workspaces that are not there, nor by what one left that is gone", async () => {
    const before = await overview();
    const gone = await createWorkspace();
    await createLink(gone);
    await setUsage(gone, { stored_bytes: 1e15, month: 1e6, deliveries: 9 });
    expect((await overview()).largest[0].workspace).toBe(gone.id);
    await env.DB.batch(
      ["links", "api_keys", "members"].map((table) =>
        env.DB.prepare(`DELETE FROM ${table} WHERE workspace_id = ?`).bind(gone.id),
      ),
    );
    await env.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(gone.id).run();
    const invented = crypto.randomUUID();
    expect((await operate("GET", `/workspaces/${invented}/usage`)).status).toBe(404);
    const change = { status: "suspended" };
    expect((await operate("PATCH", `/workspaces/${invented}`, change)).status).toBe(404);
    await env.DB.prepare(
      "INSERT INTO workspace_usage (id, links, stored_bytes) VALUES (?, 5, 1e15)",
    )
      .bind(invented)
      .run();
    await addDeliveries({ ...gone, id: crypto.randomUUID() }, ["pending"]);
    const { database_bytes } = before;
    expect({ ...(await overview()), database_bytes }).toEqual(before);
  });

  it("is asked for in one round trip, and reads five rows of each workspace", async () => {
    await env.DB.batch(
      ["dead_letters", "reports", "workspace_usage", "api_keys", "members", "links"].map((table) =>
        env.DB.prepare(`DELETE FROM ${table}`),
      ),
    );
    const costsOf = async () => {
      const costs: Cost[] = [];
      const stop = listenToCosts((cost) => costs.push(cost));
      await overview();
      stop();
      return costs;
    };
    const rowsOf = (costs: Cost[]) => costs.map(({ rowsRead }) => rowsRead);
    await addWorkspaces(100);
    await addDeadLetters(5);
    const few = await costsOf();
    expect(new Set(few.map(({ roundTrip }) => roundTrip)).size).toBe(1);
    expect(rowsOf(few)).toEqual([200, 300, 5, 0]);
    await addWorkspaces(900);
    await addDeadLetters(3000);
    await addReports(3000, "open");
    expect(rowsOf(await costsOf())).toEqual([2000, 3000, 1000, 1000]);
  });
});
