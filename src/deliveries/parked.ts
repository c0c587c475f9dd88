import type { Resume } from "../access/workspaces/resumption.ts";
import { listOfferedEventTypes } from "../events/event-registry.ts";
import { now } from "../platform/time.ts";
import { wakeLanes } from "./lane-wake-up.ts";
import { unparkDeliveries } from "./parked.repository.ts";
import type { TargetKind, TargetPorts } from "./targets.ts";

/** Has deliveries go on that were parked while their workspace might not send them. */
export function resumeDeliveries(ports: TargetPorts): Resume {
  return async (ctx, { features, limit }) => {
    const events = listOfferedEventTypes({ features }).map(({ name }) => name);
    const kinds = (Object.keys(ports) as TargetKind[]).filter((kind) =>
      features.includes(ports[kind].feature),
    );
    let resumed = 0;
    for (const kind of kinds) {
      const found = await unparkDeliveries(
        ctx.db,
        ctx.workspaceId,
        { kind, events },
        { limit, now: now() },
      );
      const ids = new Set(found.map(({ id }) => id));
      await wakeLanes(
        ctx,
        [...ids].map((id) => ({ kind, id })),
      );
      resumed += found.length;
    }
    return resumed;
  };
}
