import { env as bindings } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Env } from "../../../../src/platform/config.ts";
import { leastIdAt, newId } from "../../../../src/platform/ids.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { ask, hit, insideLedger, ledgerAt, slotOf } from "../../../support/ledger.ts";
import { loggedLines } from "../../../support/logs.ts";
import { tick } from "../../../support/work.ts";
import {
  createActiveLink,
  createWorkspace,
  LINKS,
  type Workspace,
} from "../../../support/workspace.ts";

/** Clicks that the release before counted in the database, and goes on to while a deploy lasts. */

const env = bindings as unknown as Env;
const HOUR = 3_600_000;
const TODAY = Math.floor(Date.now() / (24 * HOUR)) * 24 * HOUR;

const REFUSING = { countNow: () => Promise.reject(new Error("It refuses.")) };

/** Links have totals that no rows are left of. */
function countForgotten(clicks: number, ...links: string[]) {
  const add = env.DB.prepare(
    "INSERT INTO link_totals (link_id, workspace_id, clicks) VALUES (?, ?, ?)",
  );
  return env.DB.batch(links.map((id) => add.bind(id, workspace.id, clicks)));
}

let workspace: Workspace;
let link: string;
beforeEach(async () => {
  workspace = await createWorkspace();
  link = (await createActiveLink(workspace)).id;
});

/** As the code of before counts. */
function countFormer(of: {
  hour: number;
  kind?: string;
  from?: string;
  clicks: number;
  id?: string;
}) {
  const { hour, kind = "human", from = "", clicks, id = link } = of;
  return env.DB.prepare(
    `INSERT INTO link_clicks (link_id, hour, kind, country, device, referrer, workspace_id, clicks)
     VALUES (?1, ?2, ?3, 'DE', 'mobile', ?4, ?5, ?6)
     ON CONFLICT (link_id, hour, kind, country, device, referrer)
     DO UPDATE SET clicks = clicks + excluded.clicks`,
  )
    .bind(id, hour, kind, from, workspace.id, clicks)
    .run();
}

const shown = async (id = link) => (await workspace.send("GET", `${LINKS}/${id}`)).body.data.clicks;

const left = () =>
  env.DB.prepare(
    `SELECT (SELECT count(*) FROM link_clicks) + (SELECT count(*) FROM click_moves)
       + (SELECT count(*) FROM link_totals) AS n`,
  ).first("n");

const byReferrer = (traffic: "human" | "all" = "human") =>
  ask(ledgerAt(workspace.id), { groupBy: ["referrer"], traffic });

