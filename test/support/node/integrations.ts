import { execFile } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { preparedFolder } from "./prepared.ts";

/** What others run at the other end of Signpost, with a package.json of its own. */
export const INTEGRATIONS = resolve(import.meta.dirname, "../../integrations");

/** A file that waits so long for another, and then installs itself, is within its set-up's time. */
const INSTALL_MILLISECONDS = 120_000;

/** At the first use, and when other versions are asked for since; by one of the files of a run that ask at once. */
export async function installIntegrations(): Promise<void> {
  const lock = join(preparedFolder(), "installing-integrations");
  const deadline = Date.now() + INSTALL_MILLISECONDS;
  while (!isInstalled()) {
    if (takeLock(lock)) return install().finally(() => rmSync(lock, { recursive: true }));
    if (Date.now() > deadline) throw new Error("Another file's `npm ci` did not end.");
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function install(): Promise<void> {
  // Another file may have ended its own just before the lock was taken: this would take it apart.
  if (isInstalled()) return;
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", args, { cwd: INTEGRATIONS, timeout: INSTALL_MILLISECONDS });
}

function isInstalled(): boolean {
  const changedAt = (file: string) =>
    statSync(join(INTEGRATIONS, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // npm writes this one last: an installation that was cut off has none.
  return changedAt("node_modules/.package-lock.json") >= changedAt("package-lock.json");
}

/** False when another file has it. */
function takeLock(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** The version of one of its packages that is installed. */
export function versionOf(name: string): string {
  const load = createRequire(join(INTEGRATIONS, "package.json"));
  return load(`./node_modules/${name}/package.json`).version;
}

/** One of its packages. */
export async function load<Package>(name: string): Promise<Package> {
  const { resolve: find } = createRequire(join(INTEGRATIONS, "package.json"));
  return import(pathToFileURL(find(name)).href);
}
