import { findEventToFanOut } from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import { newId } from "../platform/ids.ts";
import { now } from "../platform/time.ts";
import { insertDeliveries } from "./fan-out.repository.ts";
import { wakeLanes } from "./lane-wake-up.ts";
import type { TargetKind, TargetPorts } from "./targets.ts";

/**
 * Makes one delivery of an event for each target that wanted it when it happened, and marks the
 * event, in one transaction. Run again it makes none: the event is marked, and event and target
 * are unique together. Of what the workspace may not have told now, nothing is made: it is parked.
 */
export async function fanOut(ctx: Context, ports: TargetPorts, eventId: string): Promise<void> {
  const event = await findEventToFanOut(ctx.db, ctx.workspaceId, eventId);
  if (!event) return;
  const deliveries = await Promise.all(
    (Object.keys(ports) as TargetKind[]).map(async (kind) => {
      const wanting = event.targets
        ? event.targets.filter(([one]) => one === kind).map(([, id]) => id)
        : await ports[kind].findSubscribed(ctx, event);
      const made = wanting.map((id): [string, string] => [newId(), id]);
      return { kind, port: ports[kind], made };
    }),
  );
  await wakeLanes(ctx, await insertDeliveries(ctx, eventId, deliveries, now()));
}