describe("clicks of the release before", () => {
  it("are in the ledger within a minute, in their hours, and shown all the time", async () => {
    await countFormer({ hour: TODAY - 40 * 24 * HOUR, clicks: 5, from: "news.example" });
    await countFormer({ hour: TODAY - 3 * HOUR, clicks: 2 });
    await countFormer({ hour: TODAY - 3 * HOUR, clicks: 4, kind: "crawler" });
    await countFormer({ hour: TODAY - 3 * HOUR, clicks: 1, from: "203.0.113.7" });
    expect(await shown()).toBe(8);
    await tick();
    expect(await left()).toBe(0);
    expect(await shown()).toBe(8);
    const slot = slotOf(TODAY - 3 * HOUR);
    const rows = await ask(ledgerAt(workspace.id), {
      groupBy: ["link", "country"],
      buckets: [0, slot, slot + 1, slot + 50],
      traffic: "all",
    });
    expect(rows).toEqual([
      { bucket: 0, keys: [link, "DE"], counts: [5] },
      { bucket: 1, keys: [link, "DE"], counts: [7] },
    ]);
    expect((await byReferrer("all")).map(({ keys, counts }) => [...keys, ...counts])).toEqual([
      ["", 6],
      ["(address)", 1],
      ["news.example", 5],
    ]);
  });

  it("that come while others are moved are moved after them", async () => {
    await countFormer({ hour: TODAY - HOUR, clicks: 1 });
    await tick();
    await countFormer({ hour: TODAY - HOUR, clicks: 10 });
    expect(await shown()).toBe(11);
    await tick();
    expect([await shown(), await left()]).toEqual([11, 0]);
  });

  it("keep the links' totals of hours that are deleted by now", async () => {
    await countFormer({ hour: TODAY - HOUR, clicks: 3 });
    await env.DB.prepare("UPDATE link_totals SET clicks = 103 WHERE link_id = ?").bind(link).run();
    await tick();
    await tick();
    expect([await shown(), await left()]).toEqual([103, 0]);
    expect((await byReferrer())[0]?.counts).toEqual([3]);
  });

  it("of others are moved while one ledger refuses, and its own when it no longer does", async () => {
    const refusing = {
      ...env,
      LEDGER: {
        getByName: (name: string) =>
          name === workspace.id
            ? { ...REFUSING, totals: () => Promise.resolve({}) }
            : env.LEDGER.getByName(name),
      },
    } as unknown as Env;
    await countFormer({ hour: TODAY - HOUR, clicks: 3 });
    await tick(refusing);
    expect(await shown()).toBe(3);
    const [refused, own] = [workspace, link];
    workspace = await createWorkspace();
    const other = (await createActiveLink(workspace)).id;
    await countFormer({ hour: TODAY - HOUR, clicks: 5, id: other });
    const moved = workspace.id;
    workspace = refused;
    await tick(refusing);
    expect(await ledgerAt(moved).totals("link", [other])).toEqual({ [other]: 5 });
    expect(await ledgerAt(refused.id).totals("link", [own])).toEqual({});
    await tick();
    expect(await ledgerAt(refused.id).totals("link", [own])).toEqual({ [own]: 3 });
    expect([await shown(), await left()]).toEqual([3, 0]);
  });

  it("of hours that are deleted are moved while another workspace's move is refused", async () => {
    const refusedIn = workspace;
    const refusing = {
      ...env,
      LEDGER: {
        getByName: (name: string) =>
          name === refusedIn.id ? REFUSING : env.LEDGER.getByName(name),
      },
    } as unknown as Env;
    await countForgotten(9, link);
    await countFormer({ hour: TODAY - HOUR, clicks: 3, id: link });
    workspace = await createWorkspace();
    const other = (await createActiveLink(workspace)).id;
    const both = (await createActiveLink(workspace)).id;
    await countForgotten(5, other, both);
    await countFormer({ hour: TODAY - HOUR, clicks: 1, id: both });
    await tick(refusing);
    await tick(refusing);
    const theirs = () => ledgerAt(workspace.id).totals("link", [other, both]);
    expect(await theirs()).toEqual({ [other]: 5, [both]: 6 });
    expect(await shown(other)).toBe(5);
    await tick();
    await tick();
    expect(await theirs()).toEqual({ [other]: 5, [both]: 6 });
    workspace = refusedIn;
    expect([await shown(), await left()]).toEqual([12, 0]);
  });

  it("stay where they are, and are told of, when nobody can tell any more whether they were moved", async () => {
    await countForgotten(9, link);
    const id = leastIdAt(TODAY - 46 * 24 * HOUR);
    await env.DB.prepare("INSERT INTO click_moves (id, workspace_id, clicks) VALUES (?, ?, ?)")
      .bind(id, workspace.id, JSON.stringify([[link, TODAY, "human", "DE", "mobile", "", 9]]))
      .run();
    await tick();
    expect([await shown(), await left()]).toEqual([9, 2]);
    expect(await ledgerAt(workspace.id).totals("link", [link])).toEqual({});
    const told = loggedLines().filter((line) => line.includes("click_move_failed"));
    expect(told.some((line) => line.includes(id))).toBe(true);
    // Nothing of it is left to the next test.
    await env.DB.batch(
      ["click_moves", "link_totals"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
    );
  });

  it("are shown in full while their ledger has a backlog", async () => {
    await countFormer({ hour: TODAY - HOUR, clicks: 30 });
    const ledger = ledgerAt(workspace.id);
    // Rows that fault stand for what takes long: nothing behind them is counted.
    await insideLedger(ledger, (_, { storage }) => {
      const exec = storage.sql.exec.bind(storage.sql);
      Object.assign(storage.sql, {
        exec: (...given: Parameters<typeof exec>) => {
          if (given[0].startsWith("DELETE FROM waiting")) throw new Error("SQLITE_FULL");
          return exec(...given);
        },
      });
    });
    await ledger.append([{ id: newId(), hits: [hit({ id: link })] }]);
    await tick();
    expect(await left()).toBe(0);
    expect(await shown()).toBeGreaterThanOrEqual(30);
    await insideLedger(ledger, (_, { storage }) => Reflect.deleteProperty(storage.sql, "exec"));
    expect(await shown()).toBe(31);
  });

  it("count once when the job dies at any of its statements, or two run at once", async () => {
    const statements = [
      /INSERT INTO click_moves/,
      /FROM click_moves\s+ORDER BY/,
      /UPDATE link_totals/,
      /DELETE FROM click_moves/,
    ];
    const other = (await createActiveLink(workspace)).id;
    let expected = 0;
    for (const [at, statement] of statements.entries()) {
      for (const when of ["undone", "done"] as const) {
        await countFormer({ hour: TODAY - (at + 1) * HOUR, clicks: 3, from: `${when}.example` });
        await countFormer({ hour: TODAY - HOUR, clicks: 1, id: other });
        expected += 3;
        const database = faulting(CONNECTION_LOST);
        database.faultOf = (what, batched) =>
          [what, ...batched].some((sql) => statement.test(sql)) ? when : undefined;
        await tick(database.env);
        await Promise.all([tick(), tick()]);
        await tick();
        expect([statement, when, await shown()]).toEqual([statement, when, expected]);
      }
    }
    expect(await shown(other)).toBe(2 * statements.length);
    expect(await left()).toBe(0);
    const rows = await byReferrer();
    expect(rows.reduce((sum, { counts }) => sum + (counts[0] ?? 0), 0)).toBe(
      expected + 2 * statements.length,
    );
  });
});
