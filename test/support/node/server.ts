import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { preparedTables } from "./prepared.ts";
import type { ServeOptions } from "./serve.ts";

const LOCAL_TABLES = resolve("scripts/local-tables.ts");
const START_MILLISECONDS = 60_000;
const STOP_MILLISECONDS = 5_000;

const environment = {
  ...process.env,
  CI: "1",
  WRANGLER_SEND_METRICS: "false",
  // Else the local runtime asks a host on the internet for sample data.
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // As in `npm start`.
  X_LOCAL_EXPLORER: "false",
};

export interface StartOptions {
  /** Where the database lives. Left out: a new directory, removed on `stop`. */
  storage?: string;
  /** Left out: any that is free. */
  port?: number;
  /** The checkout whose Worker runs, on the tables of this one. Left out: this one. */
  checkout?: string;
  /** The checkout whose migrations run first. Left out: this one. */
  tables?: string;
  /** Vars and secrets beside, or instead of, those every server here gets. */
  vars?: Record<string, string>;
}

/** A running Signpost: a real process with storage of its own. */
export interface Signpost {
  origin: string;
  port: number;
  adminToken: string;
  storage: string;
  /** What the process has printed so far. */
  output(): string;
  /** Ends it as an operator would. */
  stop(): Promise<void>;
  /** Ends it at once, runtime included, with nothing said: `kill -9`. The storage stays. */
  kill(): Promise<void>;
  /** Runs SQL in its database, past the API. */
  execute(sql: string): Promise<void>;
}

/** Starts Signpost, its database migrated. Start it again on the same storage to go on from there. */
export async function startSignpost(options: StartOptions = {}): Promise<Signpost> {
  const storage = options.storage ?? (await mkdtemp(join(tmpdir(), "signpost-")));
  const port = options.port ?? (await freePort());
  const vars = {
    ADMIN_TOKEN: "test-admin-token",
    ENCRYPTION_KEY: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    ...options.vars,
  };
  await makeTables(storage, options.tables);
  const { child, output } = await serve({ port, storage, vars }, options.checkout);
  return {
    origin: `http://localhost:${port}`,
    port,
    adminToken: vars.ADMIN_TOKEN,
    storage,
    output,
    stop: async () => {
      await end(child, "SIGTERM");
      if (options.storage === undefined) await rm(storage, { recursive: true, force: true });
    },
    kill: () => end(child, "SIGKILL"),
    execute: (sql) =>
      wrangler("d1", "execute", "DB", "--local", "--persist-to", storage, "--command", sql),
  };
}

/** Where there are no tables yet, this checkout's are copied instead of made. */
async function makeTables(storage: string, checkout?: string): Promise<void> {
  if (!checkout && (await readdir(storage)).length === 0) {
    await cp(preparedTables(), join(storage, "v3"), { recursive: true });
    return;
  }
  await promisify(execFile)(process.execPath, [LOCAL_TABLES, storage], { cwd: checkout });
}

/** Starts the process in a group of its own, so that a signal to the group reaches the runtime. */
async function serve(
  options: ServeOptions,
  checkout = process.cwd(),
): Promise<{ child: ChildProcess; output(): string }> {
  const script = join(import.meta.dirname, "serve.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    cwd: checkout,
    detached: true,
    env: environment,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      printed += chunk;
    });
  }
  const waiting = new AbortController();
  const outcome = await Promise.race([
    once(child, "message", { signal: waiting.signal }).then(() => "ready"),
    once(child, "exit", { signal: waiting.signal }).then(() => "ended before it served"),
    after(START_MILLISECONDS, waiting.signal).then(() => "did not serve in time"),
  ]);
  waiting.abort();
  if (outcome !== "ready") {
    await end(child, "SIGKILL");
    throw new Error(`Signpost ${outcome}.\n${printed}`);
  }
  return { child, output: () => printed };
}

/** Sends a signal and waits for the end; a process that is slow to obey it is killed. */
async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return killGroup(child);
  const exit = once(child, "exit");
  const waiting = new AbortController();
  if (signal === "SIGTERM") {
    child.kill(signal);
    await Promise.race([exit, after(STOP_MILLISECONDS, waiting.signal)]);
    waiting.abort();
  }
  killGroup(child);
  await exit;
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of the group is left.
  }
}

async function after(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}

async function wrangler(...args: string[]): Promise<void> {
  await promisify(execFile)("wrangler", args, { env: environment });
}

/** A port of this machine that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}
