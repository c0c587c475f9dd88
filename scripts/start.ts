/**
 * `npm start`: Signpost on this machine. Makes secrets and a demo workspace where there are
 * none, applies migrations, serves with `wrangler dev` (its flags pass through), stands in for the
 * outside world, and ticks the cron triggers, which the local runtime does not. Started again on
 * the same storage it makes nothing twice.
 */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { demoPage } from "./demo-page.ts";
import { type Demo, greet, greetElsewhere, shellVariables } from "./greeting.ts";
import { type LocalServices, startLocalServices } from "./local-services.ts";
import { findStandIns, flagValue } from "./local-settings.ts";
import { findFreePort, isTaken } from "./ports.ts";
import { askGroupsToEnd, type Output, startGroup, whenOrphaned } from "./process-group.ts";
import { writeWhole } from "./write-whole.ts";

const flags = process.argv.slice(2);
const port = flagValue(flags, "port") ?? "8787";
const storage = flagValue(flags, "persist-to") ?? ".wrangler/state";
const origin = `http://localhost:${port}`;
const PATIENCE_SECONDS = 120;
/** As long after an error of wrangler's: it stays, and waits for files to change. */
const PATIENCE_AFTER_ERROR_SECONDS = 10;
const NOT_SERVED = "wrangler does not serve Signpost; what it says of it is above.";
const WRANGLER_ERROR = "✘";
/**
 * No statistics, no look for updates, no sample data of a request from the internet, and no
 * explorer: under /cdn-cgi it runs SQL on the local database for whoever reaches the port. No traces
 * either: they store the addresses of all that is asked, tokens in them.
 */
const quietly = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  X_LOCAL_EXPLORER: "false",
  X_LOCAL_OBSERVABILITY: "false",
};
/** The exit code, once this process is to end. */
let ending: number | undefined;

/** Says why this process ends, and ends it with all that it started. */
async function fail(message: string): Promise<never> {
  if (ending === undefined) console.error(`\n${message}\n`);
  end(1);
  return new Promise(() => undefined);
}

/** Ctrl-C may come twice, once from the terminal and once from npm. */
function end(code: number): void {
  if (ending !== undefined) return;
  ending = code;
  if (!askGroupsToEnd()) process.exit(code);
  setTimeout(() => process.exit(code), 3000);
}

function run(command: string[], stdout: Output): ChildProcess {
  const env = { ...quietly, ...process.env, CI: process.env.CI ?? "1" };
  return startGroup(command, stdout, env);
}

async function exitOf(child: ChildProcess): Promise<number> {
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (ending !== undefined) process.exit(ending);
  return code ?? 1;
}

/** Else the demo would be asked of whoever has the port, which may be another Signpost. */
async function assertPortIsFree(): Promise<void> {
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    await fail(`--port must be a number from 1 to 65535, not ${port}.`);
  }
  const hosts = [...new Set([flagValue(flags, "ip") ?? "localhost", "127.0.0.1", "::1"])];
  if (!(await isTaken(hosts, number))) return;
  // Two on one storage would each take the other's work.
  const free = await findFreePort(hosts, number);
  const beside = `npm start -- --port ${free} --persist-to .wrangler/state-${free}`;
  const advice = free
    ? `, or start this one beside it, on a storage of its own:\n\n  ${beside}`
    : ".";
  await fail(`Port ${port} is in use. Stop what uses it${advice}`);
}

/** The secrets in .dev.vars; those that are not there yet are made, the rest of it is left alone. */
function readSecrets(): { ADMIN_TOKEN: string } {
  const text = existsSync(".dev.vars") ? readFileSync(".dev.vars", "utf8") : "";
  const known = parseEnv(text);
  const made = {
    ADMIN_TOKEN: randomBytes(24).toString("hex"),
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  };
  const missing = Object.entries(made).filter(([name]) => !known[name]);
  if (missing.length > 0) {
    const lines = missing.map(([name, value]) => `${name}="${value}"\n`);
    const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    writeWhole(".dev.vars", before + lines.join(""));
  }
  return { ADMIN_TOKEN: known.ADMIN_TOKEN || made.ADMIN_TOKEN };
}

async function makeTables(): Promise<void> {
  const child = run([process.execPath, "scripts/local-tables.ts", storage], "pipe");
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  const code = await exitOf(child);
  if (code === 0) return;
  const end = child.signalCode ? `ended by ${child.signalCode}` : `exit code ${code}`;
  await fail(`The database could not be made ready (${end}):\n\n${output.trim()}`);
}

