import { waitUntil } from "cloudflare:workers";
import type { Api } from "./api/api.ts";
import { longestOverdue } from "./deliveries/sweep.repository.ts";
import { type OldestWaiting, oldestWaitingEvent } from "./events/events.ports.ts";
import type { Env } from "./platform/config.ts";
import { sharedDatabase } from "./platform/db/client.ts";
import { NEWEST_MIGRATION, newestMigration } from "./platform/db/migrations.ts";
import { inTime } from "./platform/in-time.ts";
import type { Log } from "./platform/log.ts";
import { now } from "./platform/time.ts";
import { findSettingProblems } from "./settings.ts";

export const READINESS_PATH = "/readyz";

/** However many ask, an isolate asks the database and a gate once in this time. */
const BELIEVED_MILLISECONDS = 10_000;
/** What has not answered by then does not answer. */
const PATIENCE_MILLISECONDS = 5000;
/** While one request asks, others look so often whether it knows. */
const LOOK_MILLISECONDS = 100;
/** So many workspaces and targets that have something waiting are looked at each time. */
const LOOKED_AT = 200;
/** No workspace's id. */
const NO_WORKSPACE = "readyz";

interface Problem {
  /** `database`, `migrations`, `gate`, or a setting. */
  part: string;
  problem: string;
}

interface Delays {
  oldest_waiting_event_seconds: number | null;
  longest_overdue_delivery_seconds: number | null;
}

interface Readiness extends Partial<Delays> {
  status: "ready" | "not_ready";
  problems?: Problem[];
}

/** What an isolate knows, and behind which workspace and target it looks next. */
interface Known {
  answer: Readiness | undefined;
  asOf: number;
  /** When the request that asks began to; 0: none does. */
  askingSince: number;
  events: string;
  deliveries: string;
}

const known = new WeakMap<Env, Known>();

/**
 * Whether what a request needs answers: the settings are right, D1 has all migrations, a gate is
 * there. Tells how long events and deliveries have waited, which is no problem by itself: a receiver
 * that is down has its deliveries wait.
 */
export function addReadinessRoute(api: Api): void {
  api.get(READINESS_PATH, async (c) => {
    const { status, ...more } = await readinessOf(c.env, c.get("log"));
    const { BUILD_ID: build } = c.env as Env & { BUILD_ID?: string };
    return c.json({ status, build, ...more }, status === "ready" ? 200 : 503);
  });
}

async function readinessOf(env: Env, log: Log): Promise<Readiness> {
  const held = known.get(env) ?? {
    answer: undefined,
    asOf: 0,
    askingSince: 0,
    events: "",
    deliveries: "",
  };
  known.set(env, held);
  for (;;) {
    if (held.answer && isWithin(BELIEVED_MILLISECONDS, held.asOf)) return held.answer;
    // A request that was cut off ends nothing.
    if (!isWithin(PATIENCE_MILLISECONDS + LOOK_MILLISECONDS, held.askingSince)) break;
    await scheduler.wait(LOOK_MILLISECONDS);
  }
  held.askingSince = now();
  const asked = ask(env, held, log).finally(() => {
    held.askingSince = 0;
  });
  // It outlives who asked and went away: others may be waiting for it.
  waitUntil(asked.catch(() => undefined));
  return asked;
}

async function ask(env: Env, held: Known, log: Log): Promise<Readiness> {
  const [database, gate] = await Promise.all([askDatabase(env, held, log), askGate(env, log)]);
  const settings = findSettingProblems(env).map(({ setting, problem }) => ({
    part: setting,
    problem,
  }));
  const problems = [...settings, ...database.problems, ...gate];
  held.asOf = now();
  held.answer =
    problems.length === 0
      ? { status: "ready", ...database.delays }
      : { status: "not_ready", problems, ...database.delays };
  return held.answer;
}

function isWithin(milliseconds: number, since: number): boolean {
  const age = now() - since;
  return age >= 0 && age < milliseconds;
}

async function askDatabase(
  env: Env,
  held: Known,
  log: Log,
): Promise<{ problems: Problem[]; delays?: Delays }> {
  const time = now();
  const ask = async () => {
    const db = sharedDatabase(env);
    return db.$client.batch<Partial<OldestWaiting>>([
      newestMigration(db),
      oldestWaitingEvent(db, time, held.events, LOOKED_AT),
      longestOverdue(db, time, held.deliveries, LOOKED_AT),
    ]);
  };
  const answers = await answerOf(ask, "database", log);
  if (answers === "missing") return { problems: [await missing(env, log)] };
  if (!answers) return { problems: [{ part: "database", problem: "D1 does not answer." }] };
  const [migrated, events, deliveries] = answers.map(({ results }) => results[0]);
  held.events = events?.last ?? "";
  held.deliveries = deliveries?.last ?? "";
  const delays = {
    oldest_waiting_event_seconds: secondsSince(events?.oldest, time),
    longest_overdue_delivery_seconds: secondsSince(deliveries?.oldest, time),
  };
  return { problems: migrated ? [] : [notMigrated()], delays };
}

/** A table, column or index is missing: it is not there yet, or not any more. */
async function missing(env: Env, log: Log): Promise<Problem> {
  const ask = async () => newestMigration(sharedDatabase(env)).first();
  const migrated = await answerOf(ask, "migrations", log);
  if (!migrated || migrated === "missing") return notMigrated();
  const problem = "D1 was changed by a newer version of Signpost than this one: deploy that.";
  return { part: "migrations", problem };
}

function notMigrated(): Problem {
  const problem = `D1 has not had ${NEWEST_MIGRATION}: \`npm run deploy\` applies it.`;
  return { part: "migrations", problem };
}

function secondsSince(then: number | null | undefined, time: number): number | null {
  return then === null || then === undefined ? null : Math.max(Math.round((time - then) / 1000), 0);
}

async function askGate(env: Env, log: Log): Promise<Problem[]> {
  const ask = async () => env.WORKSPACE_GATE.getByName(NO_WORKSPACE).ping();
  if ((await answerOf(ask, "gate", log)) === true) return [];
  return [{ part: "gate", problem: "Durable Objects do not answer." }];
}

/**
 * Undefined: it does not answer, or is not bound at all; `missing`: the database has not a table,
 * column or index of this build. What it says is for the log only.
 */
async function answerOf<Answer>(
  ask: () => Promise<Answer>,
  part: string,
  log: Log,
): Promise<Answer | "missing" | undefined> {
  try {
    return await inTime(ask(), PATIENCE_MILLISECONDS);
  } catch (fault) {
    log.error("not_ready", { part, fault });
    return /no such (?:table|column|index)/.test(String(fault)) ? "missing" : undefined;
  }
}
