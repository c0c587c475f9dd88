/**
 * `npm run check`: the fast stage, run before a commit; `.ci/run` is the whole. What is quick goes
 * one by one beside the tests. A step's output is shown when it fails.
 */
import { spawn } from "node:child_process";

const besideTheTests = ["lint", "types", "graph", "dead-code", "lockfile"];

async function passes(script: string): Promise<boolean> {
  const start = performance.now();
  const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const isPassed = await new Promise((resolve) =>
    child.once("close", (code) => resolve(code === 0)),
  );
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${isPassed ? "passed" : "FAILED"}: ${script} (${seconds} s)`);
  if (!isPassed) console.log(output);
  return isPassed === true;
}

async function oneByOne(scripts: string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const script of scripts) if (!(await passes(script))) failed.push(script);
  return failed;
}

const lanes = await Promise.all([oneByOne(["test:workers"]), oneByOne(besideTheTests)]);
const failed = lanes.flat();
console.log(failed.length === 0 ? "check: all passed" : `check: FAILED ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
