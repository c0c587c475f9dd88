/** The runtimes that the client is for. Each runs the checks in its own way. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { launchChromium } from "../../support/node/browser.ts";
import { bundle } from "./build.ts";
import type { Outcome, Stage } from "./suite.ts";

const NODE_20 = join(import.meta.dirname, "node-20");

export interface Ran {
  version: string;
  outcomes: Outcome[];
}

export const RUNTIMES: Record<string, (stage: Stage) => Promise<Ran>> = {
  "Node 20": (stage) => runNode(node20(), stage),
  "Node 24": (stage) => runNode(process.execPath, stage),
  workerd: runWorkerd,
  Chromium: runChromium,
};

/** Node 20's program, installed at the first use. */
function node20(): string {
  const program = join(NODE_20, "node_modules/node/bin/node");
  if (!existsSync(program)) {
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: NODE_20 });
  }
  return program;
}

async function runNode(program: string, stage: Stage): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), "signpost-client-"));
  try {
    const entry = join(import.meta.dirname, "node-entry.ts");
    const file = join(folder, "checks.mjs");
    await writeFile(file, await bundle(entry, { platform: "node" }));
    const child = spawn(program, [file], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(JSON.stringify(stage));
    let output = "";
    for await (const chunk of child.stdout) output += chunk;
    return JSON.parse(output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runWorkerd(stage: Stage): Promise<Ran> {
  const script = await bundle(join(import.meta.dirname, "workerd-entry.ts"));
  const options = { modules: true, script, compatibilityDate: "2026-11-01" };
  const runtime = new Miniflare(convertV4MiniflareOptions(options));
  try {
    const init = { method: "POST", body: JSON.stringify(stage) };
    const answer = await runtime.dispatchFetch("http://client.example/", init);
    return { version: "workerd", outcomes: (await answer.json()) as Outcome[] };
  } finally {
    await runtime.dispose();
  }
}

async function runChromium(stage: Stage): Promise<Ran> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`${stage.origin}/`);
    await page.addScriptTag({
      type: "module",
      content: await bundle(join(import.meta.dirname, "browser-entry.ts")),
    });
    await page.waitForFunction("globalThis.runChecks");
    const outcomes: Outcome[] = await page.evaluate(`runChecks(${JSON.stringify(stage)})`);
    return { version: browser.version(), outcomes };
  } finally {
    await browser.close();
  }
}
