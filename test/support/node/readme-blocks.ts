import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";

const ROOT = resolve(import.meta.dirname, "../../..");
/** A terminal's, and what a machine needs to reach its registry. */
const KEPT =
  /^(?:HOME|USER|LANG|TERM|TMPDIR|.*(?:_proxy|_cert_file|_cert_dir|_ca_certs|_ca_bundle))$/i;
const MARK = "@@";

/** A block of commands in the README, and the heading it stands under. */
export interface Block {
  title: string;
  text: string;
}

export function readBlocks(): Block[] {
  const sections = readFileSync(join(ROOT, "README.md"), "utf8").split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const title = section.slice(0, section.indexOf("\n"));
    return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = ""]) => ({ title, text }));
  });
}

/** The variables of a fresh terminal: none of npm's, and no `node_modules/.bin` in its path. */
export function terminalVariables(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name));
  const path = (process.env.PATH ?? "").split(delimiter);
  return {
    ...Object.fromEntries(kept),
    PATH: path.filter((folder) => !folder.includes("node_modules")).join(delimiter),
  };
}

/** A terminal in a folder, into which commands are pasted. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #curlrc = mkdtempSync(join(tmpdir(), "signpost-curlrc-"));
  /** What the commands print, those in the background too. */
  stdout = "";
  stderr = "";

  constructor(folder: string, commands: string) {
    // Each curl tells on the side how it was answered: nothing changes in what is pasted.
    const told = `write-out = "%{stderr}\\n${MARK} %{http_code}\\n"\n`;
    writeFileSync(join(this.#curlrc, ".curlrc"), told);
    this.#child = spawn("bash", ["--norc", "--noprofile", "-c", commands], {
      cwd: folder,
      detached: true,
      env: { ...terminalVariables(), CURL_HOME: this.#curlrc },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (chunk) => {
      this.stdout += chunk;
    });
    this.#child.stderr?.on("data", (chunk) => {
      this.stderr += chunk;
    });
  }

  /** Waits for the last of the commands; those in the background go on. */
  async exit(): Promise<number> {
    const code = await new Promise<number>((exited) => {
      this.#child.once("exit", (status) => exited(status ?? -1));
    });
    // What they wrote last may still be on its way.
    await new Promise((resume) => setTimeout(resume, 100));
    return code;
  }

  /** How each curl was answered. */
  statuses(): number[] {
    return [...this.stderr.matchAll(new RegExp(`^${MARK} (\\d+)$`, "gm"))].map(([, status]) =>
      Number(status),
    );
  }

  /** `kill -9` of what goes on in the background. */
  close(): void {
    rmSync(this.#curlrc, { recursive: true, force: true });
    try {
      if (this.#child.pid) process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // Nothing was left.
    }
  }
}

/** What is wrong with commands that cannot be run here: their syntax, and what they call. */
export async function findFaults({ text }: Block): Promise<string[]> {
  const syntax = await output("bash", ["-n", "-c", text]);
  const faults = syntax ? [syntax] : [];
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const [, script = ""] of text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)) {
    if (!(script in scripts)) faults.push(`There is no npm run ${script}.`);
  }
  const called = [...text.matchAll(/^\s*npx wrangler ((?:[a-z0-9]+ )*[a-z0-9]+)/gm)];
  for (const words of new Set(called.map(([, found = ""]) => found))) {
    const help = await output("npx", ["--no-install", "wrangler", ...words.split(" "), "--help"]);
    const isKnown = words.split(" ").some((_, at, all) => {
      const command = all.slice(0, all.length - at).join(" ");
      return new RegExp(`^wrangler ${command}(?: [<\\[]|$)`, "m").test(help);
    });
    if (!isKnown) faults.push(`There is no wrangler ${words}.`);
  }
  return faults;
}

async function output(program: string, args: string[]): Promise<string> {
  const run = promisify(execFile)(program, args, { cwd: ROOT, env: terminalVariables() });
  const { stdout, stderr } = await run.catch((error) => error);
  return stdout + stderr;
}
