/**
 * `npm run browser-files`: makes of `src/features/reference/browser` what the reference's pages
 * load, as constants of a module, so that nothing has to be built to run or deploy the Worker.
 * A test holds the module to its sources.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const FOLDER = join(import.meta.dirname, "../src/features/reference");
export const BROWSER_FILES = join(FOLDER, "browser-files.ts");

const SOURCES = { THEME_SCRIPT: "theme.ts", SCRIPT: "reference.ts", STYLES: "reference.css" };

/** The module as it should be. */
export async function makeBrowserFiles(): Promise<string> {
  const constants = Object.entries(SOURCES).map(async ([name, source]) => {
    const { outputFiles } = await build({
      entryPoints: [join(FOLDER, "browser", source)],
      bundle: true,
      minify: true,
      write: false,
      charset: "utf8",
      format: source === "theme.ts" ? "iife" : "esm",
      target: ["chrome123", "firefox120", "safari17.5"],
    });
    return `export const ${name} = ${JSON.stringify(outputFiles[0]?.text.trim())};\n`;
  });
  const head = "// Made by `npm run browser-files` of what is in browser/: change that.\n";
  return head + (await Promise.all(constants)).join("");
}

if (process.argv[1] === import.meta.filename) {
  await writeFile(BROWSER_FILES, await makeBrowserFiles());
  console.log(`${BROWSER_FILES}: ${(await readFile(BROWSER_FILES)).length} bytes`);
}
