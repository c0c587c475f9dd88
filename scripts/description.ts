/**
 * `npm run description`: writes the API description that the Worker serves to `dist/openapi.json`,
 * for what is checked or made of it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { unstable_startWorker as startWorker } from "wrangler";

const FILE = "dist/openapi.json";
const HOST = "sign.example";

// So that it asks no other host for anything.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";

const worker = await startWorker({
  config: "wrangler.toml",
  bindings: { PLATFORM_HOST: { type: "plain_text", value: HOST } },
  dev: {
    watch: false,
    liveReload: false,
    inspector: false,
    logLevel: "error",
    persist: false,
    server: { hostname: "127.0.0.1", port: 0 },
  },
});
try {
  const answer = await worker.fetch(`https://${HOST}/openapi.json`);
  if (answer.status !== 200) throw new Error(`/openapi.json answered ${answer.status}.`);
  mkdirSync("dist", { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(await answer.json(), null, 2)}\n`);
} finally {
  await worker.dispose();
}
