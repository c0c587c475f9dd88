import type { Env } from "./env.ts";
import { addAdminRoutes } from "./features/admin/admin.routes.ts";
import { addAutomationRoutes } from "./features/automation-hooks/automation-hooks.routes.ts";
import { addContactRoutes } from "./features/contacts/contacts.routes.ts";
import { addDomainRoutes } from "./features/domains/domains.routes.ts";
import { addLabelRoutes } from "./features/labels/labels.routes.ts";
import { addLinkRoutes } from "./features/links/links.routes.ts";
import { visit } from "./features/links/redirect/redirect.ts";
import { addMessageRoutes } from "./features/messages/messages.routes.ts";
import { addReferenceRoutes, describeSecurity } from "./features/reference/reference.routes.ts";
import { addSegmentRoutes } from "./features/segments/segments.routes.ts";
import { addCatalogueRoutes } from "./features/webhooks/catalogue.routes.ts";
import { addDeliveryRoutes } from "./features/webhooks/deliveries/deliveries.routes.ts";
import { addEndpointRoutes } from "./features/webhooks/endpoints/endpoints.routes.ts";
import { createApi } from "./http/api.ts";
import { isPlatformHost } from "./http/platform.ts";
import { addressOf } from "./http/request-address.ts";

const api = createApi();
describeSecurity(api);
addLinkRoutes(api);
addDomainRoutes(api);
addContactRoutes(api);
addLabelRoutes(api);
addSegmentRoutes(api);
addMessageRoutes(api);
addCatalogueRoutes(api);
addEndpointRoutes(api);
addDeliveryRoutes(api);
addAutomationRoutes(api);
addAdminRoutes(api);
addReferenceRoutes(api);
api.get("/healthz", (c) => c.json({ status: "ok" }));

/** First path segments that the API has on the platform host; all else there is a visitor's. */
const API_PATH = /^\/(?:api|automation|admin|docs|openapi\.json|healthz)(?:\/|$)/;

/** Says by host and path whether a request is the API's or a visitor's. */
export function serveRequest(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Response | Promise<Response> {
  const url = addressOf(request.url);
  if (API_PATH.test(url.pathname) && isPlatformHost(env, url)) return api.fetch(request, env, ctx);
  return visit(request, env, ctx, url);
}
