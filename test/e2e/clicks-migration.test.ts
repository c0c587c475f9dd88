import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../migrations");
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".sql"))
  .sort();
const FILLING = FILES.find((name) => name.endsWith("clicks-data.sql")) ?? "";

/** As the code of before counted. */
const COUNT = `INSERT INTO link_clicks (link_id, hour, kind, country, device, referrer, workspace_id, clicks)
  VALUES (?, ?, ?, '', '', ?, 'w', ?)
  ON CONFLICT (link_id, hour, kind, country, device, referrer) DO UPDATE SET clicks = clicks + excluded.clicks`;

test("links' totals are exact after the migration that makes them, and stay so", () => {
  const database = new DatabaseSync(":memory:");
  const apply = (file: string) => database.exec(readFileSync(join(FOLDER, file), "utf8"));
  for (const file of FILES.slice(0, FILES.indexOf(FILLING))) apply(file);
  database.exec("INSERT INTO workspaces VALUES ('w', 'W', 'free', 'active', '[]', 0, 0)");
  for (const id of ["seen", "quiet", "new"]) {
    database.exec(`INSERT INTO links (id, workspace_id, slug, slug_key, destination, status, disabled,
        http_status, forward_query, sensitive_content, utm, pixels, revision, created_at, updated_at)
      VALUES ('${id}', 'w', '${id}', '${id}', 'https://a.example/', 'active', 0, 302, 0, 0, '{}',
        '[]', 'r', 0, 0)`);
  }
  const count = database.prepare(COUNT);
  for (const [link, kind] of [
    ["seen", "human"],
    ["seen", "crawler"],
    ["gone", "human"],
  ] as const) {
    for (let hour = 0; hour < 50; hour++)
      count.run(link, hour * 3_600_000, kind, `r${hour % 3}`, 2);
  }
  const totals = () =>
    Object.fromEntries(
      database
        .prepare("SELECT link_id AS link, clicks FROM link_totals ORDER BY link_id")
        .all()
        .map(({ link, clicks }) => [link, clicks]),
    );
  apply(FILLING);
  expect(totals()).toEqual({ seen: 100 });
  count.run("seen", 0, "human", "r0", 5);
  count.run("seen", 0, "human", "r9", 5);
  count.run("seen", 0, "crawler", "r9", 5);
  count.run("new", 0, "human", "", 1);
  expect(totals()).toEqual({ new: 1, seen: 110 });
  database.close();
});
