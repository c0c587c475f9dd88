/**
 * `npm run description`: writes the API description that the Worker serves to `dist/openapi.json`,
 * for what is checked or made of it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { readServedDescription } from "./served-description.ts";

const FILE = "dist/openapi.json";

try {
  const description = await readServedDescription();
  mkdirSync("dist", { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(description, null, 2)}\n`);
} catch (error) {
  console.error(`There is no description. ${wordsOf(error)}`);
  // Whatever of a Worker that failed may still be running.
  process.exit(1);
}

/** What an error says, and what led to it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} ${wordsOf(error.cause)}`;
}
