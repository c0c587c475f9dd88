import { join } from "node:path";
import type { WorkerSetup } from "./contestant.ts";

const PATH = "/bench/statements";

/**
 * Wraps the database that the Worker and its lanes are given, and the sessions of it: each statement
 * that runs is counted, those of a batch one by one, the plumbing of transactions not.
 */
const COUNTING = `
import worker, * as parts from "./worker.js";
export * from "./worker.js";
const statements = { requests: 0, others: 0 };
const originals = new WeakMap();
const once = (made, key, make) => made.get(key) ?? (made.set(key, make()), made.get(key));
const passOn = (target, name) =>
  typeof target[name] === "function" ? target[name].bind(target) : target[name];
const statement = (original, whose) => {
  const get = (target, name) => {
    if (name === "bind") return (...values) => statement(target.bind(...values), whose);
    if (!["all", "first", "raw", "run"].includes(name)) return passOn(target, name);
    return (...options) => (statements[whose]++, target[name](...options));
  };
  const proxy = new Proxy(original, { get });
  originals.set(proxy, original);
  return proxy;
};
const database = (original, whose) => new Proxy(original, {
  get(target, name) {
    if (name === "prepare") return (sql) => statement(target.prepare(sql), whose);
    if (name === "withSession") return (...given) => database(target.withSession(...given), whose);
    if (name !== "batch") return passOn(target, name);
    return (list) => {
      statements[whose] += list.length;
      return target.batch(list.map((one) => originals.get(one)));
    };
  },
});
const made = { requests: new WeakMap(), others: new WeakMap() };
const counted = (env, whose) =>
  once(made[whose], env, () => ({ ...env, DB: database(env.DB, whose) }));
export class DeliveryLane extends parts.DeliveryLane {
  constructor(ctx, env) { super(ctx, counted(env, "others")); }
}
export default {
  fetch: (request, env, ctx) => new URL(request.url).pathname === "${PATH}"
    ? Response.json(statements) : worker.fetch(request, counted(env, "requests"), ctx),
  queue: (batch, env, ctx) => worker.queue(batch, counted(env, "others"), ctx),
  scheduled: (controller, env, ctx) => worker.scheduled(controller, counted(env, "others"), ctx),
};`;

/** A Worker that counts the statements it sends to D1. */
export function countingStatements(setup: WorkerSetup): WorkerSetup {
  if (!("modules" in setup) || !Array.isArray(setup.modules)) throw new Error("No modules.");
  const entry = join(String(setup.modulesRoot), "counting-statements.js");
  const module = { type: "ESModule" as const, path: entry, contents: COUNTING };
  return { ...setup, modules: [module, ...setup.modules] };
}

/**
 * How many statements a Worker made so by {@link countingStatements} has run: for requests, with
 * what goes on behind their answers, and for all else (queues, jobs, lanes).
 */
export async function statementsOf(port: number): Promise<{ requests: number; others: number }> {
  const answer = await fetch(`http://127.0.0.1:${port}${PATH}`);
  return (await answer.json()) as { requests: number; others: number };
}
