import { randomUUID } from "node:crypto";
import type { Deployment } from "./config.ts";
import { Failure } from "./failure.ts";

interface Health {
  build?: string;
  problems?: { setting: string; problem: string }[];
}

const PAUSE_MILLISECONDS = 1000;
/** Secrets may be new to the version for some seconds; after them a wrong setting stays wrong. */
const PATIENCE_WITH_SETTINGS_SECONDS = 15;

/**
 * Waits until the version that was just deployed says that all is well, and answers out of D1. The
 * one of before may answer for seconds; a new host takes minutes to have its certificate.
 */
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
      const what = `${origin}${failure.path ?? "/healthz"}: ${failure.what} (asked for ${Math.round(waited())} s)`;
      const back = `The new version is deployed. To take it back, \`npx wrangler deployments list --name ${config.name}\` names the versions that were live; then \`npx wrangler rollback VERSION-ID --name ${config.name}\`.`;
      throw new Failure(what, `${failure.remedy} ${back}`);
    }
    await new Promise((resume) => setTimeout(resume, PAUSE_MILLISECONDS));
  }
}

interface Trouble {
  what: string;
  remedy: string;
  path?: string;
  isSettings?: boolean;
}

async function look({
  origin,
  host,
  environment,
  build,
}: Deployment): Promise<Trouble | undefined> {
  const where = environment === "production" ? "wrangler.toml" : "environments.toml";
  const route = `Lead ${host} to the Worker: put \`routes = [{ pattern = "${host}", custom_domain = true }]\` into ${where} (its zone must be at Cloudflare), then run this again.`;
  const answer = await get(`${origin}/healthz`);
  if (typeof answer === "string") return { what: answer, remedy: route };
  if (!answer.headers.has("X-Request-Id")) {
    return { what: `somebody else answers, ${answer.status}`, remedy: route };
  }
  if (answer.status !== 200 && answer.status !== 503) {
    return { what: `it answers ${answer.status}`, remedy: `Is ${host} its PLATFORM_HOST?` };
  }
  // A host that still leads elsewhere may send an `X-Request-Id` too, and no JSON, or half of it.
  const health: Health | null | undefined = await answer.json().catch(() => undefined);
  if (typeof health !== "object" || health === null) {
    return { what: "somebody else answers, without JSON", remedy: route };
  }
  if (health.build !== build) {
    const what = `another version answers, ${health.build ?? "of unknown build"}, not ${build}`;
    return { what, remedy: `Does ${host} lead to this Worker, and did nobody deploy since?` };
  }
  if (answer.status === 503) {
    const list = (health.problems ?? []).map(({ setting, problem }) => `${setting} ${problem}`);
    const remedy = 'See docs/runbook.md, "`/healthz` says 503".';
    return { what: `misconfigured: ${list.join("; ")}`, remedy, isSettings: true };
  }
  return lookUpNothing(origin);
}

/** An address that nobody can have: whether there is a link is read from D1. */
async function lookUpNothing(origin: string): Promise<Trouble | undefined> {
  const path = `/smoke-test-${randomUUID()}`;
  const answer = await get(origin + path);
  if (typeof answer !== "string" && answer.status === 404) return undefined;
  const what = typeof answer === "string" ? answer : `it answers ${answer.status}, not 404`;
  return { path, what, remedy: 'See docs/runbook.md, "D1 is overloaded, or gone".' };
}

/** The answer, or why there is none. */
async function get(url: string): Promise<Response | string> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(10_000), redirect: "manual" });
  } catch (fault) {
    const cause = fault instanceof Error ? (fault.cause ?? fault) : fault;
    return `no answer, ${cause instanceof Error ? cause.message : cause}`;
  }
}
