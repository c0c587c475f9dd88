/**
 * `npm run bench:write`: POST /links, each with an Idempotency-Key of its own, against a Worker
 * that makes the same hops and checks nothing. Exits 1 when the target is missed or a link is.
 */
import { join } from "node:path";
import {
  ADMIN_TOKEN,
  benchWorker,
  type Contestant,
  migrate,
  newAddress,
  signpost,
  start,
  stopAll,
  type WorkerSetup,
} from "./contestant.ts";
import { Load, SERIAL } from "./load.ts";
import { printRatio, printTable } from "./report.ts";
import { compare, type Entry, type Outcome } from "./rounds.ts";

/** So many that the default limit of 60 requests a minute and key is never reached. */
const WORKSPACES = 200;
const PREPARED_REQUESTS = 20_000;
const CREATED_AT_ONCE = 16;
const PLAN = {
  rounds: Number(process.env.BENCH_ROUNDS ?? 5),
  seconds: Number(process.env.BENCH_SECONDS ?? 3),
  warmUpSeconds: 4,
};
const TARGET = { rate: 0.5 };
const BODY = JSON.stringify({
  destination: "https://shop.example/campaigns/spring?item=42",
  title: "Spring",
  settings: { utm: { source: "newsletter" } },
});

/** The address limit as it is once deployed, a counter in memory: locally it is a hop of its own. */
const LIMIT_IN_MEMORY = `
import worker from "./worker.js";
export * from "./worker.js";
const counts = new Map();
const IP_RATE_LIMIT = { async limit({ key }) {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return { success: count > 0 };
} };
let own;
export default { ...worker, fetch: (request, env, ctx) =>
  worker.fetch(request, (own ??= { ...env, IP_RATE_LIMIT }), ctx) };`;

function withLimitInMemory(setup: WorkerSetup): WorkerSetup {
  if (!("modules" in setup) || !Array.isArray(setup.modules)) throw new Error("No modules.");
  const entry = join(String(setup.modulesRoot), "limit-in-memory.js");
  const module = { type: "ESModule" as const, path: entry, contents: LIMIT_IN_MEMORY };
  return { ...setup, modules: [module, ...setup.modules] };
}

async function createKey(port: number): Promise<string> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://localhost:${port}/admin/v1/workspaces${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, "CF-Connecting-IP": newAddress() },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(await answer.text());
    return (await answer.json()) as { data: { id: string }; key: string };
  };
  const { data } = await post("", { name: "Bench" });
  return (await post(`/${data.id}/keys`, { name: "Bench", permissions: ["*"] })).key;
}

async function createKeys(port: number): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length < WORKSPACES) {
    const some = Array.from({ length: CREATED_AT_ONCE }, () => createKey(port));
    keys.push(...(await Promise.all(some)));
  }
  return keys;
}

/** `who`: the header that says which workspace writes, as many as there are workspaces. */
function requests(who: string[]): string[] {
  return Array.from({ length: PREPARED_REQUESTS }, (_, at) => {
    const lines = [
      "POST /api/v1/biolinks/links HTTP/1.1",
      "Host: localhost",
      String(who[at % who.length]),
      `Idempotency-Key: bench-${SERIAL}`,
      `CF-Connecting-IP: 10.${at & 255}.${(at >> 8) & 255}.1`,
      "Content-Type: application/json",
      `Content-Length: ${BODY.length}`,
    ];
    return `${lines.join("\r\n")}\r\n\r\n${BODY}`;
  });
}

async function addProduct(load: Load, label: string, setup: WorkerSetup): Promise<Entry> {
  const contestant = await start(label, setup);
  await migrate(contestant);
  const keys = await createKeys(contestant.port);
  load.prepare(label, requests(keys.map((key) => `x-api-key: ${key}`)));
  return { label, contestant, traffic: label, expectedStatus: 201 };
}

async function addBare(load: Load): Promise<Entry> {
  const setup = benchWorker("like-write.ts", {
    d1Databases: { DB: "DB" },
    durableObjects: { GATE: { className: "Gate", useSQLite: true } },
  });
  const contestant = await start("bare", setup);
  const database = await migrate(contestant);
  const ids = Array.from({ length: WORKSPACES }, () => crypto.randomUUID());
  await database
    .prepare(
      `INSERT INTO workspaces (id, name, plan, status, features, created_at, updated_at)
       SELECT value, 'Bench', 'pro', 'active', '[]', 0, 0 FROM json_each(?)`,
    )
    .bind(JSON.stringify(ids))
    .run();
  load.prepare("bare", requests(ids.map((id) => `x-workspace: ${id}`)));
  return { label: "bare", contestant, traffic: "bare", expectedStatus: 201 };
}

async function countLinks({ runtime }: Contestant): Promise<number> {
  const database = await runtime.getD1Database("DB");
  const row = await database
    .prepare("SELECT count(*) AS links FROM links")
    .first<{ links: number }>();
  return row?.links ?? 0;
}

async function run(load: Load): Promise<boolean> {
  const entries = [
    await addBare(load),
    await addProduct(load, "POST /links", signpost()),
    await addProduct(load, "POST /links, address limit in memory", withLimitInMemory(signpost())),
  ];
  const outcomes = (await compare(load, entries, PLAN)) as [Outcome, Outcome, Outcome];
  printTable(outcomes);
  let complete = true;
  for (const [at, { label, contestant }] of entries.entries()) {
    const links = await countLinks(contestant);
    const answered = outcomes[at]?.answered;
    console.log(`${label}: ${answered} created, ${links} links in the database`);
    complete &&= links === answered;
  }
  const [bare, whole, inMemory] = outcomes;
  printRatio(whole, bare);
  return printRatio(inMemory, bare, TARGET) && complete;
}

const load = new Load();
let passed = false;
try {
  passed = await run(load);
} finally {
  load.stop();
  await stopAll();
}
process.exit(passed ? 0 : 1);
