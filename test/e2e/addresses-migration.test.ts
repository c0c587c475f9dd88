import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../migrations");
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".sql"))
  .sort();
const TABLES = FILES.find((name) => name.endsWith("_addresses.sql")) ?? "";
const FILLING = FILES.find((name) => name.endsWith("addresses-data.sql")) ?? "";

/** What keeps the address book and its log: lost when a table is made anew, as drizzle-kit does it. */
const TRIGGERS = [
  "address_changed",
  "address_gone",
  "address_made",
  "domain_changed_for_visitors",
  "domain_gone_for_qr_codes",
  "domain_gone_for_visitors",
  "domain_made_for_visitors",
  "domain_renamed_for_qr_codes",
  "domain_served_for_qr_codes",
  "link_gone_for_qr_codes",
  "link_moved_for_qr_codes",
  "links_addressed",
  "links_readdressed",
  "links_unaddressed",
  "page_gone_for_qr_codes",
  "page_moved_for_qr_codes",
  "page_renders_begun",
  "page_renders_changed",
  "page_renders_placed",
  "pages_addressed",
  "pages_readdressed",
  "pages_unaddressed",
  "pixel_changed_for_visitors",
  "pixel_gone_for_visitors",
  "pixel_made_for_visitors",
  "qr_addresses_stay",
  "qr_codes_addressed",
  "qr_codes_readdressed",
  "qr_codes_unaddressed",
  "workspace_changed_for_visitors",
];

const apply = (database: DatabaseSync, files: string[]) => {
  for (const file of files) database.exec(readFileSync(join(FOLDER, file), "utf8"));
};

/** Links as they may be stored, by what is in their columns that is not as usual. */
const LINKS: Record<string, Record<string, string | number | null>> = {
  plain: {},
  protected: { password_hash: "pbkdf2-sha256$x", status: "paused", disabled: 1 },
  tagged: { utm: '{"source":"a \\" ü"}', pixels: '["p1","p2"]', http_status: 301 },
  "no-json": { utm: "{nonsense", pixels: "" },
  "json-five": { utm: "{source:'a'}", pixels: "[1,]" },
  deep: { pixels: "[".repeat(2000) },
  "on-domain": { domain_id: "d" },
  // Its domain is gone: it outlives it, unreachable.
  homeless: { domain_id: "gone" },
};

function write(database: DatabaseSync, id: string, differing: (typeof LINKS)[string]): void {
  const row = {
    id,
    workspace_id: "w",
    slug: id,
    slug_key: id,
    destination: `https://a.example/${id}`,
    status: "active",
    disabled: 0,
    http_status: 302,
    forward_query: 1,
    sensitive_content: 0,
    utm: "{}",
    pixels: "[]",
    revision: "r",
    created_at: 0,
    updated_at: 0,
    ...differing,
  };
  const names = Object.keys(row);
  database
    .prepare(`INSERT INTO links (${names}) VALUES (${names.map(() => "?")})`)
    .run(...Object.values(row));
}

function before(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  apply(database, FILES.slice(0, FILES.indexOf(TABLES)));
  database.exec(`INSERT INTO workspaces (id, name, plan, status, features, created_at, updated_at)
    VALUES ('w', 'W', 'free', 'active', '[]', 0, 0)`);
  database.exec(`INSERT INTO domains (id, workspace_id, host, verified, disabled, created_at, updated_at)
    VALUES ('d', 'w', 'go.example', 1, 0, 0, 0)`);
  return database;
}

function addressesIn(database: DatabaseSync): Record<string, object> {
  const rows = database.prepare("SELECT * FROM addresses ORDER BY target_id").all();
  return Object.fromEntries(
    rows.map(({ target_id, place, slug_key, kind, workspace_id, document }) => [
      String(target_id),
      { place, slug_key, kind, workspace_id, document: JSON.parse(String(document)) },
    ]),
  );
}

test("links of before are in the address book after the migration that makes it", () => {
  const database = before();
  for (const [id, differing] of Object.entries(LINKS)) write(database, id, differing);
  apply(database, [TABLES, FILLING]);
  const filled = addressesIn(database);
  const address = (id: string, place: string, differing: object = {}) => ({
    place,
    slug_key: id,
    kind: "link",
    workspace_id: "w",
    document: {
      status: "active",
      disabled: 0,
      destination: `https://a.example/${id}`,
      httpStatus: 302,
      forwardQuery: 1,
      sensitiveContent: 0,
      hasPassword: 0,
      utm: {},
      pixels: [],
      ...differing,
    },
  });
  expect(filled).toEqual({
    plain: address("plain", ""),
    protected: address("protected", "", { status: "paused", disabled: 1, hasPassword: 1 }),
    tagged: address("tagged", "", {
      utm: { source: 'a " ü' },
      pixels: ["p1", "p2"],
      httpStatus: 301,
    }),
    "no-json": address("no-json", ""),
    "json-five": address("json-five", ""),
    deep: address("deep", ""),
    "on-domain": address("on-domain", "d"),
    homeless: address("homeless", "gone"),
  });
  expect(JSON.stringify(filled)).not.toContain("pbkdf2");

  // The code of before goes on writing while the new one is deployed: triggers see to it.
  const after = before();
  apply(after, [TABLES, FILLING]);
  for (const [id, differing] of Object.entries(LINKS)) write(after, id, differing);
  expect(addressesIn(after)).toEqual(filled);
  database.close();
  after.close();
});

