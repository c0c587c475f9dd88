import { env } from "cloudflare:workers";
import { JOBS, runJobs } from "../../src/jobs.ts";
import type { Env } from "../../src/platform/config.ts";
import { backgroundWork } from "../../src/platform/context/context.ts";
import { createLog } from "../../src/platform/log.ts";
import worker, { WorkspaceGate as Gate } from "../../src/worker.ts";

export {
  DeliveryLane,
  EventIntake,
  FormPosts,
  PasswordAttempts,
  WorkspaceLedger,
} from "../../src/worker.ts";

// Its table is what is read; faults still show.
console.log = () => {};

/** Rows read and written since the start: of D1, and of the gates' own SQLite. */
const rows = { read: 0, written: 0, gateRead: 0, gateWritten: 0 };

type Ran = { meta: { rows_read: number; rows_written: number } };
interface Sending {
  _sendOrThrow(...given: unknown[]): Promise<Ran | Ran[]>;
}

/** All that D1's binding runs goes through here; `first` and `raw` tell nobody what it cost. */
function countDatabase(prototype: Sending): void {
  const { _sendOrThrow: send } = prototype;
  prototype._sendOrThrow = async function (...given) {
    const ran = await send.apply(this, given);
    for (const { meta } of [ran].flat()) {
      rows.read += meta?.rows_read ?? 0;
      rows.written += meta?.rows_written ?? 0;
    }
    return ran;
  };
}

countDatabase(Object.getPrototypeOf(env.DB.withSession()));

let cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

function noteCursors(prototype: SqlStorage): void {
  const { exec } = prototype;
  prototype.exec = function (this: SqlStorage, ...given: Parameters<typeof exec>) {
    const cursor = exec.apply(this, given);
    cursors.push(cursor);
    return cursor;
  } as typeof exec;
}

function addCursors(): void {
  for (const { rowsRead, rowsWritten } of cursors) {
    rows.gateRead += rowsRead;
    rows.gateWritten += rowsWritten;
  }
  cursors = [];
}

let isNoting = false;

/** The gate, with its rows counted, and a way to fill it. */
export class WorkspaceGate extends Gate {
  constructor(ctx: DurableObjectState, given: Env) {
    if (!isNoting) noteCursors(Object.getPrototypeOf(ctx.storage.sql));
    isNoting = true;
    super(ctx, given);
  }

  /** Claims of the day so far, spread over it, each with an answer of 1 KB. */
  fill(claims: number): void {
    const each = `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ${claims})`;
    const from = Date.now() * 1000;
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec(
        `${each} INSERT INTO idempotency_claims (api_key, idempotency_key, fingerprint, state, lease,
           lease_until, resource_id, answer_end, expires_at)
         SELECT 'a', 'key-' || n, 'f', 'done', 'l', 0, 'r', ${from} + n * 1024,
           ${Date.now() + 3_600_000} + n * 800 FROM each`,
      );
      this.ctx.storage.sql.exec(
        `${each} INSERT INTO kept_answers SELECT ${from} + n * 1024, zeroblob(1024) FROM each
         WHERE n > ${claims} - 60000`,
      );
    });
  }
}

/** A queue's batch that nobody sends again. */
function batchOf(queue: string, bodies: unknown[]): MessageBatch {
  const messages = bodies.map((body) => ({
    id: crypto.randomUUID(),
    timestamp: new Date(),
    attempts: 1,
    body,
    ack() {},
    retry() {
      throw new Error(`${queue} gives a message back.`);
    },
  }));
  return { queue, messages, ackAll() {}, retryAll() {} } as unknown as MessageBatch;
}

async function run(request: Request, given: Env, ctx: ExecutionContext): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, , what, name = ""] = pathname.split("/");
  if (what === "jobs" && request.method === "GET") return Response.json(Object.keys(JOBS));
  if (what === "jobs") {
    const job = JOBS[name];
    if (!job) throw new Error(`There is no job ${name}.`);
    await runJobs(backgroundWork(given, ctx, createLog()), { [name]: job });
  }
  if (what === "queues") {
    await worker.queue(batchOf(name, (await request.json()) as unknown[]), given, ctx);
  }
  if (what === "gate") {
    const gates = given.WORKSPACE_GATE as unknown as DurableObjectNamespace<WorkspaceGate>;
    const { workspace, claims } = (await request.json()) as { workspace: string; claims: number };
    await gates.getByName(workspace).fill(claims);
  }
  addCursors();
  return Response.json(rows);
}

export default {
  fetch: (request, given, ctx) =>
    new URL(request.url).pathname.startsWith("/bench/")
      ? run(request, given, ctx)
      : worker.fetch(request, given, ctx),
  queue: worker.queue,
} satisfies ExportedHandler<Env>;
