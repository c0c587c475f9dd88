import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { parseEnv } from "node:util";
import { afterAll, afterEach, describe, expect, onTestFinished, test } from "vitest";
import { sendRaw } from "../support/node/runtime-request.ts";
import {
  createCheckout,
  type Role,
  StartCommand,
  stillRunning,
} from "../support/node/runtime-start-command.ts";
import { query } from "../support/node/runtime-storage.ts";

const PORT = 9450;
const ORIGIN = `http://localhost:${PORT}`;
/** How soon nothing may be left. */
const GONE = { timeout: 60_000, interval: 100 };
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

const running = new Set<StartCommand>();

function npmStart(folder: string, ...flags: string[]): StartCommand {
  const command = new StartCommand(folder, ["--persist-to", "storage", ...flags]);
  running.add(command);
  return command;
}

function newCheckout(): string {
  const checkout = createCheckout();
  onTestFinished(checkout.remove);
  return checkout.folder;
}

afterEach(async () => {
  await Promise.all([...running].map((command) => command.kill()));
  running.clear();
});

describe("npm start in a fresh checkout", () => {
  test("the three lines it prints create a link, switch it on and follow it", async () => {
    const folder = newCheckout();
    const { lines } = await npmStart(folder, "--port", String(PORT)).greeting();
    const printed = execFileSync("bash", ["-c", lines], { encoding: "utf8" });
    const [id, updated = "", status, ...rest] = printed.split(/\r?\n/);
    expect(JSON.parse(updated).data).toMatchObject({ id, status: "active" });
    expect(status).toBe("HTTP/1.1 302 Found");
    expect(rest.map((line) => line.toLowerCase())).toContain(
      "location: https://example.com/?from=signpost",
    );
  });

  test("makes two random secrets that only their owner may read", async () => {
    const secrets = [];
    for (const folder of [newCheckout(), newCheckout()]) {
      const command = npmStart(folder, "--port", String(PORT));
      await command.until(() => existsSync(join(folder, ".dev.vars")));
      await command.kill();
      expect(statSync(join(folder, ".dev.vars")).mode & 0o777).toBe(0o600);
      secrets.push(parseEnv(readFileSync(join(folder, ".dev.vars"), "utf8")));
    }
    const [first, second] = secrets;
    expect(first?.ADMIN_TOKEN).toMatch(/^[0-9a-f]{48}$/);
    expect(Buffer.from(first?.ENCRYPTION_KEY ?? "", "base64")).toHaveLength(32);
    expect(second?.ADMIN_TOKEN).not.toBe(first?.ADMIN_TOKEN);
    expect(second?.ENCRYPTION_KEY).not.toBe(first?.ENCRYPTION_KEY);
  });

  test("keeps the vars and secrets that are there and makes only what is missing", async () => {
    const folder = newCheckout();
    writeFileSync(
      join(folder, ".dev.vars"),
      "# mine\nADMIN_TOKEN=chosen-by-a-person\nKEY_RATE_LIMIT=7",
    );
    await npmStart(folder, "--port", String(PORT)).greeting();
    const text = readFileSync(join(folder, ".dev.vars"), "utf8");
    expect(text).toMatch(
      /^# mine\nADMIN_TOKEN=chosen-by-a-person\nKEY_RATE_LIMIT=7\nENCRYPTION_KEY="\S+"\n$/,
    );
    expect(await workspaceNames("chosen-by-a-person")).toEqual(["demo"]);
  });

  test("the runtime's explorer of local storage is off, its cron tick is not", async () => {
    await npmStart(newCheckout(), "--port", String(PORT)).greeting();
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ sql: "SELECT name FROM workspaces" });
    for (const explorer of ["/cdn-cgi/local/explorer", "/cdn-cgi/explorer"]) {
      for (const path of ["", "/api", "/api/d1/database"]) {
        expect([path, (await fetch(ORIGIN + explorer + path)).status]).toEqual([path, 404]);
      }
      const query = `${ORIGIN}${explorer}/api/d1/database/DB/raw`;
      const answer = await fetch(query, { method: "POST", headers, body });
      expect(answer.ok).toBe(false);
      expect(await answer.text()).not.toContain("demo");
    }
    const tick = await fetch(`${ORIGIN}/cdn-cgi/local/scheduled`);
    expect([tick.status, await tick.text()]).toEqual([200, "ok"]);
  });

  test("prints no warning of a network it cannot reach", async () => {
    const command = npmStart(newCheckout(), "--port", String(PORT));
    await command.greeting();
    expect(command.output).not.toMatch(/unable to fetch|ENOTFOUND|update available/i);
  });
});

