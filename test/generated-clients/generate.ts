/**
 * Makes three clients of an API description: types, a client that calls fetch, and validators.
 * `node generate.ts DESCRIPTION_FILE`; they are put into `generated`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypes, { astToString } from "openapi-typescript";
import { generate } from "orval";

const description = resolve(process.argv[2] ?? "");
const generated = join(import.meta.dirname, "generated");
rmSync(generated, { recursive: true, force: true });
mkdirSync(generated);

const types = await openapiTypes(JSON.parse(readFileSync(description, "utf8")));
writeFileSync(join(generated, "types.ts"), astToString(types));

await createClient({
  input: description,
  logs: { level: "warn" },
  output: { path: join(generated, "fetch-client"), module: { extension: ".ts" } },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
});

await generate({
  input: description,
  output: {
    target: join(generated, "validators.ts"),
    client: "zod",
    mode: "single",
    override: {
      // An answer with a field that is not described is refused, and so is a request.
      zod: { strict: { response: true, body: true, query: true }, generateEachHttpStatus: true },
      // Made strict, orval closes objects with `additionalProperties` as well.
      operations: { getHookSample: { zod: { strict: { response: false } } } },
    },
  },
});
