import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../migrations");
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".sql"))
  .sort();
const FILLING = FILES.findIndex((name) => name.endsWith("_page_files-data.sql"));
const [BEFORE, REST] = [FILES.slice(0, FILLING), FILES.slice(FILLING)];

const apply = (database: DatabaseSync, files: string[]) => {
  for (const file of files) database.exec(readFileSync(join(FOLDER, file), "utf8"));
};

const gallery = (...files: string[]) => JSON.stringify({ images: files.map((file) => ({ file })) });
const profile = (avatar: string) => JSON.stringify({ avatar });

const put = (database: DatabaseSync, table: string, row: Record<string, string | number>) =>
  database
    .prepare(
      `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => "?")})`,
    )
    .run(...Object.values(row));

/** A workspace of 5 kB more than its plan allows, whose page has an avatar and a gallery, on line. */
function full(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  apply(database, BEFORE);
  const times = { created_at: 0, updated_at: 0 };
  const own = { workspace_id: "w", revision: "r", ...times };
  put(database, "workspaces", {
    ...{ id: "w", name: "W", plan: "free", status: "active", features: "[]" },
    ...times,
  });
  for (const id of ["fa", "fb", "fc"]) {
    database.exec(`INSERT INTO files VALUES ('${id}', 'w', 's${id}', 'image/png', 10, 1, 1, 0)`);
  }
  put(database, "pages", {
    ...{ id: "p", ...own, handle: "ada", handle_key: "ada", domain_root: 0, status: "draft" },
    ...{ disabled: 0, title: "T", language: "en", time_zone: "UTC", profile: profile("fa") },
    ...{ theme: "{}", seo: "{}", sensitive_content: 0, pixels: "[]", utm: "{}" },
    ...{ block_order: '["b"]', content_bytes: 0, blocks_bytes: 0, content_revision: "c" },
    ...{ last_version: 0, kept_bytes: 0 },
  });
  put(database, "page_blocks", {
    ...{ id: "b", ...own, page_id: "p", type: "gallery", enabled: 1, name: "G", published: 1 },
    settings: gallery("fa", "fb"),
  });
  const document = JSON.stringify({ profile: { avatar: "fa" }, images: [{ file: "fb" }] });
  const version = { page_id: "p", number: 1, workspace_id: "w", hash: "h", created_at: 0 };
  put(database, "page_versions", { ...version, document, bytes: document.length });
  database.exec(`UPDATE pages SET published_version = 1, last_version = 1,
    status = 'published', published_settings = '{"utm":{},"pixels":[]}'`);
  database.exec(`UPDATE workspace_usage SET stored_bytes =
    (SELECT stored_bytes + 5000 FROM plan_limits WHERE plan = 'free')`);
  return database;
}

/** What is counted, and what there is. */
function counted(database: DatabaseSync) {
  const { stored, other } = database
    .prepare("SELECT stored_bytes AS stored, other_bytes AS other FROM workspace_usage")
    .get() as { stored: number; other: number };
  const { bytes, kept } = database
    .prepare("SELECT sum(bytes) AS bytes, sum(kept_bytes) AS kept FROM pages")
    .get() as { bytes: number; kept: number };
  const { held } = database
    .prepare(
      `SELECT 350 * (SELECT count(*) FROM page_files)
         + (SELECT coalesce(sum(bytes + 300), 0) FROM page_versions) AS held`,
    )
    .get() as { held: number };
  return { elsewhere: stored - bytes, others: other - bytes, kept, held };
}

const uses = (database: DatabaseSync) =>
  database
    .prepare("SELECT holder || ' ' || file_id AS what FROM page_files ORDER BY what")
    .all()
    .map(({ what }) => String(what));

/** A full workspace's database, with all migrations. */
function migrated(): DatabaseSync {
  const database = full();
  apply(database, REST);
  return database;
}

test("a full workspace's pages pass all migrations, and what their files take is counted", () => {
  const database = full();
  const before = counted(database);
  apply(database, REST);
  expect(uses(database)).toEqual(["b fa", "b fb", "page fa", "published fa", "published fb"]);
  const { elsewhere, others, kept, held } = counted(database);
  expect({ elsewhere, others }).toEqual({ elsewhere: before.elsewhere, others: before.others });
  expect(kept).toBe(held);
  expect(kept).toBe(before.kept + 5 * 350);
  database.close();
});

test.each([
  ["takes a picture away", `page_blocks SET settings = '${gallery("fa")}'`, "b", ["fa"]],
  ["exchanges one", `page_blocks SET settings = '${gallery("fa", "fc")}'`, "b", ["fa", "fc"]],
  ["takes all pictures away", "page_blocks SET settings = '{}'", "b", []],
  ["exchanges its avatar", `pages SET profile = '${profile("fb")}'`, "page", ["fb"]],
  ["takes its avatar away", "pages SET profile = '{}'", "page", []],
  ["shows its draft, of as many", "pages SET published_version = 2", "published", ["fa", "fb"]],
  ["goes off line", "pages SET published_version = NULL", "published", []],
])("a page of a full workspace %s", (_, sql, holder, files) => {
  const database = migrated();
  const before = counted(database);
  const others = uses(database).filter((what) => !what.startsWith(`${holder} `));
  database.exec(`UPDATE ${sql}`);
  expect(uses(database)).toEqual([...others, ...files.map((file) => `${holder} ${file}`)].sort());
  const { elsewhere, kept, held } = counted(database);
  expect(elsewhere).toBe(before.elsewhere);
  expect(kept).toBe(held);
  database.close();
});

test.each([
  `page_blocks SET settings = '${gallery("fa", "fb", "fc")}'`,
  `pages SET seo = '{"image":"fb"}'`,
])("one more picture is refused to a full workspace: %s", (sql) => {
  const database = migrated();
  const before = uses(database);
  expect(() => database.exec(`UPDATE ${sql}`)).toThrow("storage_full");
  expect(uses(database)).toEqual(before);
  database.close();
});

test("the first rendering of a version that is on line is told of", () => {
  const database = migrated();
  database.exec("UPDATE workspace_usage SET stored_bytes = 0; DELETE FROM address_changes");
  put(database, "page_renders", {
    ...{ page_id: "p", workspace_id: "w", version: 1, render: "{}", bytes: 2 },
  });
  const told = database.prepare("SELECT scope || ' ' || name AS what FROM address_changes").all();
  expect(told.map(({ what }) => what)).toEqual(["address /@ada"]);
  // Code of before knows nothing of renderings: none outlives its page.
  database.exec("UPDATE pages SET status = 'draft', published_version = NULL; DELETE FROM pages");
  expect(database.prepare("SELECT * FROM page_renders").all()).toEqual([]);
  database.close();
});
