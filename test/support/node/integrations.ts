import { execFile } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { preparedFolder } from "./prepared.ts";

/** What others run at the other end of Signpost, with a package.json of its own. */
export const INTEGRATIONS = resolve(import.meta.dirname, "../../integrations");

const INSTALL_MILLISECONDS = 240_000;

/** At the first use, and when other versions are asked for since; by one of the files that ask at once. */
export async function installIntegrations(): Promise<void> {
  if (isInstalled()) return;
  if (!isFirst()) return untilInstalled();
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", args, { cwd: INTEGRATIONS, timeout: INSTALL_MILLISECONDS });
}

function isInstalled(): boolean {
  const changedAt = (file: string) =>
    statSync(join(INTEGRATIONS, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // npm writes this one last: an installation that was cut off has none.
  return changedAt("node_modules/.package-lock.json") >= changedAt("package-lock.json");
}

/** Whoever can make this folder, which is new in each run, is the first. */
function isFirst(): boolean {
  try {
    mkdirSync(join(preparedFolder(), "installing"));
    return true;
  } catch {
    return false;
  }
}

async function untilInstalled(): Promise<void> {
  const deadline = Date.now() + INSTALL_MILLISECONDS;
  while (!isInstalled()) {
    if (Date.now() > deadline) throw new Error(`Another file did not install ${INTEGRATIONS}.`);
    await new Promise((resolve) => setTimeout(resolve, 500));
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
