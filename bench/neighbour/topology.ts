import { benchWorker, type Contestant, signpost, start } from "../contestant.ts";
import { letOthersBefore, pin } from "../processor-time.ts";

const DATABASE_PROCESSOR = 0;
const NEIGHBOUR_PROCESSOR = 1;
const VARS = { ALLOW_PRIVATE_TARGETS: "true" };

export interface Topology {
  /** Who has D1 in it. */
  database: Contestant;
  hostileAt: Contestant;
  neighbourAt: Contestant;
}

/** One process, whose one thread both share. */
export async function startTogether(): Promise<Topology> {
  const all = await start("signpost", signpost(VARS));
  return { database: all, hostileAt: all, neighbourAt: all };
}

/** D1, the neighbour's Signpost and the hostile one's in a process each. */
export async function startApart(timesStatements: boolean): Promise<Topology> {
  const d1 = { d1Databases: { DB: "DB" }, bindings: { TIMES_STATEMENTS: timesStatements } };
  const database = await start("database", benchWorker("database.ts", d1), DATABASE_PROCESSOR);
  const own = signpost(VARS, "bench/workers/signpost-without-database.ts");
  const setup = {
    ...own,
    serviceBindings: {
      DATABASE: { external: { address: `127.0.0.1:${database.port}`, http: {} } },
    },
  };
  const of = (name: string) => ({
    ...setup,
    bindings: { ...(own.bindings as object), WHOSE: name },
  });
  const neighbourAt = await start("neighbour", of("neighbour"), NEIGHBOUR_PROCESSOR);
  const hostileAt = await start("hostile", of("hostile"), "any");
  if (hostileAt.pid !== undefined) letOthersBefore(hostileAt.pid);
  pin(process.pid, NEIGHBOUR_PROCESSOR);
  return { database, hostileAt, neighbourAt };
}
