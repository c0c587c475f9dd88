/**
 * `npm run bench:segments`: a segment of five rules over 100,000 contacts of one workspace: its
 * first page, its count and its preview, each against bare SQL, written by hand, that the same
 * Worker runs on the same database. Exits 1 when a target is missed.
 */
import { join } from "node:path";
import {
  ADMIN_TOKEN,
  migrate,
  newAddress,
  signpost,
  start,
  stopAll,
  type WorkerSetup,
} from "./contestant.ts";

const CONTACTS = Number(process.env.BENCH_CONTACTS ?? 100_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40);
const CHUNK = 5000;
const DAY = 86_400_000;
const TARGET = 3;

const CONDITIONS = {
  match: "all",
  groups: [
    {
      match: "all",
      rules: [
        { field: "country", op: "in", value: ["GB", "IE"] },
        { field: "custom.seats", op: "gte", value: 5 },
        { field: "email", op: "ends_with", value: "@example.com" },
        { field: "status", op: "neq", value: "blocked" },
        { field: "last_inbound_at", op: "more_than_ago", value: { n: 30, unit: "days" } },
      ],
    },
  ],
};

/** The same five rules as somebody would write them who has this one segment only. */
const RULES = `contacts.country IN ('GB', 'IE') AND json_extract(contacts.custom, '$.seats') >= 5
  AND lower(contacts.email) LIKE '%@example.com' AND contacts.status <> 'blocked'
  AND contacts.last_inbound_at < ?2`;
const TAGGED = "contact_tags CROSS JOIN contacts ON contacts.id = contact_tags.contact_id";

/** Runs the SQL that it is sent and answers what that finds, past all that Signpost does. */
const BARE = `
import worker from "./worker.js";
export * from "./worker.js";
export default { ...worker, async fetch(request, env, ctx) {
  if (new URL(request.url).pathname !== "/bench/sql") return worker.fetch(request, env, ctx);
  const { sql, values } = await request.json();
  return Response.json((await env.DB.prepare(sql).bind(...values).all()).results);
} };`;

function withBareSql(setup: WorkerSetup): WorkerSetup {
  if (!("modules" in setup) || !Array.isArray(setup.modules)) throw new Error("No modules.");
  const path = join(String(setup.modulesRoot), "bare-sql.js");
  const module = { type: "ESModule" as const, path, contents: BARE };
  return { ...setup, modules: [module, ...setup.modules] };
}

const contestant = await start("signpost", withBareSql(signpost({ KEY_RATE_LIMIT: "1000000" })));

