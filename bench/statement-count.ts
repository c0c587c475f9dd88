import { join } from "node:path";
import type { WorkerSetup } from "./contestant.ts";

const PATH = "/bench/statements";

/**
 * Wraps the database that the Worker and its lanes are given: each statement that runs is counted,
 * those of a batch one by one, the plumbing of transactions not.
 */
const COUNTING = `
import worker, * as parts from "./worker.js";
export * from "./worker.js";
let statements = 0;
const originals = new WeakMap();
const counting = new WeakMap();
const once = (key, make) => counting.get(key) ?? (counting.set(key, make()), counting.get(key));
const passOn = (target, name) =>
  typeof target[name] === "function" ? target[name].bind(target) : target[name];
const statement = (original) => {
  const get = (target, name) => {
    if (name === "bind") return (...values) => statement(target.bind(...values));
    if (!["all", "first", "raw", "run"].includes(name)) return passOn(target, name);
    return (...options) => (statements++, target[name](...options));
  };
  const proxy = new Proxy(original, { get });
  originals.set(proxy, original);
  return proxy;
};
const database = (original) => once(original, () => new Proxy(original, {
  get(target, name) {
    if (name === "prepare") return (sql) => statement(target.prepare(sql));
    if (name !== "batch") return passOn(target, name);
    return (list) => {
      statements += list.length;
      return target.batch(list.map((one) => originals.get(one)));
    };
  },
}));
const counted = (env) => once(env, () => ({ ...env, DB: database(env.DB) }));
export class DeliveryLane extends parts.DeliveryLane {
  constructor(ctx, env) { super(ctx, counted(env)); }
}
export default {
  fetch: (request, env, ctx) => new URL(request.url).pathname === "${PATH}"
    ? Response.json({ statements }) : worker.fetch(request, counted(env), ctx),
  queue: (batch, env, ctx) => worker.queue(batch, counted(env), ctx),
  scheduled: (controller, env, ctx) => worker.scheduled(controller, counted(env), ctx),
};`;

/** A Worker that counts the statements it sends to D1. */
export function countingStatements(setup: WorkerSetup): WorkerSetup {
  if (!("modules" in setup) || !Array.isArray(setup.modules)) throw new Error("No modules.");
  const entry = join(String(setup.modulesRoot), "counting-statements.js");
  const module = { type: "ESModule" as const, path: entry, contents: COUNTING };
  return { ...setup, modules: [module, ...setup.modules] };
}

/** How many statements a Worker made so by {@link countingStatements} has run. */
export async function statementsOf(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${PATH}`);
  return ((await answer.json()) as { statements: number }).statements;
}
