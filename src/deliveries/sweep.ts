import pMap from "p-map";
import { eventMark, findWaitingEvents } from "../events/events.ports.ts";
import { type Context, inWorkspace, type PlatformContext } from "../platform/context/context.ts";
import { keepDeadLetter } from "../platform/dead-letters/dead-letters.repository.ts";
import { now } from "../platform/time.ts";
import { fanOut } from "./fan-out.ts";
import { findOverdueTargets } from "./lane.repository.ts";
import { wakeLanes } from "./lane-wake-up.ts";
import type { TargetPorts } from "./targets.ts";

const GRACE_MILLISECONDS = 5000;
/** An event that fails when it is older than this is given up. */
const GIVE_UP_MILLISECONDS = 60 * 60_000;
const EVENTS_A_SWEEP = 500;
const LANES_A_SWEEP = 500;
const LANES_AT_ONCE = 50;

/** Fans out events whose announcement was lost. One that cannot be stops none of the others. */
export async function fanOutForgotten(ctx: PlatformContext, ports: TargetPorts): Promise<void> {
  const waiting = await findWaitingEvents(ctx.db, now() - GRACE_MILLISECONDS, EVENTS_A_SWEEP);
  for (const { id, workspaceId, createdAt } of waiting) {
    const work = inWorkspace(ctx, workspaceId);
    await fanOut(work, ports, id).catch(async (fault: unknown) => {
      work.log.error("fan_out_faulted", { record: id, fault });
      if (createdAt < now() - GIVE_UP_MILLISECONDS) await setAside(work, id, fault);
    });
  }
}

async function setAside(ctx: Context, eventId: string, fault: unknown): Promise<void> {
  const { db, workspaceId } = ctx;
  await keepDeadLetter(db, {
    source: "fan_out_forgotten",
    workspaceId,
    body: { event: eventId },
    fault,
    attempts: 60,
  });
  await eventMark(db, eventId, now()).run();
}

/** Wakes the lanes of deliveries that are overdue: their wake-up was lost. */
export async function wakeOverdueLanes(ctx: PlatformContext): Promise<void> {
  const overdue = await findOverdueTargets(ctx.db, now() - GRACE_MILLISECONDS, LANES_A_SWEEP);
  const wake = ({ workspaceId, kind, id }: (typeof overdue)[number]) =>
    wakeLanes(inWorkspace(ctx, workspaceId), [{ kind, id }]);
  await pMap(overdue, wake, { concurrency: LANES_AT_ONCE });
}
