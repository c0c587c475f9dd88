import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { expectContract } from "./contract.ts";
import { preparedBundle, preparedTables } from "./prepared.ts";
import { sendRaw } from "./runtime-request.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const CHILD = join(import.meta.dirname, "runtime-child.ts");
export const ADMIN_TOKEN = "crash-test-admin-token";

/** A place for one Worker's options and storage, which outlive its processes. */
export interface RuntimeHome {
  folder: string;
  storage: string;
  remove(): void;
}

/** What a test has otherwise than wrangler.toml. */
interface Differences {
  /** The script in support/workers that stands in for the Worker. */
  script?: string;
  /** How each queue's consumer is called. */
  consumers?: object;
}

/** The Worker as a deploy would bundle it, with the bindings that wrangler.toml gives it, on empty tables. */
export function createRuntimeHome(
  vars: Record<string, string>,
  { script, consumers = {} }: Differences = {},
): RuntimeHome {
  const folder = mkdtempSync(join(tmpdir(), "signpost-crash-"));
  const bundle = preparedBundle(script);
  const storage = join(folder, "storage");
  cpSync(preparedTables(), storage, { recursive: true });
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(ROOT, "wrangler.toml"));
  const secrets = { ADMIN_TOKEN, ENCRYPTION_KEY: Buffer.alloc(32, "crash").toString("base64") };
  const options = {
    ...workerOptions,
    name: "signpost",
    modulesRoot: bundle,
    modules: bundledModules(bundle),
    modulesRules: undefined,
    cronTriggers: [],
    queueConsumers: Object.fromEntries(
      Object.entries(workerOptions.queueConsumers as Record<string, object>).map(
        ([queue, consumer]) => [queue, { ...consumer, ...consumers }],
      ),
    ),
    bindings: { ...(workerOptions.bindings as object), ...secrets, ...vars },
    resourcePersistencePath: storage,
    host: "127.0.0.1",
    cf: false,
    // Straight into workerd: Miniflare's own port is a proxy.
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
  writeFileSync(join(folder, "options.json"), JSON.stringify(options));
  return { folder, storage, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The script comes first: it is the entry. Data modules have a hash before their name. */
function bundledModules(bundle: string): { type: string; path: string }[] {
  const files = readdirSync(bundle).filter((file) => !/\.(map|md)$/.test(file));
  const isScript = (file: string) => file.endsWith(".js") && !/^[0-9a-f]{40}-/.test(file);
  return files
    .sort((a, b) => Number(isScript(b)) - Number(isScript(a)))
    .map((file) => ({ type: isScript(file) ? "ESModule" : "Data", path: join(bundle, file) }));
}

/** A Node process and the workerd it started, in a process group of their own. */
export interface Runtime {
  port: number;
  /** The group's id, which is the child's. */
  group: number;
  /** `kill -9` of the whole group, at this instant; resolves when it is gone. */
  kill(): Promise<void>;
  /** All that it printed until now. */
  printed(): string;
}

/** Starts the Worker on what its storage holds. */
export async function startRuntime(home: RuntimeHome): Promise<Runtime> {
  const child = spawn(process.execPath, [CHILD, home.folder], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    printed += chunk;
    process.stderr.write(chunk);
  });
  const port = await portOf(child);
  await expectContract(() => sendRaw(port, { method: "GET", path: "/openapi.json" }));
  const kill = () => killGroup(child);
  return { port, group: child.pid ?? 0, kill, printed: () => printed };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolvePort, reject) => {
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
      const port = /^listening on (\d+)$/m.exec(output)?.[1];
      if (port) resolvePort(Number(port));
    });
    child.once("exit", () => reject(new Error(`The runtime did not start.\n${output}`)));
  });
}

async function killGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  process.kill(-child.pid, "SIGKILL");
  await exit;
}
