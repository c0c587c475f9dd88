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
