import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Exchange } from "../generated-clients/exchange.ts";
import { checkAnswer } from "../support/node/contract.ts";
import { createResolver } from "../support/node/resolver.ts";
import { type Signpost, startSignpost } from "../support/node/server.ts";

/** Generators, with a package.json of their own: they need TypeScript 5. */
const FOLDER = resolve(import.meta.dirname, "../generated-clients");
const TARGET = "cname.signpost.example";

interface Found {
  exchanges: Exchange[];
  faults: string[];
  neverTaken: Record<string, string[]>;
}

let signpost: Signpost;
let resolver: Server;
let receiver: Server;
let home: string;
let descriptionFile: string;

beforeAll(async () => {
  if (!existsSync(join(FOLDER, "node_modules"))) {
    await run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  }
  resolver = await listen(createResolver({ [TARGET]: { A: ["93.184.215.14"] } }));
  receiver = await listen(
    createServer((request, response) => {
      response.writeHead(request.url === "/failing" ? 500 : 200).end();
    }),
  );
  signpost = await startSignpost({
    vars: {
      DOH_URL: `${originOf(resolver)}/dns-query`,
      CNAME_TARGET: TARGET,
      ALLOW_PRIVATE_TARGETS: "true",
      KEY_RATE_LIMIT: "1000",
      WEBHOOK_CHANGE_RATE_LIMIT: "1000",
    },
  });
  home = await mkdtemp(join(tmpdir(), "signpost-clients-"));
  descriptionFile = join(home, "openapi.json");
  const description = await fetch(`${signpost.origin}/openapi.json`);
  await writeFile(descriptionFile, await description.text());
  await run(process.execPath, "generate.ts", descriptionFile);
});

afterAll(async () => {
  resolver?.close().closeAllConnections();
  receiver?.close().closeAllConnections();
  await signpost?.stop();
  if (home) await rm(home, { recursive: true, force: true });
});

async function listen(server: Server): Promise<Server> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs something in the generators' folder; what it printed. @throws with that, when it fails */
async function run(command: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      cwd: FOLDER,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} failed.\n${stdout}${stderr}`);
  }
}

describe("clients that generators make of the API description", () => {
  test("compile strictly", async () => {
    const compile = (project: string) => run("node_modules/.bin/tsc", "-p", project);
    // What hey-api adds of its own does not stand `exactOptionalPropertyTypes`.
    await Promise.all(["tsconfig.json", "tsconfig.fetch-client.json"].map(compile));
  });

  test("take every answer of the main journey", async () => {
    const stage = {
      origin: signpost.origin,
      adminToken: signpost.adminToken,
      receiver: originOf(receiver),
      resolverZone: `${originOf(resolver)}/zone`,
    };
    const output = await run(
      process.execPath,
      "journeys.ts",
      JSON.stringify(stage),
      descriptionFile,
    );
    const { exchanges, faults, neverTaken }: Found = JSON.parse(output);
    expect(faults).toEqual([]);
    expect(neverTaken).toEqual({ "openapi-typescript": [], "hey-api": [] });
    for (const { method, path, status, headers, answered } of exchanges) {
      const text = answered === undefined ? "" : JSON.stringify(answered);
      const answer = { status, headers: new Headers(headers), text };
      await checkAnswer(signpost.origin, path, method, answer);
    }
    console.log(`${exchanges.length} answers to generated clients`);
  });
});
