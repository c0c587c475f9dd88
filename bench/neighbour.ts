/**
 * `npm run bench:neighbour`: what a workspace feels of another that does the worst it is allowed
 * to: imports told to 25 endpoints that hang, counts, contacts of 100 KB, unknown slugs, invented
 * keys. Quiet and loud times take turns; exits 1 when the neighbour's p99 or lag is over 1.5 times.
 * No cron ticks here: what the jobs do of it is not in the figures.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ADMIN_TOKEN, migrate, newAddress, signpost, start, stopAll } from "./contestant.ts";
import { startReceiver } from "./webhook-receiver.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const TARGET = 1.5;
/** To see what some of the hostilities do alone: a pattern of their names. */
const ONLY = new RegExp(process.env.BENCH_ONLY ?? "");
const HANGING_ENDPOINTS = 25;
/** So many that the limit of 60 requests a minute and key is no matter to those who are measured. */
const KEYS = 60;
const SPAM_KEYS = 10;
const NEIGHBOUR = { requestsASecond: 20, eventsASecond: 5 };
const POST_PUBLISHED = { event: "publishing.post.published", channel: "all" };
const POST = { title: null, url: null, networks: [], scheduled_at: null, published_at: null };

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));
const contestant = await start("signpost", signpost({ ALLOW_PRIVATE_TARGETS: "true" }));
await migrate(contestant);

