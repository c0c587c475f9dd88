import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { deleteWorkspaces } from "../../../src/access/workspaces/workspace-deletion.ts";
import {
  otherPlace,
  rowsAmongAll,
  type WorkspacePlace,
} from "../../../src/access/workspaces/workspace-places.ports.ts";
import { exampleId } from "../../../src/api/ids.ts";
import { laneName } from "../../../src/deliveries/lane-wake-up.ts";
import { TARGET_DELIVERIES } from "../../../src/deliveries/workspace-erasure.ts";
import { sweepFiles } from "../../../src/features/biolinks/files/file-sweep.ts";
import { removeDeletedPages } from "../../../src/features/biolinks/pages/page-retention.ts";
import type { Env } from "../../../src/platform/config.ts";
import { newId } from "../../../src/platform/ids.ts";
import { WORKSPACE_PLACES } from "../../../src/workspace-places.ts";
import { ExampleStory } from "../../support/example-story.ts";
import { describedExamples } from "../../support/examples.ts";

import { operate, send } from "../../support/http.ts";
import {
  ask,
  hit,
  insideLedger,
  ledgerAt,
  packet,
  shardsOf,
  splitNext,
} from "../../support/ledger.ts";
import { loggedLines } from "../../support/logs.ts";
import { workIn } from "../../support/work.ts";
import {
  createActiveLink,
  createWorkspace,
  issueKey,
  LINKS,
  type Workspace,
} from "../../support/workspace.ts";

const env = bindings as unknown as Env;
/** What takes a record away, or is about that. */
const TAKES_AWAY =
  /^(delete|remove|revoke|erase|bulkDelete|unsubscribe|getErasure|getWorkspaceDeletion)/;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** What is of no workspace, or is kept for a while by jobs that delete it by themselves. */
const OF_NOBODY = [
  "address_changes",
  "d1_migrations",
  "file_removals",
  "hostname_removals",
  "job_places",
  "link_days",
  "report_tries",
  "sqlite_sequence",
  "usage_recount",
  "workspace_deletions",
];

afterEach(() => {
  vi.useRealTimers();
});

function later(milliseconds: number): void {
  const time = Date.now() + milliseconds;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(time);
}

const run = (places: readonly WorkspacePlace[] = WORKSPACE_PLACES) =>
  deleteWorkspaces(workIn(newId()), places);

const statusOf = async (id: string) =>
  (await operate("GET", `/workspaces/${id}/deletion`)).body.data.status;

/** The cron's minutes until a deletion has ended. */
async function runToTheEnd(id: string, places?: readonly WorkspacePlace[]): Promise<number> {
  for (let runs = 1; runs < 300; runs++) {
    await run(places);
    if ((await statusOf(id)) === "finished") return runs;
    later(11 * MINUTE);
  }
  throw new Error("The deletion comes to no end.");
}

/** All that D1 holds, by table. */
async function stored(): Promise<Map<string, unknown[]>> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all<{ name: string }>();
  const names = tables.results.map(({ name }) => name).filter((name) => !OF_NOBODY.includes(name));
  const rows = names.map(
    async (name) => [name, (await env.DB.prepare(`SELECT * FROM ${name}`).all()).results] as const,
  );
  return new Map(await Promise.all(rows));
}

/** What there is more than before, by table. */
function added(before: Map<string, unknown[]>, after: Map<string, unknown[]>) {
  return Object.fromEntries(
    [...after].flatMap(([name, rows]) => {
      const known = new Set(before.get(name)?.map((row) => JSON.stringify(row)));
      const more = rows.filter((row) => !known.has(JSON.stringify(row)));
      return more.length > 0 ? [[name, more]] : [];
    }),
  );
}

/** A workspace with all that the API's examples make. */
async function tellStory(): Promise<ExampleStory> {
  const operations = await describedExamples();
  const making = operations.filter(({ operationId }) => !TAKES_AWAY.test(operationId));
  const story = new ExampleStory(making);
  await story.tell();
  expect(story.faults).toEqual([]);
  return story;
}

