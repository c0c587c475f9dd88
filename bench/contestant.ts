import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { applyMigrations } from "../scripts/apply-migrations.ts";
import { dayOf, saltName } from "../src/visitor/clicks/salt-days.ts";
import { pin, runtimeProcesses } from "./processor-time.ts";

const COMPATIBILITY_DATE = "2026-11-01";
const WORKERD_PROCESSOR = 0;
export const ADMIN_TOKEN = randomBytes(24).toString("hex");

/** A Worker under load, alone in a workerd of its own. */
export interface Contestant {
  name: string;
  port: number;
  pid: number | undefined;
  runtime: Miniflare;
}

const scratch = mkdtempSync(join(tmpdir(), "signpost-bench-"));
const running: Contestant[] = [];

/** The runtime options of one Worker, without its name and where it listens. */
export type WorkerSetup = Omit<V4WorkerOptions, "name" | "unsafeDirectSockets">;

/** Bundles a Worker of the benchmarks as a deploy would. */
export function benchWorker(file: string, bindings: Partial<WorkerSetup> = {}): WorkerSetup {
  const script = resolve(import.meta.dirname, "workers", file);
  const config = join(scratch, "wrangler.json");
  writeFileSync(config, JSON.stringify({ name: "bench", compatibility_date: COMPATIBILITY_DATE }));
  const modules = bundle([script, "--config", config]);
  return { ...modules, compatibilityDate: COMPATIBILITY_DATE, ...bindings } as WorkerSetup;
}

/** The real Worker, or one around it: its bundle, and its bindings as wrangler.toml has them. */
export function signpost(vars: Record<string, string> = {}, script?: string): WorkerSetup {
  const config = resolve(import.meta.dirname, "../wrangler.toml");
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
  const secrets = { ADMIN_TOKEN, ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  return {
    ...workerOptions,
    ...bundle([...(script ? [script] : []), "--config", config]),
    cronTriggers: [],
    bindings: Object.assign({}, workerOptions.bindings, secrets, vars),
  } as WorkerSetup;
}

function bundle(args: string[]): object {
  const out = mkdtempSync(join(scratch, "bundle-"));
  execFileSync("wrangler", ["deploy", ...args, "--dry-run", "--outdir", out], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  const files = readdirSync(out).filter((file) => !/\.(map|md)$/.test(file));
  const isScript = (file: string) => file.endsWith(".js") && !/^[0-9a-f]{40}-/.test(file);
  const ordered = files.sort((a, b) => Number(isScript(b)) - Number(isScript(a)));
  return {
    modulesRoot: out,
    modules: ordered.map((file) => ({
      type: isScript(file) ? "ESModule" : "Data",
      path: join(out, file),
    })),
  };
}

/** Starts a Worker with a socket straight into workerd: Miniflare's own port is a proxy. */
export async function start(
  name: string,
  setup: WorkerSetup,
  processor: number | "any" = WORKERD_PROCESSOR,
): Promise<Contestant> {
  return (await startIsolates(name, setup, 1, processor)).contestant;
}

/**
 * The same in so many isolates, as a busy data centre has them: with one database, one set of
 * objects and one cache, and the queues' consumers in the first. Each has a port.
 */
export async function startIsolates(
  name: string,
  setup: WorkerSetup,
  count: number,
  processor: number | "any" = WORKERD_PROCESSOR,
): Promise<{ contestant: Contestant; ports: number[] }> {
  const before = new Set(runtimeProcesses());
  const names = Array.from({ length: count }, (_, at) => (at ? `isolate-${at}` : FIRST));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      ...inspection(setup),
      resourcePersistencePath: join(scratch, `storage-${running.length}`),
      workers: names.map((isolate) => ({
        ...(isolate === FIRST ? setup : besides(setup)),
        name: isolate,
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      })),
    } as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  const urls = await Promise.all(names.map((isolate) => runtime.unsafeGetDirectURL(isolate)));
  const [port = 0, ...ports] = urls.map((url) => Number(url.port));
  const pid = runtimeProcesses().find((process) => !before.has(process));
  if (pid !== undefined && processor !== "any") pin(pid, processor);
  const contestant = { name, port, pid, runtime };
  running.push(contestant);
  return { contestant, ports: [port, ...ports] };
}

const FIRST = "contestant";

/** The port that a runtime can be inspected at is its own, not a Worker's. */
function inspection(setup: WorkerSetup): object {
  return "inspectorPort" in setup ? { inspectorPort: setup.inspectorPort } : {};
}

/** A Worker beside the first of its kind, which has the objects and takes from the queues. */
function besides({ queueConsumers: _, durableObjects, ...setup }: WorkerSetup): object {
  const objects = Object.entries(durableObjects ?? {}).map(([binding, of]) => [
    binding,
    { ...(typeof of === "string" ? { className: of } : of), scriptName: FIRST },
  ]);
  return { ...setup, durableObjects: Object.fromEntries(objects) };
}

/** An address of its own for a request that is not to meet the limit by address. */
export function newAddress(): string {
  return `10.${randomBytes(3).join(".")}`;
}

export async function stopAll(): Promise<void> {
  await Promise.all(running.map(({ runtime }) => runtime.dispose()));
  rmSync(scratch, { recursive: true, force: true });
}

/**
 * Makes the salts of today and tomorrow, without which no visitors are counted: no minute begins
 * here by itself, and a run may go past midnight.
 */
export async function makeDaySalt({ runtime }: Contestant): Promise<void> {
  const salts = await runtime.getKVNamespace("SALTS");
  const today = dayOf(Date.now());
  for (const day of [today, today + 1]) await salts.put(saltName(day), randomBytes(32));
}

/** Applies the migrations to the database of a contestant. */
export async function migrate({ runtime }: Contestant) {
  const db = await runtime.getD1Database("DB");
  await applyMigrations(db, resolve(import.meta.dirname, "../migrations"));
  return db;
}
