/**
 * A process of its own that serves Signpost from its source, on a real port and with storage
 * that outlives it. `server.ts` starts it and says by its argument how.
 */
import { unstable_startWorker as startWorker } from "wrangler";

export interface ServeOptions {
  port: number;
  storage: string;
  vars: Record<string, string>;
}

const { port, storage, vars }: ServeOptions = JSON.parse(process.argv[2] ?? "");

const worker = await startWorker({
  config: "wrangler.toml",
  bindings: Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, { type: "plain_text", value }]),
  ),
  dev: {
    watch: false,
    liveReload: false,
    inspector: false,
    logLevel: "error",
    persist: storage,
    server: { hostname: "127.0.0.1", port },
  },
});

async function stop(): Promise<void> {
  await worker.dispose();
  process.exit(0);
}

process.once("SIGTERM", stop);
// The tests that started it are gone, whatever became of them.
process.once("disconnect", stop);
await worker.ready;
process.send?.("ready");
