import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
/** In it the test files of a run find what an earlier one has made; see prepared-folder.ts. */
export const FOLDER_VARIABLE = "SIGNPOST_PREPARED_FOLDER";

/** The Worker's bundle, as a deploy would make it, or that of a script in support/workers. */
export function preparedBundle(script?: string): string {
  const entry = script ? [join(import.meta.dirname, "../workers", script)] : [];
  return prepared(`bundle-${script ?? "worker.ts"}`, (folder) =>
    run("wrangler", "deploy", ...entry, "--dry-run", "--outdir", folder),
  );
}

/**
 * The storage of a local runtime that holds all tables and nothing that was made, to be copied.
 * The deployment's id, which a migration draws at random, is the same in all copies of a run.
 */
export function preparedTables(): string {
  const folder = prepared("tables", (made) =>
    run(process.execPath, "scripts/local-tables.ts", made),
  );
  return join(folder, "v3");
}

/** Makes it where it is not yet; where two files make it at once, the first one's stays. */
function prepared(name: string, make: (folder: string) => void): string {
  const all = preparedFolder();
  const folder = join(all, name);
  if (existsSync(folder)) return folder;
  const made = mkdtempSync(join(all, "half-made-"));
  make(made);
  try {
    renameSync(made, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(made, { recursive: true });
  }
  return folder;
}

/** The run's; a script that no run has started has one of its own until it ends. */
export function preparedFolder(): string {
  return process.env[FOLDER_VARIABLE] ?? folderOfThisProcess();
}

function folderOfThisProcess(): string {
  const folder = mkdtempSync(join(tmpdir(), "signpost-prepared-"));
  process.env[FOLDER_VARIABLE] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false" },
  });
}
