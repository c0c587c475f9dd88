import { env } from "cloudflare:workers";
import type { Env } from "../../src/platform/config.ts";
import worker, { DeliveryLane as Lane, WorkspaceLedger as Ledger } from "../../src/worker.ts";
import {
  type DatabaseWork,
  type StorageWork,
  WORK_PATH,
  type WorkDone,
  type Worker,
} from "../database-work.ts";
import { countStorage } from "./counted-storage.ts";

export * from "../../src/worker.ts";

// What it logs is not looked at; faults still show.
console.log = () => {};

const nothing = (): DatabaseWork => ({
  statements: 0,
  roundTrips: 0,
  rowsRead: 0,
  rowsWritten: 0,
});
const nothingStored = (): StorageWork => ({ rowsRead: 0, rowsWritten: 0, keysWritten: 0 });
const done: WorkDone = {
  requests: nothing(),
  lanes: nothing(),
  others: nothing(),
  laneStorage: nothingStored(),
  ledgerStorage: nothingStored(),
  ledgerCalls: 0,
  clicks: { messages: 0, bytes: 0, operations: 0, batches: 0 },
  saltReads: 0,
};

type Ran = { meta?: { rows_read?: number; rows_written?: number } };
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
    for (const { meta } of [ran].flat()) {
      work.rowsRead += meta?.rows_read ?? 0;
      work.rowsWritten += meta?.rows_written ?? 0;
    }
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
  const known = made[whose].get(given) ?? {
    ...given,
    DB: noting(given.DB, whose),
    CLICKS: countedQueue(given.CLICKS),
    SALTS: countedReads(given.SALTS),
  };
  made[whose].set(given, known);
  return known;
}

/** Messages are billed by 64 KB, with some 100 bytes of the platform's own: written, read, deleted. */
const OPERATION_BYTES = 64_000;
const METADATA_BYTES = 100;
const OPERATIONS = 3;

function countedQueue(queue: Queue): Queue {
  return new Proxy(queue, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name !== "sendBatch") return typeof value === "function" ? value.bind(target) : value;
      return (messages: MessageSendRequest[]) => {
        for (const { body } of messages) {
          const bytes = new TextEncoder().encode(JSON.stringify(body)).length + METADATA_BYTES;
          done.clicks.messages++;
          done.clicks.bytes += bytes;
          done.clicks.operations += OPERATIONS * Math.ceil(bytes / OPERATION_BYTES);
        }
        return target.sendBatch(messages);
      };
    },
  });
}

function countedReads(salts: KVNamespace): KVNamespace {
  return new Proxy(salts, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name === "get") done.saltReads++;
      return value.bind(target);
    },
  });
}

export class DeliveryLane extends Lane {
  constructor(ctx: DurableObjectState, given: Env) {
    countStorage(ctx.storage, done.laneStorage);
    super(ctx, counted(given, "lanes"));
  }
}

export class WorkspaceLedger extends Ledger {
  constructor(ctx: DurableObjectState, given: Env) {
    countStorage(ctx.storage, done.ledgerStorage);
    super(ctx, given);
  }

  override append(...given: Parameters<Ledger["append"]>) {
    done.ledgerCalls++;
    return super.append(...given);
  }

  override alarm() {
    done.ledgerCalls++;
    return super.alarm();
  }
}

export default {
  fetch: (request, given, ctx) =>
    new URL(request.url).pathname === WORK_PATH
      ? Response.json(done)
      : worker.fetch(request, counted(given, "requests"), ctx),
  queue: (batch, given, ctx) => {
    if (batch.queue === "signpost-clicks") done.clicks.batches++;
    return worker.queue(batch, given, ctx);
  },
  scheduled: worker.scheduled,
} satisfies ExportedHandler<Env>;
