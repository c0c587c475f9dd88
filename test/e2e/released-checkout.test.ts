import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const MODULE = resolve("scripts/released-checkout.ts");

test("a release whose packages cannot be installed leaves no folder behind", () => {
  const folder = mkdtempSync(join(tmpdir(), "signpost-no-packages-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [places, cache] = [mkdtempSync(join(folder, "places-")), mkdtempSync(join(folder, "npm-"))];
  const code = `
    import { checkOutRelease } from ${JSON.stringify(MODULE)};
    checkOutRelease("HEAD");
  `;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
    encoding: "utf8",
    // npm has nothing then, and may ask nobody.
    env: { ...process.env, TMPDIR: places, npm_config_cache: cache, npm_config_offline: "true" },
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining("ENOTCACHED")]);
  const left = readdirSync(places).filter((name) => name.startsWith("signpost-"));
  expect(left).toEqual([]);
});
