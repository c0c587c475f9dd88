import type { Api } from "../../http/api.ts";
import { addEventRoute } from "./events.routes.ts";
import { addInboundMessageRoute } from "./inbound-messages.routes.ts";
import { addKeyRoutes } from "./keys.routes.ts";
import { addLinkSwitchRoute } from "./link-switch.routes.ts";
import { addMemberRoutes } from "./members.routes.ts";
import { addWorkspaceRoutes } from "./workspaces.routes.ts";

/** The operator's API. */
export function addAdminRoutes(api: Api): void {
  addWorkspaceRoutes(api);
  addMemberRoutes(api);
  addKeyRoutes(api);
  addLinkSwitchRoute(api);
  addEventRoute(api);
  addInboundMessageRoute(api);
}