/** Rows of tables that only code of before, a fault or a while leads to. */
async function addWhatNoExampleMakes(workspaceId: string): Promise<void> {
  const own = (table: string) => `(SELECT min(id) FROM ${table} WHERE workspace_id = ?1)`;
  const statements = [
    `INSERT INTO link_clicks SELECT ${own("links")}, 0, 'human', 'DE', '', '', ?1, 3`,
    "INSERT INTO click_moves SELECT 'move', ?1, '[]'",
    `INSERT INTO deliveries SELECT 'old', ?1, 'endpoint', 'gone', 'gone', 'e', 'c', 0, NULL, 'delivered', 1, NULL, 0, 0`,
    "INSERT INTO delivery_attempts SELECT 'old', 1, 0, 1, 200, NULL, 'private', 0, NULL WHERE ?1 <> ''",
    "INSERT INTO dead_letters SELECT 'dead', 'queue', ?1, '{}', '', 1, 0",
    "INSERT INTO erasures SELECT 'somebody', ?1, 0, '', 0, 0, NULL",
    "INSERT INTO opt_outs SELECT ?1, 'somebody', 0",
    `INSERT INTO product_import_slices SELECT ${own("product_imports")}, 99, ?1, 'a,b', 1, '[]'`,
    `INSERT INTO collection_products SELECT ${own("collections")}, 0, ${own("products")}`,
    `INSERT INTO product_files SELECT ${own("products")}, ${own("files")}`,
    `INSERT INTO page_files SELECT ${own("pages")}, 'page', ${own("files")}`,
    `INSERT INTO page_products SELECT ${own("pages")}, ${own("products")}`,
    `INSERT INTO page_redraws SELECT ${own("pages")}, ?1, NULL, 0 WHERE true ON CONFLICT DO NOTHING`,
    `UPDATE links SET pixels = json_array(${own("pixels")}) WHERE id = ${own("links")}`,
    `UPDATE pages SET pixels = json_array(${own("pixels")}) WHERE id = ${own("pages")}`,
  ];
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement).bind(workspaceId)));
}

/** Tables in which a workspace has nothing even so: of former code, of the platform, or for a while only. */
const EMPTY = [
  "address_check",
  "click_packets",
  "disabled_files",
  "file_bucket_owner",
  "page_removals",
  "plan_limits",
];

