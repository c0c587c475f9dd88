import pMap from "p-map";
import { findDeliveryAllowance } from "../access/usage/delivery-budget.ports.ts";
import {
  findWaitingEvents,
  findWaitingWorkspaces,
  type WaitingEvent,
} from "../events/events.ports.ts";
import { askForFanOut } from "../events/events.service.ts";
import type { Env } from "../platform/config.ts";
import { type Context, inWorkspace, type PlatformContext } from "../platform/context/context.ts";
import { leastIdAt } from "../platform/ids.ts";
import { now } from "../platform/time.ts";
import { fanOutApart } from "./fan-out-turn.ts";
import { wakeLanes } from "./lane-wake-up.ts";
import { findOverdueTargets, type OverdueTargets } from "./sweep.repository.ts";
import type { TargetPorts } from "./targets.ts";

const GRACE_MILLISECONDS = 5000;
/** The jobs of a minute may ask the database a thousand times together; an event that fails takes six. */
const EVENTS_A_SWEEP = 50;
const WORKSPACES_A_SWEEP = 50;
/** Of so many that wait, from any of them on: those that are paced cost one look each. */
const WORKSPACES_LOOKED_AT = 1000;
/** A wake-up is a request to a Durable Object: of those the jobs may make a thousand, too. */
const LANES_A_SWEEP = 200;
/** So many of them are for what is deferred, whatever is overdue. */
const DEFERRING_LANES_A_SWEEP = 50;
const TARGETS_A_SWEEP = 1000;
const LANES_AT_ONCE = 50;

/**
 * Fans out events whose announcement was lost, and those of workspaces that were paced and may go
 * on. Workspaces take turns; whoever has more waiting than its share announces the rest. An event
 * that cannot be fanned out stops none of the others, but a database that has too much to do ends
 * the sweep: no event is to blame.
 */
export async function fanOutForgotten(ctx: PlatformContext, ports: TargetPorts): Promise<void> {
  const workspaces = await findTurns(ctx);
  if (workspaces.length === 0) return;
  const each = Math.ceil(EVENTS_A_SWEEP / workspaces.length);
  const time = now() - GRACE_MILLISECONDS;
  const waiting = await findWaitingEvents(ctx.db, workspaces, time, each);
  for (const isFailed of [false, true]) {
    for (const workspaceId of workspaces) {
      const own = waiting.filter(
        (event) => event.workspaceId === workspaceId && event.failures > 0 === isFailed,
      );
      const more = await takeShare(inWorkspace(ctx, workspaceId), ports, own, each);
      // What failed is tried once a minute.
      if (more && !isFailed) await askForFanOut(inWorkspace(ctx, workspaceId), more);
    }
  }
}

/** Workspaces whose turn it is. When more wait than a sweep takes, chance shares them out. */
async function findTurns({ db }: PlatformContext): Promise<string[]> {
  const find = (after: string) => findWaitingWorkspaces(db, now(), after, WORKSPACES_LOOKED_AT);
  const waiting = await find(anyPlace());
  if (waiting.length < WORKSPACES_LOOKED_AT) waiting.push(...(await find("")));
  const free = waiting.filter(({ isPaced }) => !isPaced).map(({ id }) => id);
  return inAnyOrder([...new Set(free)]).slice(0, WORKSPACES_A_SWEEP);
}

/** The id of an event that may be announced, if there is more than the share. */
async function takeShare(
  ctx: Context,
  ports: TargetPorts,
  events: WaitingEvent[],
  share: number,
): Promise<string | undefined> {
  if (events.length === 0) return undefined;
  const allowance = await findDeliveryAllowance(ctx.db, ctx.workspaceId, now());
  if (allowance.allowed <= 0) return undefined;
  const { taken, told } = await fanOutApart(ctx, ports, events, allowance);
  await wakeLanes(ctx, told);
  return taken === share ? events.at(-1)?.id : events[taken]?.id;
}

/** Where an isolate's last sweep ended, among all targets that have something waiting; at first anywhere. */
const places = new WeakMap<Env, string>();

/**
 * Wakes the lanes of deliveries that are overdue: their wake-up was lost. When they are too many
 * for a sweep, chance shares them out.
 */
export async function wakeOverdueLanes(ctx: PlatformContext): Promise<void> {
  const { env, db } = ctx;
  const time = now() - GRACE_MILLISECONDS;
  const find = (after: string) => findOverdueTargets(db, time, after, TARGETS_A_SWEEP);
  const after = places.get(env) ?? anyPlace();
  const found = await find(after);
  const isAtEnd = found.last === "" && after !== "";
  const { overdue, last } = isAtEnd ? joined(found, await find("")) : found;
  places.set(env, last);
  const wake = ({ workspaceId, kind, id }: (typeof overdue)[number]) =>
    wakeLanes(inWorkspace(ctx, workspaceId), [{ kind, id }]);
  const inTurn = inAnyOrder(overdue);
  // Most of those that only have something deferred have no room for it yet, but some may.
  const deferring = inTurn.filter(({ isDeferring }) => isDeferring);
  const others = inTurn.filter(({ isDeferring }) => !isDeferring);
  const kept = Math.min(deferring.length, DEFERRING_LANES_A_SWEEP);
  const woken = [...others.slice(0, LANES_A_SWEEP - kept), ...deferring].slice(0, LANES_A_SWEEP);
  await pMap(woken, wake, { concurrency: LANES_AT_ONCE });
}

/** What was found up to the end, with what was found from the beginning on: some of it is the same. */
function joined(one: OverdueTargets, next: OverdueTargets): OverdueTargets {
  const known = new Set(one.overdue.map(({ id }) => id));
  const others = next.overdue.filter(({ id }) => !known.has(id));
  return { overdue: [...one.overdue, ...others], last: next.last };
}

const YEAR_MILLISECONDS = 365 * 24 * 60 * 60_000;

/** An id among those of the last year. */
function anyPlace(): string {
  return leastIdAt(now() - Math.random() * YEAR_MILLISECONDS);
}

function inAnyOrder<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
