/** The client as it is published, and what is bundled with it for a runtime. */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";

export const PACKAGE = resolve(import.meta.dirname, "../../../packages/client");
const SOURCE = /packages\/client\/src\/(\w+)\.ts$/;

export async function buildPackage(): Promise<void> {
  await promisify(execFile)("tsc", ["-p", PACKAGE]);
}

/** A module with all that it imports; the client in it is the built one. */
export async function bundle(entry: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    plugins: [
      {
        name: "the built client",
        setup({ onResolve }) {
          onResolve({ filter: SOURCE }, ({ path }) => ({
            path: join(PACKAGE, "dist", `${SOURCE.exec(path)?.[1]}.js`),
          }));
        },
      },
    ],
    ...options,
  });
  return outputFiles?.[0]?.text ?? "";
}

/** What a visitor's browser would load of a module: minified, gzipped. */
export async function sizeOf(module: string): Promise<number> {
  const text = await bundle(join(PACKAGE, "dist", module), { minify: true });
  return gzipSync(text, { level: 9 }).length;
}
