import { env as bindings } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Env } from "../../../../src/platform/config.ts";
import { send } from "../../../support/http.ts";
import { ask, countedOf, ledgerAt } from "../../../support/ledger.ts";
import { type Cost, listenToCosts } from "../../../support/noted-statements.ts";
import { PERSON } from "../../../support/visitor.ts";
import { deliver, tick } from "../../../support/work.ts";
import {
  createActiveLink,
  createWorkspace,
  LINKS,
  type Workspace,
} from "../../../support/workspace.ts";

const env = bindings as unknown as Env;
const QUEUE = "signpost-clicks";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CRAWLER = "Googlebot/2.1 (+http://www.google.com/bot.html)";
/** A whole day that is over, so that no test runs into the next. */
const YESTERDAY = Math.floor(Date.now() / DAY) * DAY - DAY;

type Packed = [string, number, 0 | 1, string, number, string, number];

function packetOf(workspace: Workspace, clicks: Packed[], id: string = crypto.randomUUID()) {
  return { v: 1, workspace: workspace.id, id, agents: [PERSON, CRAWLER], clicks };
}

function visitsFrom(link: string, referrers: string[]): Packed[] {
  return referrers.map((referrer) => [link, YESTERDAY, 0, "DE", 0, referrer, 1]);
}

const invented = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `shop${from + at}.example`);

async function clicksShown(workspace: Workspace, id: string): Promise<number> {
  return (await workspace.send("GET", `${LINKS}/${id}`)).body.data.clicks;
}

/** How many clicks a link has, and how many referrers are told. */
async function heldOf(workspace: Workspace, link: string) {
  const filters = [{ dimension: "link" as const, values: [link], isExcluded: false }];
  const rows = await ask(ledgerAt(workspace.id), { groupBy: ["referrer"], filters });
  const told = rows.filter(({ keys }) => !["", "(other)"].includes(keys[0] ?? ""));
  const clicks = rows.reduce((all, { counts }) => all + (counts[0] ?? 0), 0);
  return { clicks, referrers: told.length };
}

async function costsOf(work: () => Promise<unknown>): Promise<Cost[]> {
  const costs: Cost[] = [];
  const stop = listenToCosts((cost) => costs.push(cost));
  await work();
  stop();
  return costs;
}

const sum = (costs: Cost[], of: "rowsRead" | "rowsWritten") =>
  costs.reduce((all, cost) => all + cost[of], 0);

describe("visitors who invent where they come from", () => {
  it("make a thousand referrers of a link and day, and the rest is `(other)`", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const visitFrom = (host: string) => {
      const headers = { "User-Agent": PERSON, Referer: `https://www.${host}/page` };
      return send(`/${link.slug}`, { headers });
    };
    const hosts = invented(2000);
    // One alone first: the tests' runtime does not let a visit end that waits for another's look-up
    // when that one has ended.
    await visitFrom(hosts.pop() ?? "");
    const costs = await costsOf(async () => {
      while (hosts.length > 0) await Promise.all(hosts.splice(0, 100).map(visitFrom));
      await vi.waitFor(async () => expect(await clicksShown(workspace, link.id)).toBe(2000), {
        timeout: 60_000,
        interval: 250,
      });
    });
    const written = sum(costs, "rowsWritten");
    const held = await heldOf(workspace, link.id);
    console.log("2,000 visits with invented referrers:", JSON.stringify(held), { written });
    // A test that runs past midnight finds some more.
    expect(held.referrers).toBe(1000);
    expect(await clicksShown(workspace, link.id)).toBe(2000);
  });

  it("make one of all hosts of a domain", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const hosts = Array.from({ length: 500 }, (_, at) => `h${at}.news.example:${8000 + at}`);
    await deliver(QUEUE, [packetOf(workspace, visitsFrom(id, hosts))]);
    expect(await heldOf(workspace, id)).toEqual({ clicks: 500, referrers: 1 });
  });

  it("cannot pass the thousand by consumers that count at once, and take no known one's place", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const known = ["news.example", "search.example"];
    await deliver(QUEUE, [packetOf(workspace, visitsFrom(id, known))]);
    const batches = Array.from({ length: 6 }, (_, at) => [
      packetOf(workspace, visitsFrom(id, [...invented(200, at * 400), ...known])),
      packetOf(workspace, visitsFrom(id, invented(200, at * 400 + 200))),
    ]);
    await Promise.all(batches.map((batch) => deliver(QUEUE, batch)));
    const held = await heldOf(workspace, id);
    expect(held?.clicks).toBe(2 + 6 * 402);
    expect(held?.referrers).toBeLessThanOrEqual(1000);
    expect(held?.referrers).toBeGreaterThan(900);
    const rows = await countedOf(workspace.id, id);
    const clicks = rows.filter(({ referrer }) => known.includes(referrer));
    expect(clicks.map((row) => row.clicks)).toEqual([7, 7]);
    // The next day has room of its own.
    const next: Packed[] = [[id, YESTERDAY + DAY, 0, "DE", 0, "next.example", 1]];
    await deliver(QUEUE, [packetOf(workspace, next)]);
    expect((await heldOf(workspace, id))?.referrers).toBe((held?.referrers ?? 0) + 1);
  });
});

