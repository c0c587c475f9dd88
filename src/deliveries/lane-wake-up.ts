import { z } from "zod";
import type { Context } from "../platform/context/context.ts";
import { mapInTurns } from "../platform/turns.ts";
import type { TargetRef } from "./targets.ts";

/** A call of a lane: look at what is due. It says whose lane it is, for the lane to remember. */
export interface LaneWakeUp {
  v: 1;
  workspace: string;
  target: TargetRef;
}

const Current = z.object({
  v: z.literal(1),
  workspace: z.uuid(),
  target: z.object({ kind: z.enum(["endpoint", "hook"]), id: z.uuid() }),
});

/**
 * Reads a call, or what a lane remembers of one. Until 2026-11-21 it was a bare id, and the lane
 * was named by it: such a lane hands over to the one of today. Undefined for anything else.
 */
export function readLaneWakeUp(given: unknown): LaneWakeUp | { targetId: string } | undefined {
  const current = Current.safeParse(given);
  if (current.success) return current.data;
  return typeof given === "string" ? { targetId: given } : undefined;
}

/** The name of a target's lane: its Durable Object. */
export function laneName(workspaceId: string, { kind, id }: TargetRef): string {
  return `${workspaceId}/${kind}/${id}`;
}

/** So many lanes start at once: each asks the database, where others' requests come in between, */
const LANES_AT_ONCE = 4;
/** for as long as these take about. */
const REST_MILLISECONDS = 4;

/** Wakes the lanes of targets. A wake-up that is lost costs a minute: the sweep finds what is due. */
export function wakeLanes(ctx: Context, targets: TargetRef[]): Promise<void> {
  return callLanes(ctx, targets, (lane, wakeUp) => lane.wake(wakeUp));
}

/**
 * Tells the lanes of targets, after the change is written, that these were changed or are gone: no
 * attempt begins any more with what they were. If this is lost, a lane finds out within a second.
 */
export function tellLanes(ctx: Context, targets: TargetRef[]): Promise<void> {
  return callLanes(ctx, targets, (lane, wakeUp) => lane.targetChanged(wakeUp));
}

async function callLanes(
  { env, log, workspaceId }: Context,
  targets: TargetRef[],
  call: (
    lane: ReturnType<Context["env"]["DELIVERY_LANE"]["getByName"]>,
    wakeUp: LaneWakeUp,
  ) => Promise<void>,
): Promise<void> {
  const tell = (target: TargetRef) => {
    const lane = env.DELIVERY_LANE.getByName(laneName(workspaceId, target));
    return call(lane, { v: 1, workspace: workspaceId, target }).catch((fault: unknown) =>
      log.error("wake_up_lost", { target: target.id, fault }),
    );
  };
  const calls = await mapInTurns(targets, LANES_AT_ONCE, tell, REST_MILLISECONDS);
  await Promise.all(calls);
}
