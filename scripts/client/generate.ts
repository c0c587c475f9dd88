/**
 * `npm run client`: makes what is in packages/client/src/generated from the API description.
 * With `--check` nothing is written: it fails where that is not what is there. `--from FILE` takes
 * a description that lies there instead of the Worker's own.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { clientOperations } from "../../src/features/reference/client-operations.ts";
import { readServedDescription } from "../served-description.ts";
import { assertCallable } from "./assert-callable.ts";
import type { Description } from "./description.ts";
import { emitClient } from "./emit-client.ts";
import { emitEvents, emitTypes } from "./emit-types.ts";

const FOLDER = resolve(import.meta.dirname, "../../packages/client/src/generated");
const { values } = parseArgs({
  options: { check: { type: "boolean", default: false }, from: { type: "string" } },
});

const description = values.from
  ? (JSON.parse(readFileSync(values.from, "utf8")) as Description)
  : ((await readServedDescription()) as Description);
const operations = clientOperations(description);
assertCallable(operations);
const made = {
  "types.ts": emitTypes(description),
  "events.ts": emitEvents(description),
  "client.ts": emitClient(
    description,
    operations.filter(({ isOperators }) => !isOperators),
    {
      name: "Signpost",
      credential: "apiKey",
      says: "A workspace's key, `osk_…`; null where something between adds it, as for a browser.",
    },
  ),
  "operator.ts": emitClient(
    description,
    operations.filter(({ isOperators }) => isOperators),
    { name: "SignpostOperator", credential: "adminToken", says: "The operator's `ADMIN_TOKEN`." },
  ),
};

const stale = Object.entries(made).filter(([name, text]) => {
  const file = join(FOLDER, name);
  const formatted = execFileSync("biome", ["format", `--stdin-file-path=${file}`], {
    input: text,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const isCurrent = existsSync(file) && readFileSync(file, "utf8") === formatted;
  if (!isCurrent && !values.check) writeFileSync(file, formatted);
  return !isCurrent;
});

console.log(`${operations.length} operations, ${stale.length} files changed`);
if (values.check && stale.length > 0) {
  const names = stale.map(([name]) => name).join(", ");
  console.error(`The client is not what the description says (${names}): run npm run client.`);
  process.exitCode = 1;
}
