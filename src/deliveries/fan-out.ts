import type { DeliveryAllowance } from "../access/usage/delivery-budget.ports.ts";
import type { WaitingEvent } from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import { newId } from "../platform/ids.ts";
import { now } from "../platform/time.ts";
import { insertDeliveries } from "./fan-out.repository.ts";
import type { TargetKind, TargetPorts, TargetRef } from "./targets.ts";

/**
 * So many deliveries are made in one transaction, and those of the event that reaches it: the
 * database does one at a time, and others' requests come in between.
 */
const DELIVERIES_AT_ONCE = 100;

/** What became of some events. */
export interface FannedOut {
  /** How many of them were taken, from the first on. */
  taken: number;
  /** How many deliveries were made of those. */
  made: number;
  /** Whose lanes are to be woken. */
  told: TargetRef[];
}

/**
 * Makes one delivery of each event for each target that wanted it when it happened, and marks the
 * events, in one transaction. Run again it makes none, since the events are marked. Of what the workspace may not have told now, nothing is made: it is parked.
 * It stops behind the event that makes `allowed` deliveries full, or as many as are made at once.
 */
export async function fanOutEvents(
  ctx: Context,
  ports: TargetPorts,
  events: WaitingEvent[],
  { allowed, free }: DeliveryAllowance,
): Promise<FannedOut> {
  const most = Math.min(allowed, DELIVERIES_AT_ONCE);
  const targetsOf = subscriptions(ctx, ports);
  const rows: Record<TargetKind, [string, string, string][]> = { endpoint: [], hook: [] };
  const taken: string[] = [];
  let planned = 0;
  for (const event of events) {
    if (taken.length > 0 && planned >= most) break;
    taken.push(event.id);
    for (const { kind, id } of await targetsOf(event)) {
      rows[kind].push([newId(), id, event.id]);
      planned++;
    }
  }
  const kinds = Object.keys(ports) as TargetKind[];
  const deliveries = kinds.map((kind) => ({ kind, port: ports[kind], made: rows[kind] }));
  const made = await insertDeliveries(ctx, taken, deliveries, { free, time: now() });
  const told = new Map<string, TargetRef>();
  for (const { kind, id, isPending } of made) if (isPending) told.set(id, { kind, id });
  return { taken: taken.length, made: made.length, told: [...told.values()] };
}

/**
 * The targets of events: those that wanted it when it was written. Of what older code wrote, those
 * that want it now; they are looked up once for each type and channel.
 */
function subscriptions(ctx: Context, ports: TargetPorts) {
  const known = new Map<string, Promise<TargetRef[]>>();
  const find = async (event: WaitingEvent) => {
    const found = (Object.keys(ports) as TargetKind[]).map(async (kind) => {
      const ids = await ports[kind].findSubscribed(ctx, event);
      return ids.map((id) => ({ kind, id }));
    });
    return (await Promise.all(found)).flat();
  };
  return async (event: WaitingEvent): Promise<TargetRef[]> => {
    if (event.targets) return event.targets.flatMap((one) => readTarget(one, ports));
    const name = `${event.type} ${event.channel}`;
    const targets = known.get(name) ?? find(event);
    known.set(name, targets);
    return targets;
  };
}

/** None when only a later version knows its kind. */
function readTarget([kind, id]: [string, string], ports: TargetPorts): TargetRef[] {
  return kind in ports ? [{ kind: kind as TargetKind, id }] : [];
}
