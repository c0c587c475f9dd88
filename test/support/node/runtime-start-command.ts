import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
const PARTS = [
  "package.json",
  "wrangler.toml",
  "tsconfig.json",
  "tsconfig.node.json",
  "src",
  "scripts",
  "migrations",
  "packages",
];

/** The processes of a start, by what `ps` calls them. */
const ROLES = {
  npm: /^npm start/,
  script: /^node scripts\/start\.ts/,
  guard: /^sh -c \{ read/,
  migrations: /^\S*node scripts\/local-tables\.ts/,
  wrangler: /^node \S*\.bin\/wrangler dev/,
  "wrangler's child": /wrangler-dist\/cli\.js dev/,
};
export type Role = keyof typeof ROLES;

/** A checkout as `npm ci` leaves it: no secrets, no storage. */
export function createCheckout(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "signpost-start-"));
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** One run of `npm start`, in a process group of its own as a terminal gives it. */
export class StartCommand {
  readonly #child: ChildProcess;
  readonly #exited: Promise<number>;
  output = "";

  /** @param command whatever ends in a start, `npm start` itself unless it is given */
  constructor(
    folder: string,
    flags: string[],
    [program = "", ...args]: string[] = ["npm", "start", "--"],
    env = process.env,
  ) {
    this.#child = spawn(program, [...args, ...flags], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const add = (chunk: Buffer) => {
      this.output += chunk;
    };
    this.#child.stdout?.on("data", add);
    this.#child.stderr?.on("data", add);
    this.#exited = new Promise((exited) => {
      this.#child.once("close", (code) => exited(code ?? -1));
    });
  }

  /** Waits until something is so. @throws with all the command printed, if it ends first */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#child.exitCode !== null) throw new Error(`npm start ended.\n${this.output}`);
      await pause(20);
    }
  }

  /** Waits until it greets; the key it printed, and its three lines as one script. */
  async greeting(): Promise<{ key: string; lines: string }> {
    await this.until(() => /^Cron triggers run here/m.test(this.output));
    const key = /^Key: (osk_\w+)$/m.exec(this.output)?.[1] ?? "";
    const lines = /follow it:\n\n((?:.+\n){3})/.exec(this.output)?.[1] ?? "";
    return { key, lines };
  }

  /** The exit code, once every holder of its output has closed it. */
  exit(): Promise<number> {
    return this.#exited;
  }

  /** Every process it has started and that still runs, itself included. */
  processes(): number[] {
    // One that is just ending may be the parent of one that is not.
    const all = listProcesses();
    const family = new Set([this.#child.pid]);
    for (let size = 0; size < family.size; ) {
      size = family.size;
      for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
    }
    return all.filter(({ pid, hasEnded }) => family.has(pid) && !hasEnded).map(({ pid }) => pid);
  }

  /** What Ctrl-C in a terminal does. */
  interrupt(): void {
    this.signalGroup("SIGINT");
  }

  /** A signal to one process alone. @throws when it is not running */
  signal(role: Role, signal: NodeJS.Signals): void {
    const own = new Set(this.processes());
    const found = runningProcesses().find(
      ({ pid, command }) => own.has(pid) && ROLES[role].test(command),
    );
    if (!found) throw new Error(`There is no ${role} in\n${stillRunning([...own]).join("\n")}`);
    process.kill(found.pid, signal);
  }

  /** A signal to npm and all that is in its group, as a terminal that is closed sends it. */
  signalGroup(signal: NodeJS.Signals): void {
    if (this.#child.pid) process.kill(-this.#child.pid, signal);
  }

  /** `kill -9` of everything at once. */
  async kill(): Promise<void> {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It went with the one before.
      }
    }
    await this.#exited;
  }
}

/** Which of these processes, and of the groups that they lead, still run. */
export function stillRunning(pids: number[]): string[] {
  const running = runningProcesses().filter(
    ({ pid, group }) => pids.includes(pid) || pids.includes(group),
  );
  return running.map(({ command }) => command);
}

interface Process {
  pid: number;
  parent: number;
  group: number;
  command: string;
  hasEnded: boolean;
}

function runningProcesses(): Process[] {
  return listProcesses().filter(({ hasEnded }) => !hasEnded);
}

/**
 * Ended are those that wait for their parent to ask how, and those that are just ending: their memory
 * is gone, so that their name stands in brackets in place of their arguments.
 */
function listProcesses(): Process[] {
  const list = execFileSync("ps", ["-eo", "pid=,ppid=,pgid=,stat=,args="], { encoding: "utf8" });
  return list.split("\n").flatMap((line) => {
    const [found, pid, parent, group, state = "", command = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (found === undefined) return [];
    const hasEnded = state.startsWith("Z") || /^\[.*\]$/.test(command);
    const ids = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    return [{ ...ids, command, hasEnded }];
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, milliseconds));
}
