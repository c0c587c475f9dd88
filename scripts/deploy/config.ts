/**
 * What is deployed follows from wrangler.toml alone. Wrangler's own environments inherit no
 * bindings, so each would repeat all of them; here another environment is wrangler.toml with other
 * names, and environments.toml says what else is different.
 */
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { experimental_readRawConfig, type Unstable_RawConfig } from "wrangler";
import { Failure } from "./failure.ts";

export const PRODUCTION = "production";
const ENVIRONMENTS = "environments.toml";
/** What names a place that is one environment's alone; all other vars hold for each. */
const VARS_OF_PRODUCTION = [
  "PLATFORM_HOST",
  "CNAME_TARGET",
  "CF_ZONE_ID",
  "MESSAGE_CONNECTOR_URL",
  "TURNSTILE_SITE_KEY",
];
const DIFFERENCES = ["vars", "routes", "workers_dev", "account_id"] as const;

type Differences = Pick<Unstable_RawConfig, (typeof DIFFERENCES)[number]>;

export interface Deployment {
  environment: string;
  config: Unstable_RawConfig & { name: string };
  /** The file that wrangler is given. */
  file: string;
  host: string;
  /** Where the host is asked. */
  origin: string;
  /** What `/healthz` of the version that this run deploys tells, and no other's. */
  build: string;
}

/** @throws when a setting is missing or wrong: before anything is asked of Cloudflare */
export function planDeployment(
  environment: string,
  givenHost: string | undefined,
  build: string,
): Deployment {
  const base = structuredClone(read("wrangler.toml"));
  const own = environment === PRODUCTION ? {} : differencesOf(environment);
  const config = environment === PRODUCTION ? base : renamed(base, environment, own);
  const { name } = config;
  if (!name) throw new Failure("wrangler.toml has no name.", "Put `name` back into it.");
  const vars = { ...config.vars };
  const host = givenHost || String(vars.PLATFORM_HOST ?? "");
  assertHost(host, name, environment);
  config.vars = { ...vars, PLATFORM_HOST: host, BUILD_ID: build };
  if (host.endsWith(".workers.dev")) config.workers_dev = true;
  const file = `wrangler.${environment}.json`;
  const origin = /^localhost(:|$)/.test(host) ? `http://${host}` : `https://${host}`;
  return { environment, config: { ...config, name }, file, host, origin, build };
}

/** Beside wrangler.toml, as paths in it are from its folder; whole or not at all. */
export function writeConfig({ config, file }: Deployment): void {
  const text = JSON.stringify(config, null, 2);
  writeFileSync(
    `${file}.new`,
    `// Made by \`npm run deploy\` of wrangler.toml: change that.\n${text}\n`,
  );
  renameSync(`${file}.new`, file);
}

function read(file: string): Unstable_RawConfig {
  try {
    return experimental_readRawConfig({ config: file }).rawConfig;
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : fault;
    throw new Failure(`${file} cannot be read: ${why}`, `Mend ${file}.`);
  }
}

function differencesOf(environment: string): Differences & { place: number } {
  const all = existsSync(ENVIRONMENTS) ? (read(ENVIRONMENTS) as Record<string, Differences>) : {};
  const names = Object.keys(all);
  const own = Object.hasOwn(all, environment) ? all[environment] : undefined;
  if (!own) {
    throw new Failure(
      `There is no environment ${environment}.`,
      `Take one of ${[PRODUCTION, ...names].join(", ")}, or add [${environment}.vars] to ${ENVIRONMENTS}.`,
    );
  }
  // The name ends those of queues, of which `-dead` marks the dead letters.
  if (!/^[a-z][a-z0-9]{0,19}$/.test(environment) || environment === "dead") {
    throw new Failure(
      `An environment cannot be called ${environment}.`,
      "Take up to 20 lower-case letters and digits.",
    );
  }
  const unknown = Object.keys(own).filter((key) => !DIFFERENCES.includes(key as never));
  if (unknown.length > 0) {
    throw new Failure(
      `${ENVIRONMENTS} says ${unknown.join(", ")} of ${environment}, which is not known there.`,
      `It may say ${DIFFERENCES.join(", ")}; all else is wrangler.toml's.`,
    );
  }
  return { ...own, place: names.indexOf(environment) + 1 };
}

/** The same Worker with resources of its own: each name ends with the environment's. */
function renamed(
  base: Unstable_RawConfig,
  environment: string,
  { place, ...own }: Partial<Differences> & { place?: number },
): Unstable_RawConfig {
  const named = (name: string | undefined) => `${name}-${environment}`;
  const { routes: _routes, route: _route, d1_databases, kv_namespaces, ...rest } = base;
  const vars = Object.entries(base.vars ?? {}).filter(([key]) => !VARS_OF_PRODUCTION.includes(key));
  return {
    ...rest,
    workers_dev: false,
    ...own,
    name: named(base.name),
    vars: { ...Object.fromEntries(vars), ...own.vars },
    d1_databases: (d1_databases ?? []).map(
      ({ database_id: _id, preview_database_id: _preview, ...one }) => ({
        ...one,
        database_name: named(one.database_name),
      }),
    ),
    kv_namespaces: (kv_namespaces ?? []).map(({ binding }) => ({ binding })),
    r2_buckets: (base.r2_buckets ?? []).map((one) => ({
      ...one,
      bucket_name: named(one.bucket_name),
    })),
    // A name that SQL takes without quotes.
    analytics_engine_datasets: (base.analytics_engine_datasets ?? []).map((one) => ({
      ...one,
      dataset: `${one.dataset ?? one.binding}_${environment}`,
    })),
    queues: {
      producers: (base.queues?.producers ?? []).map((one) => ({ ...one, queue: named(one.queue) })),
      consumers: (base.queues?.consumers ?? []).map((one) => ({
        ...one,
        queue: named(one.queue),
        ...(one.dead_letter_queue && { dead_letter_queue: named(one.dead_letter_queue) }),
      })),
    },
    // Counters are the account's: under the same number both would count together.
    ratelimits: (base.ratelimits ?? []).map((one) => ({
      ...one,
      namespace_id: String(Number(one.namespace_id) + 1000 * (place ?? 1)),
    })),
  };
}

function assertHost(host: string, name: string, environment: string): void {
  const where = environment === PRODUCTION ? "wrangler.toml" : ENVIRONMENTS;
  const ways = `Set PLATFORM_HOST in ${where}, or run \`npm run deploy -- ${environment === PRODUCTION ? "" : `--env ${environment} `}--host HOST\`. HOST is a host of your own, as go.example.com, or ${name}.<your subdomain>.workers.dev (the dashboard shows the subdomain under Workers).`;
  if (host === "") throw new Failure("Nobody said which host Signpost is to serve.", ways);
  if (!URL.canParse(`https://${host}`) || new URL(`https://${host}`).host !== host) {
    throw new Failure(`PLATFORM_HOST is no host: ${host}`, ways);
  }
  if (host.endsWith(".workers.dev") && !host.startsWith(`${name}.`)) {
    throw new Failure(
      `Under workers.dev this Worker's host begins with ${name}, not: ${host}`,
      ways,
    );
  }
}
