import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Graph, Thing, WithContext } from "schema-dts";

const ROOT = join(import.meta.dirname, "../../..");

type LinkedData = Graph | WithContext<Thing>;

/** The linked data that a page tells search engines. */
export function linkedDataIn(html: string): LinkedData {
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
  const written = data.map((one, at) => {
    const isGraph = typeof one === "object" && one !== null && "@graph" in one;
    const type = isGraph ? "Graph" : "WithContext<Thing>";
    return `export const data${at}: ${type} = ${JSON.stringify(one)};\n`;
  });
  const types = 'import type { Graph, Thing, WithContext } from "schema-dts";\n';
  const file = join(folder, "data.ts");
  writeFileSync(file, types + written.join(""));
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
