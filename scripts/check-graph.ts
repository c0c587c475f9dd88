/**
 * `npm run graph`: who imports whom, and whose SQL speaks of what, against the rules of the
 * house. `--root DIR` checks another tree that has a `src`.
 */
import { resolve } from "node:path";
import { dirname } from "node:path/posix";
import { parseArgs } from "node:util";
import type { Statement, VariableDeclarator } from "@swc/core";
import { Visitor } from "@swc/core/Visitor.js";
import { cruise, type ICruiseResult, type IModule } from "dependency-cruiser";
import { checkSql, SQL_RULES } from "./check-sql.ts";
import { type FolderCircle, folderCircles, type Import } from "./folder-circles.ts";
import { graphRules, LEAF } from "./graph-rules.ts";
import { readTree } from "./syntax-tree.ts";

export interface Fault {
  rule: string;
  message: string;
}

const NO_FOLDER_CIRCLES = "no-folder-circles";
const NO_IMPORTS_INSIDE_TYPES = "no-imports-inside-types";
/** Every rule by its name, and why it is. */
export const RULES: Record<string, string | undefined> = {
  ...Object.fromEntries(graphRules.map(({ name, comment }) => [name, comment])),
  ...SQL_RULES,
  [NO_IMPORTS_INSIDE_TYPES]:
    "The graph does not see `import(...)` inside a type: a type is imported by a statement.",
  [NO_FOLDER_CIRCLES]: "Folders that import each other are one folder in two places.",
};

export async function checkGraph(root: string): Promise<{ faults: Fault[]; fileCount: number }> {
  const { modules, summary } = await cruiseSources(root);
  const own = modules.filter(({ source }) => source.startsWith("src/"));
  if (own.length === 0)
    throw new Error("No module was read: is there a src, and is swc installed?");

  const imports = own.flatMap(importsOf);
  const files = own.map(({ source }) => source).filter((file) => file.endsWith(".ts"));
  const faults = [
    ...summary.violations.map(({ rule, from, to, cycle }) => {
      const path = cycle ? cycle.map(({ name }) => name).join(" → ") : to;
      return { rule: rule.name, message: `${from} → ${path}` };
    }),
    ...folderCircles(imports).map((circle) => ({
      rule: NO_FOLDER_CIRCLES,
      message: describeCircle(circle),
    })),
    ...files.flatMap((file) => importsInsideTypes(root, file)),
    ...checkSql(root, files).map(({ rule, file, line, message }) => ({
      rule,
      message: `${file}:${line} ${message}`,
    })),
  ];
  return { faults, fileCount: files.length };
}

// swc's visitor throws at `using`, which swc itself reads.
const visitStatement = Visitor.prototype.visitStatement;
Visitor.prototype.visitStatement = function (this: Visitor, statement: Statement) {
  if (!("decls" in statement)) return visitStatement.call(this, statement);
  this.visitVariableDeclarators(statement.decls as VariableDeclarator[]);
  return statement;
};

/** swc reads the files: dependency-cruiser knows TypeScript's own parser up to version 6 only. */
async function cruiseSources(root: string): Promise<ICruiseResult> {
  const { output } = await cruise(
    ["src"],
    {
      baseDir: root,
      parser: "swc",
      tsPreCompilationDeps: true,
      doNotFollow: { path: "node_modules" },
      validate: true,
      ruleSet: { forbidden: graphRules },
    },
    { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] },
  );
  if (typeof output === "string") throw new Error("dependency-cruiser answered with text.");
  return output;
}

function importsOf({ source, dependencies }: IModule): Import[] {
  return dependencies
    .filter(({ resolved }) => resolved.startsWith("src/") && resolved !== LEAF)
    .map(({ resolved }) => ({ from: source, to: resolved }));
}

function importsInsideTypes(root: string, file: string): Fault[] {
  const { nodes, lineOf } = readTree(root, file);
  return nodes
    .filter(({ type }) => type === "TsImportType")
    .map((node) => ({ rule: NO_IMPORTS_INSIDE_TYPES, message: `${file}:${lineOf(node)}` }));
}

function describeCircle({ folders, imports }: FolderCircle): string {
  const pairOf = ({ from, to }: Import) => [dirname(from), dirname(to)].sort().join(" and ");
  const pairs = [...Map.groupBy(imports, pairOf)].sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = pairs.flatMap(([pair, ofPair]) => [
    `    ${pair}`,
    ...ofPair.map(({ from, to }) => `      ${from} → ${to}`).sort(),
  ]);
  return [folders.join(", "), ...lines].join("\n");
}

function report(faults: Fault[]): void {
  for (const [rule, ofRule] of Map.groupBy(faults, (fault) => fault.rule)) {
    console.error(`${rule} (${ofRule.length}): ${RULES[rule]}`);
    for (const { message } of ofRule) console.error(`  ${message}`);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { root: { type: "string", default: "." } } });
  const { faults, fileCount } = await checkGraph(resolve(values.root));
  report(faults);
  console.log(`${fileCount} files, ${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}
