import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, type Isolate, type Isolates, startIsolates } from "../support/node/isolates.ts";
import { ADMIN_TOKEN } from "../support/node/runtime-process.ts";

const PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36";
const MARK = "Only for three seconds";
const FRESH_MILLISECONDS = 1000;
const VISITORS_AN_ISOLATE = 12;
const WARM_UP_MILLISECONDS = 2500;
const SHOWN_MILLISECONDS = 3000;
const AFTER_MILLISECONDS = 2000;

let isolates: Isolates;

beforeAll(async () => {
  isolates = await startIsolates([0, 0, 0]);
  // The minute's work makes what visitors are counted by.
  await isolates.tick();
});
afterAll(() => isolates?.stop());

async function send(path: string, token: string, body: object = {}) {
  const [writer] = isolates.all as [Isolate];
  const headers = {
    Authorization: `Bearer ${token}`,
    "If-Match": "*",
    "Idempotency-Key": crypto.randomUUID(),
  };
  const asked = { method: "POST", path, headers, body: JSON.stringify(body) };
  const answer = await ask(writer, asked);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text);
}

/** A published page of twenty links and a block that is there from one moment to another. */
async function publishScheduled(starts: number, ends: number): Promise<string> {
  const workspaces = "/admin/v1/workspaces";
  const { data } = await send(workspaces, ADMIN_TOKEN, { name: "Scheduled" });
  const keys = `${workspaces}/${data.id}/keys`;
  const { key } = await send(keys, ADMIN_TOKEN, { name: "All", permissions: ["*"] });
  const link = { type: "link", settings: { label: "Shop", url: "https://shop.example/" } };
  const scheduled = {
    type: "heading",
    settings: { text: MARK },
    visibility: {
      starts_at: new Date(starts).toISOString(),
      ends_at: new Date(ends).toISOString(),
    },
  };
  const pages = "/api/v1/biolinks/pages";
  const input = { handle: "scheduled", title: "Ada", blocks: [...Array(20).fill(link), scheduled] };
  const page = (await send(pages, key, input)).data;
  await send(`${pages}/${page.id}/publish`, key);
  return `/@${page.handle}`;
}

/** What a visitor saw, and when: by the clock that the isolates have too. */
interface Sight {
  askedAt: number;
  answeredAt: number;
  isSeen: boolean;
}

it("A block comes and goes within a second of its time, at each isolate, under load", async () => {
  const starts = Date.now() + WARM_UP_MILLISECONDS + 3000;
  const ends = starts + SHOWN_MILLISECONDS;
  const path = await publishScheduled(starts, ends);
  const sights: Sight[][] = isolates.all.map(() => []);
  const visitor = async (at: number) => {
    while (Date.now() < ends + AFTER_MILLISECONDS) {
      const askedAt = Date.now();
      const headers = { "User-Agent": PERSON };
      const answer = await ask(isolates.all[at] as Isolate, { path, headers });
      expect(answer.status).toBe(200);
      const isSeen = answer.text.includes(MARK);
      sights[at]?.push({ askedAt, answeredAt: Date.now(), isSeen });
    }
  };
  const all = isolates.all.flatMap((_, at) =>
    Array.from({ length: VISITORS_AN_ISOLATE }, () => visitor(at)),
  );
  await Promise.all(all);
  for (const [at, seen] of sights.entries()) {
    const shown = seen.filter(({ isSeen }) => isSeen);
    const first = Math.min(...shown.map(({ answeredAt }) => answeredAt)) - starts;
    const last = Math.max(...shown.map(({ askedAt }) => askedAt)) - ends;
    console.log(
      `isolate ${at}: ${seen.length} visits; first seen ${first} ms after its time, last asked for and seen ${last} ms after its end`,
    );
    expect(seen.length).toBeGreaterThan(300);
    expect(first).toBeGreaterThanOrEqual(0);
    expect(first).toBeLessThan(FRESH_MILLISECONDS);
    expect(last).toBeLessThan(FRESH_MILLISECONDS);
    const missed = seen.filter(
      ({ askedAt, answeredAt, isSeen }) =>
        !isSeen && askedAt > starts + FRESH_MILLISECONDS && answeredAt < ends,
    );
    expect(missed).toEqual([]);
  }
});
