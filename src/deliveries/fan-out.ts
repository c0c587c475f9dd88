import { findEventToFanOut, type WaitingEvent } from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import { newId } from "../platform/ids.ts";
import { now } from "../platform/time.ts";
import { insertDeliveries } from "./fan-out.repository.ts";
import { wakeLanes } from "./lane-wake-up.ts";
import type { TargetKind, TargetPorts, TargetRef } from "./targets.ts";

/** So many deliveries are made in one transaction, and those of the event that reaches it. */
const DELIVERIES_AT_ONCE = 500;

/** Fans out one event, unless somebody has. */
export async function fanOut(ctx: Context, ports: TargetPorts, eventId: string): Promise<void> {
  const event = await findEventToFanOut(ctx.db, ctx.workspaceId, eventId);
  if (event) await fanOutEvents(ctx, ports, [event], 1);
}

/**
 * Makes one delivery of each event for each target that wants it, and marks the events, in one
 * transaction. Run again it makes none: the events are marked, and event and target are unique
 * together. It stops behind the event that makes `allowed` deliveries full, or as many as are made
 * at once; tells how many events it took, and how many deliveries it made of them.
 */
export async function fanOutEvents(
  ctx: Context,
  ports: TargetPorts,
  events: WaitingEvent[],
  allowed: number,
): Promise<{ taken: number; made: number }> {
  const most = Math.min(allowed, DELIVERIES_AT_ONCE);
  const targetsOf = subscriptions(ctx, ports);
  const rows: Record<TargetKind, [string, string, string][]> = { endpoint: [], hook: [] };
  const told = new Map<string, TargetRef>();
  const taken: string[] = [];
  let made = 0;
  for (const event of events) {
    if (taken.length > 0 && made >= most) break;
    taken.push(event.id);
    for (const { kind, id } of await targetsOf(event)) {
      rows[kind].push([newId(), id, event.id]);
      told.set(id, { kind, id });
      made++;
    }
  }
  const kinds = Object.keys(ports) as TargetKind[];
  const deliveries = kinds.map((kind) => ({ kind, port: ports[kind], made: rows[kind] }));
  await insertDeliveries(ctx, taken, deliveries, now());
  await wakeLanes(ctx, [...told.values()]);
  return { taken: taken.length, made };
}

/** The targets of events; those of one type and channel are looked up once. */
function subscriptions(ctx: Context, ports: TargetPorts) {
  const known = new Map<string, Promise<TargetRef[]>>();
  const find = async (event: WaitingEvent) => {
    const found = (Object.keys(ports) as TargetKind[]).map(async (kind) => {
      const ids = await ports[kind].findSubscribed(ctx, event);
      return ids.map((id) => ({ kind, id }));
    });
    return (await Promise.all(found)).flat();
  };
  return (event: WaitingEvent): Promise<TargetRef[]> => {
    const name = `${event.type} ${event.channel}`;
    const targets = known.get(name) ?? find(event);
    known.set(name, targets);
    return targets;
  };
}
