import { findDeliveryAllowance } from "../access/usage/usage.ports.ts";
import { findNextEvents, type WaitingEvent } from "../events/events.ports.ts";
import { askForFanOut } from "../events/events.service.ts";
import type { Context } from "../platform/context/context.ts";
import { isOverload } from "../platform/overload.ts";
import { now } from "../platform/time.ts";
import { letOthersIn } from "../platform/turns.ts";
import { type FannedOut, fanOut, fanOutEvents } from "./fan-out.ts";
import { noteFailure } from "./fan-out-failures.ts";
import { wakeLanes } from "./lane-wake-up.ts";
import type { TargetPorts } from "./targets.ts";

/** So many events of a workspace are taken at a time; then others' queue messages have their turn. */
const EVENTS_A_TURN = 250;
/** And so many deliveries made of them. */
const DELIVERIES_A_TURN = 250;
/** A workspace whose turn leaves some waits so long for the next, or the database would be its own. */
export const REST_SECONDS = 1;
/** Which workspaces rest, as far as this isolate knows, until when. */
const resting = new Map<string, number>();
const MOST_RESTING = 1000;

/**
 * Takes a workspace's turn: fans out some of its events that wait, the named one among them, and
 * asks for another turn if there are more. A workspace that has had its deliveries for now waits
 * for the minute's sweep, which finds it when it may go on.
 */
export async function takeFanOutTurn(
  ctx: Context,
  ports: TargetPorts,
  named: string,
): Promise<void> {
  const { db, workspaceId } = ctx;
  // The message that ends the rest is on its way; if it is lost, the minute's sweep goes on.
  if ((resting.get(workspaceId) ?? 0) > now()) return;
  const allowed = await findDeliveryAllowance(db, workspaceId, now());
  if (allowed <= 0) return ctx.log.info("fan_out_paced");
  const waiting = await findNextEvents(db, workspaceId, EVENTS_A_TURN + 1);
  const turn = waiting.slice(0, EVENTS_A_TURN);
  const { taken, made, faultOfNamed } = await fanOutInParts(ctx, ports, turn, allowed, named);
  // Its message comes again.
  if (faultOfNamed) throw faultOfNamed;
  // It failed before, or waits far behind.
  if (!waiting.some(({ id }) => id === named)) await fanOut(ctx, ports, named);
  const next = waiting[taken];
  if (next && made < allowed) {
    if (resting.size >= MOST_RESTING) resting.clear();
    // The message comes after the rest is over, never before.
    resting.set(workspaceId, now() + REST_SECONDS * 900);
    await askForFanOut(ctx, next.id, REST_SECONDS);
  }
}

/** One transaction after the other, between which others have their turn. */
async function fanOutInParts(
  ctx: Context,
  ports: TargetPorts,
  events: WaitingEvent[],
  allowed: number,
  named: string,
): Promise<FannedOutApart> {
  const most = Math.min(allowed, DELIVERIES_A_TURN);
  const all: FannedOutApart = { taken: 0, made: 0, told: [] };
  while (all.taken < events.length && all.made < most) {
    if (all.taken > 0) await letOthersIn();
    const left = events.slice(all.taken);
    const part = await fanOutApart(ctx, ports, left, most - all.made, named);
    all.taken += part.taken;
    all.made += part.made;
    all.told.push(...part.told);
    all.faultOfNamed ??= part.faultOfNamed;
    // Another turn is at the same events, and takes what is allowed.
    if (part.made === 0) break;
  }
  await wakeLanes(ctx, [...new Map(all.told.map((target) => [target.id, target])).values()]);
  return all;
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
  allowed: number,
  named?: string,
): Promise<FannedOutApart> {
  if (events.length === 0) return { taken: 0, made: 0, told: [] };
  return fanOutEvents(ctx, ports, events, allowed).catch((fault: unknown) => {
    if (isOverload(fault)) throw fault;
    return fanOutEach(ctx, ports, events, allowed, named);
  });
}

async function fanOutEach(
  ctx: Context,
  ports: TargetPorts,
  events: WaitingEvent[],
  allowed: number,
  named: string | undefined,
): Promise<FannedOutApart> {
  const all: FannedOutApart = { taken: 0, made: 0, told: [] };
  for (const event of events) {
    if (all.made >= allowed) break;
    all.taken++;
    await fanOutEvents(ctx, ports, [event], 1).then(
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
