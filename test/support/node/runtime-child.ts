/** Runs the bundled Worker in Miniflare: `node runtime-child.ts FOLDER`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const [folder = ""] = process.argv.slice(2);
const options = JSON.parse(readFileSync(join(folder, "options.json"), "utf8"));

const runtime = new Miniflare(convertV4MiniflareOptions(options));
const url = await runtime.unsafeGetDirectURL("signpost");
await tickCron();
console.log(`listening on ${url.port}`);

/** Cron triggers, as the start command ticks them, but more often: tests wait for them. */
async function tickCron(): Promise<void> {
  const worker = await runtime.getWorker("signpost");
  const tick = () => worker.scheduled({ cron: "* * * * *" }).catch(() => undefined);
  setInterval(tick, 5000);
  await tick();
}
