import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const BIOME_ON_A_MAC = "node_modules/@biomejs/cli-darwin-arm64";

interface Entry {
  version: string;
  integrity?: string;
  resolved?: string;
}

/** What the check says of this repository's lockfile after one entry of it was changed. */
function check(path?: string, change?: (entry: Entry) => void): { ok: boolean; said: string } {
  const folder = mkdtempSync(join(tmpdir(), "signpost-lockfile-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lockfile = JSON.parse(readFileSync("package-lock.json", "utf8"));
  if (path) change?.(lockfile.packages[path]);
  const copy = join(folder, "package-lock.json");
  writeFileSync(copy, JSON.stringify(lockfile));
  const { status, stderr } = spawnSync("node", ["scripts/check-lockfile.ts", copy], {
    encoding: "utf8",
  });
  return { ok: status === 0, said: stderr };
}

test("this repository's lockfile holds", () => {
  expect(check()).toEqual({ ok: true, said: "" });
});

test.each<[string, string, (entry: Entry) => void, RegExp]>([
  ["no hash", "node_modules/hono", (entry) => delete entry.integrity, /^.*hono@\S+ has no sha512/],
  [
    "a weak hash",
    "node_modules/hono",
    (entry) => (entry.integrity = "sha1-2jmj7l5rSw0y="),
    /hono@/,
  ],
  [
    "a host",
    "node_modules/zod",
    (entry) => (entry.resolved = "https://registry.example/zod.tgz"),
    /^node_modules\/zod@\S+ names a host: https:\/\/registry\.example/,
  ],
  [
    "a new version without",
    BIOME_ON_A_MAC,
    (entry) => (entry.version = "99.0.0"),
    /@99\.0\.0 has no/,
  ],
  [
    "an excuse that is not needed",
    BIOME_ON_A_MAC,
    (entry) => (entry.integrity = `sha512-${"A".repeat(86)}==`),
    /cli-darwin-arm64@\S+ is excused in vain/,
  ],
])("an entry with %s is named and fails the check", (_name, path, change, named) => {
  const { ok, said } = check(path, change);
  expect(ok).toBe(false);
  expect(said).toMatch(named);
});
