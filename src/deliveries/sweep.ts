import pMap from "p-map";
import { findDeliveryAllowance } from "../access/usage/usage.ports.ts";
import {
  findWaitingEvents,
  findWaitingWorkspaces,
  type WaitingEvent,
} from "../events/events.ports.ts";
import { announceEvents } from "../events/events.service.ts";
import { type Context, inWorkspace, type PlatformContext } from "../platform/context/context.ts";
import { now } from "../platform/time.ts";
import { fanOutApart } from "./fan-out-turn.ts";
import { findOverdueTargets } from "./lane.repository.ts";
import { wakeLanes } from "./lane-wake-up.ts";
import type { TargetPorts } from "./targets.ts";

const GRACE_MILLISECONDS = 5000;
/** An invocation may ask the database a thousand times; an event that fails takes six. */
const EVENTS_A_SWEEP = 150;
const WORKSPACES_A_SWEEP = 50;
const LANES_A_SWEEP = 500;
const LANES_AT_ONCE = 50;

/**
 * Fans out events whose announcement was lost, and those of workspaces that were paced and may go
 * on. Workspaces take turns; whoever has more waiting than its share announces the rest. An event
 * that cannot be fanned out stops none of the others, but a database that has too much to do ends
 * the sweep: no event is to blame.
 */
export async function fanOutForgotten(ctx: PlatformContext, ports: TargetPorts): Promise<void> {
  const workspaces = await findWaitingWorkspaces(ctx.db, now(), WORKSPACES_A_SWEEP);
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
      if (more && !isFailed) await announceEvents(inWorkspace(ctx, workspaceId), [more]);
    }
  }
}

/** The id of an event that may be announced, if there is more than the share. */
async function takeShare(
  ctx: Context,
  ports: TargetPorts,
  events: WaitingEvent[],
  share: number,
): Promise<string | undefined> {
  if (events.length === 0) return undefined;
  const allowed = await findDeliveryAllowance(ctx.db, ctx.workspaceId, now());
  if (allowed <= 0) return undefined;
  const { taken } = await fanOutApart(ctx, ports, events, allowed);
  return taken === share ? events.at(-1)?.id : events[taken]?.id;
}

/** Wakes the lanes of deliveries that are overdue: their wake-up was lost. */
export async function wakeOverdueLanes(ctx: PlatformContext): Promise<void> {
  const overdue = await findOverdueTargets(ctx.db, now() - GRACE_MILLISECONDS, LANES_A_SWEEP);
  const wake = ({ workspaceId, kind, id }: (typeof overdue)[number]) =>
    wakeLanes(inWorkspace(ctx, workspaceId), [{ kind, id }]);
  await pMap(overdue, wake, { concurrency: LANES_AT_ONCE });
}