describe("a workspace that is deleted", () => {
  it("is gone with all that was stored of it, and nothing of another workspace is", async () => {
    const other = await createWorkspace();
    await createActiveLink(other);
    const before = await stored();
    const story = await tellStory();
    const id = story.real(exampleId("workspace"));
    await addWhatNoExampleMakes(id);
    const full = added(before, await stored());
    expect([...before.keys()].filter((name) => !full[name]).sort()).toEqual(EMPTY);
    const ledger = ledgerAt(id);
    await ledger.append([packet([hit()])]);
    const contents = (full.files as { sha256: string }[]).map(({ sha256 }) => sha256);
    expect(contents.length).toBeGreaterThan(0);
    const lanes = [
      ...((full.webhook_endpoints ?? []) as { id: string }[]).map(
        (of) => ["endpoint", of.id] as const,
      ),
      ...((full.automation_hooks ?? []) as { id: string }[]).map((of) => ["hook", of.id] as const),
    ].map(([kind, target]) => env.DELIVERY_LANE.getByName(laneName(id, { kind, id: target })));
    expect(lanes.length).toBeGreaterThan(1);

    const begun = await operate("DELETE", `/workspaces/${id}`);
    expect([begun.status, begun.body.data.status]).toEqual([202, "running"]);
    await runToTheEnd(id);
    await removeDeletedPages(workIn(newId()));
    expect(added(before, await stored())).toEqual({});
    expect(added(await stored(), before)).toEqual({});
    expect((await operate("GET", `/workspaces/${id}`)).status).toBe(404);

    for (const lane of lanes) {
      while (await runDurableObjectAlarm(lane));
      const kept = await runInDurableObject(lane, (_, { storage }) => storage.list());
      expect([...kept.keys()]).toEqual([]);
    }
    const tables = await runInDurableObject(
      env.WORKSPACE_GATE.getByName(id),
      (_, { storage: { sql } }) =>
        sql
          .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
          .toArray(),
    );
    expect(tables).toEqual([]);
    later(25 * HOUR);
    await sweepFiles(workIn(newId()));
    const left = await Promise.all(contents.map((name) => env.FILES.head(name)));
    expect(left.filter((one) => one !== null)).toEqual([]);
  });

  it("is suspended at once, for good", async () => {
    const workspace = await createWorkspace();
    const { slug } = await createActiveLink(workspace);
    const { body } = await operate("DELETE", `/workspaces/${workspace.id}`);
    expect(body.data).toMatchObject({ workspace: workspace.id, finished_at: null });
    const refused = await workspace.send("GET", LINKS);
    expect([refused.status, refused.body.code]).toEqual([403, "workspace_suspended"]);
    expect((await send(`/${slug}`)).status).toBe(410);
    const shown = await operate("GET", `/workspaces/${workspace.id}`);
    expect(shown.body.data.status).toBe("suspended");
    const again = await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    expect([again.status, again.body.code]).toEqual([409, "conflict"]);
    const repeated = await operate("DELETE", `/workspaces/${workspace.id}`);
    expect([repeated.status, repeated.body]).toEqual([202, body]);
  });

  it("is answered with how it ended, when it is gone", async () => {
    const workspace = await createWorkspace();
    await operate("DELETE", `/workspaces/${workspace.id}`);
    await runToTheEnd(workspace.id);
    const { body } = await operate("DELETE", `/workspaces/${workspace.id}`);
    expect(body.data.status).toBe("finished");
    expect(body.data.finished_at).not.toBeNull();
    const key = await workspace.send("GET", LINKS);
    expect([key.status, key.body.code]).toEqual([401, "unauthenticated"]);
  });

  it("must be there", async () => {
    const [known, unknown] = [(await createWorkspace()).id, newId()];
    expect((await operate("DELETE", `/workspaces/${unknown}`)).status).toBe(404);
    expect((await operate("GET", `/workspaces/${unknown}/deletion`)).status).toBe(404);
    expect((await operate("GET", `/workspaces/${known}/deletion`)).status).toBe(404);
    expect((await operate("GET", `/workspaces/${known}`)).body.data.status).toBe("active");
  });
});

