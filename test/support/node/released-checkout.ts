import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
const FILE = ".ci/last-release";
/** What a Worker is made of, and nothing of how its tables were. */
const PARTS = ["src", "wrangler.toml", "tsconfig.json", "package.json"];

/** The commit that is released, and how to get it where a clone does not reach back so far. */
export function findRelease(): { commit: string; missing?: string } {
  const lines = readFileSync(join(ROOT, FILE), "utf8").split("\n");
  const commit = lines.find((line) => /^[0-9a-f]{40}$/.test(line));
  if (!commit) throw new Error(`${FILE} names no commit.`);
  const { status } = spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT });
  if (status === 0) return { commit };
  const missing = `The released commit is not in this clone: git fetch --depth=1 origin ${commit}`;
  return { commit, missing };
}

/** The released Worker, in a folder of its own, on the packages of this checkout. */
export function checkOutRelease(commit: string): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "signpost-released-"));
  const archive = execFileSync("git", ["archive", commit, ...PARTS], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