interface Health {
  problems: { setting: string; problem: string }[];
}

/** Waits until Signpost answers; whether it takes localhost for the platform's host. */
async function untilServing(server: ChildProcess): Promise<boolean> {
  let deadline = Date.now() + PATIENCE_SECONDS * 1000;
  server.stderr?.on("data", (chunk: Buffer) => {
    process.stderr.write(chunk);
    if (!chunk.includes(WRANGLER_ERROR)) return;
    deadline = Math.min(deadline, Date.now() + PATIENCE_AFTER_ERROR_SECONDS * 1000);
  });
  while (Date.now() < deadline) {
    const signal = AbortSignal.timeout(5000);
    const answer = await fetch(`${origin}/healthz`, { signal }).catch(() => undefined);
    if (answer?.ok) return true;
    const isOurs = answer?.headers.has("X-Request-Id");
    if (isOurs && answer?.status === 503) return refuse((await answer.json()) as Health);
    if (isOurs && answer?.status === 404) return false;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return fail(NOT_SERVED);
}

function refuse({ problems }: Health): Promise<never> {
  const list = problems.map(({ setting, problem }) => `  ${setting} ${problem}`);
  return fail(
    `Signpost is not configured:\n${list.join("\n")}\nMend it in .dev.vars, in wrangler.toml or in the --var flag, and start again.`,
  );
}

/** The demo workspace and its key: those of the last start, or new ones on an empty database. */
async function demo(adminToken: string): Promise<Demo | undefined> {
  const file = join(storage, "signpost-demo.json");
  const admin = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${origin}/admin/v1/workspaces${path}`, {
      method,
      headers: { Authorization: `Bearer ${adminToken}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<{ data: { id: string }; key: string }>;
  };
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Demo) : undefined;
  if (known && (await opens(known.key))) return known;
  const list = (await admin("GET", "?limit=100")) as unknown as {
    data: { id: string; name: string }[];
  };
  // A start that was cut off may have left the workspace without its key.
  const left = list.data.find((workspace) => workspace.name === "demo")?.id;
  if (!left && list.data.length > 0) return undefined;
  const workspace = left ?? (await admin("POST", "", { name: "demo" })).data.id;
  const { key } = await admin("POST", `/${workspace}/keys`, { name: "demo", permissions: ["*"] });
  mkdirSync(storage, { recursive: true });
  writeWhole(file, JSON.stringify({ workspace, key }));
  return { workspace, key };
}

async function opens(key: string): Promise<boolean> {
  const headers = { "x-api-key": key };
  // Any other refusal (a limit, a suspension) says that the key is known.
  return (await fetch(`${origin}/api/v1/biolinks/links?limit=1`, { headers })).status !== 401;
}

/** The stand-ins for the outside world, where Signpost is for this machine alone. */
async function localServices(): Promise<LocalServices | undefined> {
  const standIns = findStandIns(flags);
  return standIns && startLocalServices(standIns, Number(port) + 1, storage);
}

/** Cron triggers, at start and each minute. A tick that fails is the log's matter, not ours. */
function tickCron(): void {
  const tick = () => void fetch(`${origin}/cdn-cgi/local/scheduled`).catch(() => undefined);
  tick();
  setInterval(tick, 60_000);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => end(0));
whenOrphaned(() => end(1));

try {
  await assertPortIsFree();
  const { ADMIN_TOKEN } = readSecrets();
  await makeTables();
  const local = await localServices();
  const passed = [...(flagValue(flags, "port") ? [] : ["--port", port]), ...flags];
  const own = local?.flags ?? [];
  const dev = ["wrangler", "dev", "--show-interactive-dev-session=false"];
  const server = run([...dev, ...passed, ...own], "inherit");
  void exitOf(server).then(() => fail(NOT_SERVED));
  if (await untilServing(server)) {
    const made = await demo(ADMIN_TOKEN);
    const page = made && (await demoPage(origin, made.key));
    const file = join(storage, "signpost-demo.sh");
    if (made) writeWhole(file, shellVariables(origin, made, local?.origin));
    greet(origin, made && { ...made, page, file }, local);
  } else greetElsewhere(origin);
  tickCron();
} catch (error) {
  await fail(`Signpost cannot start: ${error instanceof Error ? error.message : error}`);
}
