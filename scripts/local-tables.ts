/**
 * `node scripts/local-tables.ts STORAGE`: applies this checkout's migrations to the database of a
 * local runtime, as `wrangler d1 migrations apply DB --local --persist-to STORAGE` does. Wrangler
 * starts a runtime for each of sixty migrations, which took 47 seconds; this starts one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

/** As wrangler.toml has it. */
const MIGRATIONS = "migrations";
/** Where wrangler notes what it has applied: each of the two goes on from the other. */
const APPLIED = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** What wrangler throws for a mistake in wrangler.toml. */
interface Mistake extends Error {
  location?: { file: string; line: number };
}

async function applyMigrations(storage: string): Promise<void> {
  const { workerOptions } = unstable_getMiniflareWorkerOptions("wrangler.toml");
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "",
      d1Databases: workerOptions.d1Databases as Record<string, { id: string }>,
      resourcePersistencePath: join(storage, "v3"),
      cf: false,
    }),
  );
  try {
    await applyTo(await runtime.getD1Database("DB"));
  } finally {
    await runtime.dispose();
  }
}

async function applyTo(database: Database): Promise<void> {
  await database.prepare(APPLIED).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all();
  const applied = new Set(results.map(({ name }) => name));
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  for (const file of files.sort()) {
    if (!applied.has(file)) await apply(database, file);
  }
}

async function apply(database: Database, file: string): Promise<void> {
  const sql = readFileSync(join(MIGRATIONS, file), "utf8").split("--> statement-breakpoint");
  // One transaction: a start that is cut off leaves each migration done and noted, or neither.
  const statements = [
    ...sql.map((statement) => database.prepare(statement)),
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(file),
  ];
  await database.batch(statements).catch((error) => {
    throw new Error(`${file}: ${error.message}`, { cause: error });
  });
}

try {
  const [storage] = process.argv.slice(2);
  if (!storage) throw new Error("Say where the local storage is.");
  await applyMigrations(storage);
} catch (error) {
  const { message, location } = error as Mistake;
  console.error(location ? `${location.file}:${location.line}: ${message}` : message);
  process.exitCode = 1;
}
