import { TargetLane } from "./deliveries/delivery-lane.ts";
import type { TargetPorts } from "./deliveries/targets.ts";
import { hookTargets } from "./features/automation-hooks/automation-hooks.ports.ts";
import { leadsToOwnHost } from "./features/biolinks/domains/own-hosts.ts";
import { endpointTargets } from "./features/webhooks/endpoints/endpoints.ports.ts";

/** Everything that events are delivered to. */
export const TARGETS: TargetPorts = { endpoint: endpointTargets, hook: hookTargets };

export class DeliveryLane extends TargetLane {
  protected override readonly ports = TARGETS;
  protected override readonly isOurs = leadsToOwnHost;
}
