import { env } from "cloudflare:workers";
import { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";

/** What the database did for one statement of the Worker's. */
export interface Cost {
  sql: string;
  rowsRead: number;
  rowsWritten: number;
  /** The same for all statements of one batch. */
  roundTrip: object;
}

/** The SQL that the Worker has prepared and nobody has judged yet. */
export const notedStatements = new Set<string>();
/** The functions of the Worker's that have prepared any, as `src/a/b.repository.ts findB`. */
export const notedFunctions = new Set<string>();

const everNoted = new Set<string>();
const listeners = new Set<(cost: Cost) => void>();

/** Tells of each statement of the Worker's that runs, until the returned function is called. */
export function listenToCosts(listener: (cost: Cost) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const V8Error = Error as ErrorConstructor & { stackTraceLimit: number };

/** Who is calling, but for packages and those who ask: a line of a stack for each. */
export function callers(): string[] {
  const { stackTraceLimit } = V8Error;
  V8Error.stackTraceLimit = 100;
  const { stack = "" } = new V8Error("who is calling");
  V8Error.stackTraceLimit = stackTraceLimit;
  return stack
    .split("\n")
    .filter((frame) => !/node_modules|noted-statements|object-plans/.test(frame));
}

export function noteCallers(frames: string[]): void {
  for (const frame of frames) {
    const [, name, file] =
      /at (?:async |get |new )?(?:\w+\.)?(?:get )?(#?\w+)(?:\.next)? (?:\[as \w+\] )?\(.*\/(src\/[^:]+):/.exec(
        frame,
      ) ?? [];
    if (name && file) notedFunctions.add(`${file} ${name}`);
  }
}

/** Tests read and write tables themselves: that has frames of theirs and none of the Worker's. */
function note(sql: string): void {
  const frames = callers();
  const isOfWorker = frames.some((frame) => frame.includes("/src/"));
  if (!isOfWorker && frames.some((frame) => frame.includes("/test/"))) return;
  noteCallers(frames);
  if (everNoted.has(sql)) return;
  everNoted.add(sql);
  notedStatements.add(sql);
}

interface Preparing {
  prepare(sql: string): D1PreparedStatement;
}
type Ran = { meta: { rows_read: number; rows_written: number } };
interface Sending {
  _sendOrThrow(path: string, sql: string | string[], ...rest: unknown[]): Promise<Ran | Ran[]>;
}

function notePrepared(prototype: Preparing): void {
  const { prepare } = prototype;
  prototype.prepare = function (sql) {
    note(sql);
    return prepare.call(this, sql);
  };
}

/** All that D1's binding runs goes through here; `first` and `raw` tell nobody what it cost. */
function noteRun(prototype: Sending): void {
  const { _sendOrThrow: send } = prototype;
  prototype._sendOrThrow = async function (path, sql, ...rest) {
    const ran = await send.call(this, path, sql, ...rest);
    const roundTrip = {};
    for (const [at, one] of [sql].flat().entries()) {
      const meta = [ran].flat()[at]?.meta;
      if (!meta || !everNoted.has(one)) continue;
      const { rows_read: rowsRead, rows_written: rowsWritten } = meta;
      const cost = { sql: one, rowsRead, rowsWritten, roundTrip };
      for (const listener of listeners) listener(cost);
    }
    return ran;
  };
}

/** The query builder prepares later, and then nobody knows whose query it was. */
function noteBuilding(): void {
  const prototype = BaseSQLiteDatabase.prototype as unknown as Record<
    string,
    (...given: unknown[]) => unknown
  >;
  for (const name of ["select", "insert", "update", "delete"]) {
    const build = prototype[name];
    if (!build) throw new Error(`The query builder has no ${name} of its own.`);
    prototype[name] = function (...given) {
      noteCallers(callers());
      return build.apply(this, given);
    };
  }
}

const session = Object.getPrototypeOf(env.DB.withSession());
notePrepared(Object.getPrototypeOf(env.DB));
notePrepared(session);
noteRun(session);
noteBuilding();
