import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../migrations");
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".sql"))
  .sort();
const TABLES = FILES.findIndex((name) => name.endsWith("_pixels.sql"));

/** What stood in `links.pixels` before it was noted which links use a pixel, and what is noted. */
const LINKS: [pixels: string, noted: string[]][] = [
  ["[]", []],
  ['["p1"]', ["p1"]],
  ['["p2","p1","p2"]', ["p1", "p2"]],
  ['["gone"]', ["gone"]],
  ['[null,7,"p1",{"a":"p2"}]', ["p1"]],
  ["", []],
  ["{nonsense", []],
  ["null", []],
  ["[".repeat(2000), []],
];

function before(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const file of FILES.slice(0, TABLES)) {
    database.exec(readFileSync(join(FOLDER, file), "utf8"));
  }
  database.exec(`INSERT INTO workspaces (id, name, plan, status, features, created_at, updated_at)
    VALUES ('w', 'W', 'free', 'active', '[]', 0, 0)`);
  for (const id of ["p1", "p2"]) {
    database.exec(`INSERT INTO pixels (id, workspace_id, name, provider, tag, created_at, updated_at)
      VALUES ('${id}', 'w', 'P', 'meta', '4711', 0, 0)`);
  }
  const insert = database.prepare(
    `INSERT INTO links (id, workspace_id, slug, slug_key, destination, status, disabled, http_status,
       forward_query, sensitive_content, utm, pixels, revision, created_at, updated_at)
     VALUES (?1, 'w', ?1, ?1, 'https://a.example/', 'active', 0, 302, 0, 0, '{}', ?2, 'r', 0, 0)`,
  );
  for (const [at, [pixels]] of LINKS.entries()) insert.run(`l${at}`, pixels);
  return database;
}

test("pixels and links of before are as they would have been made since", () => {
  const database = before();
  database.exec("DELETE FROM address_changes");
  for (const file of FILES.slice(TABLES)) database.exec(readFileSync(join(FOLDER, file), "utf8"));
  const all = (sql: string, ...given: string[]) => database.prepare(sql).all(...given);
  expect(all("SELECT enabled, consent, revision, access_token, deleted_at FROM pixels")).toEqual(
    Array(2).fill(
      expect.objectContaining({
        enabled: 1,
        consent: "required",
        revision: "1",
        access_token: null,
        deleted_at: null,
      }),
    ),
  );
  for (const [at, [pixels, noted]] of LINKS.entries()) {
    const rows = all(
      "SELECT pixel_id AS id FROM link_pixels WHERE link_id = ? ORDER BY 1",
      `l${at}`,
    );
    expect([pixels, rows.map(({ id }) => id)]).toEqual([pixels, noted]);
  }
  // Nothing of it is news for visitors.
  expect(all("SELECT * FROM address_changes")).toEqual([]);
  // Links of before may be changed, and deleted, whatever stood there.
  for (const at of LINKS.keys()) {
    database.exec(`UPDATE links SET pixels = '["p2"]' WHERE id = 'l${at}'`);
  }
  expect(all("SELECT DISTINCT pixel_id AS id FROM link_pixels")).toEqual([
    expect.objectContaining({ id: "p2" }),
  ]);
  database.exec("DELETE FROM links");
  expect(all("SELECT * FROM link_pixels")).toEqual([]);
  database.close();
});
