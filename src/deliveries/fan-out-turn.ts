import type { DeliveryAllowance } from "../access/usage/delivery-budget.ports.ts";
import { type NextEvents, parkEvents, type WaitingEvent } from "../events/events.ports.ts";
import { askForFanOut } from "../events/events.service.ts";
import type { Context } from "../platform/context/context.ts";
import { isOverload } from "../platform/overload.ts";
import { now } from "../platform/time.ts";
import { findWaiting } from "./fan-out.repository.ts";
import { type FannedOut, fanOutEvents } from "./fan-out.ts";
import { noteFailure } from "./fan-out-failures.ts";
import { beginTurn, endTurn, type Turn } from "./fan-out-pace.ts";
import { wakeLanes } from "./lane-wake-up.ts";
import type { TargetPorts, TargetRef } from "./targets.ts";

/** So many events of a workspace are looked at in one go. */
const EVENTS_A_LOOK = 200;
/** After so many deliveries, or so long, others' queue messages have their turn. */
export const DELIVERIES_A_TURN = 500;
const TURN_MILLISECONDS = 150;

/**
 * Takes a workspace's turn: fans out some of its events that wait, and asks for another turn if
 * there are more. A workspace that has had its deliveries for now waits for the minute's sweep,
 * which finds it when it may go on. The named event is the one whose message this is.
 */
export async function takeFanOutTurn(
  ctx: Context,
  ports: TargetPorts,
  named: string,
): Promise<void> {
  const turn = beginTurn(ctx.workspaceId, named);
  if (!turn) return;
  let left: string | undefined;
  try {
    left = await takeShare(ctx, ports, turn, named);
    // A message may have come since the turn last saw to that: until its end they leave it to it.
    left ??= turn.asked;
  } finally {
    const pause = endTurn(ctx.workspaceId, turn);
    // Not before its end: a turn under way would take the message for one that it answers itself.
    // With nothing left too: whatever is announced in a rest is passed over.
    if (left || pause > 0) await askForFanOut(ctx, left ?? named, pause);
  }
}

/** Looks for events until there are none or the turn has had its share; one that is left then. */
async function takeShare(
  ctx: Context,
  ports: TargetPorts,
  turn: Turn,
  named: string,
): Promise<string | undefined> {
  for (;;) {
    const before = turn.made;
    turn.asked = undefined;
    const look = await findWaiting(ctx, EVENTS_A_LOOK, now());
    if (look.allowed <= 0) {
      // The sweep takes them, too.
      turn.asked = undefined;
      ctx.log.info("fan_out_paced");
      return undefined;
    }
    // Together: a suspended workspace may have left many.
    if (look.closed.length > 0) await parkEvents(ctx.db, ctx.workspaceId, look.closed);
    const left = (await fanOutInParts(ctx, ports, turn, { ...look, named })) ?? turn.asked;
    if (!left || turn.made === before || isOver(turn)) return left;
  }
}

function isOver({ made, startedAt }: Turn): boolean {
  return made >= DELIVERIES_A_TURN || now() - startedAt >= TURN_MILLISECONDS;
}

interface Look extends NextEvents, DeliveryAllowance {
  named: string;
}

/**
 * One transaction after the other, each followed by as long a pause: half of the database's time is
 * others'. An event that is left, if it may go out now.
 */
async function fanOutInParts(
  ctx: Context,
  ports: TargetPorts,
  turn: Turn,
  { events, more, allowed, free, named }: Look,
): Promise<string | undefined> {
  const told = new Map<string, TargetRef>();
  let taken = 0;
  const room = { allowed, free };
  let fault: unknown;
  try {
    while (taken < events.length && room.allowed > 0) {
      const part = await fanOutApart(ctx, ports, events.slice(taken), room, named);
      taken += part.taken;
      room.allowed -= part.made;
      room.free -= part.made;
      turn.made += part.made;
      for (const target of part.told) told.set(target.id, target);
      fault ??= part.faultOfNamed;
      // With none made, a turn elsewhere is at the same events, and takes what is allowed.
      if (part.made === 0 || isOver(turn)) break;
      const tookMilliseconds = now() - turn.seenAt;
      if (taken < events.length) await scheduler.wait(Math.max(1, tookMilliseconds));
      turn.seenAt = now();
    }
  } finally {
    await wakeLanes(ctx, [...told.values()]);
  }
  // Its message comes again.
  if (fault) throw fault;
  return room.allowed > 0 ? (events[taken]?.id ?? more) : undefined;
}

interface FannedOutApart extends FannedOut {
  faultOfNamed?: unknown;
}

/**
 * Events together; when that fails, one by one, so that one that cannot be stops none of the
 * others. A failure is counted, but of the named one, whose fault is told. No lane is woken.
 */
export async function fanOutApart(
  ctx: Context,
  ports: TargetPorts,
  events: WaitingEvent[],
  allowance: DeliveryAllowance,
  named?: string,
): Promise<FannedOutApart> {
  if (events.length === 0) return { taken: 0, made: 0, told: [] };
  return fanOutEvents(ctx, ports, events, allowance).catch((fault: unknown) => {
    if (isOverload(fault)) throw fault;
    return fanOutEach(ctx, ports, events, allowance, named);
  });
}

async function fanOutEach(
  ctx: Context,
  ports: TargetPorts,
  events: WaitingEvent[],
  allowance: DeliveryAllowance,
  named: string | undefined,
): Promise<FannedOutApart> {
  const all: FannedOutApart = { taken: 0, made: 0, told: [] };
  for (const event of events) {
    if (all.made >= allowance.allowed) break;
    all.taken++;
    const one = { allowed: 1, free: allowance.free - all.made };
    await fanOutEvents(ctx, ports, [event], one).then(
      ({ made, told }) => {
        all.made += made;
        all.told.push(...told);
      },
      async (fault: unknown) => {
        if (isOverload(fault)) throw fault;
        if (event.id === named) all.faultOfNamed = fault;
        else await noteFailure(ctx, event.id, fault);
      },
    );
  }
  return all;
}
