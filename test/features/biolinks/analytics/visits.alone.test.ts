import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../../src/platform/config.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { SLOT_MILLISECONDS } from "../../../../src/visitor/clicks/hit-names.ts";
import type { CountableHits } from "../../../../src/visitor/clicks/hit-packet.ts";
import worker from "../../../../src/worker.ts";
import { createActiveDomain } from "../../../support/domains.ts";
import { newAddress } from "../../../support/http.ts";
import { packHits } from "../../../support/packets.ts";
import { createQrCode } from "../../../support/qr-codes.ts";
import { PERSON } from "../../../support/visitor.ts";
import { deliver, tick } from "../../../support/work.ts";
import {
  createActiveLink,
  createWorkspace,
  LINKS,
  type Workspace,
} from "../../../support/workspace.ts";

const ANALYTICS = "/api/v1/biolinks/analytics";
const VISIT = {
  "User-Agent": PERSON,
  "Accept-Language": "de-CH,de;q=0.9",
  Referer: "https://www.news.example/story?x=1",
};

async function visit(url: string, headers: Record<string, string>, method = "GET") {
  const cf = { country: "DE", regionCode: "BE" };
  const init = { method, redirect: "manual", headers: { ...VISIT, ...headers }, cf } as RequestInit;
  const ctx = createExecutionContext();
  const answer = await worker.fetch(new Request(url, init), bindings as Env, ctx);
  expect(answer.status).toBe(302);
}

/** The rows of an answer. */
async function ask(workspace: Workspace, search: string): Promise<Record<string, unknown>[]> {
  return (await workspace.send("GET", `${ANALYTICS}?${search}`)).body.data;
}

describe("visits", () => {
  let workspace: Workspace;
  let asked: string;
  let link: { id: string };
  let code: { id: string };
  let spare: { id: string };
  let host: string;

  beforeAll(async () => {
    // Makes the salt of the day.
    await tick();
    workspace = await createWorkspace({ plan: "pro" });
    const domain = await createActiveDomain(workspace);
    host = domain.host;
    const { id, slug } = await createActiveLink(workspace, { domain: domain.id });
    link = { id };
    const target = { type: "link", link: id };
    const made = await createQrCode(workspace, { target });
    code = { id: made.id };
    const second = await createQrCode(workspace, { target });
    spare = { id: second.id };
    const query = "?utm_source=mail&utm_medium=letter&utm_campaign=Spring";
    const url = `https://${host}/${slug}${query}`;
    const [one, other] = [newAddress(), newAddress()];
    await visit(url, { "CF-Connecting-IP": one });
    await visit(url, { "CF-Connecting-IP": one });
    await visit(url, { "CF-Connecting-IP": other });
    await visit(url, { "CF-Connecting-IP": newAddress(), "Sec-GPC": "1" });
    await visit(url, { "User-Agent": "Googlebot/2.1" });
    await visit(url, {}, "HEAD");
    await visit(url, { "Sec-Purpose": "prefetch" });
    await visit(`https://${host}/Q/${made.code}`, { "CF-Connecting-IP": one });
    for (const path of [`Q/${second.code}`, `q/${second.code.toLowerCase()}`])
      await visit(`https://${host}/${path}`, { "CF-Connecting-IP": one });
    asked = `link=${id}&metrics=clicks`;
    const isIn = async () => {
      const [all] = await ask(workspace, "metrics=clicks,scans&traffic=all");
      expect(all).toEqual({ clicks: 7, scans: 3 });
    };
    await vi.waitFor(isIn, { timeout: 60_000, interval: 500 });
  });

  it.each([
    ["domain", () => host],
    ["link", () => link.id],
    ["country", () => "DE"],
    ["region", () => "DE-BE"],
    ["device", () => "desktop"],
    ["browser", () => "Chrome"],
    ["os", () => "Windows"],
    ["language", () => "de"],
    ["referrer", () => "news.example"],
    ["utm_source", () => "mail"],
    ["utm_medium", () => "letter"],
    ["utm_campaign", () => "Spring"],
    ["trigger", () => "link"],
  ])("are told by their %s", async (dimension, value) => {
    const rows = await ask(workspace, `${asked}&group_by=${dimension}`);
    expect(rows).toEqual([{ [dimension]: value(), clicks: 4 }]);
  });

  it("are people's, crawlers', and those of HEAD and of who looks ahead", async () => {
    for (const [traffic, clicks] of [
      ["human", 4],
      ["crawler", 1],
      ["all", 7],
    ]) {
      const rows = await ask(workspace, `${asked}&traffic=${traffic}`);
      expect([traffic, rows]).toEqual([traffic, [{ clicks }]]);
    }
    const { body } = await workspace.send("GET", `${LINKS}/${link.id}`);
    expect(body.data.clicks).toBe(4);
  });

  it("are two visitors': one comes twice, one says Sec-GPC, and is none", async () => {
    expect(await ask(workspace, `link=${link.id}&metrics=visitors`)).toEqual([{ visitors: 2 }]);
  });

  it("of a QR code are scans of that code and no other, and no clicks of its link", async () => {
    const rows = await ask(workspace, "metrics=scans,clicks,visitors&group_by=qr_code");
    expect(rows).toEqual([
      { qr_code: spare.id, scans: 2, clicks: 0, visitors: 1 },
      { qr_code: code.id, scans: 1, clicks: 0, visitors: 1 },
    ]);
    expect(await ask(workspace, `metrics=scans,clicks&link=${link.id}`)).toEqual([
      { scans: 0, clicks: 4 },
    ]);
  });

  it("are in the file, and in the last five minutes", async () => {
    const { text } = await workspace.send("GET", `${ANALYTICS}/export?${asked}&group_by=country`);
    expect(text.replace("\u{FEFF}", "")).toBe("country,clicks\r\nDE,4\r\n");
    const { body } = await workspace.send("GET", `${ANALYTICS}/realtime?link=${link.id}`);
    expect(body.data.last_5_minutes).toMatchObject({ clicks: 4, scans: 0 });
  });
});

