/**
 * `npm run breaking-changes`: fails when the description in `dist` would break programs that were
 * made for the last release. `--release` makes it the last release.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { breakingChanges, type Description } from "./breaking-changes.ts";

const RELEASED = "docs/openapi-released.json";
/** What is for people: it may change at any time. */
const WORDS = new Set(["description", "summary", "example", "examples", "info", "servers", "tags"]);

const newer: Description = JSON.parse(readFileSync("dist/openapi.json", "utf8"));

if (process.argv.includes("--release")) {
  writeFileSync(RELEASED, `${JSON.stringify(withoutWords(newer), null, 1)}\n`);
} else {
  const older: Description = JSON.parse(readFileSync(RELEASED, "utf8"));
  const changes = breakingChanges(older, newer);
  for (const change of changes) console.error(change);
  if (changes.length > 0) {
    console.error(`${changes.length} changes break programs that were made for the last release.`);
    process.exitCode = 1;
  }
}

/** Without what nobody's program depends on; a property may be called as that is. */
function withoutWords(part: unknown, areNames = false): unknown {
  if (Array.isArray(part)) return part.map((inner) => withoutWords(inner));
  if (typeof part !== "object" || part === null) return part;
  const kept = Object.entries(part).filter(
    ([key]) => areNames || !(WORDS.has(key) || key.startsWith("x-") || key === "headers"),
  );
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, withoutWords(inner, !areNames && key === "properties")]),
  );
}
