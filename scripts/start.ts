/**
 * `npm start`: Signpost on this machine. Makes secrets and a demo workspace where there are
 * none, applies migrations, serves with `wrangler dev` (its flags pass through) and ticks the
 * cron triggers, which the local runtime does not. Started again on the same storage it makes
 * nothing twice.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

const flags = process.argv.slice(2);
const port = flagValue("--port") ?? "8787";
const storage = flagValue("--persist-to") ?? ".wrangler/state";
const origin = `http://localhost:${port}`;
const children = new Set<ChildProcess>();

function flagValue(name: string): string | undefined {
  const at = flags.findIndex((flag) => flag === name || flag.startsWith(`${name}=`));
  return at < 0 ? undefined : (flags[at]?.split("=", 2)[1] ?? flags[at + 1]);
}

function run(args: string[], stdio: "inherit" | "quiet"): ChildProcess {
  const child = spawn("wrangler", args, {
    stdio: stdio === "inherit" ? "inherit" : ["ignore", "pipe", "pipe"],
    env: { ...process.env, CI: process.env.CI ?? "1", WRANGLER_SEND_METRICS: "false" },
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

async function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

/** Writes a file whole or not at all. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function readSecrets(): { ADMIN_TOKEN: string } {
  if (!existsSync(".dev.vars")) {
    const secrets = {
      ADMIN_TOKEN: randomBytes(24).toString("hex"),
      ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    };
    const lines = Object.entries(secrets).map(([name, value]) => `${name}="${value}"\n`);
    writeWhole(".dev.vars", lines.join(""));
  }
  const vars = parseEnv(readFileSync(".dev.vars", "utf8"));
  return { ADMIN_TOKEN: vars.ADMIN_TOKEN ?? "" };
}

async function applyMigrations(): Promise<void> {
  const args = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", storage];
  const child = run(args, "quiet");
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  if ((await exitOf(child)) !== 0) throw new Error(`The migrations failed.\n${output}`);
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
  return (await fetch(`${origin}/api/v1/biolinks/links?limit=1`, { headers })).ok;
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
  console.log(`\n${lines.join("\n")}\n`);
}

/** Cron triggers, at start and each minute. A tick that fails is the log's matter, not ours. */
function tickCron(): void {
  const tick = () => void fetch(`${origin}/cdn-cgi/local/scheduled`).catch(() => undefined);
  tick();
  setInterval(tick, 60_000);
}

function stop(): void {
  for (const child of children) child.kill("SIGTERM");
  setTimeout(() => {
    for (const child of children) child.kill("SIGKILL");
    process.exit();
  }, 5000).unref();
}

process.on("SIGINT", stop);
process.on("SIGTERM", stop);

const { ADMIN_TOKEN } = readSecrets();
await applyMigrations();
const passed = flags.some((flag) => flag.startsWith("--port")) ? flags : ["--port", port, ...flags];
const server = run(["dev", "--show-interactive-dev-session=false", ...passed], "inherit");
server.once("exit", (code) => process.exit(code ?? 0));
await untilServing(server);
greet(await demo(ADMIN_TOKEN));
tickCron();
