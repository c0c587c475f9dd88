import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CountedHits } from "../../src/features/biolinks/analytics/ledger-shapes.ts";
import { readHitPacket, unpack } from "../../src/features/biolinks/analytics/read-packet.ts";
import type { Env } from "../../src/platform/config.ts";
import worker from "../../src/worker.ts";
import { newAddress, ORIGIN } from "../support/http.ts";
import { PERSON } from "../support/visitor.ts";
import { tick } from "../support/work.ts";
import { createActiveLink, createWorkspace } from "../support/workspace.ts";

const DAY = 24 * 60 * 60 * 1000;
const SLOT = 15 * 60 * 1000;
const OTHER_PERSON = PERSON.replace("Chrome/142.0.0.0", "Chrome/141.0.0.0");

/** What was put into the queue of clicks, before anybody takes it from there. */
const sent: { workspace: string; text: string; hits: CountedHits[] }[] = [];
const env = {
  ...(bindings as unknown as Env),
  CLICKS: {
    sendBatch: async (messages: { body: { workspace: string } }[]) => {
      for (const { body } of messages) {
        const text = JSON.stringify(body);
        const packet = readHitPacket(JSON.parse(text));
        if (!packet) throw new Error("A packet cannot be read.");
        sent.push({ workspace: body.workspace, text, hits: unpack(packet).hits });
      }
    },
  },
} as unknown as Env;

interface VisitMore {
  headers?: Record<string, string>;
  method?: string;
  address?: string;
  cf?: { country?: string; regionCode?: string };
}

async function visit(path: string, { headers, method, address, cf }: VisitMore = {}) {
  const request = new Request(`${ORIGIN}${path}`, {
    method: method ?? "GET",
    redirect: "manual",
    headers: { "User-Agent": PERSON, "CF-Connecting-IP": address ?? newAddress(), ...headers },
    ...(cf && { cf }),
  } as RequestInit);
  const answer = await worker.fetch(request, env, createExecutionContext());
  expect(answer.status).toBe(302);
}

/** What was sent of a workspace, once so many hits were; and that they come to no more. */
async function hitsOf(workspaceId: string, count: number): Promise<CountedHits[]> {
  const found = () =>
    sent.filter(({ workspace }) => workspace === workspaceId).flatMap(({ hits }) => hits);
  const total = () => found().reduce((sum, { hits }) => sum + hits, 0);
  await vi.waitFor(() => expect(total()).toBeGreaterThanOrEqual(count), {
    timeout: 60_000,
    interval: 100,
  });
  expect(total()).toBe(count);
  return found();
}

function visitorsIn(hits: CountedHits[]): string[] {
  return hits.flatMap(({ visitors }) => visitors);
}

async function saltOf(day: number): Promise<ArrayBuffer | null> {
  const name = `visitors/${new Date(day * DAY).toISOString().slice(0, 10)}`;
  return env.SALTS.get(name, "arrayBuffer");
}

/** What a visitor is to be counted as, worked out from the words of docs/promises.md. */
async function hashOf(day: number, text: string): Promise<string> {
  const salt = await saltOf(day);
  if (!salt) throw new Error("No salt.");
  const key = await crypto.subtle.importKey("raw", salt, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const bytes = new Uint8Array(
    await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)),
  );
  const base64 = btoa(String.fromCharCode(...bytes.slice(0, 8)));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
}

/** Today is a day of its own in each test, so that what an isolate knows of salts is its own. */
let today = Math.floor(Date.now() / DAY);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  today += 3;
  vi.setSystemTime(today * DAY + 11 * 60 * 60 * 1000);
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a hit", () => {
  it("tells of each visitor once, in whatever order they come again", async () => {
    await tick();
    const workspace = await createWorkspace();
    const { slug } = await createActiveLink(workspace);
    const addresses = [newAddress(), newAddress()];
    for (let times = 0; times < 20; times++) {
      const address = addresses[times % 2];
      if (address) await visit(`/${slug}`, { address });
    }
    const packed = await hitsOf(workspace.id, 20);
    for (const { visitors } of packed) expect(visitors).toHaveLength(2);
  });

  it("tells where it is from, with what, and by which campaign; equal ones are one row", async () => {
    await tick();
    const workspace = await createWorkspace();
    const { id, slug } = await createActiveLink(workspace);
    const more = {
      headers: {
        "Accept-Language": "de-CH,de;q=0.9",
        Referer: "https://user:pass@News.Example:8080/story?x=1",
      },
      cf: { country: "DE", regionCode: "BE" },
    };
    const query = "?utm_source=mail&utm_medium=news%0Aletter&utm_campaign=Spring";
    for (let times = 0; times < 3; times++) await visit(`/${slug}${query}`, more);
    const [hits, ...others] = await hitsOf(workspace.id, 3);
    expect(others).toEqual([]);
    expect(hits).toEqual({
      subject: "link",
      id,
      count: "clicks",
      slot: Math.floor(Date.now() / SLOT),
      traffic: "human",
      hits: 3,
      properties: {
        country: "DE",
        region: "DE-BE",
        device: "desktop",
        browser: "Chrome",
        os: "Windows",
        language: "de",
        referrer: "news.example",
        utm_source: "mail",
        utm_medium: "newsletter",
        utm_campaign: "Spring",
        trigger: "link",
      },
      visitors: expect.any(Array),
    });
    expect(new Set(hits?.visitors).size).toBe(3);
  });

  it("is a visitor's only if a person's, and never of who says Sec-GPC", async () => {
    await tick();
    const workspace = await createWorkspace();
    const { slug } = await createActiveLink(workspace);
    const bot = { "User-Agent": "Googlebot/2.1 (+http://www.google.com/bot.html)" };
    // Twice: a user agent is told by its class once it is known.
    for (let times = 0; times < 2; times++) {
      await visit(`/${slug}`);
      await visit(`/${slug}`, { headers: { "Sec-GPC": "1" } });
      await visit(`/${slug}`, { headers: bot });
      await visit(`/${slug}`, { method: "HEAD" });
      await visit(`/${slug}`, { headers: { "Sec-Purpose": "prefetch" } });
      const hits = await hitsOf(workspace.id, 5 * (times + 1));
      const counted = Object.fromEntries(
        ["human", "crawler", "head", "prefetch"].map((kind) => {
          const some = hits.filter(({ traffic }) => traffic === kind);
          return [kind, [some.reduce((sum, one) => sum + one.hits, 0), visitorsIn(some).length]];
        }),
      );
      const n = times + 1;
      expect(counted).toEqual({
        human: [2 * n, n],
        crawler: [n, 0],
        head: [n, 0],
        prefetch: [n, 0],
      });
    }
  });
});