describe("ending npm start", () => {
  // On the storage of the start before, however that one ended: this one then has less to do.
  const checkout = createCheckout();
  afterAll(checkout.remove);

  test.each([
    ["Ctrl-C", (command: StartCommand) => command.interrupt()],
    ["SIGTERM to npm", (command: StartCommand) => command.signal("npm", "SIGTERM")],
    ["SIGHUP to npm", (command: StartCommand) => command.signal("npm", "SIGHUP")],
    ["SIGTERM to the script", (command: StartCommand) => command.signal("script", "SIGTERM")],
    ["SIGHUP to all", (command: StartCommand) => command.signalGroup("SIGHUP")],
    [
      "SIGTERM to all, twice",
      (command: StartCommand) => {
        command.signalGroup("SIGTERM");
        command.signalGroup("SIGTERM");
      },
    ],
    ["kill -9 of npm", (command: StartCommand) => command.signal("npm", "SIGKILL")],
    ["kill -9 of the script", (command: StartCommand) => command.signal("script", "SIGKILL")],
    ["kill -9 of wrangler", (command: StartCommand) => command.signal("wrangler", "SIGKILL")],
    [
      "kill -9 of wrangler's child",
      (command: StartCommand) => command.signal("wrangler's child", "SIGKILL"),
    ],
    ["kill -9 of the guard", (command: StartCommand) => command.signal("guard", "SIGKILL")],
  ])("%s ends every process it started and frees the port", async (_name, end) => {
    const command = npmStart(checkout.folder, "--port", String(PORT));
    await command.greeting();
    const processes = command.processes();
    expect(stillRunning(processes).join("\n")).toContain("workerd serve");
    end(command);
    await expect.poll(() => stillRunning(processes), GONE).toEqual([]);
    expect(await isFree(PORT)).toBe(true);
    await command.exit();
  });

  test.each<[Role, NodeJS.Signals]>([
    ["npm", "SIGTERM"],
    ["npm", "SIGKILL"],
    ["script", "SIGKILL"],
    ["guard", "SIGKILL"],
    ["migrations", "SIGKILL"],
  ])("%s gets a %s while the database is being made: nothing is left", async (role, signal) => {
    const folder = newCheckout();
    const command = npmStart(folder, "--port", String(PORT));
    const isMigrating = () =>
      stillRunning(command.processes()).some((line) => line.includes("workerd serve"));
    await command.until(isMigrating);
    const processes = command.processes();
    command.signal(role, signal);
    await expect.poll(() => stillRunning(processes), GONE).toEqual([]);
    await command.exit();
    // Whose parts were killed lives, and says so.
    const isFailure = role === "guard" || role === "migrations";
    expect(command.output.includes("could not be made ready (ended by SIGKILL)")).toBe(isFailure);
    const { key } = await npmStart(folder, "--port", String(PORT)).greeting();
    expect(key).toMatch(/^osk_/);
  });

  test("kill -9 of npm before its script has begun: the script ends by itself", async () => {
    const folder = newCheckout();
    const command = npmStart(folder, "--port", String(PORT));
    await command.until(() => command.processes().length > 1);
    const processes = command.processes();
    command.signal("npm", "SIGKILL");
    await expect.poll(() => stillRunning(processes), GONE).toEqual([]);
    await command.exit();
    expect(await isFree(PORT)).toBe(true);
  });

  test("Ctrl-C while the database is being made ends it without a complaint", async () => {
    const folder = newCheckout();
    const command = npmStart(folder, "--port", String(PORT));
    await command.until(() => existsSync(join(folder, "storage")));
    const processes = command.processes();
    command.interrupt();
    await command.exit();
    expect(stillRunning(processes)).toEqual([]);
    expect(command.output).not.toMatch(/failed|error/i);
  });
});

