import { signpost, type WorkerSetup } from "./contestant.ts";
import { WORK_PATH, type WorkDone } from "./database-work.ts";

/** Signpost that counts what it and its lanes ask of D1, and what the lanes store themselves. */
export function countingSignpost(vars: Record<string, string> = {}): WorkerSetup {
  return signpost(vars, "bench/workers/counting.ts");
}

/** What a Worker of {@link countingSignpost} has done until now. */
export async function workOf(port: number): Promise<WorkDone> {
  return (await (await fetch(`http://127.0.0.1:${port}${WORK_PATH}`)).json()) as WorkDone;
}

/** How many statements it has run for requests, with what goes on behind their answers. */
export async function requestStatements(port: number): Promise<number> {
  return (await workOf(port)).requests.statements;
}

/** What was done from one time to another. */
export function difference(last: WorkDone, first: WorkDone): WorkDone {
  return combined(last, first, (one, two) => one - two);
}

/** Of several Workers together: each counts what is done in it. */
export function together(all: WorkDone[]): WorkDone {
  return all.reduce((sum, work) => combined(sum, work, (one, two) => one + two));
}

type Numbers = { [name: string]: number | Numbers };

/** The numbers of two of the same shape, put together one by one. */
function combined(one: WorkDone, two: WorkDone, by: (one: number, two: number) => number) {
  const eachOf = (of: Numbers, other: Numbers): Numbers => {
    const entries = Object.entries(of).map(([name, value]) => {
      const beside = other[name] ?? 0;
      const isLeaf = typeof value === "number" || typeof beside === "number";
      return [name, isLeaf ? by(Number(value), Number(beside)) : eachOf(value, beside)];
    });
    return Object.fromEntries(entries);
  };
  return eachOf(one as unknown as Numbers, two as unknown as Numbers) as unknown as WorkDone;
}