describe("a visitor", () => {
  it("is the same for a workspace, an address (of IPv6 a /64), a user agent and a day", async () => {
    await tick();
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const links = [await createActiveLink(workspace), await createActiveLink(workspace)];
    const foreign = await createActiveLink(other);
    for (const { slug } of [...links, links[0], foreign]) {
      await visit(`/${slug}`, { address: "203.0.113.7" });
    }
    await visit(`/${links[0].slug}`, { address: "::ffff:203.0.113.7" });
    const own = visitorsIn(await hitsOf(workspace.id, 4));
    const name = `${workspace.id}\n${PERSON}\n203.0.113.7`;
    expect([...new Set(own)]).toEqual([await hashOf(today, name)]);
    const [theirs] = visitorsIn(await hitsOf(other.id, 1));
    expect(theirs).toMatch(/^[\w-]{11}$/);
    expect(own).not.toContain(theirs);

    const third = await createWorkspace();
    const { slug } = await createActiveLink(third);
    await visit(`/${slug}`, { address: "2001:db8:1:2::1" });
    await visit(`/${slug}`, { address: "2001:db8:1:2:ffff::9" });
    await visit(`/${slug}`, { address: "2001:db8:1:3::1" });
    await visit(`/${slug}`, {
      address: "2001:db8:1:3::1",
      headers: { "User-Agent": OTHER_PERSON },
    });
    const hits = await hitsOf(third.id, 4);
    expect(hits).toHaveLength(1);
    expect(new Set(visitorsIn(hits)).size).toBe(3);
  });

  it("of 23:59:58 is one of the old day, and of 00:01 one of the new, in one sending too", async () => {
    vi.setSystemTime(today * DAY + 11 * 60 * 60 * 1000);
    await tick();
    vi.setSystemTime(today * DAY + 13 * 60 * 60 * 1000);
    await tick();
    const workspace = await createWorkspace();
    const { slug } = await createActiveLink(workspace);
    vi.setSystemTime((today + 1) * DAY - 2000);
    await visit(`/${slug}`, { address: "203.0.113.7" });
    vi.setSystemTime((today + 1) * DAY + 60_000);
    await visit(`/${slug}`, { address: "203.0.113.7" });
    const hits = (await hitsOf(workspace.id, 2)).sort((a, b) => a.slot - b.slot);
    const slot = ((today + 1) * DAY) / SLOT;
    const name = `${workspace.id}\n${PERSON}\n203.0.113.7`;
    expect(hits.map((one) => [one.slot, one.visitors])).toEqual([
      [slot - 1, [await hashOf(today, name)]],
      [slot, [await hashOf(today + 1, name)]],
    ]);
    expect(hits[0]?.visitors).not.toEqual(hits[1]?.visitors);
  });

  it("is not counted on a day without a salt, but the hit is; a minute after there is one, it is", async () => {
    const workspace = await createWorkspace();
    const { slug } = await createActiveLink(workspace);
    await visit(`/${slug}`);
    expect(visitorsIn(await hitsOf(workspace.id, 1))).toEqual([]);
    // Who reads makes none.
    expect(await saltOf(today)).toBeNull();
    await tick();
    await visit(`/${slug}`);
    expect(visitorsIn(await hitsOf(workspace.id, 2))).toEqual([]);
    vi.setSystemTime(Date.now() + 61_000);
    await visit(`/${slug}`);
    expect(visitorsIn(await hitsOf(workspace.id, 3))).toHaveLength(1);
  });

  it("cannot be told from what is sent: no address is in it, and no user agent", async () => {
    await tick();
    const workspace = await createWorkspace();
    const { slug } = await createActiveLink(workspace);
    await visit(`/${slug}`, { address: "198.51.100.23" });
    await visit(`/${slug}`, { address: "2001:db8:aa:bb::cc", headers: { "User-Agent": "Own/1" } });
    await hitsOf(workspace.id, 2);
    const all = sent.map(({ text }) => text).join("\n");
    for (const part of ["198.51", "2001:", ":db8", "10.", "Mozilla", "WebKit", "Own/1"]) {
      expect(all.includes(part), part).toBe(false);
    }
  });
});
