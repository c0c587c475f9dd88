import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { callers, noteCallers } from "./noted-statements.ts";
import { EXCEPTIONS_OF_OBJECTS, faultsOf } from "./plan-rules.ts";
import { UNIQUE_INDEXES } from "./query-plan.ts";

// A set-up file: what query-plans.ts is for the database, for the SQLite of Durable Objects. A plan
// is asked for in the object itself, with what the statement is given, as it is first run.

type Execute = (sql: string, ...given: unknown[]) => SqlStorageCursor<never>;
interface Executing {
  exec: Execute;
}

const planned = new Set<string>();
const faults: string[] = [];

function judge(storage: Executing, execute: Execute, sql: string, given: unknown[]): void {
  const frames = callers();
  // Tests look into objects themselves.
  if (!frames.some((frame) => frame.includes("/src/"))) return;
  planned.add(sql);
  noteCallers(frames);
  const ask = <Row>(statement: string, ...values: unknown[]) =>
    execute.call(storage, statement, ...values).toArray() as Row[];
  const unique = new Map(
    ask<{ name: string; columns: number }>(UNIQUE_INDEXES).map((one) => [one.name, one.columns]),
  );
  const steps = ask<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...given);
  const found = faultsOf(
    sql,
    steps.map(({ detail }) => detail),
    unique,
    EXCEPTIONS_OF_OBJECTS,
  );
  for (const fault of found) faults.push(`${fault}\n  ${sql}`);
}

const QUERY = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;

const { WORKSPACE_GATE } = env as unknown as { WORKSPACE_GATE: DurableObjectNamespace };
const prototype = await runInDurableObject(
  WORKSPACE_GATE.get(WORKSPACE_GATE.idFromName("whose SQLite is like any other's")),
  (_, { storage }) => Object.getPrototypeOf(storage.sql) as Executing,
);
const { exec } = prototype;
prototype.exec = function (sql, ...given) {
  if (!planned.has(sql) && QUERY.test(sql)) judge(this, exec, sql, given);
  return exec.call(this, sql, ...given);
};

afterAll(() => {
  prototype.exec = exec;
  expect(faults.join("\n")).toBe("");
});
