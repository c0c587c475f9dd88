/**
 * `npm run bench:segments`: a segment of five rules over 100,000 contacts of one workspace: its
 * first page, against bare SQL, written by hand, that the same Worker runs on the same database;
 * reading it with its kept count; its preview, which stops at its budget. Then the heaviest
 * definitions there may be, over contacts of 16 KB. Exits 1 when a target is missed.
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
import { median } from "./statistics.ts";

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

/**
 * Runs the SQL that it is sent and answers what that finds, past all that Signpost does; runs the
 * jobs of a minute; tells of the statements that counted contacts since it told last.
 */
const BARE = `
import worker from "./worker.js";
export * from "./worker.js";
let counted = [];
const noting = (statement) => new Proxy(statement, { get(target, name) {
  if (name === "bind") return (...values) => noting(target.bind(...values));
  if (name !== "all") return Reflect.get(target, name, target);
  return async () => {
    const answer = await target.all();
    const { duration, rows_read } = answer.meta;
    counted.push({ duration, rows: rows_read, contacts: answer.results[0].looked });
    return answer;
  };
} });
let database;
const withNotes = (env) => ({ ...env, DB: (database ??= new Proxy(env.DB, { get(target, name) {
  if (name !== "prepare") return typeof target[name] === "function" ? target[name].bind(target) : target[name];
  return (sql) => {
    const prepared = target.prepare(sql);
    return sql.startsWith("SELECT count(*) FILTER") ? noting(prepared) : prepared;
  };
} })) });
export default { ...worker, async fetch(request, env, ctx) {
  const { pathname } = new URL(request.url);
  if (pathname === "/bench/minute") return Response.json((await worker.scheduled({}, env, ctx)) ?? {});
  if (pathname === "/bench/counted") return Response.json(counted.splice(0));
  if (pathname !== "/bench/sql") return worker.fetch(request, withNotes(env), ctx);
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
    const began = performance.now();
    await call("POST", "/bench/minute");
    const { data: counted } = await call("GET", path, key);
    const minute = performance.now() - began;
    console.log(`${label}: ${counted.contacts_count} of ${CONTACTS} contacts`);
    console.log(`  all segments counted by the minute's job in ${minute.toFixed(0)} ms`);
    const firstPage = () => call("GET", `${path}/contacts`, key);
    met = (await compare("  first page", firstPage, () => sql(page), TARGET)) && met;
    await compare(
      "  reading it (bare: counting)",
      () => call("GET", path, key),
      () => sql(count),
    );
    const preview = () => call("POST", "/api/v1/segments/preview", key, definition);
    await compare("  preview (bare: page and count)", preview, async () => {
      await Promise.all([sql(page), sql(count)]);
    });
  }
  await measureHeaviest(database);
  return met;
}

const HEAVY_CONTACTS = Number(process.env.BENCH_HEAVY_CONTACTS ?? 5000);
const NEEDLE = `${"a".repeat(199)}c`;

const LONG_LANGUAGE = "en-abcdefgh-abcdefgh-abcdefgh-abcde";

/** As heavy as `segment-definition.ts` lets them be. */
const HEAVIEST: [string, number, (n: number, tags: string[]) => object][] = [
  [
    "30 texts in custom fields",
    30,
    (n) => ({ field: `custom.field_${n % 16}`, op: "contains", value: NEEDLE }),
  ],
  ["12 sets of 100 tags", 12, (_, tags) => ({ field: "tags", op: "has_any", value: tags })],
  ["150 texts in names", 150, () => ({ field: "name", op: "contains", value: NEEDLE })],
  [
    // As much as a request's body holds.
    "150 lists of languages",
    150,
    () => ({ field: "language", op: "in", value: Array(42).fill(LONG_LANGUAGE) }),
  ],
];

/** What a statement that counted contacts cost, as D1 says it. */
interface Counted {
  duration: number;
  rows: number;
  contacts: number;
}

/** Each is met by nobody: one statement of it, and a preview through the API. */
async function measureHeaviest(database: Awaited<ReturnType<typeof migrate>>): Promise<void> {
  const { data: workspace } = await call("POST", "/admin/v1/workspaces", ADMIN_TOKEN, {
    name: "Heavy",
    plan: "business",
  });
  const keys = `/admin/v1/workspaces/${workspace.id}/keys`;
  const { key } = await call("POST", keys, ADMIN_TOKEN, { name: "Bench", permissions: ["*"] });
  const tags: string[] = [];
  for (let made = 0; made < 200; made++) {
    tags.push((await call("POST", "/api/v1/tags", key, { name: `T${made}` })).data.id);
  }
  const text = `${"a".repeat(960)}b`;
  const custom = JSON.stringify(
    Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`field_${n}`, text])),
  );
  for (let from = 0; from < HEAVY_CONTACTS; from += 500) {
    const numbers = JSON.stringify(Array.from({ length: 500 }, (_, at) => from + at));
    const id = "printf('0199c5f2-7c1e-7a4b-9d35-%012x', n.value)";
    await database.batch([
      database
        .prepare(
          `INSERT INTO contacts (id, workspace_id, name, country, custom, status, revision,
             created_at, updated_at)
           SELECT ${id}, ?2, ?4, 'GB', ?3, 'active', 'r', 0, 0 FROM json_each(?1) AS n`,
        )
        .bind(numbers, workspace.id, custom, "a".repeat(200)),
      database
        .prepare(
          `INSERT INTO contact_tags SELECT ${id}, tag.value
           FROM json_each(?1) AS n, json_each(?2) AS tag`,
        )
        .bind(numbers, JSON.stringify(tags.slice(0, 100))),
    ]);
  }
  console.log(`The heaviest definitions, over ${HEAVY_CONTACTS} contacts of 16 KB with 100 tags:`);
  for (const [label, count, rule] of HEAVIEST) {
    const rules = Array.from({ length: count }, (_, n) => rule(n, tags.slice(100)));
    const groups = Array.from({ length: Math.ceil(count / 15) }, (_, at) => ({
      match: "any",
      rules: rules.slice(at * 15, at * 15 + 15),
    }));
    await call("GET", "/bench/counted");
    const previews: number[] = [];
    for (let round = 0; round < 9; round++) {
      const body = { conditions: { match: "any", groups } };
      previews.push(await milliseconds(() => call("POST", "/api/v1/segments/preview", key, body)));
    }
    const counted: Counted[] = await call("GET", "/bench/counted");
    const full = counted.filter(({ contacts }) => contacts === counted[0]?.contacts);
    const statement = median(full.map(({ duration }) => duration));
    console.log(
      `  ${label}: a statement ${statement.toFixed(0)} ms, ${full[0]?.contacts} contacts, ${full[0]?.rows} rows; a preview ${median(previews).toFixed(0)} ms`,
    );
  }
}

const passed = await run().finally(stopAll);
process.exit(passed ? 0 : 1);
