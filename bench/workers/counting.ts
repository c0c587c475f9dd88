import { env } from "cloudflare:workers";
import type { Env } from "../../src/platform/config.ts";
import worker, { DeliveryLane as Lane } from "../../src/worker.ts";
import { type DatabaseWork, WORK_PATH, type WorkDone, type Worker } from "../database-work.ts";

export * from "../../src/worker.ts";

// What it logs is not looked at; faults still show.
console.log = () => {};

const nothing = (): DatabaseWork => ({ statements: 0, roundTrips: 0, rowsWritten: 0 });
const done: WorkDone = {
  requests: nothing(),
  lanes: nothing(),
  others: nothing(),
  laneStorage: { rowsWritten: 0, keysWritten: 0 },
};

type Ran = { meta?: { rows_written?: number } };
interface Sending {
  _sendOrThrow(endpoint: string, sql: string | string[], ...more: unknown[]): Promise<Ran | Ran[]>;
}

/** Whose call of D1 begins now: its binding sends before it first waits. */
let calling: Worker = "others";

/** All that D1's binding runs goes through here; `first` and `raw` tell their caller no costs. */
function countDatabase(prototype: Sending): void {
  const { _sendOrThrow: send } = prototype;
  prototype._sendOrThrow = async function (endpoint, sql, ...more) {
    const work = done[calling];
    work.roundTrips++;
    work.statements += [sql].flat().length;
    const ran = await send.call(this, endpoint, sql, ...more);
    for (const { meta } of [ran].flat()) work.rowsWritten += meta?.rows_written ?? 0;
    return ran;
  };
}

countDatabase(Object.getPrototypeOf(env.DB.withSession()));

type Call = (...given: unknown[]) => unknown;
const RUNNING = ["all", "first", "raw", "run", "batch", "exec"];
const originals = new WeakMap<object, object>();

/** A database, session or statement, or one made of it, of which each call is noted as `whose`. */
function noting<T extends object>(original: T, whose: Worker): T {
  const proxy = new Proxy(original, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const call = value.bind(target) as Call;
      if (["prepare", "bind", "withSession"].includes(String(name)))
        return (...given: unknown[]) => noting(call(...given) as object, whose);
      if (!RUNNING.includes(String(name))) return call;
      return (...given: unknown[]) => {
        calling = whose;
        try {
          return call(...given.map(unwrapped));
        } finally {
          calling = "others";
        }
      };
    },
  });
  originals.set(proxy, original);
  return proxy;
}

/** The binding takes only statements of its own for a batch. */
function unwrapped(given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  return given.map((one: object) => originals.get(one) ?? one);
}

const made = { requests: new WeakMap<Env, Env>(), lanes: new WeakMap<Env, Env>() };

/** The same for the same: isolates keep things by it. */
function counted(given: Env, whose: "requests" | "lanes"): Env {
  const known = made[whose].get(given) ?? { ...given, DB: noting(given.DB, whose) };
  made[whose].set(given, known);
  return known;
}

export class DeliveryLane extends Lane {
  constructor(ctx: DurableObjectState, given: Env) {
    countStorage(ctx.storage);
    super(ctx, counted(given, "lanes"));
  }
}

/** A write is done with its first step, so that its rows are known when `exec` is back. */
function countStorage(storage: DurableObjectStorage): void {
  const { sql, kv } = storage;
  const exec = sql.exec.bind(sql);
  sql.exec = ((...given: Parameters<typeof exec>) => {
    const cursor = exec(...given);
    done.laneStorage.rowsWritten += cursor.rowsWritten;
    return cursor;
  }) as typeof exec;
  const writers: [object, string][] = [
    [kv, "put"],
    [kv, "delete"],
    [storage, "setAlarm"],
    [storage, "deleteAlarm"],
  ];
  for (const [owner, name] of writers) {
    const call = (Reflect.get(owner, name) as Call).bind(owner);
    const counting = (...given: unknown[]) => {
      done.laneStorage.keysWritten++;
      return call(...given);
    };
    Object.defineProperty(owner, name, { value: counting });
  }
}

export default {
  fetch: (request, given, ctx) =>
    new URL(request.url).pathname === WORK_PATH
      ? Response.json(done)
      : worker.fetch(request, counted(given, "requests"), ctx),
  queue: worker.queue,
  scheduled: worker.scheduled,
} satisfies ExportedHandler<Env>;