/** The log of what changed, from one row on. */
function told(database: DatabaseSync): string[] {
  const rows = database
    .prepare("SELECT scope || ' ' || name AS what FROM address_changes ORDER BY id")
    .all();
  return rows.map(({ what }) => String(what));
}

/** One link, domain, workspace and pixel, with nothing in the log. */
function settled(): DatabaseSync {
  const database = before();
  apply(database, [TABLES, FILLING]);
  write(database, "one", { domain_id: "d", pixels: '["p"]' });
  database.exec(`INSERT INTO workspaces (id, name, plan, status, features, created_at, updated_at)
    VALUES ('v', 'V', 'free', 'active', '[]', 0, 0)`);
  database.exec(`INSERT INTO pixels (id, workspace_id, name, provider, tag, created_at, updated_at)
    VALUES ('p', 'w', 'P', 'meta', '1', 0, 0)`);
  database.exec("DELETE FROM address_changes");
  return database;
}

const ADDRESS = "address go.example/one";

/** A change of one column alone, what the log says of it, and what the address is then. */
const CHANGES: [sql: string, told: string[], address?: object, document?: object][] = [
  ["links SET workspace_id = 'v'", [ADDRESS], { workspace_id: "v" }],
  ["links SET domain_id = NULL", [ADDRESS, "address /one"], { place: "" }],
  ["links SET slug_key = 'two'", [ADDRESS, "address go.example/two"], { slug_key: "two" }],
  ["links SET status = 'paused'", [ADDRESS], {}, { status: "paused" }],
  ["links SET disabled = 1", [ADDRESS], {}, { disabled: 1 }],
  [
    "links SET destination = 'https://b.example/'",
    [ADDRESS],
    {},
    { destination: "https://b.example/" },
  ],
  ["links SET http_status = 308", [ADDRESS], {}, { httpStatus: 308 }],
  ["links SET forward_query = 0", [ADDRESS], {}, { forwardQuery: 0 }],
  ["links SET sensitive_content = 1", [ADDRESS], {}, { sensitiveContent: 1 }],
  ["links SET password_hash = 'x'", [ADDRESS], {}, { hasPassword: 1 }],
  [`links SET utm = '{"source":"a"}'`, [ADDRESS], {}, { utm: { source: "a" } }],
  ["links SET pixels = '[]'", [ADDRESS], {}, { pixels: [] }],
  ["links SET title = 'T', slug = 'ONE', revision = 's', updated_at = 1", []],
  ["domains SET workspace_id = 'v'", ["host go.example"]],
  ["domains SET host = 'come.example'", ["host come.example", "host go.example"]],
  ["domains SET verified = 0", ["host go.example"]],
  ["domains SET disabled = 1", ["host go.example"]],
  ["domains SET root_url = 'https://b.example/'", ["host go.example"]],
  ["domains SET not_found_url = 'https://b.example/'", ["host go.example"]],
  ["domains SET problems = '[1]', failed_days = 1, revision = 's', updated_at = 1", []],
  ["workspaces SET status = 'suspended' WHERE id = 'w'", ["workspace w"]],
  ["workspaces SET name = 'N', plan = 'pro', features = '[1]', updated_at = 1 WHERE id = 'w'", []],
  ["pixels SET workspace_id = 'v'", ["workspace v", "workspace w"]],
  ["pixels SET id = 'q'", ["workspace w"]],
  ["pixels SET provider = 'linkedin'", ["workspace w"]],
  ["pixels SET tag = '2'", ["workspace w"]],
  ["pixels SET name = 'N', updated_at = 1", []],
];

test.each(CHANGES)("%s: the log tells of it, and the address is as it is then", (...change) => {
  const [sql, expected, address = {}, document = {}] = change;
  const database = settled();
  const was = addressesIn(database).one as { document: object };
  database.exec(`UPDATE ${sql}`);
  expect(told(database)).toEqual(expected);
  const is = { ...was, ...address, document: { ...was.document, ...document } };
  expect(addressesIn(database)).toEqual({ one: is });
  // The same again changes nothing.
  database.exec("DELETE FROM address_changes");
  database.exec(`UPDATE ${sql}`);
  expect(told(database)).toEqual([]);
  database.close();
});