async function call(method: string, path: string, token = "", body?: object) {
  const answer = await fetch(`http://127.0.0.1:${contestant.port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "CF-Connecting-IP": newAddress() },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** Contacts of which the five rules keep one in two hundred; three in a hundred have the tag. */
async function populate(
  database: Awaited<ReturnType<typeof migrate>>,
  workspace: string,
  tag: string,
) {
  const now = Date.now();
  for (let from = 0; from < CONTACTS; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, CONTACTS - from) }, (_, at) => from + at);
    const json = JSON.stringify(numbers);
    await database.batch([
      database
        .prepare(
          `INSERT INTO contacts (id, workspace_id, name, email, channel, country, language, custom,
             status, last_active_at, last_inbound_at, revision, created_at, updated_at)
           SELECT printf('0198c5f2-7c1e-7a4b-9d35-%012x', value), ?2, 'Contact ' || value,
             'c' || value || iif(value % 3 = 0, '@example.com', '@other.example'), 'sms',
             iif(value % 7 = 0, 'GB', 'DE'), 'en', json_object('seats', value % 11),
             iif(value % 5 = 0, 'blocked', 'active'), ?3 - value % 90 * ?4,
             ?3 - value % 40 * ?4, 'r', ?3, ?3 FROM json_each(?1)`,
        )
        .bind(json, workspace, now, DAY),
      database
        .prepare(
          `INSERT INTO contact_tags SELECT printf('0198c5f2-7c1e-7a4b-9d35-%012x', value), ?2
           FROM json_each(?1) WHERE value % 97 < 3`,
        )
        .bind(json, tag),
    ]);
  }
}

async function milliseconds(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Runs both in turn, so that a busy machine is busy for both; prints and judges their ratio. */
async function compare(
  label: string,
  product: () => Promise<unknown>,
  bare: () => Promise<unknown>,
  target?: number,
): Promise<boolean> {
  const times: { product: number[]; bare: number[] } = { product: [], bare: [] };
  for (let round = -3; round < ROUNDS; round++) {
    const [took, tookBare] = [await milliseconds(product), await milliseconds(bare)];
    if (round < 0) continue;
    times.product.push(took);
    times.bare.push(tookBare);
  }
  const [took, tookBare] = [median(times.product), median(times.bare)];
  const met = target === undefined || took <= target * tookBare;
  const verdict = target === undefined ? "" : met ? " (target met)" : " (TARGET MISSED)";
  console.log(
    `${label}: ${took.toFixed(1)} ms, bare SQL ${tookBare.toFixed(1)} ms: ${(took / tookBare).toFixed(2)} times${verdict}`,
  );
  return met;
}

async function run(): Promise<boolean> {
  const database = await migrate(contestant);
  const { data: workspace } = await call("POST", "/admin/v1/workspaces", ADMIN_TOKEN, {
    name: "Bench",
  });
  const keys = `/admin/v1/workspaces/${workspace.id}/keys`;
  const { key } = await call("POST", keys, ADMIN_TOKEN, { name: "Bench", permissions: ["*"] });
  const { data: tag } = await call("POST", "/api/v1/tags", key, { name: "Newsletter" });
  await populate(database, workspace.id, tag.id);

  const sql = (text: string) => {
    const values = [workspace.id, Date.now() - 30 * DAY];
    return call("POST", "/bench/sql", "", { sql: text, values });
  };
  let met = true;
  for (const [label, tags] of [
    ["five rules", []],
    ["five rules and a tag", [tag.id]],
  ] as const) {
    const definition = { name: label, include_tags: tags, conditions: CONDITIONS };
    const { data: segment } = await call("POST", "/api/v1/segments", key, definition);
    const path = `/api/v1/segments/${segment.id}`;
    const from = tags.length > 0 ? TAGGED : "contacts";
    const isTagged = tags.length > 0 ? `AND contact_tags.tag_id = '${tag.id}'` : "";
    const where = `contacts.workspace_id = ?1 AND ${RULES} ${isTagged}`;
    const columns = `contacts.*, (SELECT json_group_array(tag_id) FROM contact_tags AS label
      WHERE label.contact_id = contacts.id) AS tags`;
    const id = tags.length > 0 ? "contact_tags.contact_id" : "contacts.id";
    const page = `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${id} DESC LIMIT 26`;
    const count = `SELECT count(*) AS count FROM ${from} WHERE ${where}`;

    const found = await call("GET", `${path}/contacts`, key);
    const foundBare = (await sql(page)) as { id: string }[];
    const ids = found.data.map(({ id }: { id: string }) => id).join();
    if (
      ids !==
        foundBare
          .slice(0, 25)
          .map(({ id }) => id)
          .join() ||
      !ids
    ) {
      throw new Error("The bare SQL finds others: the comparison would mean nothing.");
    }
    console.log(`${label}: ${segment.contacts_count} of ${CONTACTS} contacts`);
    const firstPage = () => call("GET", `${path}/contacts`, key);
    met = (await compare("  first page", firstPage, () => sql(page), TARGET)) && met;
    met =
      (await compare(
        "  count",
        () => call("GET", path, key),
        () => sql(count),
        TARGET,
      )) && met;
    const preview = () => call("POST", "/api/v1/segments/preview", key, definition);
    await compare("  preview, both at once", preview, async () => {
      await Promise.all([sql(page), sql(count)]);
    });
  }
  return met;
}

const passed = await run().finally(stopAll);
process.exit(passed ? 0 : 1);