describe("a queue's batch of packets", () => {
  it("asks the database nothing but whether code of before has counted it, and tells it so", async () => {
    const workspace = await createWorkspace();
    const links = [await createActiveLink(workspace), await createActiveLink(workspace)];
    const packets = Array.from({ length: 50 }, () =>
      packetOf(
        workspace,
        links.flatMap(({ id }) => visitsFrom(id, ["", "news.example"])),
      ),
    );
    const costs = await costsOf(() => deliver(QUEUE, packets));
    expect(costs.map(({ sql }) => /click_packets/.test(sql))).toEqual([true, true, true]);
    // What was counted by code of before is not counted again, nor by that what is counted here.
    const counted = { ...packetOf(workspace, visitsFrom(links[0]?.id ?? "", [""])) };
    const mark = "INSERT INTO click_packets (id, created_at) VALUES (?, ?)";
    await env.DB.prepare(mark).bind(counted.id, Date.now()).run();
    await deliver(QUEUE, [counted]);
    for (const { id } of links) expect(await clicksShown(workspace, id)).toBe(100);
    const marked = "SELECT count(*) AS n FROM click_packets WHERE id = ?";
    expect(await env.DB.prepare(marked).bind(packets[0]?.id).first("n")).toBe(1);
  });

  it("counts each packet once, though some were counted before, some come twice, and others count them too", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const packets = Array.from({ length: 9 }, () => packetOf(workspace, visitsFrom(id, [""])));
    await deliver(QUEUE, packets.slice(0, 3));
    const batches = [packets, [...packets, ...packets], packets.slice(2, 7), packets.slice(6, 7)];
    const taken = await Promise.all(batches.map((batch) => deliver(QUEUE, batch)));
    expect(taken.map(({ acked }) => acked.length)).toEqual([9, 18, 5, 1]);
    expect(await clicksShown(workspace, id)).toBe(9);
  });

  it("loses nothing to a packet that cannot be read: it is set aside", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const good = Array.from({ length: 20 }, () => packetOf(workspace, visitsFrom(id, [""])));
    const poison = packetOf(workspace, [[id, Number.NaN, 0, "DE", 0, "", 1]]);
    const odd = { ...packetOf(workspace, []), clicks: [[id, YESTERDAY, 0, "DE", 0, "", "9"]] };
    const { acked, retried } = await deliver(QUEUE, [poison, ...good, odd, null]);
    expect([acked.length, retried]).toEqual([23, []]);
    expect(await clicksShown(workspace, id)).toBe(20);
    const kept = "SELECT count(*) AS n FROM dead_letters WHERE workspace_id = ?";
    expect(await env.DB.prepare(kept).bind(workspace.id).first("n")).toBe(2);
  });

  it("loses nothing to a packet that the database refuses: only that one comes again", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const good = Array.from({ length: 5 }, () => packetOf(workspace, visitsFrom(id, [""])));
    const refused = packetOf(workspace, visitsFrom(id, [""]));
    const { acked, retried } = await deliver(QUEUE, [...good, refused], {
      env: { ...env, DB: refusing(refused.id) },
    });
    expect(new Set(acked)).toEqual(new Set(good));
    expect(retried.map(({ body }) => body)).toEqual([refused]);
    expect(await clicksShown(workspace, id)).toBe(5);
    await deliver(QUEUE, [...good, refused]);
    expect(await clicksShown(workspace, id)).toBe(6);
  });
});

