import { env as bindings } from "cloudflare:workers";
import type { Env } from "../../src/platform/config.ts";

/** What D1 says of itself. */
export const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
export const CONNECTION_LOST = "D1_ERROR: Network connection lost.";

/** Whether what is run faults: as if it had not come, or when it is done and its answer is lost. */
type Fault = "undone" | "done" | undefined;

/** A database that faults, at the binding. */
export interface Faulting {
  env: Env;
  /** How often it was asked to run something. */
  asked: number;
  /** Says of a statement's SQL, or of a `batch` with the SQL of its statements, how it faults. */
  faultOf: (what: string, batched: string[]) => Fault;
  /** What an answer waits for, once the database has given it, by the SQL and from where it is read. */
  heldBack: (what: string, from: string) => Promise<unknown> | undefined;
}

const RUNNERS = ["all", "first", "run", "raw"];

/** Bindings whose database refuses all that is run, until it is told otherwise. */
export function faulting(message: string, given: Env = bindings as Env): Faulting {
  const real = new WeakMap<object, D1PreparedStatement>();
  const sqlOf = new WeakMap<object, string>();
  const run = async <T>(
    what: string,
    from: string,
    really: () => Promise<T>,
    batched: string[] = [],
  ): Promise<T> => {
    faulty.asked++;
    const fault = faulty.faultOf(what, batched);
    if (fault === "undone") throw new Error(message);
    const answer = await really();
    await faulty.heldBack(what, from);
    if (fault === "done") throw new Error(message);
    return answer;
  };
  const statement = (
    sql: string,
    prepared: D1PreparedStatement,
    from: string,
  ): D1PreparedStatement => {
    const proxy = new Proxy(prepared, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name === "bind")
          return (...all: unknown[]) => statement(sql, target.bind(...all), from);
        if (!RUNNERS.includes(String(name))) return value.bind(target);
        return (...all: unknown[]) => run(sql, from, () => value.apply(target, all));
      },
    });
    real.set(proxy, prepared);
    sqlOf.set(proxy, sql);
    return proxy;
  };
  const database = <Of extends D1Database | D1DatabaseSession>(at: Of, from: string): Of =>
    new Proxy(at, {
      get(target, name) {
        if (name === "prepare") return (sql: string) => statement(sql, target.prepare(sql), from);
        if (name === "batch") {
          return (all: D1PreparedStatement[]) => {
            const batched = all.map((one) => sqlOf.get(one) ?? "");
            const really = () => target.batch(all.map((one) => real.get(one) ?? one));
            return run("batch", from, really, batched);
          };
        }
        if (name === "withSession" && "withSession" in target) {
          return (wanted: string) => database(target.withSession(wanted), wanted);
        }
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const faulty: Faulting = {
    env: { ...given, DB: database(given.DB, "primary") },
    asked: 0,
    faultOf: () => "undone",
    heldBack: () => undefined,
  };
  return faulty;
}
