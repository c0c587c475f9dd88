import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { unstable_splitSqlQuery } from "wrangler";

type LocalDatabase = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Where wrangler notes what it has applied: wrangler goes on from what this did, and this from what it did. */
const APPLIED = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** Applies those migrations of a folder that a local database has not had yet. @throws naming the one that failed */
export async function applyMigrations(database: LocalDatabase, folder: string): Promise<void> {
  await database.prepare(APPLIED).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all();
  const applied = new Set(results.map(({ name }) => name));
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  for (const file of files.sort()) {
    if (!applied.has(file)) await apply(database, folder, file);
  }
}

async function apply(database: LocalDatabase, folder: string, file: string): Promise<void> {
  // Put together as wrangler does it: a last statement without its semicolon fails here too. A comment
  // that is left open is closed: in it, nothing would be noted.
  const noted = `INSERT INTO d1_migrations (name) VALUES ('${file.replaceAll("'", "''")}');`;
  try {
    const sql = unstable_splitSqlQuery(
      `${readFileSync(join(folder, file), "utf8")}\n/**/\n${noted}`,
    );
    // One transaction: a start that is cut off leaves each migration done and noted, or neither.
    await database.batch(sql.map((one) => database.prepare(one)));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}
