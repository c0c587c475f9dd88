import pMap from "p-map";
import { countFailure, eventEnd, findWaitingEvents } from "../events/events.ports.ts";
import type { Env } from "../platform/config.ts";
import { type Context, inWorkspace, type PlatformContext } from "../platform/context/context.ts";
import { deadLetterInsert } from "../platform/dead-letters/dead-letters.repository.ts";
import { leastIdAt } from "../platform/ids.ts";
import { isOverload } from "../platform/overload.ts";
import { now } from "../platform/time.ts";
import { fanOut } from "./fan-out.ts";
import { findOverdueTargets } from "./lane.repository.ts";
import { wakeLanes } from "./lane-wake-up.ts";
import type { TargetPorts } from "./targets.ts";

const GRACE_MILLISECONDS = 5000;
/** An event that failed in so many sweeps, a minute apart, will not go out by another. */
const GIVE_UP_FAILURES = 60;
/** An invocation may ask the database a thousand times; an event takes four. */
const EVENTS_A_SWEEP = 150;
const SOURCE = "fan_out_forgotten";
/** A wake-up is a request to a Durable Object, and an invocation may make a thousand. */
const LANES_A_SWEEP = 500;
const SHARE = { targets: 1000, deliveries: 500 };
const LANES_AT_ONCE = 50;

/**
 * Fans out events whose announcement was lost. One that cannot be stops none of the others, but a
 * database that has too much to do ends the sweep: no event is to blame.
 */
export async function fanOutForgotten(ctx: PlatformContext, ports: TargetPorts): Promise<void> {
  const waiting = await findWaitingEvents(ctx.db, now() - GRACE_MILLISECONDS, EVENTS_A_SWEEP);
  for (const { id, workspaceId } of waiting) {
    const work = inWorkspace(ctx, workspaceId);
    await fanOut(work, ports, id).catch((fault: unknown) => {
      if (isOverload(fault)) throw fault;
      return noteFailure(work, id, fault);
    });
  }
}

/** Counts the failure of an event, and sets it aside when it has failed too often. */
async function noteFailure(ctx: Context, event: string, fault: unknown): Promise<void> {
  const { db, log, workspaceId } = ctx;
  log.error("fan_out_faulted", { record: event, fault });
  try {
    const attempts = await countFailure(db, workspaceId, event);
    if (attempts < GIVE_UP_FAILURES) return;
    const letter = { source: SOURCE, workspaceId, body: { event }, fault, attempts };
    await db.batch([deadLetterInsert(db, letter), eventEnd(db, workspaceId, event, now())]);
  } catch (lost) {
    log.error("failure_not_counted", { record: event, fault: lost });
  }
}

const YEAR_MILLISECONDS = 365 * 24 * 60 * 60_000;

/** Where an isolate's last sweep ended, among all targets that have something waiting; at first anywhere. */
const places = new WeakMap<Env, string>();

/**
 * Wakes the lanes of deliveries that are overdue: their wake-up was lost. When they are too many
 * for a sweep, chance shares them out.
 */
export async function wakeOverdueLanes(ctx: PlatformContext): Promise<void> {
  const { env, db } = ctx;
  const after = places.get(env) ?? leastIdAt(now() - Math.random() * YEAR_MILLISECONDS);
  const { overdue, last } = await findOverdueTargets(db, now() - GRACE_MILLISECONDS, after, SHARE);
  places.set(env, last);
  const wake = ({ workspaceId, kind, id }: (typeof overdue)[number]) =>
    wakeLanes(inWorkspace(ctx, workspaceId), [{ kind, id }]);
  const woken = inAnyOrder(overdue).slice(0, LANES_A_SWEEP);
  await pMap(woken, wake, { concurrency: LANES_AT_ONCE });
}

function inAnyOrder<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
