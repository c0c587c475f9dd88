import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ask } from "../support/node/isolates.ts";
import { createActiveLink, issueKey } from "../support/node/runtime-client.ts";
import {
  ADMIN_TOKEN,
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { sendRaw } from "../support/node/runtime-request.ts";
import { query } from "../support/node/runtime-storage.ts";
import { hitsIn, readTaken } from "../support/node/taken-packets.ts";
import { dumpOf, findTraces, type Traces, tracesOf, written } from "../support/node/traces.ts";
import { deliver, UnreliableQueue } from "../support/node/unreliable-queue.ts";

/** Who visits, with what, and what of each may be stored nowhere. */
const VISITORS = [
  {
    address: "203.0.113.177",
    agent: "Mozilla/5.0 (Windows NT 10.0; rv:130.77) Gecko/20100101 Firefox/130.77 Zebrafox/7.31",
  },
  {
    address: "2001:db8:fade:bead:1c2b:3a49:5868:7786",
    agent:
      "Mozilla/5.0 (Linux; Android 15; Quokkafone 19) Chrome/142.0.7777.66 Mobile Safari/537.36",
  },
];
/** Those of the API's own clients. */
const CLIENT = { address: "198.51.100.199", agent: "Wombatclient/4.2.4242" };
const PIXEL_TOKEN = "EAA-token";
const LINKS = "/api/v1/biolinks/links";
const PAGES = "/api/v1/biolinks/pages";
/** What is stored on purpose, so that a search which finds nothing would be noticed. */
const KNOWN = {
  text: "https://example.com/?known=192.0.2.213",
  campaign: "campaign-numbat-31",
  wish: "wish-bandicoot-57",
};

let queue: UnreliableQueue;
let home: RuntimeHome;
let runtime: Runtime;
let printed = "";

afterAll(async () => {
  await queue?.stop();
  await runtime?.kill();
  home?.remove();
});

/** Addresses as they are written, counted by (their /64 and /48) and as bytes; agents whole and in part. */
function forbidden(workspaceId: string): Map<string, Traces> {
  const texts = ["Zebrafox", "Quokkafone", "Wombatclient"];
  for (const { address, agent } of [...VISITORS, CLIENT]) {
    texts.push(address, agent, `${address}\n${agent}`, `${workspaceId}\n${address}\n${agent}`);
  }
  const v6 = Buffer.from("20010db8fadebead1c2b3a4958687786", "hex");
  const network = [...v6.subarray(0, 8)].join(".");
  texts.push(`${network}/64`, `${[...v6.subarray(0, 6)].join(".")}/48`);
  texts.push(`${workspaceId}\n${network}/64\n${VISITORS[1]?.agent}`);
  texts.push("2001:db8:fade:bead", "2001:0db8:fade:bead");
  const traces = new Map(texts.map((text) => [text, tracesOf(text)]));
  for (const length of [8, 16]) {
    const bytes = v6.subarray(0, length);
    traces.set(`${length} bytes`, new Map([["raw", bytes], ...written(bytes, "as")]));
  }
  // 203.0.113.177 as a number; its four bytes alone may stand anywhere by chance.
  traces.set("a number", new Map([["decimal", Buffer.from("3405803953")]]));
  return traces;
}

async function start(): Promise<void> {
  runtime = await startRuntime(home);
}

async function kill(): Promise<void> {
  await runtime.kill();
  printed += runtime.printed();
}

async function call(key: string, method: string, path: string, body?: object) {
  const headers = {
    Authorization: `Bearer ${key}`,
    "CF-Connecting-IP": CLIENT.address,
    "User-Agent": CLIENT.agent,
    "Idempotency-Key": crypto.randomUUID(),
    "If-Match": "*",
  };
  const answer = await sendRaw(runtime.port, { method, path, headers, ...(body && { body }) });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

/** All that a visitor can do. */
async function visitAs(
  { address, agent }: { address: string; agent: string },
  slugs: { plain: string; locked: string; pixels: string; code: string },
  page: { path: string; link: string; form: string },
): Promise<void> {
  const headers = {
    "CF-Connecting-IP": address,
    "User-Agent": agent,
    "Accept-Language": "de-CH",
    Referer: "https://news.example/story",
  };
  const isolate = { name: "", port: runtime.port };
  const answerTo = (method: string, path: string, more: object = {}, body?: string) => {
    const asked = { method, path, headers: { ...headers, ...more }, ...(body && { body }) };
    return ask(isolate, asked);
  };
  const visit = async (...given: Parameters<typeof answerTo>) => (await answerTo(...given)).status;
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const accepted = { Cookie: "signpost_consent=yes.1" };
  const statuses = [
    await visit("GET", `/${slugs.plain}?utm_campaign=${KNOWN.campaign}`),
    await visit("HEAD", `/${slugs.plain}`),
    await visit("GET", `/${slugs.plain}`, { "Sec-GPC": "1" }),
    await visit("GET", `/Q/${slugs.code}`),
    await visit("GET", "/there-is-no-such-link"),
    await visit("GET", `/${slugs.locked}`),
    await visit("POST", `/${slugs.locked}`, form, "password=wrong"),
    await visit("POST", `/${slugs.locked}`, form, "password=right"),
    await visit("GET", `/${slugs.pixels}`, accepted),
    await visit("GET", "/_privacy"),
    await visit("POST", "/_report", form, `at=/${slugs.plain}&reason=spam`),
  ];
  expect(statuses).toEqual([302, 302, 302, 302, 404, 200, 401, 303, 200, 200, 303]);
  const { text } = await answerTo("GET", page.path);
  const token = /name="_token" value="([^"]*)"/.exec(text)?.[1];
  const sent = new URLSearchParams({
    _token: `${token}`,
    wish: `${KNOWN.wish} ${crypto.randomUUID()}`,
  });
  expect([
    await visit("GET", `${page.path}/go/${page.link}`),
    await visit("POST", `${page.path}/form/${page.form}`, form, sent.toString()),
    // A token that is none of ours: the form again.
    await visit("POST", `${page.path}/form/${page.form}`, form, `_token=${token}x&wish=x`),
  ]).toEqual([302, 303, 422]);
}