describe("npm start that cannot serve", () => {
  /** What it says, at the end, when it has ended with exit code 1 and left nothing. */
  async function complaint(command: StartCommand): Promise<string> {
    let processes: number[] = [];
    const isReady = () => {
      processes = [...new Set([...processes, ...command.processes()])];
      return command.output.includes("Ready on");
    };
    await command.until(isReady).catch(() => undefined);
    expect(await command.exit()).toBe(1);
    expect(stillRunning(processes)).toEqual([]);
    expect(await isFree(PORT)).toBe(true);
    expect(command.output).not.toMatch(/Signpost is on|at .*\.ts:\d+/);
    return command.output;
  }

  test("for wrong settings names them, without a value, instead of its greeting", async () => {
    const folder = newCheckout();
    writeFileSync(join(folder, ".dev.vars"), "ENCRYPTION_KEY=canary-key\nADMIN_TOKEN=canary\n");
    const url = ["--var", "MESSAGE_CONNECTOR_URL:https://example.com/canary-url"];
    const said = await complaint(npmStart(folder, "--port", String(PORT), ...url));
    expect(said).toContain("Signpost is not configured:\n  ENCRYPTION_KEY must be 32 bytes");
    expect(said).toContain("  ADMIN_TOKEN must have at least 16 characters, or be unset: ");
    expect(said).toContain("  MESSAGE_CONNECTOR_SECRET is not set: ");
    expect(said.split("Signpost is not configured")[1]).not.toContain("canary");
  });

  test.each<[string, (folder: string) => void, string]>([
    [
      "a mistake in wrangler.toml",
      (folder) => appendFileSync(join(folder, "wrangler.toml"), "\nname = = 1\n"),
      "wrangler.toml:",
    ],
    [
      "a mistake in the Worker",
      (folder) => appendFileSync(join(folder, "src/worker.ts"), "\nconst = 1;\n"),
      "wrangler does not serve Signpost",
    ],
    [
      ".dev.vars that cannot be read",
      (folder) => mkdirSync(join(folder, ".dev.vars")),
      "Signpost cannot start: EISDIR",
    ],
    [
      "an argument that wrangler does not know",
      () => undefined,
      "wrangler does not serve Signpost",
    ],
  ])("for %s says so", async (name, spoil, words) => {
    const folder = newCheckout();
    spoil(folder);
    const more = name.startsWith("an argument") ? ["--no-such-flag"] : [];
    expect(await complaint(npmStart(folder, "--port", String(PORT), ...more))).toContain(words);
  });

  test("for another host than this machine's says how to reach it, and goes on", async () => {
    const flags = ["--port", String(PORT), "--var", "PLATFORM_HOST:sign.example"];
    const command = npmStart(newCheckout(), ...flags);
    await command.until(() => command.output.includes("but PLATFORM_HOST is another host"));
    const health = await sendRaw(PORT, {
      method: "GET",
      path: "/healthz",
      headers: { Host: "sign.example" },
    });
    expect([health.status, health.text]).toEqual([200, '{"status":"ok"}']);
  });
});