describe("the job", () => {
  /** Links of a workspace, past the API. */
  async function addLinks(workspace: Workspace, count: number): Promise<void> {
    await env.DB.prepare(
      `INSERT INTO links (id, workspace_id, slug, slug_key, destination, status, http_status, sensitive_content, pixels,
         forward_query, utm, disabled, revision, created_at, updated_at)
       WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ?3)
       SELECT ?1 || '-' || at, ?2, ?1 || at, lower(?1) || at, 'https://example.com/', 'active', 302, 0, '[]',
         0, '{}', 0, '', 0, 0 FROM n`,
    )
      .bind(newId(), workspace.id, count)
      .run();
  }

  const linksOf = async ({ id }: Workspace) =>
    (
      await env.DB.prepare("SELECT count(*) AS n FROM links WHERE workspace_id = ?")
        .bind(id)
        .first<{ n: number }>()
    )?.n;

  it("goes on where it was, wherever it dies", async () => {
    const workspace = await createWorkspace();
    await addLinks(workspace, 60);
    await operate("DELETE", `/workspaces/${workspace.id}`);
    let slices = 0;
    // Each slice is done, and every other one dies before that is noted.
    const dying = WORKSPACE_PLACES.map((place) => ({
      ...place,
      async eraseNext(...of: Parameters<WorkspacePlace["eraseNext"]>) {
        const position = await place.eraseNext(...of);
        if (++slices % 2 === 1) throw new Error("It died here.");
        return position;
      },
    }));
    await runToTheEnd(workspace.id, dying);
    expect(slices).toBeGreaterThan(2 * WORKSPACE_PLACES.length);
    expect(await linksOf(workspace)).toBe(0);
  });

  it("does a slice of each workspace in turn", async () => {
    const [large, small] = [await createWorkspace(), await createWorkspace()];
    await addLinks(large, 12_000);
    await addLinks(small, 10);
    await operate("DELETE", `/workspaces/${large.id}`);
    await operate("DELETE", `/workspaces/${small.id}`);
    for (let runs = 0; (await linksOf(small)) !== 0; runs++) {
      expect(runs).toBeLessThan(5);
      await run();
    }
    expect(await linksOf(large)).toBeGreaterThan(10_000);
    await runToTheEnd(large.id);
    expect([await linksOf(large), await statusOf(small.id)]).toEqual([0, "finished"]);
  });

  it("takes what comes while it works: before the workspace goes, and an hour after that", async () => {
    const workspace = await createWorkspace();
    await operate("DELETE", `/workspaces/${workspace.id}`);
    let isLate = false;
    const places = WORKSPACE_PLACES.map((place) => ({
      ...place,
      async eraseNext(...of: Parameters<WorkspacePlace["eraseNext"]>) {
        const position = await place.eraseNext(...of);
        if (place.name === "api_keys" && !isLate) {
          isLate = true;
          await issueKey(workspace.id);
        }
        return position;
      },
    }));
    // A key names a member: so the pass begins again.
    while ((await passesOf(workspace)) === 0) {
      await run(places);
      later(11 * MINUTE);
    }
    expect((await operate("GET", `/workspaces/${workspace.id}`)).status).toBe(404);
    expect(await statusOf(workspace.id)).toBe("running");
    await addEvents(workspace, 1);
    await runToTheEnd(workspace.id);
    for (const table of ["events", "api_keys", "members", "workspace_usage"]) {
      const column = table === "workspace_usage" ? "id" : "workspace_id";
      const left = await env.DB.prepare(`SELECT 1 FROM ${table} WHERE ${column} = ?`)
        .bind(workspace.id)
        .all();
      expect([table, left.results]).toEqual([table, []]);
    }
  });

  it("keeps it suspended, though code of before is told to make it active", async () => {
    const workspace = await createWorkspace();
    await operate("DELETE", `/workspaces/${workspace.id}`);
    const active = env.DB.prepare("UPDATE workspaces SET status = 'active' WHERE id = ?");
    await expect(active.bind(workspace.id).run()).rejects.toThrow("workspace_deleted");
    const other = await createWorkspace();
    await operate("PATCH", `/workspaces/${other.id}`, { status: "suspended" });
    expect((await active.bind(other.id).run()).meta.changes).toBeGreaterThan(0);
    await runToTheEnd(workspace.id);
  });

  it("comes to the end of a table to which others write on, and takes a slice of its rows at a time", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    await addEvents(workspace, 600);
    const events = rowsAmongAll("events");
    const ctx = workIn(workspace.id);
    const left: unknown[] = [];
    let position: string | undefined = "";
    for (let slices = 0; position !== undefined && slices < 10; slices++) {
      position = await events.eraseNext(ctx, position);
      left.push(await eventsOf(workspace));
      await addEvents(other, 1);
    }
    expect(left).toEqual([350, 100, 0]);
    expect(await eventsOf(other)).toBe(3);
  });

  it("goes on with those first that waited longest", async () => {
    const ids: string[] = [];
    for (let made = 0; made < 4; made++) {
      const { id } = await createWorkspace();
      await operate("DELETE", `/workspaces/${id}`);
      ids.push(id);
    }
    const taken: string[] = [];
    const slow: WorkspacePlace = {
      name: "slow",
      async eraseNext({ workspaceId }) {
        taken.push(workspaceId);
        later(6000);
        return "on";
      },
    };
    for (let runs = 0; runs < 3; runs++) await run([slow]);
    expect(new Set(taken)).toEqual(new Set(ids));
    for (const id of ids) await runToTheEnd(id);
  });

  it("lets one that cannot be erased wait, and goes on with others", async () => {
    const [faulty, other] = [await createWorkspace(), await createWorkspace()];
    await operate("DELETE", `/workspaces/${faulty.id}`);
    await operate("DELETE", `/workspaces/${other.id}`);
    const places = WORKSPACE_PLACES.map((place) => ({
      ...place,
      async eraseNext(...[ctx, position]: Parameters<WorkspacePlace["eraseNext"]>) {
        if (ctx.workspaceId === faulty.id && place.name === "links") throw new Error("Broken.");
        return place.eraseNext(ctx, position);
      },
    }));
    await runToTheEnd(other.id, places);
    expect(await statusOf(faulty.id)).toBe("running");
    const told = loggedLines()
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === "deletion_faulted");
    expect(told).toContainEqual(expect.objectContaining({ workspace: faulty.id, place: "links" }));
    await runToTheEnd(faulty.id);
  });

  it("goes through the deliveries of all targets, and takes the workspace's", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const add = (workspaceId: string, targets: number, deliveries: number) =>
      env.DB.prepare(
        `INSERT INTO target_deliveries (target_id, id, workspace_id, target_kind, event_id, event,
           channel, test, status, attempts_count, created_at)
         WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < ?2 * ?3 - 1)
         SELECT lower(hex(zeroblob(2))) || (at % ?2) || '-' || ?1, at, ?1, 'endpoint', at, 'e', 'c', 0,
           'delivered', 1, 0 FROM n`,
      )
        .bind(workspaceId, targets, deliveries)
        .run();
    await add(workspace.id, 300, 3);
    await add(other.id, 400, 1);
    await operate("DELETE", `/workspaces/${workspace.id}`);
    await runToTheEnd(workspace.id);
    const left = await env.DB.prepare(
      "SELECT workspace_id AS id, count(*) AS n FROM target_deliveries GROUP BY 1",
    ).all();
    expect(left.results).toContainEqual({ id: other.id, n: 400 });
    expect(left.results.map(({ id }) => id)).not.toContain(workspace.id);
  });

  it("comes to the end of the targets to which others add on", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const target = (at: number) => `ffffffff-${String(at).padStart(4, "0")}`;
    const add = (workspaceId: string, at: number) =>
      env.DB.prepare(
        `INSERT INTO target_deliveries (target_id, id, workspace_id, target_kind, event_id, event,
           channel, test, status, attempts_count, created_at)
         VALUES (?1, '1', ?2, 'endpoint', '1', 'e', 'c', 0, 'delivered', 1, 0)`,
      )
        .bind(target(at), workspaceId)
        .run();
    await add(workspace.id, 0);
    let [position, slices]: [string | undefined, number] = ["ffffffff", 0];
    for (; position !== undefined && slices < 10; slices++) {
      position = await TARGET_DELIVERIES.eraseNext(workIn(workspace.id), position);
      await add(other.id, slices + 1);
    }
    expect(slices).toBe(1);
    const left = await env.DB.prepare("SELECT 1 FROM target_deliveries WHERE workspace_id = ?")
      .bind(workspace.id)
      .all();
    expect(left.results).toEqual([]);
  });

  it("lets the other jobs go on where a workspace's object has too much to do, and not where D1 has", async () => {
    const workspace = await createWorkspace();
    await operate("DELETE", `/workspaces/${workspace.id}`);
    const overloaded = async () => {
      throw new Error("Durable Object is overloaded. Too many requests queued.");
    };
    await run([otherPlace("ledger", overloaded)]);
    const due = await dueOf(workspace);
    expect(due).toBeGreaterThan(Date.now() + 5 * MINUTE);
    later(11 * MINUTE);
    const place = { name: "links", eraseNext: overloaded };
    await expect(run([place])).rejects.toThrow("overloaded");
    expect(await dueOf(workspace)).toBeLessThanOrEqual(Date.now() + MINUTE);
    later(2 * MINUTE);
    await runToTheEnd(workspace.id);
  });

  it("begins again where something new names what was to go, and calls that a fault after a week", async () => {
    const workspace = await createWorkspace();
    await operate("DELETE", `/workspaces/${workspace.id}`);
    const named: WorkspacePlace = {
      name: "tags",
      eraseNext: () => Promise.reject(new Error("D1_ERROR: FOREIGN KEY constraint failed")),
    };
    const told = () =>
      loggedLines()
        .map((line) => JSON.parse(line))
        .filter((line) => line.workspace === workspace.id && /^deletion_/.test(line.event))
        .map(({ event }) => event);
    await run([named]);
    expect(told()).toEqual(["deletion_begins_again"]);
    later(8 * 24 * HOUR);
    await run([named]);
    expect(told()).toEqual(["deletion_begins_again", "deletion_faulted"]);
    later(HOUR);
    await runToTheEnd(workspace.id);
  });

  const dueOf = async ({ id }: Workspace) =>
    (
      await env.DB.prepare("SELECT due_at AS due FROM workspace_deletions WHERE id = ?")
        .bind(id)
        .first<{ due: number }>()
    )?.due;

  it("erases a ledger that has split, which counts nothing that comes later", async () => {
    const workspace = await createWorkspace();
    const ledger = ledgerAt(workspace.id);
    await splitNext(ledger);
    const hits = Array.from({ length: 40 }, (_, at) => hit({ id: `link-${at}` }));
    await ledger.append([packet(hits)]);
    expect(await ask(ledger)).toEqual([{ bucket: 0, keys: [], counts: [40] }]);
    await operate("DELETE", `/workspaces/${workspace.id}`);
    await runToTheEnd(workspace.id);
    await ledger.append([packet(hits)]);
    for (const one of [ledger, ...shardsOf(workspace.id)]) {
      const kept = await insideLedger(one, (_, { storage: { sql, kv } }) => {
        const tables = sql.exec<{ name: string }>(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
        );
        const full = [...tables].filter(
          ({ name }) => sql.exec(`SELECT 1 FROM ${name} LIMIT 1`).toArray().length > 0,
        );
        return { full, values: [...kv.list()].map(([name]) => name) };
      });
      expect(kept).toEqual({ full: [], values: ["erased"] });
    }
    expect(await ledger.totals("link", ["link-1"])).toEqual({});
    expect((await ledger.recent(0)).minutes).toEqual([]);
  });

  const passesOf = async ({ id }: Workspace) =>
    (
      await env.DB.prepare("SELECT passes FROM workspace_deletions WHERE id = ?")
        .bind(id)
        .first<{ passes: number }>()
    )?.passes;

  const addEvents = ({ id }: Workspace, count: number) =>
    env.DB.prepare(
      `INSERT INTO events (id, workspace_id, type, channel, test, data, created_at)
       WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ?3)
       SELECT ?1 || at, ?2, 'a.b', 'c', 0, '{}', 0 FROM n`,
    )
      .bind(newId(), id, count)
      .run();

  const eventsOf = async ({ id }: Workspace) =>
    (
      await env.DB.prepare("SELECT count(*) AS n FROM events WHERE workspace_id = ?")
        .bind(id)
        .first<{ n: number }>()
    )?.n;
});

it("knows each table that has rows of workspaces", async () => {
  /** What belongs to a row elsewhere: triggers delete it with that, or the place does. */
  const withOthers = [
    "addresses",
    "link_totals",
    "page_blocks",
    "page_removals",
    "page_renders",
    "page_versions",
    "product_import_slices",
  ];
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND instr(sql, '`workspace_id`') > 0",
  ).all<{ name: string }>();
  expect(results.length).toBeGreaterThan(40);
  const known = [...withOthers, ...WORKSPACE_PLACES.map(({ name }) => name), "ledger", "gate"];
  expect(results.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
  const names = WORKSPACE_PLACES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