/** A database that cannot mark one packet. */
function refusing(packetId: string): D1Database {
  return new Proxy(env.DB, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value;
      return (sql: string) => {
        const prepared = target.prepare(sql);
        return new Proxy(prepared, {
          get(statement, method) {
            const own = Reflect.get(statement, method, statement);
            if (method !== "bind") return typeof own === "function" ? own.bind(statement) : own;
            return (...given: unknown[]) => {
              if (JSON.stringify(given).includes(packetId)) throw new Error("D1_ERROR: refused");
              return statement.bind(...given);
            };
          },
        });
      };
    },
  });
}

describe("a link's clicks", () => {
  it("cost the database a look for one row that may not be there", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const many = packetOf(workspace, visitsFrom(id, invented(900)));
    await deliver(QUEUE, [many]);
    const costs = await costsOf(() => clicksShown(workspace, id));
    const clicks = costs.filter(({ sql }) => /link_(clicks|totals)/.test(sql));
    expect(clicks.map(({ rowsRead }) => rowsRead)).toEqual([0]);
    expect(await clicksShown(workspace, id)).toBe(900);
  });

  it("hold what code from before adds, while a deploy spreads or after it is rolled back", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const before = env.DB.prepare(
      `INSERT INTO link_clicks (link_id, hour, kind, country, device, referrer, workspace_id, clicks)
       SELECT ?1, ?2, value, 'DE', '', '', ?3, 2 FROM json_each('["human", "crawler"]') WHERE true
       ON CONFLICT (link_id, hour, kind, country, device, referrer)
       DO UPDATE SET clicks = clicks + excluded.clicks`,
    ).bind(id, YESTERDAY, workspace.id);
    await before.run();
    expect(await clicksShown(workspace, id)).toBe(2);
    await deliver(QUEUE, [packetOf(workspace, visitsFrom(id, ["", "news.example"]))]);
    await before.run();
    expect(await clicksShown(workspace, id)).toBe(6);
  });

  it("stay the workspace's when the link is gone: they happened", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    await deliver(QUEUE, [packetOf(workspace, visitsFrom(id, [""]))]);
    await workspace.send("DELETE", `${LINKS}/${id}`, { headers: { "If-Match": "*" } });
    await deliver(QUEUE, [packetOf(workspace, visitsFrom(id, [""]))]);
    expect(await ask(ledgerAt(workspace.id), { groupBy: ["link"] })).toEqual([
      { bucket: 0, keys: [id], counts: [2] },
    ]);
    expect((await workspace.send("GET", `${LINKS}/${id}`)).status).toBe(404);
  });

  it("of more than 25 months ago are told by their total only, moved or not", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const [old, young] = [Date.now() - (25 * 31 + 3) * DAY, Date.now() - 25 * 30 * DAY];
    const hoursOf = (time: number) => Math.floor(time / HOUR) * HOUR;
    const seed = (hour: number, count: number) =>
      env.DB.prepare(
        `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?4)
         INSERT INTO link_clicks (link_id, hour, kind, country, device, referrer, workspace_id, clicks)
         SELECT ?1, ?2, 'human', '', '', n || '.example', ?3, 1 FROM each`,
      ).bind(id, hour, workspace.id, count);
    await env.DB.batch([seed(hoursOf(old), 3000), seed(hoursOf(young), 10)]);
    for (let minutes = 0; minutes < 3; minutes++) await tick();
    expect(await clicksShown(workspace, id)).toBe(3010);
    expect(await heldOf(workspace, id)).toEqual({ clicks: 10, referrers: 10 });
    const days = "SELECT count(*) AS n FROM link_days WHERE link_id = ?";
    expect(await env.DB.prepare(days).bind(id).first("n")).toBe(0);
  });
});
