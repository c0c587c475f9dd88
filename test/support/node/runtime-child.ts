/** Runs the bundled Worker in Miniflare: `node runtime-child.ts FOLDER MIGRATIONS`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const [folder = "", migrations = ""] = process.argv.slice(2);
const options = JSON.parse(readFileSync(join(folder, "options.json"), "utf8"));

const runtime = new Miniflare(convertV4MiniflareOptions(options));
const url = await runtime.unsafeGetDirectURL("signpost");
await migrate();
await tickCron();
console.log(`listening on ${url.port}`);

/** Cron triggers, as the start command ticks them, but more often: tests wait for them. */
async function tickCron(): Promise<void> {
  const worker = await runtime.getWorker("signpost");
  const tick = () => worker.scheduled({ cron: "* * * * *" }).catch(() => undefined);
  setInterval(tick, 5000);
  await tick();
}

async function migrate(): Promise<void> {
  const db = await runtime.getD1Database("DB");
  const made = await db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'links'").first();
  if (made) return;
  const files = readdirSync(migrations).filter((name) => name.endsWith(".sql"));
  for (const file of files.sort()) {
    const statements = readFileSync(join(migrations, file), "utf8").split(
      "--> statement-breakpoint",
    );
    await db.batch(statements.map((statement) => db.prepare(statement)));
  }
}