function send(method: string, path: string, token: string, body?: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${contestant.port}${path}`, {
    method,
    redirect: "manual",
    headers: {
      Authorization: `Bearer ${token}`,
      "CF-Connecting-IP": newAddress(),
      "Idempotency-Key": crypto.randomUUID(),
      "If-Match": "*",
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what comes back is looked at by field.
async function made(method: string, path: string, token: string, body: object): Promise<any> {
  const answer = await send(method, path, token, body);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

interface Tenant {
  workspace: string;
  keys: string[];
}

async function found(name: string, keys: number): Promise<Tenant> {
  const workspaces = "/admin/v1/workspaces";
  const { data } = await made("POST", workspaces, ADMIN_TOKEN, { name, plan: "business" });
  const issue = () =>
    made("POST", `${workspaces}/${data.id}/keys`, ADMIN_TOKEN, { name, permissions: ["*"] });
  const tenant: Tenant = { workspace: data.id, keys: [] };
  while (tenant.keys.length < keys) tenant.keys.push((await issue()).key);
  return tenant;
}

async function connect(tenant: Tenant, url: string, event: object, at: number): Promise<void> {
  const endpoints = "/api/v1/workspace-webhooks/endpoints";
  const key = tenant.keys[at % tenant.keys.length] ?? "";
  const { data } = await made("POST", endpoints, key, {
    name: "Bench",
    url,
    subscriptions: [event],
  });
  await made("PATCH", `${endpoints}/${data.id}`, key, { enabled: true });
}

const hanging = createServer((request) => request.resume()).listen(0, "127.0.0.1");
await once(hanging, "listening");
hanging.unref();
const hangingUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;

const neighbour = await found("Neighbour", KEYS);
const receiver = await startReceiver();
await connect(neighbour, receiver.url, POST_PUBLISHED, 0);

const hostile = await found("Hostile", SPAM_KEYS);
const WANTED = { event: "salesbot.contact.created", channel: "sms" };
for (let at = 0; at < HANGING_ENDPOINTS; at++) await connect(hostile, hangingUrl, WANTED, at);

const nextOf = (keys: string[], state = { at: 0 }) => {
  return () => keys[state.at++ % keys.length] ?? "";
};
const neighbourKey = nextOf(neighbour.keys);
const hostileKey = nextOf(hostile.keys);

/** What the hostile one does each second, as often as told. */
const HOSTILITIES: [string, number, () => Promise<Response>][] = [
  [
    "import of 500, each to 25 endpoints that hang",
    1,
    () =>
      send("POST", "/api/v1/contacts/import", hostileKey(), {
        contacts: Array.from({ length: 500 }, () => ({
          external_id: crypto.randomUUID(),
          name: "Spam",
          channel: "sms",
          custom: { text: "x".repeat(300) },
        })),
      }),
  ],
  [
    "count",
    2,
    () =>
      send("POST", "/api/v1/segments/preview", hostileKey(), {
        conditions: {
          match: "any",
          groups: Array.from({ length: 10 }, () => ({
            match: "any",
            rules: Array.from({ length: 15 }, () => ({
              field: "name",
              op: "contains",
              value: randomBytes(100).toString("hex"),
            })),
          })),
        },
      }),
  ],
  [
    "contact to 25 endpoints that hang",
    2,
    () => send("POST", "/api/v1/contacts", hostileKey(), { name: "Spam", channel: "sms" }),
  ],
  [
    "contact of 100 KB",
    2,
    () =>
      send("POST", "/api/v1/contacts", hostileKey(), {
        name: "Spam",
        custom: Object.fromEntries(
          Array.from({ length: 100 }, (_, at) => [`field${at}`, "x".repeat(1000)]),
        ),
      }),
  ],
  ["unknown slug", 20, () => send("GET", `/${crypto.randomUUID()}`, "")],
  [
    "invented key",
    10,
    () => send("GET", "/api/v1/contacts", `osk_${randomBytes(40).toString("hex")}`),
  ],
];

/** What hangs at a receiver has ended after this. */
const HANGING_MILLISECONDS = 16_000;

/** Suspended, the hostile one is told of nothing: what it left behind is no part of a quiet time. */
async function switchHostile(status: "active" | "suspended"): Promise<void> {
  await made("PATCH", `/admin/v1/workspaces/${hostile.workspace}`, ADMIN_TOKEN, { status });
  if (status === "suspended") await pause(HANGING_MILLISECONDS);
}

const refusals = new Map<string, Map<number, number>>();

async function harass(seconds: number): Promise<void> {
  const all: Promise<unknown>[] = [];
  for (let second = 0; second < seconds; second++) {
    for (const [name, times, act] of HOSTILITIES.filter(([one]) => ONLY.test(one))) {
      for (let time = 0; time < times; time++) {
        const begun = pause((time * 1000) / times).then(act);
        const told = begun.then(async (answer) => {
          await answer.arrayBuffer();
          const statuses = refusals.get(name) ?? new Map();
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          refusals.set(name, statuses);
        });
        all.push(told);
      }
    }
    await pause(1000);
  }
  await Promise.all(all);
}

let published = 0;

async function publish(): Promise<void> {
  published++;
  const data = { ...POST, id: `${performance.now()} ${published}` };
  const path = `/admin/v1/workspaces/${neighbour.workspace}/events`;
  await made("POST", path, ADMIN_TOKEN, { ...POST_PUBLISHED, data });
}

const REQUESTS: (() => Promise<Response>)[] = [
  () =>
    send("POST", "/api/v1/biolinks/links", neighbourKey(), { destination: "https://example.com/" }),
  () => send("GET", "/api/v1/biolinks/links", neighbourKey()),
  () => send("POST", "/api/v1/contacts", neighbourKey(), { name: "Ada" }),
  () => send("GET", "/api/v1/contacts", neighbourKey()),
];

/** The neighbour's times of a while, in milliseconds: of its answers, and from event to receipt. */
async function live(seconds: number): Promise<{ times: number[]; lags: number[] }> {
  const times: number[] = [];
  const before = published;
  const all: Promise<void>[] = [];
  const time = async (act: () => Promise<Response>) => {
    const began = performance.now();
    const answer = await act();
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`The neighbour was answered ${answer.status}.`);
    times.push(performance.now() - began);
  };
  const every = NEIGHBOUR.requestsASecond / NEIGHBOUR.eventsASecond;
  for (let at = 0; at < seconds * NEIGHBOUR.requestsASecond; at++) {
    all.push(time(REQUESTS[at % REQUESTS.length] as () => Promise<Response>));
    if (at % every === 0) all.push(publish());
    await pause(1000 / NEIGHBOUR.requestsASecond);
  }
  await Promise.all(all);
  for (let waited = 0; receiver.lags.size < published && waited < 60_000; waited += 50)
    await pause(50);
  if (receiver.lags.size < published) throw new Error("Not every event was received.");
  const lags = [...receiver.lags].filter(([number]) => number > before).map(([, lag]) => lag);
  return { times, lags };
}

function at(values: number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

const quiet = { times: [] as number[], lags: [] as number[] };
const loud = { times: [] as number[], lags: [] as number[] };
await live(3);
for (let round = 1; round <= ROUNDS; round++) {
  for (const [told, isLoud] of [
    [quiet, false],
    [loud, true],
  ] as const) {
    await switchHostile(isLoud ? "active" : "suspended");
    const [seen] = await Promise.all([live(SECONDS), isLoud && harass(SECONDS)]);
    told.times.push(...seen.times);
    told.lags.push(...seen.lags);
  }
  process.stderr.write(`round ${round} of ${ROUNDS}\n`);
}

for (const [name, statuses] of refusals) console.log(name, Object.fromEntries(statuses));
let isMet = true;
for (const [name, part] of [
  ["p50", 0.5],
  ["p99", 0.99],
] as const) {
  for (const [what, of] of [
    ["API", "times"],
    ["webhook lag", "lags"],
  ] as const) {
    const [before, beside] = [at(quiet[of], part), at(loud[of], part)];
    const ratio = beside / before;
    const isJudged = name === "p99";
    if (isJudged && ratio > TARGET) isMet = false;
    const verdict = isJudged ? (ratio > TARGET ? " (TARGET MISSED)" : " (target met)") : "";
    console.log(
      `${what} ${name}: ${before.toFixed(1)} ms quiet, ${beside.toFixed(1)} ms beside: ${ratio.toFixed(2)}${verdict}`,
    );
  }
}
await stopAll();
process.exit(isMet ? 0 : 1);
