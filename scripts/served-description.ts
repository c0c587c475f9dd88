import { unstable_DevEnv as DevEnv } from "wrangler";

const HOST = "sign.example";
/** A build takes seconds; a machine that does ten things at once gets two minutes. */
const PATIENCE_MILLISECONDS = 120_000;
const TEARDOWN_MILLISECONDS = 5_000;

/**
 * The API description as the Worker of this folder serves it, without a database or a secret.
 * @throws when it does not build or does not start: nobody would ever answer then
 */
export async function readServedDescription(): Promise<unknown> {
  Object.assign(process.env, {
    CI: "1",
    WRANGLER_SEND_METRICS: "false",
    // So that it asks no other host for anything.
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    X_LOCAL_EXPLORER: "false",
  });
  const server = new DevEnv();
  const failed = Promise.withResolvers<never>();
  const fail = (words: string, cause?: unknown) => failed.reject(new Error(words, { cause }));
  // What does not build, Wrangler has printed by then.
  server.once("buildFailed", () => fail("The Worker does not build."));
  server.once("error", (fault) => fail("The Worker does not start.", fault.cause ?? fault));
  const timer = setTimeout(
    () => fail(`The Worker did not answer within ${PATIENCE_MILLISECONDS / 1000} seconds.`),
    PATIENCE_MILLISECONDS,
  );
  try {
    return await Promise.race([failed.promise, ask(server)]);
  } finally {
    clearTimeout(timer);
    await tearDown(server);
  }
}

/** However that goes: it neither holds up nor replaces what came of the question. */
async function tearDown(server: DevEnv): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, TEARDOWN_MILLISECONDS);
  await Promise.race([server.teardown().catch(() => undefined), late.promise]);
  clearTimeout(timer);
}

async function ask(server: DevEnv): Promise<unknown> {
  const worker = await server.startWorker({
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
  const answer = await worker.fetch(`https://${HOST}/openapi.json`);
  if (answer.status !== 200) throw new Error(`/openapi.json answered ${answer.status}.`);
  return answer.json();
}
