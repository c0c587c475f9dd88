import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
export const RELEASE_FILE = ".ci/last-release";
/** What a Worker and its tables are made of. */
const PARTS = [
  "src",
  "migrations",
  "wrangler.toml",
  "tsconfig.json",
  "package.json",
  "package-lock.json",
];

/** The commit that production runs. */
export function releasedCommit(): string {
  const lines = readFileSync(join(ROOT, RELEASE_FILE), "utf8").split("\n");
  const commit = lines.find((line) => /^[0-9a-f]{40}$/.test(line));
  if (!commit) throw new Error(`${RELEASE_FILE} names no commit.`);
  return commit;
}

/** The commit that is released, and how to get it where a clone does not reach back so far. */
export function findRelease(): { commit: string; missing?: string } {
  const commit = releasedCommit();
  const { status } = spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT });
  if (status === 0) return { commit };
  const missing = `The released commit is not in this clone: git fetch --depth=1 origin ${commit}`;
  return { commit, missing };
}

/** A commit's Worker, in a folder of its own, on its own packages: it may use what this one does not. */
export function checkOutRelease(commit: string): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "signpost-released-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const archive = execFileSync("git", ["archive", commit, ...PARTS], {
      cwd: ROOT,
      maxBuffer: 256 * 1024 * 1024,
    });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    const quietly = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
    execFileSync("npm", ["ci", ...quietly], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  } catch (error) {
    // Nobody else knows of the folder yet.
    remove();
    throw error;
  }
  return { folder, remove };
}
