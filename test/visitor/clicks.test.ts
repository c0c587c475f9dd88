import { env as bindings } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/platform/config.ts";
import type { ClickPacket } from "../../src/visitor/clicks/click-packet.ts";
import { deviceOf, isCrawler, standInFor } from "../../src/visitor/clicks/visitor-kind.ts";
import { send } from "../support/http.ts";
import { countedOf } from "../support/ledger.ts";
import { loggedLines } from "../support/logs.ts";
import { addPixel } from "../support/records.ts";
import { deliver, tick } from "../support/work.ts";
import { createActiveLink, createWorkspace, LINKS, type Workspace } from "../support/workspace.ts";

const env = bindings as unknown as Env;
const QUEUE = "signpost-clicks";
const HOUR = 3_600_000;
/** A whole hour that is over. */
const BEFORE = (Math.floor(Date.now() / HOUR) - 2) * HOUR;
const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";

async function clicksShown(workspace: Workspace, id: string): Promise<number> {
  return (await workspace.send("GET", `${LINKS}/${id}`)).body.data.clicks;
}

describe("clicks", () => {
  it("are counted once however often their packet comes, people, crawlers and HEAD apart", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const packet: ClickPacket = {
      v: 1,
      workspace: workspace.id,
      id: crypto.randomUUID(),
      agents: [PHONE, "Googlebot/2.1 (+http://www.google.com/bot.html)"],
      clicks: [
        [id, BEFORE, 0, "DE", 0, "news.example", 3],
        [id, BEFORE, 0, "", 1, "", 2],
        [id, BEFORE, 1, "DE", 0, "", 1],
        [crypto.randomUUID(), BEFORE, 0, "DE", 0, "", 9],
        [id, BEFORE, 1, "DE", 0, "", 4],
        [id, BEFORE, 1, "DE", 1, "", 1],
      ],
      prefetches: [4, 5],
    };
    expect((await deliver(QUEUE, [packet, packet])).acked).toHaveLength(2);
    await deliver(QUEUE, [packet]);
    expect(await countedOf(workspace.id, id)).toEqual([
      { kind: "crawler", country: "", device: "", referrer: "", clicks: 2 },
      { kind: "head", country: "DE", device: "mobile", referrer: "", clicks: 1 },
      { kind: "human", country: "DE", device: "mobile", referrer: "news.example", clicks: 3 },
      { kind: "prefetch", country: "DE", device: "", referrer: "", clicks: 1 },
      { kind: "prefetch", country: "DE", device: "mobile", referrer: "", clicks: 4 },
    ]);
    expect(await clicksShown(workspace, id)).toBe(3);
    await deliver(QUEUE, [{ ...packet, id: crypto.randomUUID() }]);
    expect(await clicksShown(workspace, id)).toBe(6);
  });

  it("of a packet that code of before has counted, or may get too, are counted by one of both", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const newPacket = (): ClickPacket => ({
      v: 1,
      workspace: workspace.id,
      id: crypto.randomUUID(),
      agents: [PHONE],
      clicks: [[id, BEFORE, 0, "DE", 0, "", 1]],
    });
    // As code of before does, in the transaction in which it counts.
    const noteFormer = async ({ id: packet }: ClickPacket) => {
      const sql = "INSERT INTO click_packets VALUES (?, ?) ON CONFLICT DO NOTHING";
      return (await env.DB.prepare(sql).bind(packet, Date.now()).run()).meta.changes;
    };
    const counted = newPacket();
    expect(await noteFormer(counted)).toBeGreaterThan(0);
    await deliver(QUEUE, [counted]);
    expect(await clicksShown(workspace, id)).toBe(0);
    // Our code dies before the ledger has it: code of before leaves it to us, who get it again.
    const dying = newPacket();
    const refusing = {
      LEDGER: { getByName: () => ({ append: () => Promise.reject(new Error("dies")) }) },
    } as unknown as Partial<Env>;
    const { retried } = await deliver(QUEUE, [dying], { env: { ...env, ...refusing } });
    expect(retried.map(({ body }) => body)).toEqual([dying]);
    expect(await noteFormer(dying)).toBe(0);
    await deliver(QUEUE, [dying]);
    await deliver(QUEUE, [dying]);
    expect(await clicksShown(workspace, id)).toBe(1);
  });

  it("of one packet that cannot be counted do not hold up the others", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const good: ClickPacket = {
      v: 1,
      workspace: workspace.id,
      id: crypto.randomUUID(),
      agents: [PHONE],
      clicks: [[id, BEFORE, 0, "", 0, "", 1]],
    };
    const broken = { id: crypto.randomUUID() };
    const before = loggedLines().length;
    const { acked, retried } = await deliver(QUEUE, [null, broken, good]);
    expect([new Set(acked), retried]).toEqual([new Set([null, broken, good]), []]);
    // What nobody can read is set aside, and said so.
    const told = loggedLines()
      .slice(before)
      .map((line) => JSON.parse(line));
    expect(told.filter(({ event }) => event === "message_failed")).toHaveLength(2);
    expect(await countedOf(workspace.id, id)).toHaveLength(1);
  });

  it.each([PHONE, "Googlebot/2.1", "", "curl/8.0", "Mozilla/5.0 (Windows NT 10.0) Chrome/142.0"])(
    "are counted alike by %j and by what stands in for it where packets are stored",
    (agent) => {
      const standIn = standInFor(agent);
      expect([isCrawler(standIn), deviceOf(standIn)]).toEqual([
        isCrawler(agent),
        isCrawler(agent) ? deviceOf(standIn) : deviceOf(agent),
      ]);
    },
  );

  it("reach the counts from a visit, through the queue", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    const headers = { "User-Agent": PHONE, Referer: "https://News.Example/story?x=1" };
    for (let visits = 0; visits < 3; visits++) await send(`/${link.slug}`, { headers });
    await send(`/${link.slug}`, { method: "HEAD", headers });
    await vi.waitFor(async () => expect(await clicksShown(workspace, link.id)).toBe(3), {
      timeout: 60_000,
      interval: 250,
    });
    const counts = await countedOf(workspace.id, link.id);
    expect(counts.map(({ kind, device, referrer }) => [kind, device, referrer])).toEqual([
      ["head", "mobile", "news.example"],
      ["human", "mobile", "news.example"],
    ]);
  });

  it("are no person's when a browser looks ahead, and never fire a pixel", async () => {
    const workspace = await createWorkspace();
    const pixels = [await addPixel(workspace.id)];
    const [plain, kept, tracked] = await Promise.all([
      createActiveLink(workspace),
      createActiveLink(workspace, { settings: { http_status: 301 } }),
      createActiveLink(workspace, { settings: { pixels } }),
    ]);
    const ahead: [string, string][] = [
      ["Sec-Purpose", "prefetch"],
      ["Sec-Purpose", "prefetch;prerender"],
      ["Sec-Purpose", "prefetch;anonymous-client-ip"],
      ["sec-purpose", "PREFETCH ; Prerender"],
      ["Purpose", "prefetch"],
      ["Purpose", "preview"],
      ["Purpose", "Preview"],
      ["X-Purpose", "preview"],
    ];
    const person = { "User-Agent": PHONE, "CF-IPCountry": "US" };
    for (const [name, value] of ahead) {
      for (const [{ slug }, status] of [
        [plain, 302],
        [kept, 301],
        [tracked, 302],
      ] as const) {
        const visit = await send(`/${slug}`, { headers: { ...person, [name]: value } });
        expect([name, value, visit.status, visit.headers.get("Location")]).toEqual([
          name,
          value,
          status,
          "https://example.com/",
        ]);
        expect(visit.headers.get("Cache-Control")).toBe("no-store");
      }
    }
    for (const headers of [person, { ...person, "Sec-Purpose": "navigate", Purpose: "" }]) {
      await send(`/${plain.slug}`, { headers });
    }
    await send(`/${plain.slug}`, { method: "HEAD", headers: { ...person, Purpose: "prefetch" } });
    await vi.waitFor(
      async () => {
        const counts = await countedOf(workspace.id, plain.id);
        expect(counts.map(({ kind, clicks }) => [kind, clicks])).toEqual([
          ["head", 1],
          ["human", 2],
          ["prefetch", ahead.length],
        ]);
      },
      { timeout: 60_000, interval: 250 },
    );
    expect(await clicksShown(workspace, plain.id)).toBe(2);
    expect(await clicksShown(workspace, kept.id)).toBe(0);
    expect(await clicksShown(workspace, tracked.id)).toBe(0);
  });

  it("tell the registrable domain of the page they come from, and nothing more of it", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace);
    for (const Referer of [
      "https://name:secret@Mail.Example/inbox?q=1",
      "http://shop.example:8080/cart",
      `https://${"a".repeat(60)}.${"b".repeat(60)}.example/`,
      `https://${"c".repeat(300)}/`,
      "android-app://com.example",
      "no address",
      "http://203.0.113.7:8080/status",
      "https://[2001:db8::7]/",
    ]) {
      await send(`/${link.slug}`, { headers: { "User-Agent": PHONE, Referer } });
    }
    await vi.waitFor(async () => expect(await clicksShown(workspace, link.id)).toBe(8), {
      timeout: 60_000,
      interval: 250,
    });
    const counts = (await countedOf(workspace.id, link.id)).map(({ referrer, clicks }) => [
      referrer,
      clicks,
    ]);
    expect(counts.sort()).toEqual([
      ["(address)", 2],
      ["", 3],
      [`${"b".repeat(60)}.example`, 1],
      ["mail.example", 1],
      ["shop.example", 1],
    ]);
  });

  it("are not counted for a page that keeps the visitor", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { settings: { password: "x" } });
    await send(`/${link.slug}`, { headers: { "User-Agent": PHONE } });
    // Five seconds in the isolate and two in the queue.
    await new Promise((resolve) => setTimeout(resolve, 9000));
    expect(await clicksShown(workspace, link.id)).toBe(0);
  });

  it("leave no trace of their packets after fifteen days: the queues have forgotten them by then", async () => {
    const id = crypto.randomUUID();
    const old = Date.now() - 15 * 24 * HOUR - 1000;
    await env.DB.prepare("INSERT INTO click_packets VALUES (?, ?)").bind(id, old).run();
    await tick();
    const left = await env.DB.prepare("SELECT 1 FROM click_packets WHERE id = ?").bind(id).first();
    expect(left).toBeNull();
  });
});