describe("npm start again on the same storage", () => {
  test("prints the same key, makes no second workspace, and ticks the cron triggers", async () => {
    const folder = newCheckout();
    const first = npmStart(folder, "--port", String(PORT));
    const { key } = await first.greeting();
    first.interrupt();
    await first.exit();
    const packet = (id: string, days: number) =>
      `('${id}', ${Math.round(Date.now() - days * DAY_MILLISECONDS)})`;
    const rows = `${packet("old", 15.1)}, ${packet("young", 14.9)}`;
    const database = openDatabase(folder);
    database.exec(`INSERT INTO click_packets (id, created_at) VALUES ${rows}`);
    database.close();

    const second = npmStart(folder, "--port", String(PORT));
    expect((await second.greeting()).key).toBe(key);
    expect(await workspaceNames(adminToken(folder))).toEqual(["demo"]);
    const packets = () => query(databaseFolder(folder), "SELECT id FROM click_packets");
    await expect.poll(packets, { timeout: 20_000 }).toEqual([{ id: "young" }]);
  });

  test("a first start cut off with kill -9 at any step leaves one workspace and a key", async () => {
    const folder = newCheckout();
    const steps = [
      () => existsSync(join(folder, ".dev.vars")),
      () => existsSync(join(folder, "storage")),
      (output: string) => output.includes("Ready on"),
      (output: string) => output.includes("POST /admin/v1/workspaces 201"),
    ];
    for (const isReached of steps) {
      const command = npmStart(folder, "--port", String(PORT));
      await command.until(() => isReached(command.output));
      await command.kill();
    }
    const { key } = await npmStart(folder, "--port", String(PORT)).greeting();
    expect(await workspaceNames(adminToken(folder))).toEqual(["demo"]);
    const links = `${ORIGIN}/api/v1/biolinks/links`;
    expect((await fetch(links, { headers: { "x-api-key": key } })).status).toBe(200);
  });
});

describe("the database that npm start makes", () => {
  const migrations = readdirSync("migrations").filter((name) => name.endsWith(".sql"));
  const applied = (folder: string) => {
    try {
      return query(databaseFolder(folder), "SELECT name FROM d1_migrations").map(
        ({ name }) => name,
      );
    } catch {
      return [];
    }
  };

  test("is gone on with after a kill -9 amid a migration, of which nothing is left", async () => {
    const folder = newCheckout();
    const slow = join(folder, "migrations/9998_slow.sql");
    const counting =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e8)";
    writeFileSync(
      slow,
      `CREATE TABLE slow (i);\nINSERT INTO slow ${counting} SELECT max(i) FROM n;`,
    );
    const command = npmStart(folder, "--port", String(PORT));
    await command.until(() => applied(folder).length === migrations.length);
    // Till the slow one has begun. It takes many seconds.
    await setTimeout(500);
    await command.kill();
    expect(applied(folder)).toEqual(migrations.sort());
    expect(tablesCalled("slow", folder)).toEqual([]);
    writeFileSync(slow, "CREATE TABLE slow (i);");
    await npmStart(folder, "--port", String(PORT)).greeting();
    expect(tablesCalled("slow", folder)).toEqual([{ name: "slow" }]);
  });

  test("is one that wrangler's own migrations go on from", async () => {
    const folder = newCheckout();
    const command = npmStart(folder, "--port", String(PORT));
    await command.greeting();
    await command.kill();
    writeFileSync(join(folder, "migrations/9999_more.sql"), "CREATE TABLE more (id TEXT);");
    const args = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", "storage"];
    const env = { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false" };
    const said = execFileSync("wrangler", args, { cwd: folder, encoding: "utf8", env });
    expect(new Set(said.match(/\d{4}_\w+\.sql/g))).toEqual(new Set(["9999_more.sql"]));
    expect(applied(folder)).toEqual([...migrations.sort(), "9999_more.sql"]);
  });

  test.each([
    ["fails", "CREATE TABLE half (id TEXT);\nDROP TABLE no_such_table;", /no such table/],
    [
      "lacks the last semicolon, which wrangler demands",
      "CREATE TABLE half (id TEXT)",
      /syntax error/,
    ],
  ])("a migration that %s is named, and neither done in part nor noted", async (_, sql, reason) => {
    const folder = newCheckout();
    const wrong = join(folder, "migrations/9999_wrong.sql");
    writeFileSync(wrong, sql);
    const command = npmStart(folder, "--port", String(PORT));
    expect(await command.exit()).toBe(1);
    expect(command.output).toContain("9999_wrong.sql: ");
    expect(command.output).toMatch(reason);
    expect(applied(folder)).toEqual(migrations.sort());
    expect(tablesCalled("half", folder)).toEqual([]);
    rmSync(wrong);
    await npmStart(folder, "--port", String(PORT)).greeting();
  });
});

