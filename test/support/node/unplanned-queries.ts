import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { relative } from "node:path";
import type { TestProject } from "vitest/node";

const TEST_FILES = "test/**/*.test.ts";
const NOT_IN_WORKERD = ["test/e2e/**", "test/graph/**", "test/generated-clients/**"];
const QUERY = /\.(?:prepare|select|insert|update|delete)\(/;
/** Of a Durable Object's own SQLite; constructors make its tables. */
const OBJECT_QUERY = /\.exec[(<]|\bfirstNumber\(/;
const METHOD = /^ {2}(?:async )?(?:get )?\*?(#?\w+)(?:<\w+>)?\([^\n]*[\s\S]*?^ {2}}$/gm;

/** The functions that ask the database, as `src/a/b.repository.ts findB`, and methods that ask an object's. */
function askingFunctions(): string[] {
  return globSync("src/**/*.{repository,ports}.ts").flatMap((file) => {
    const source = readFileSync(file, "utf8");
    const functions = source.matchAll(/^(?:export )?(?:async )?function (\w+)[\s\S]*?^}$/gm);
    const methods = [...source.matchAll(METHOD)]
      .filter(([text, name]) => OBJECT_QUERY.test(text) && name !== "constructor")
      .map(([, name]) => `${file.replaceAll("\\", "/")} ${name}`);
    const asking = [...functions]
      .filter(([text]) => QUERY.test(text))
      .map(([, name]) => `${file.replaceAll("\\", "/")} ${name}`);
    return [...asking, ...methods];
  });
}

/**
 * Ends a run of all tests in workerd with a fault when a query of a repository was prepared by
 * none of them: nobody knows how it would be run. Those that were are judged in query-plans.ts.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const files = new Set<string>();
  const prepared = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const told = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    files.add(relative(process.cwd(), told.file));
    for (const name of told.functions) prepared.add(name);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  project.provide("preparedQueriesUrl" as never, `http://127.0.0.1:${port}` as never);
  return () => {
    server.closeAllConnections();
    server.close();
    const all = globSync(TEST_FILES, { exclude: NOT_IN_WORKERD });
    const isWhole = all.every((file) => files.has(file)) && !project.config.testNamePattern;
    const unplanned = isWhole ? askingFunctions().filter((name) => !prepared.has(name)) : [];
    if (unplanned.length === 0) return;
    console.error(`No test runs the queries of:\n${unplanned.join("\n")}`);
    process.exitCode = 1;
  };
}
