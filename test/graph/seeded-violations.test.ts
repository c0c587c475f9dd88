import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkGraph, RULES } from "../../scripts/check-graph.ts";

type Tree = Record<string, string>;

const LINKS = "src/features/biolinks/links";
const PIXELS = "src/features/biolinks/pixels";
const roots: string[] = [];

/** A small house in which all is well. */
const SOUND: Tree = {
  "node_modules/drizzle-orm/package.json": `{ "name": "drizzle-orm", "main": "index.js" }`,
  "node_modules/drizzle-orm/index.js": "export const sql = 1, sqliteTable = 2;",
  "src/worker.ts": `import "./paths.ts"; import "./features/biolinks/links/links.routes.ts";`,
  "src/paths.ts": "export const RESERVED = [];",
  "src/platform/log.ts": "export const log = 1;",
  "src/platform/db/client.ts": `import { sql } from "drizzle-orm"; export const db = sql;`,
  "src/api/errors.ts": `import "../platform/log.ts"; export type ApiError = Error;`,
  "src/access/gate/claims.repository.ts": `
    export const CREATE = "CREATE TABLE IF NOT EXISTS claims (id TEXT)";
    export const FIND = "SELECT id FROM claims";`,
  "src/access/keys/keys.service.ts": `import "../../api/errors.ts"; import "../../paths.ts";`,
  "src/events/events.service.ts": `import "../access/keys/keys.service.ts";`,
  "src/deliveries/fan-out.ts": `import "../events/events.service.ts";`,
  "src/visitor/decide.ts": `import { env } from "cloudflare:workers"; import "../deliveries/fan-out.ts";
    // SELECT * FROM links is said here in a comment only.
    const SEARCH = /x/; export const found = SEARCH.exec("Select a form, or update it from the list.");`,
  [`${PIXELS}/pixels.table.ts`]: `import { sqliteTable } from "drizzle-orm";
    export const pixels = sqliteTable("pixels", {});`,
  [`${PIXELS}/pixels.ports.ts`]: `export const HAS_PIXEL = "EXISTS (SELECT 1 FROM pixels)";`,
  [`${PIXELS}/pixels.repository.ts`]: `import { sql } from "drizzle-orm"; export const found = sql;`,
  [`${PIXELS}/pixels.routes.ts`]: "export const routes = 1;",
  [`${PIXELS}/pixels.operator.routes.ts`]: "export const routes = 1;",
  [`${PIXELS}/pixels.service.ts`]: `import "./pixels.repository.ts"; export const pixel = 1;`,
  [`${PIXELS}/colour.ts`]: "export const colour = 1;",
  [`${LINKS}/links.table.ts`]: `import { sqliteTable } from "drizzle-orm";
    import { pixels } from "../pixels/pixels.table.ts";
    export const links = sqliteTable("links", { pixels });`,
  [`${LINKS}/links.repository.ts`]: `import { HAS_PIXEL } from "../pixels/pixels.ports.ts";
    export const run = (db) => db.prepare(\`SELECT id FROM links WHERE \${HAS_PIXEL}\`);`,
  [`${LINKS}/links.service.ts`]: `import { colour } from "../pixels/colour.ts";
    import { pixel } from "../pixels/pixels.service.ts"; import "./links.repository.ts";`,
  [`${LINKS}/links.routes.ts`]: `import "./links.service.ts"; import "../../../visitor/decide.ts";`,
};