describe("the flags of npm start", () => {
  test("--port=N is as good as --port N, and --ip passes through", async () => {
    const command = npmStart(newCheckout(), `--port=${PORT}`, "--ip", "0.0.0.0");
    await command.greeting();
    // Answers on another address of this machine than localhost's only if it listens on all.
    expect((await fetch(`http://127.0.0.2:${PORT}/healthz`)).status).toBe(404);
    expect((await fetch(`${ORIGIN}/healthz`)).status).toBe(200);
  });

  test("a port in use is named, and nothing is started or written", async () => {
    const folder = newCheckout();
    const other = createServer();
    onTestFinished(() => void other.close());
    await new Promise<void>((resolve) => other.listen(PORT, "127.0.0.1", resolve));
    const command = npmStart(folder, "--port", String(PORT));
    expect(await command.exit()).toBe(1);
    expect(command.output).toContain(`Port ${PORT} is in use.`);
    expect(existsSync(join(folder, ".dev.vars"))).toBe(false);
  });

  test("what it suggests for a port in use is a Signpost beside the first, with data of its own", async () => {
    const folder = newCheckout();
    const first = await npmStart(folder, "--port", String(PORT)).greeting();
    const refused = npmStart(folder, "--port", String(PORT));
    expect(await refused.exit()).toBe(1);
    const [, port = "", storage = ""] =
      /npm start -- --port (\d+) --persist-to (\S+)$/m.exec(refused.output) ?? [];
    const beside = new StartCommand(folder, ["--port", port, "--persist-to", storage]);
    running.add(beside);
    const { key } = await beside.greeting();
    expect(key).not.toBe(first.key);
    const links = (at: string) => `http://localhost:${at}/api/v1/biolinks/links`;
    const status = async (at: string, known: string) =>
      (await fetch(links(at), { headers: { "x-api-key": known } })).status;
    expect(await status(port, key)).toBe(200);
    expect(await status(String(PORT), first.key)).toBe(200);
    expect(await status(port, first.key)).toBe(401);
  });

  test.each(["0", "65536", "http"])("--port %s is refused in words", async (port) => {
    const command = npmStart(newCheckout(), "--port", port);
    expect(await command.exit()).toBe(1);
    expect(command.output).toContain(`--port must be a number from 1 to 65535, not ${port}.`);
  });
});

function tablesCalled(name: string, folder: string) {
  return query(databaseFolder(folder), "SELECT name FROM sqlite_master WHERE name = ?", name);
}

function databaseFolder(folder: string): string {
  return join(folder, "storage/v3/d1/miniflare-D1DatabaseObject");
}

/** For writing, while nothing else has it open. */
function openDatabase(folder: string): DatabaseSync {
  const files = readdirSync(databaseFolder(folder));
  const file = files.find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  return new DatabaseSync(join(databaseFolder(folder), file ?? ""));
}

function adminToken(folder: string): string {
  return parseEnv(readFileSync(join(folder, ".dev.vars"), "utf8")).ADMIN_TOKEN ?? "";
}

async function workspaceNames(token: string): Promise<string[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${ORIGIN}/admin/v1/workspaces`, { headers });
  const list = (await answer.json()) as { data: { name: string }[] };
  return list.data.map(({ name }) => name);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