test.each([
  ["DELETE FROM links", [ADDRESS]],
  ["DELETE FROM domains", ["host go.example"]],
  ["DELETE FROM pixels", ["workspace w"]],
  [
    `INSERT INTO pixels (id, workspace_id, name, provider, tag, created_at, updated_at)
     VALUES ('q', 'v', 'Q', 'meta', '2', 0, 0)`,
    ["workspace v"],
  ],
  [
    `INSERT INTO domains (id, workspace_id, host, verified, disabled, created_at, updated_at)
     VALUES ('e', 'w', 'come.example', 1, 0, 0, 0)`,
    ["host come.example"],
  ],
  // A claim that nobody has proved is nobody's visitors' business, nor is its change or end.
  [
    `INSERT INTO domains (id, workspace_id, host, verified, disabled, created_at, updated_at)
     VALUES ('e', 'v', 'go.example', 0, 0, 0, 0);
     UPDATE domains SET root_url = 'https://b.example/' WHERE id = 'e';
     DELETE FROM domains WHERE id = 'e'`,
    [],
  ],
])("%s: the log tells of it", (sql, expected) => {
  const database = settled();
  database.exec(sql);
  expect(told(database)).toEqual(expected);
  database.close();
});

test("what keeps the address book and its log is there after all migrations", () => {
  const database = new DatabaseSync(":memory:");
  apply(database, FILES);
  const sql = `SELECT name FROM sqlite_master WHERE type = 'trigger'
    AND sql LIKE '%address%' ORDER BY name`;
  const names = database.prepare(sql).all();
  expect(names.map(({ name }) => name)).toEqual(TRIGGERS);
  database.close();
});

test("QR codes of before are found at their host, and code of before goes on finding them", () => {
  const database = new DatabaseSync(":memory:");
  const hosts = FILES.findIndex((name) => name.endsWith("_qr-hosts-data.sql"));
  apply(database, FILES.slice(0, hosts));
  database.exec(`INSERT INTO workspaces (id, name, plan, status, features, created_at, updated_at)
    VALUES ('w', 'W', 'free', 'active', '[]', 0, 0)`);
  const insert = (id: string, code: string | null, domain: string | null) =>
    database
      .prepare(
        `INSERT INTO qr_codes (id, workspace_id, name, code, domain_id, origin, target, style, status,
           revision, created_at, updated_at) VALUES (?, 'w', 'N', ?, ?, ?,
           '{"type":"url","url":"https://a.example/"}', '{}', 'active', 'r', 0, 0)`,
      )
      .run(id, code, domain, code && `https://${domain ? "go.example" : "sign.example"}`);
  insert("platform", "AAAAAAAA", null);
  insert("gone", "BBBBBBBB", "d1");
  insert("static", null, null);
  apply(database, FILES.slice(hosts));
  const places = () => {
    const sql = `SELECT place || ' ' || slug_key || ' ' || target_id || ' ' || (document ->> 'status')
      AS what FROM addresses WHERE kind = 'qr_code' ORDER BY target_id, place`;
    return database
      .prepare(sql)
      .all()
      .map(({ what }) => what);
  };
  const platform = " q/aaaaaaaa platform active";
  expect(places()).toEqual([
    "d1 q/bbbbbbbb gone active",
    "go.example q/bbbbbbbb gone active",
    platform,
  ]);
  // To the check of code of before, what stands at a host is a stray.
  database.exec("DELETE FROM addresses WHERE kind = 'qr_code' AND place = 'go.example'");
  expect(places()).toHaveLength(3);
  database.exec("DELETE FROM address_changes");
  insert("new", "CCCCCCCC", "d2");
  database.exec("UPDATE qr_codes SET status = 'paused' WHERE id = 'gone'");
  expect(places()).toEqual([
    "d1 q/bbbbbbbb gone paused",
    "go.example q/bbbbbbbb gone paused",
    "go.example q/cccccccc new active",
    platform,
  ]);
  database.exec("DELETE FROM qr_codes WHERE id IN ('gone', 'new')");
  expect(places()).toEqual([platform]);
  // Of each what changed, at its host: that of the former place, whose domain is gone, is nowhere.
  expect(told(database)).toEqual([
    "address go.example/q/cccccccc",
    "address go.example/q/bbbbbbbb",
    "address go.example/q/bbbbbbbb",
    "address go.example/q/cccccccc",
  ]);
  database.close();
});
