/**
 * `node scripts/local-tables.ts STORAGE`: applies this checkout's migrations to the database of a
 * local runtime, as `wrangler d1 migrations apply DB --local --persist-to STORAGE` does. Wrangler
 * starts a runtime for each of sixty migrations, which took 47 seconds; this starts one.
 */
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { applyMigrations } from "./apply-migrations.ts";

/** What wrangler throws for a mistake in wrangler.toml. */
interface Mistake extends Error {
  location?: { file: string; line: number };
}

async function makeTables(storage: string): Promise<void> {
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
    await applyMigrations(await runtime.getD1Database("DB"), "migrations");
  } finally {
    await runtime.dispose();
  }
}

try {
  const [storage] = process.argv.slice(2);
  if (!storage) throw new Error("Say where the local storage is.");
  await makeTables(storage);
} catch (error) {
  const { message, location } = error as Mistake;
  console.error(location ? `${location.file}:${location.line}: ${message}` : message);
  process.exitCode = 1;
}
