/**
 * Fails, naming the entries, when a lockfile would install a package without a hash to
 * check it by, or names the registry that somebody's machine happened to use.
 * `node scripts/check-lockfile.ts [FILE]`
 */
import { readFileSync } from "node:fs";

interface Entry {
  version?: string;
  integrity?: string;
  resolved?: string;
  /** Set on a folder of this repository: there is nothing to download. */
  link?: boolean;
}

/**
 * Builds for other platforms whose hash the registry at hand could not tell when they were locked.
 * A new version is not excused: lock it where every platform can be had, and take it off here.
 */
const withoutHash = new Set([
  ...["android-arm64", "android-x64", "darwin-arm64", "darwin-x64"].map(biome),
  ...["linux-arm64-musl", "linux-x64-musl", "win32-arm64", "win32-x64"].map(biome),
  ...["darwin-64", "darwin-arm64", "windows-64"].map(workerd),
  ...["android-arm-eabi", "android-arm64", "darwin-arm64", "darwin-x64"].map(oxcParser),
  ...["freebsd-x64", "linux-arm-gnueabihf", "linux-arm-musleabihf"].map(oxcParser),
  ...["linux-ppc64-gnu", "linux-riscv64-gnu", "linux-riscv64-musl"].map(oxcParser),
  ...["linux-s390x-gnu", "openharmony-arm64"].map(oxcParser),
  ...["win32-arm64-msvc", "win32-ia32-msvc", "win32-x64-msvc"].map(oxcParser),
]);

function biome(platform: string): string {
  return `node_modules/@biomejs/cli-${platform}@2.6.8`;
}

function workerd(platform: string): string {
  return `node_modules/@cloudflare/workerd-${platform}@1.20261102.1`;
}

function oxcParser(platform: string): string {
  return `node_modules/@oxc-parser/binding-${platform}@0.156.0`;
}

const named = process.argv[2];
const files = named
  ? [named]
  : [".", "test/generated-clients", "test/integrations", "test/e2e/client/node-20"].map(
      (folder) => `${folder}/package-lock.json`,
    );
const packages = files.flatMap((file): [string, Entry][] =>
  Object.entries(JSON.parse(readFileSync(file, "utf8")).packages),
);
const faults: string[] = [];
for (const [path, { version, integrity, resolved, link }] of packages) {
  const name = `${path}@${version}`;
  if (resolved?.includes("://")) faults.push(`${name} names a host: ${resolved}`);
  if (!path.includes("node_modules/") || link) continue;
  const hasHash = /^sha512-[\w+/]{86}==$/.test(integrity ?? "");
  // What is excused is crossed off, so that an excuse nobody needs is seen below.
  if (!hasHash && !withoutHash.delete(name)) faults.push(`${name} has no sha512 integrity`);
}
for (const name of withoutHash) faults.push(`${name} is excused in vain`);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