/** What is put into the sound house, and the one rule that must name it. */
const VIOLATIONS: [rule: string, what: string, seeds: Tree][] = [
  ...[
    ["platform", "src/api/errors.ts"],
    ["api", "src/access/keys/keys.service.ts"],
    ["access", "src/events/events.service.ts"],
    ["events", "src/deliveries/fan-out.ts"],
    ["deliveries", "src/visitor/decide.ts"],
    ["visitor", `${LINKS}/links.service.ts`],
    ["features", "src/worker.ts"],
  ].map(([layer, target]): [string, string, Tree] => [
    `downward-only-from-${layer}`,
    `a type of ${target}`,
    {
      [layer === "features" ? "src/features/reference/seed.ts" : `src/${layer}/seed/seed.ts`]:
        `import type { X } from "/${target}";`,
    },
  ]),
  ...[
    `export { type X } from "/src/api/errors.ts";`,
    `export type * from "/src/api/errors.ts";`,
    `export const run = async () => (await import("/src/api/errors.ts")).x;`,
    `import { type X } from "/src/api/errors.ts"; export function run() { using x: X = 1; }`,
    `export async function run() { await using x = await import("/src/api/errors.ts"); }`,
  ].map((text): [string, string, Tree] => [
    "downward-only-from-platform",
    text,
    { "src/platform/seed/seed.ts": text },
  ]),
  ["paths-is-a-leaf", "an import", { "src/paths.ts": `import "./platform/log.ts";` }],
  [
    "no-folder-outside-the-layout",
    "an unknown folder",
    { "src/helpers/text.ts": `import "../platform/log.ts";` },
  ],
  [
    "no-import-from-outside-the-layout",
    "a file beside the features of a product",
    {
      "src/features/biolinks/shared.ts": "export const x = 1;",
      [`${PIXELS}/colour.ts`]: `import "../shared.ts";`,
    },
  ],
  [
    "no-circular-imports",
    "a type of the importer",
    { [`${PIXELS}/pixels.repository.ts`]: `import type { X } from "./pixels.service.ts";` },
  ],
  [
    "no-folder-circles",
    "no module circle",
    {
      [`${PIXELS}/pixels.presenter.ts`]: `import "../links/slug.ts";`,
      [`${LINKS}/slug.ts`]: "export const slug = 1;",
    },
  ],
  ...["repository", "routes", "operator.routes"].map((role): [string, string, Tree] => [
    "features-keep-their-inside",
    `another feature's ${role}`,
    { [`${LINKS}/links.service.ts`]: `export * from "../pixels/pixels.${role}.ts";` },
  ]),
  [
    "tables-only-for-foreign-keys",
    "a table in a repository",
    { [`${LINKS}/links.repository.ts`]: `import { pixels } from "../pixels/pixels.table.ts";` },
  ],
  [
    "query-builder-only-in-repositories",
    "a service",
    { [`${LINKS}/links.service.ts`]: `import { sql } from "drizzle-orm";` },
  ],
  [
    "no-imports-inside-types",
    "an array of a type",
    { [`${PIXELS}/colour.ts`]: `export type X = import("./pixels.service.ts").Y[];` },
  ],
  [
    "no-unresolvable-imports",
    "a file that is not there",
    { [`${LINKS}/links.service.ts`]: `import "./gone.ts";` },
  ],
  ...[
    "const q = 'SELECT id FROM anything';",
    `const q = "INSERT OR IGNORE INTO anything VALUES (1)";`,
    `const q = (x) => \`UPDATE anything\n SET id = \${x}\`;`,
    `const q = ["DELETE FROM anything"];`,
    `const q = { a: "EXISTS (SELECT 1)" };`,
    "const q = (db, text) => db.prepare(text);",
    "class X { #sql; run(text) { this.#sql.exec(text); } }",
  ].map((text): [string, string, Tree] => [
    "sql-only-in-repositories",
    text,
    { [`${LINKS}/seed.ts`]: text },
  ]),
  ...[
    "SELECT 1 FROM pixels",
    "SELECT 1 FROM links AS link, pixels WHERE true",
    "SELECT 1 FROM links LEFT JOIN pixels ON true",
    "INSERT INTO pixels VALUES (1)",
    "UPDATE pixels SET id = 1",
    "SELECT 1 FROM claims",
  ].map((text): [string, string, Tree] => [
    "sql-names-own-tables",
    text,
    { [`${LINKS}/seed.repository.ts`]: `export const q = "${text}";` },
  ]),
];

afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true });
});

/** Builds a tree; an import that begins with `/src` is made relative. */
function build(tree: Tree): string {
  const root = mkdtempSync(join(tmpdir(), "signpost-graph-"));
  roots.push(root);
  for (const [file, text] of Object.entries(tree)) {
    const up = "../".repeat(file.split("/").length - 1);
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text.replaceAll(`"/src/`, `"${up}src/`));
  }
  return root;
}

function runProgram(root: string) {
  return spawnSync(process.execPath, ["scripts/check-graph.ts", "--root", root], {
    encoding: "utf8",
  });
}

test("the sound house has no faults", async () => {
  expect((await checkGraph(build(SOUND))).faults).toEqual([]);
});

test.each(VIOLATIONS)("%s: %s", async (rule, _what, seeds) => {
  const { faults } = await checkGraph(build({ ...SOUND, ...seeds }));
  expect(faults.map((fault) => fault.rule)).toEqual([rule]);
});

test("every rule has a seeded violation, and says why it is", () => {
  const seeded = new Set(VIOLATIONS.map(([rule]) => rule));
  expect([...seeded].sort()).toEqual(Object.keys(RULES).sort());
  expect(Object.values(RULES)).not.toContain(undefined);
});

test("a circle of folders is told with the files that close it", async () => {
  const [, , seeds] = VIOLATIONS.find(([rule]) => rule === "no-folder-circles") ?? [];
  const [fault] = (await checkGraph(build({ ...SOUND, ...seeds }))).faults;
  expect(fault?.message).toContain(`${LINKS}, ${PIXELS}`);
  expect(fault?.message).toContain(`${PIXELS}/pixels.presenter.ts → ${LINKS}/slug.ts`);
  expect(fault?.message).toContain(`${LINKS}/links.service.ts → ${PIXELS}/colour.ts`);
});

test("the program fails, and names the rule, where there is a fault", () => {
  const sound = runProgram(build(SOUND));
  expect(sound.stderr).toBe("");
  expect(sound.status).toBe(0);

  const faulty = runProgram(build({ ...SOUND, "src/paths.ts": `import "./platform/log.ts";` }));
  expect(faulty.status).toBe(1);
  expect(faulty.stderr).toContain("paths-is-a-leaf (1): src/paths.ts imports nothing of ours");
});

test("a tree of which nothing was read does not pass", async () => {
  await expect(checkGraph(build({ "src/notes.md": "" }))).rejects.toThrow("No module was read");
});
