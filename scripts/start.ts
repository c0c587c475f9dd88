/**
 * `npm start`: Signpost on this machine. Makes secrets and a demo workspace where there are
 * none, applies migrations, serves with `wrangler dev` (its flags pass through) and ticks the
 * cron triggers, which the local runtime does not. Started again on the same storage it makes
 * nothing twice.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { parseArgs, parseEnv } from "node:util";

const flags = process.argv.slice(2);
const port = flagValue("port") ?? "8787";
const storage = flagValue("persist-to") ?? ".wrangler/state";
const origin = `http://localhost:${port}`;
const inherited = ["inherit", "inherit"] as const;
const piped = ["pipe", "pipe"] as const;
/**
 * No statistics, no look for updates, no sample data of a request from the internet, and no
 * explorer: under /cdn-cgi it runs SQL on the local database for whoever reaches the port.
 */
const quietly = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  X_LOCAL_EXPLORER: "false",
};
const children = new Set<ChildProcess>();
let stopping = false;

/** The value of `--name VALUE` or `--name=VALUE`; all else among the flags is wrangler's matter. */
function flagValue(name: string): string | undefined {
  const options = { [name]: { type: "string" as const } };
  const value = parseArgs({ args: flags, options, strict: false }).values[name];
  return typeof value === "string" ? value : undefined;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function run(args: string[], stdio: "inherit" | "quiet"): ChildProcess {
  const child = spawn("wrangler", args, {
    stdio: ["ignore", ...(stdio === "inherit" ? inherited : piped)],
    // A group of its own: Ctrl-C reaches this process alone, which then ends the whole group.
    detached: true,
    env: { ...quietly, ...process.env, CI: process.env.CI ?? "1" },
  });
  children.add(child);
  child.once("exit", () => {
    children.delete(child);
    endGroup(child);
  });
  return child;
}

/** Ends what a child has left running: a wrangler that is killed leaves its runtime behind. */
function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing was left.
  }
}

async function exitOf(child: ChildProcess): Promise<number> {
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (stopping) process.exit(0);
  return code ?? 1;
}

/** Else the demo would be asked of whoever has the port, which may be another Signpost. */
async function assertPortIsFree(): Promise<void> {
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    fail(`--port must be a number from 1 to 65535, not ${port}.`);
  }
  for (const host of new Set([flagValue("ip") ?? "localhost", "127.0.0.1", "::1"])) {
    const taken = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once("error", (error) => resolve("code" in error && error.code === "EADDRINUSE"));
      probe.listen({ host, port: number }, () => probe.close(() => resolve(false)));
    });
    if (taken)
      fail(`Port ${port} is in use. Stop what uses it, or: npm start -- --port ${number + 1}`);
  }
}

/** Writes a file whole or not at all. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
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

async function applyMigrations(): Promise<void> {
  const args = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", storage];
  const child = run(args, "quiet");
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  if ((await exitOf(child)) !== 0) fail(`The migrations failed.\n${output}`);
}

async function untilServing(server: ChildProcess): Promise<void> {
  while (server.exitCode === null) {
    const answer = await fetch(`${origin}/healthz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  process.exit(server.exitCode);
}

interface Demo {
  workspace: string;
  key: string;
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

function greet(made: Demo | undefined): void {
  const lines = [`Signpost is on ${origin}; its API reference on ${origin}/docs.`];
  if (made) {
    const slug = `hello-${randomBytes(3).toString("hex")}`;
    const links = `${origin}/api/v1/biolinks/links`;
    const auth = `-H 'Authorization: Bearer ${made.key}'`;
    lines.push(
      `Workspace demo: ${made.workspace}`,
      `Key: ${made.key}`,
      "",
      "Create a link, switch it on, follow it:",
      "",
      `LINK=$(curl -s ${links} ${auth} -H 'Idempotency-Key: ${slug}' -d '{"slug":"${slug}","destination":"https://example.com/?from=signpost"}' | sed -E 's/.*"id":"([^"]+)".*/\\1/'); echo "$LINK"`,
      `curl -s -X PATCH ${links}/$LINK ${auth} -H 'If-Match: *' -d '{"status":"active"}'; echo`,
      `curl -si ${origin}/${slug}`,
    );
  } else {
    lines.push("Its database holds workspaces already: issue keys with ADMIN_TOKEN of .dev.vars.");
  }
  lines.push(
    "",
    "Cron triggers run here each minute, whatever wrangler says above. Ctrl-C ends it all.",
  );
  console.log(`\n${lines.join("\n")}\n`);
}

/** Cron triggers, at start and each minute. A tick that fails is the log's matter, not ours. */
function tickCron(): void {
  const tick = () => void fetch(`${origin}/cdn-cgi/local/scheduled`).catch(() => undefined);
  tick();
  setInterval(tick, 60_000);
}

/** Ctrl-C may come twice, once from the terminal and once from npm. */
function stop(): void {
  stopping = true;
  if (children.size === 0) process.exit(0);
  for (const child of children) child.kill("SIGTERM");
  setTimeout(() => process.exit(0), 5000).unref();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
// However this process ends, short of `kill -9`, nothing that it started outlives it.
process.on("exit", () => children.forEach(endGroup));

await assertPortIsFree();
const { ADMIN_TOKEN } = readSecrets();
await applyMigrations();
const passed = flagValue("port") ? flags : ["--port", port, ...flags];
const server = run(["dev", "--show-interactive-dev-session=false", ...passed], "inherit");
server.once("exit", (code) => process.exit(stopping ? 0 : (code ?? 1)));
await untilServing(server);
greet(await demo(ADMIN_TOKEN));
tickCron();
