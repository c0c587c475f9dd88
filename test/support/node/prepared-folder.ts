import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FOLDER_VARIABLE } from "./prepared.ts";

/** A folder of a run for what several of its test files start from, made by the first that asks. */
export default function setup(): (() => void) | undefined {
  // Each of several projects asks for one.
  if (process.env[FOLDER_VARIABLE]) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "signpost-prepared-"));
  process.env[FOLDER_VARIABLE] = folder;
  // Some two thousand short processes of Node are started: with it they take half the time.
  process.env.NODE_COMPILE_CACHE = join(folder, "compiled");
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
