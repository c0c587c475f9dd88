import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");

/** The linked data that a page tells search engines. */
export function linkedDataIn(html: string): unknown {
  const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1];
  if (data === undefined) throw new Error("The page has no linked data.");
  return JSON.parse(data);
}

/**
 * What the compiler says of linked data as a value of schema.org's types: classes and properties
 * that are none, and values that a property does not take. Empty: nothing.
 */
export async function linkedDataFaults(data: unknown[]): Promise<string> {
  // Within the project, so that its packages are found.
  const folder = mkdtempSync(join(ROOT, "node_modules/.linked-data-"));
  const lines = data.map((one) => {
    const isGraph = typeof one === "object" && one !== null && "@graph" in one;
    return `export const _${data.indexOf(one)}: ${isGraph ? "Graph" : "WithContext<Thing>"} = ${JSON.stringify(one)};`;
  });
  const file = join(folder, "data.ts");
  const imports = 'import type { Graph, Thing, WithContext } from "schema-dts";';
  writeFileSync(file, `${imports}\n${lines.join("\n")}\n`);
  try {
    return await new Promise((told) => {
      const tsc = join(ROOT, "node_modules/.bin/tsc");
      const options = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig", file];
      execFile(tsc, options, { cwd: folder }, (_fault, output) => told(output));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