describe("a subject's day", () => {
  it.each(["referrer", "utm_source", "utm_medium", "utm_campaign"] as const)(
    "has a thousand values of %s, the rest is (other), and no hit is lost",
    async (name) => {
      const workspace = await createWorkspace();
      const { id } = await createActiveLink(workspace);
      const at = ["referrer", "utm_source", "utm_medium", "utm_campaign"].indexOf(name) + 7;
      const hits = Array.from({ length: 1100 }, (_, n): CountableHits => {
        const properties = Array(12).fill("");
        properties[at] = `v${n}.example`;
        const slot = Math.floor(Date.now() / SLOT_MILLISECONDS);
        const subject = {
          workspaceId: workspace.id,
          subject: "link",
          id,
          count: "clicks",
        } as const;
        return { ...subject, slot, traffic: "human", properties, hits: 1, visitors: [] };
      });
      const packets = packHits(hits, newId);
      for (let times = 0; times < 2; times++) await deliver("signpost-clicks", packets);
      const asked = `metrics=clicks&period=24h&group_by=${name}&limit=1000`;
      const first = (await workspace.send("GET", `${ANALYTICS}?${asked}`)).body;
      const rest = await ask(workspace, `${asked}&cursor=${first.next_cursor}`);
      expect([first.data[0], first.data.length, rest.length]).toEqual([
        { [name]: "(other)", clicks: 100 },
        1000,
        1,
      ]);
      expect(await ask(workspace, "metrics=clicks&period=24h")).toEqual([{ clicks: 1100 }]);
    },
  );
});

describe("a period", () => {
  const NOW = "2026-11-22T14:07:00Z";

  it.each([
    ["24h", "2026-11-21T15:00:00+00:00"],
    ["7d", "2026-11-16T00:00:00+00:00"],
    ["30d", "2026-10-24T00:00:00+00:00"],
    ["90d", "2026-08-25T00:00:00+00:00"],
    ["12mo", "2025-12-01T00:00:00+00:00"],
    ["mtd", "2026-11-01T00:00:00+00:00"],
    ["ytd", "2026-01-01T00:00:00+00:00"],
  ])("of %s begins at %s", async (period, from) => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(NOW) });
    const workspace = await createWorkspace();
    const { body } = await workspace.send("GET", `${ANALYTICS}?period=${period}`);
    vi.useRealTimers();
    expect(body.meta).toMatchObject({ from, to: "2026-11-22T14:15:00+00:00" });
  });
});
