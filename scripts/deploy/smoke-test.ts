import type { Deployment } from "./config.ts";
import { Failure } from "./failure.ts";

interface Health {
  problems?: { setting: string; problem: string }[];
}

const PAUSE_MILLISECONDS = 1000;
/** A new version is everywhere within seconds; until then the old one may still say what was wrong. */
const PATIENCE_WITH_SETTINGS_SECONDS = 15;

/** Waits until the address answers that all is well: a new host takes minutes to have its certificate. */
export async function smokeTest(deployment: Deployment, patienceSeconds: number): Promise<void> {
  const { origin, config } = deployment;
  const start = performance.now();
  const waited = () => (performance.now() - start) / 1000;
  for (;;) {
    const failure = await look(deployment);
    if (!failure) return;
    const patience =
      failure.isSettings && patienceSeconds > PATIENCE_WITH_SETTINGS_SECONDS
        ? PATIENCE_WITH_SETTINGS_SECONDS
        : patienceSeconds;
    if (waited() >= patience) {
      const what = `${origin}/healthz: ${failure.what} (asked for ${Math.round(waited())} s)`;
      const back = `The new version is deployed; \`npx wrangler rollback --name ${config.name}\` takes it back.`;
      throw new Failure(what, `${failure.remedy} ${back}`);
    }
    await new Promise((resume) => setTimeout(resume, PAUSE_MILLISECONDS));
  }
}

async function look({ origin, host, environment }: Deployment) {
  const where = environment === "production" ? "wrangler.toml" : "environments.toml";
  const route = `Lead ${host} to the Worker: put \`routes = [{ pattern = "${host}", custom_domain = true }]\` into ${where} (its zone must be at Cloudflare), then run this again.`;
  let answer: Response;
  try {
    answer = await fetch(`${origin}/healthz`, {
      signal: AbortSignal.timeout(10_000),
      redirect: "manual",
    });
  } catch (fault) {
    const cause = fault instanceof Error ? (fault.cause ?? fault) : fault;
    return { what: `no answer, ${cause instanceof Error ? cause.message : cause}`, remedy: route };
  }
  if (!answer.headers.has("X-Request-Id")) {
    return { what: `somebody else answers, ${answer.status}`, remedy: route };
  }
  if (answer.status === 200) return undefined;
  if (answer.status === 503) {
    const { problems = [] } = (await answer.json()) as Health;
    const list = problems.map(({ setting, problem }) => `${setting} ${problem}`).join("; ");
    const remedy = 'See docs/runbook.md, "`/healthz` says 503".';
    return { what: `misconfigured: ${list}`, remedy, isSettings: true };
  }
  return { what: `it answers ${answer.status}`, remedy: `Is ${host} its PLATFORM_HOST?` };
}
