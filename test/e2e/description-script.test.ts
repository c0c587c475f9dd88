import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const SCRIPT = resolve("scripts/description.ts");
const CONFIG = 'name = "small"\nmain = "worker.ts"\ncompatibility_date = "2026-11-01"\n';
/** Of a Worker that nobody waits for: it waited for ever once. */
const PATIENCE_MILLISECONDS = 60_000;

/** Runs the script in a folder with this Worker. */
function describeWorker(code: string) {
  const cwd = mkdtempSync(join(tmpdir(), "signpost-small-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, "wrangler.toml"), CONFIG);
  writeFileSync(join(cwd, "worker.ts"), code);
  const options = { cwd, encoding: "utf8", timeout: PATIENCE_MILLISECONDS } as const;
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], options);
  const file = join(cwd, "dist/openapi.json");
  return { status, stderr, made: existsSync(file) ? readFileSync(file, "utf8") : undefined };
}

test.each([
  ["does not build", 'import "./nowhere.ts";\nexport default {};', "The Worker does not build"],
  ["cannot be parsed", "export default {", "found end of file"],
  ["fails as it starts", 'throw new Error("Alas");\nexport default {};', "Uncaught Error: Alas"],
  [
    "answers with an error",
    "export default { fetch: () => new Response(null, { status: 500 }) };",
    "/openapi.json answered 500.",
  ],
])(
  "the description of a Worker that %s ends with an error, and writes nothing",
  (_, code, said) => {
    const { status, stderr, made } = describeWorker(code);
    expect([status, made]).toEqual([1, undefined]);
    expect(stderr).toContain("There is no description.");
    expect(stderr).toContain(said);
  },
);

test("the description of a Worker is what it serves", () => {
  const { status, made } = describeWorker(
    'export default { fetch: ({ url }) => Response.json({ openapi: "3.1.0", host: new URL(url).host }) };',
  );
  expect(status).toBe(0);
  expect(JSON.parse(made ?? "")).toEqual({ openapi: "3.1.0", host: "sign.example" });
});
