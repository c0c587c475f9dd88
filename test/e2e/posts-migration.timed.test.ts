import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../migrations");
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".sql"))
  .sort();
const FILLING = FILES.findIndex((name) => name.endsWith("_latest-posts-data.sql"));

const apply = (database: DatabaseSync, files: string[]) => {
  for (const file of files) database.exec(readFileSync(join(FOLDER, file), "utf8"));
};

/** Events as they were stored before there were posts. */
function told(events: { type?: string; test?: number; data: unknown; workspace?: string }[]) {
  const database = new DatabaseSync(":memory:");
  apply(database, FILES.slice(0, FILLING));
  const insert = database.prepare(
    "INSERT INTO events (id, workspace_id, type, channel, test, data, created_at) VALUES (?, ?, ?, 'all', ?, ?, ?)",
  );
  for (const [at, event] of events.entries()) {
    const { type = "publishing.post.published", test: isTest = 0, workspace = "w", data } = event;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    insert.run(`e${String(at).padStart(6, "0")}`, workspace, type, isTest, text, 1000 + at);
  }
  return database;
}

const titles = (database: DatabaseSync, workspace = "w") =>
  database
    .prepare(
      "SELECT title FROM latest_posts WHERE workspace_id = ? ORDER BY published_at DESC, event_id DESC",
    )
    .all(workspace)
    .map(({ title }) => title);

test("posts that were told of before they were kept are kept: each workspace's latest twelve, as told last", () => {
  const many = Array.from({ length: 14 }, (_, at) => ({
    data: { id: `p${at}`, title: `P${at}`, url: null },
  }));
  const database = told([
    ...many,
    { workspace: "v", data: { id: "p1", title: "Other", url: null } },
    { data: { id: "p13", title: "Corrected", url: null } },
    { data: { id: "blank", title: " ", url: null } },
    { data: "no JSON" },
    { data: null },
    { test: 1, data: { id: "t", title: "Test", url: null } },
    { type: "publishing.post.failed", data: { id: "f", title: "Failed", url: null } },
  ]);
  apply(database, FILES.slice(FILLING));
  const kept = Array.from({ length: 11 }, (_, at) => `P${12 - at}`);
  expect(titles(database)).toEqual(["Corrected", ...kept]);
  expect(titles(database, "v")).toEqual(["Other"]);
  database.close();
});

test("many events of old take the migration no long time", () => {
  const database = told([]);
  database.exec(`INSERT INTO events (id, workspace_id, type, channel, test, data, created_at)
    WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 100000)
    SELECT printf('e%07d', at), 'w' || (at % 100), iif(at % 10, 'links.link.created', 'publishing.post.published'), 'all', 0,
      json_object('id', 'p' || at, 'title', 'P' || at, 'text', printf('%.500c', 'x')), at FROM n`);
  const start = performance.now();
  apply(database, FILES.slice(FILLING));
  expect(performance.now() - start).toBeLessThan(5000);
  expect(titles(database, "w10")).toHaveLength(12);
  database.close();
});