let workspaceId = "";
let key = "";

beforeAll(async () => {
  queue = await UnreliableQueue.start("signpost-clicks");
  const vars = {
    KEY_RATE_LIMIT: "1000000",
    QUEUE_URL: queue.url,
    ALLOW_PRIVATE_TARGETS: "true",
    META_API_URL: "http://127.0.0.1:9/meta",
  };
  home = createRuntimeHome(vars, { script: "handed-queue-worker.ts" });
  await start();
  key = await issueKey(runtime.port);
  const made = async (path: string, body: object) => {
    const answer = await call(key, "POST", path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.data;
  };
  const active = async (settings: object) => {
    const { id } = await made(LINKS, { destination: KNOWN.text, settings });
    return (await call(key, "PATCH", `${LINKS}/${id}`, { status: "active" })).body.data.slug;
  };
  const tag = "1234567890123456";
  const pixel = { name: "Shop", provider: "meta", tag, access_token: PIXEL_TOKEN };
  const { id } = await made("/api/v1/biolinks/pixels", pixel);
  const target = { type: "url", url: "https://example.com/menu" };
  const slugs = {
    plain: (await createActiveLink(runtime.port, key)).slug,
    locked: await active({ password: "right" }),
    pixels: await active({ pixels: [id] }),
    code: (await made("/api/v1/biolinks/qr-codes", { name: "Table", target })).code,
  };
  expect((await call("osk_0123456789012345678901234567890123456789", "GET", LINKS)).status).toBe(
    401,
  );
  expect((await call(ADMIN_TOKEN, "GET", "/admin/v1/workspaces")).status).toBe(200);
  const blocks = [
    { type: "link", settings: { label: "Known", url: KNOWN.text } },
    {
      type: "form",
      settings: {
        submit_label: "Send",
        success: { message: "Thank you!" },
        fields: [{ id: "wish", type: "textarea", label: "Your wish", required: true }],
        spam: { min_seconds: 0, max_per_ip_hour: 1000 },
      },
    },
  ];
  const handle = "known-page";
  const page = await made(PAGES, { handle, title: "Known", blocks });
  expect((await call(key, "POST", `${PAGES}/${page.id}/publish`)).status).toBe(200);
  const [link, form] = page.block_order;
  for (const visitor of VISITORS)
    await visitAs(visitor, slugs, { path: `/@${handle}`, link, form });
  // Of each visitor: two visits, a HEAD, a scan, the right password, a page of pixels, a view of the
  // page, a click on it, and a form that was sent.
  const isAllTaken = () => {
    expect(hitsIn(clicksTaken().map(readTaken))).toBeGreaterThanOrEqual(VISITORS.length * 9);
    expect(pixelEvents()).toHaveLength(VISITORS.length);
  };
  await vi.waitFor(isAllTaken, { timeout: 20_000, interval: 100 });
  workspaceId = clicksTaken().map(readTaken)[0]?.workspace ?? "";
  await deliverAll();
});

function takenFrom(name: string): unknown[] {
  return queue.taken.filter((taken) => taken.queue === name).map(({ body }) => body);
}

const clicksTaken = () => takenFrom("signpost-clicks");
const pixelEvents = () => takenFrom("signpost-pixel-events");

/** Visits to their ledger, and into dead letters, some in shapes of before or of none. */
async function deliverAll(): Promise<void> {
  const { port } = runtime;
  const batchOf = (bodies: unknown[]) =>
    bodies.map((body) => ({ id: crypto.randomUUID(), attempts: 30, body }));
  const clicks = batchOf(clicksTaken());
  expect(await deliver(port, { queue: "signpost-clicks", messages: clicks })).toHaveLength(
    clicks.length,
  );
  const [one] = VISITORS;
  const former = {
    v: 1,
    workspace: workspaceId,
    id: crypto.randomUUID(),
    agents: VISITORS.map(({ agent }) => agent),
    clicks: [[crypto.randomUUID(), Date.now(), 0, "DE", 0, "news.example", 1]],
  };
  const dead = [...clicksTaken(), former, { ...former, clicks: "unreadable", ...one }];
  const setAside = { queue: "signpost-clicks-dead", messages: batchOf(dead), isRefused: true };
  expect(await deliver(port, setAside)).toHaveLength(dead.length);
  const [event] = pixelEvents();
  const broken = { ...(event as object), visitor: one };
  const events = batchOf([...pixelEvents(), broken]);
  await deliver(port, { queue: "signpost-pixel-events-dead", messages: events });
}

/** All that is stored, but for what the local runtime counts rate limits in: on the platform no storage of ours. */
function dump(): Map<string, Buffer> {
  return new Map([...dumpOf(home.storage)].filter(([path]) => !path.startsWith("ratelimit/")));
}

/** What is found of visitors in all that is stored, and in all that was printed. */
function findAll(): string[] {
  const all = dump();
  all.set("the log", Buffer.from(printed + runtime.printed()));
  return findTraces(all, forbidden(workspaceId));
}

test("what visitors sent has been counted, sealed, kept for replay and set aside", () => {
  const d1 = join(home.storage, "d1/miniflare-D1DatabaseObject");
  const aside = query(d1, "SELECT source, count(*) AS n FROM dead_letters GROUP BY source");
  expect(Object.fromEntries(aside.map(({ source, n }) => [source, n]))).toEqual({
    "signpost-clicks-dead": clicksTaken().length + 2,
    "signpost-pixel-events-dead": 1,
  });
  for (const event of pixelEvents()) expect(event).toHaveProperty("visitor");
  const hits = clicksTaken().flatMap((body) => readTaken(body).hits);
  expect(hits.flatMap(({ visitors }) => visitors).length).toBeGreaterThan(1);
});

test("the search finds what is there, in each kind of storage", () => {
  const all = dump();
  const filesWith = (text: string) =>
    findTraces(all, new Map([[text, new Map([["plain", Buffer.from(text)]])]]));
  const found = [
    KNOWN.text,
    KNOWN.campaign,
    KNOWN.wish,
    "visitors/20",
    "tries_network",
    "idempotency_claims",
  ];
  const where = found.map((text) => filesWith(text).map((path) => path.replace(/\/[^/]*$/, "")));
  for (const [at, text] of found.entries()) expect(where[at], text).not.toEqual([]);
  const folders = new Set([...all.keys()].map((path) => path.split("/")[0]));
  expect([...folders].sort()).toEqual(["cache", "d1", "do", "kv", "r2"]);
});

test("nothing that is stored or logged holds an address or a user agent", () => {
  expect(findAll()).toEqual([]);
});

test("nor does it after a kill -9, after what waited was added up, and after one more", async () => {
  await kill();
  expect(findAll()).toEqual([]);
  await start();
  const path = "/api/v1/biolinks/analytics?metrics=clicks,visitors,scans&group_by=browser";
  const { body } = await call(key, "GET", path);
  expect(body.data.map((row: { browser: string }) => row.browser).sort()).toEqual([
    "Chrome",
    "Firefox",
  ]);
  expect(findAll()).toEqual([]);
  await kill();
  expect(findAll()).toEqual([]);
  await start();
});
