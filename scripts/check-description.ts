/**
 * `npm run breaking-changes`: fails when the description in `dist` would break programs that were
 * made for the last release, but for what docs/openapi-accepted-changes.json accepts with a reason.
 * `--release [COMMIT]`, after a deploy to production: what that commit describes is the last release.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { breakingChanges, type Description } from "./breaking-changes.ts";
import { checkOutRelease, RELEASE_FILE, releasedCommit } from "./released-checkout.ts";
import { writeWhole } from "./write-whole.ts";

const RELEASED = "docs/openapi-released.json";
const ACCEPTED = "docs/openapi-accepted-changes.json";
/** What is for people: it may change at any time. */
const WORDS = new Set(["description", "summary", "example", "examples", "info", "servers", "tags"]);

/** `commit` is the one whose description it is. */
type Released = Description & { commit: string };
/** Each reason, and the changes that it accepts of what the commit describes. */
interface Accepted {
  commit: string;
  accepted: { reason: string; changes: string[] }[];
}

function release(given: string): void {
  const commit = execFileSync("git", ["rev-parse", `${given}^{commit}`], { encoding: "utf8" });
  const named = commit.trim();
  const checkout = checkOutRelease(named);
  try {
    const script = join(import.meta.dirname, "description.ts");
    execFileSync(process.execPath, [script], { cwd: checkout.folder, stdio: "inherit" });
    const made = readDescription(join(checkout.folder, "dist/openapi.json"));
    const words = readFileSync(RELEASE_FILE, "utf8").replaceAll(/^(?!#).*\n?/gm, "");
    writeWhole(RELEASED, `${JSON.stringify({ commit: named, ...made }, null, 1)}\n`);
    writeWhole(ACCEPTED, `${JSON.stringify({ commit: named, accepted: [] }, null, 2)}\n`);
    // The last, as the check fails until all three name the same commit.
    writeWhole(RELEASE_FILE, `${words}${named}\n`);
  } finally {
    checkout.remove();
  }
}

function check(): string[] {
  const commit = releasedCommit();
  const older: Released = JSON.parse(readFileSync(RELEASED, "utf8"));
  const { accepted, commit: of }: Accepted = JSON.parse(readFileSync(ACCEPTED, "utf8"));
  if (older.commit !== commit || of !== commit) {
    return [`${RELEASED} or ${ACCEPTED} is not of ${commit}, which ${RELEASE_FILE} names.`];
  }
  const found = breakingChanges(older, readDescription("dist/openapi.json"));
  const known = accepted.flatMap(({ changes }) => changes);
  return [
    ...found.filter((change) => !known.includes(change)),
    ...known
      .filter((change) => !found.includes(change))
      .map((change) => `${ACCEPTED} accepts what is not so: ${change}`),
  ];
}

function readDescription(file: string): Description {
  return withoutWords(JSON.parse(readFileSync(file, "utf8"))) as Description;
}

/** Without what nobody's program depends on; a property or a header may be called as that is. */
function withoutWords(part: unknown, areNames = false): unknown {
  if (Array.isArray(part)) return part.map((inner) => withoutWords(inner));
  if (typeof part !== "object" || part === null) return part;
  const kept = Object.entries(part).filter(
    ([key]) => areNames || !(WORDS.has(key) || key.startsWith("x-")),
  );
  return Object.fromEntries(
    kept.map(([key, inner]) => {
      const holdsNames = !areNames && (key === "properties" || key === "headers");
      return [key, withoutWords(inner, holdsNames)];
    }),
  );
}

const [flag, commit = "HEAD"] = process.argv.slice(2);
if (flag === "--release") release(commit);
else {
  const faults = check();
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error(`${faults.length} faults: programs made for the last release would break.`);
    process.exitCode = 1;
  }
}
