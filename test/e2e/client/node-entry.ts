/** `node node-entry.js`: reads what the checks need from its input, and prints how they went. */
import { inspect } from "node:util";
import { runChecks } from "./suite.ts";

Object.assign(globalThis, {
  inspect: (value: unknown) => inspect(value, { depth: null, showHidden: true }),
});
let input = "";
for await (const chunk of process.stdin) input += chunk;
console.log(
  JSON.stringify({ version: process.version, outcomes: await runChecks(JSON.parse(input)) }),
);
