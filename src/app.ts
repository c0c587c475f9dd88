import { addKeyRoutes } from "./access/keys/keys.operator.routes.ts";
import { limitAddresses } from "./access/limits/address-limits.ts";
import { addDeadLetterRoutes } from "./access/operator/dead-letters.operator.routes.ts";
import { hideUnlessConfigured } from "./access/operator/operator-route.ts";
import { addOverviewRoute } from "./access/usage/overview.operator.routes.ts";
import { addUsageRoute } from "./access/usage/usage.operator.routes.ts";
import { addMemberRoutes } from "./access/workspaces/members.operator.routes.ts";
import { addWorkspaceDeletionRoutes } from "./access/workspaces/workspace-deletion.operator.routes.ts";
import { addWorkspaceRoutes } from "./access/workspaces/workspaces.operator.routes.ts";
import { refuseOtherMethods } from "./api/allowed-methods.ts";
import { createApi } from "./api/api.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { registerEventTypes } from "./events/event-registry.ts";
import { addEventRoutes } from "./events/events.operator.routes.ts";
import { addWorkspaceHookRoutes } from "./features/automation-hooks/automation-hooks.operator.routes.ts";
import { addAutomationRoutes } from "./features/automation-hooks/automation-hooks.routes.ts";
import { addressDirectory } from "./features/biolinks/addresses/address-directory.repository.ts";
import { addAnalyticsRoutes } from "./features/biolinks/analytics/analytics.routes.ts";
import { countClicksByMonth } from "./features/biolinks/analytics/clicks.service.ts";
import { addCollectionRoutes } from "./features/biolinks/catalogue/collections.routes.ts";
import { isFeedPath } from "./features/biolinks/catalogue/feeds/feed-address.ts";
import { serveFeed } from "./features/biolinks/catalogue/feeds/feed-answer.ts";
import { addProductFeedRoutes } from "./features/biolinks/catalogue/feeds/product-feed.routes.ts";
import { addProductImportRoutes } from "./features/biolinks/catalogue/feeds/product-imports.routes.ts";
import { addProductRoutes } from "./features/biolinks/catalogue/products.routes.ts";
import { findProductNames } from "./features/biolinks/catalogue/shown-products.ts";
import { addDomainRoutes } from "./features/biolinks/domains/domains.routes.ts";
import { isFileAssetPath, serveFileAsset } from "./features/biolinks/files/file-assets.ts";
import { addFileSwitchRoute } from "./features/biolinks/files/files.operator.routes.ts";
import { addFileRoutes } from "./features/biolinks/files/files.routes.ts";
import { addLinkSwitchRoute } from "./features/biolinks/links/links.operator.routes.ts";
import { addLinkRoutes } from "./features/biolinks/links/links.routes.ts";
import { circleProblem } from "./features/biolinks/links/redirect-circle.ts";
import { addPageBlockRoutes } from "./features/biolinks/pages/page-blocks.routes.ts";
import { addPageCatalogueRoutes } from "./features/biolinks/pages/page-catalogue.routes.ts";
import { isPreviewPath, servePreview } from "./features/biolinks/pages/page-preview-answer.ts";
import { redrawAfterEvents, redrawSoon } from "./features/biolinks/pages/page-product-changes.ts";
import { isScriptPath, serveScript } from "./features/biolinks/pages/page-scripts.ts";
import { addPageVersionRoutes } from "./features/biolinks/pages/page-versions.routes.ts";
import { addPageSwitchRoute } from "./features/biolinks/pages/pages.operator.routes.ts";
import { findBlockNames } from "./features/biolinks/pages/pages.ports.ts";
import { addPageRoutes } from "./features/biolinks/pages/pages.routes.ts";
import { isSitePath, serveSiteFile } from "./features/biolinks/pages/sitemap.ts";
import { addPixelRoutes } from "./features/biolinks/pixels/pixels.routes.ts";
import { isQrAssetPath, serveQrAsset } from "./features/biolinks/qr-codes/qr-assets.ts";
import { addQrCodeRoutes } from "./features/biolinks/qr-codes/qr-codes.routes.ts";
import { addReportRoutes } from "./features/biolinks/reports/reports.operator.routes.ts";
import { openReportCount } from "./features/biolinks/reports/reports.ports.ts";
import { isFormPath, serveForm } from "./features/biolinks/submissions/form-request.ts";
import { addSubmissionRoutes } from "./features/biolinks/submissions/submission-inbox.routes.ts";
import { addReferenceRoutes, describeSecurity } from "./features/reference/reference.routes.ts";
import { addContactRoutes } from "./features/salesbot/contacts/contacts.routes.ts";
import { addErasureRoutes } from "./features/salesbot/erasure/erasure.routes.ts";
import { addLabelRoutes } from "./features/salesbot/labels/labels.routes.ts";
import { addInboundMessageRoute } from "./features/salesbot/messages/messages.operator.routes.ts";
import { addMessageRoutes } from "./features/salesbot/messages/messages.routes.ts";
import { addSegmentRoutes } from "./features/salesbot/segments/segments.routes.ts";
import { addDeliveryRoutes } from "./features/webhooks/delivery-history/deliveries.routes.ts";
import { addEndpointRoutes } from "./features/webhooks/endpoints/endpoints.routes.ts";
import { addEventTypeRoutes } from "./features/webhooks/endpoints/event-types.routes.ts";
import { FILE_USERS } from "./file-users.ts";
import { addHealthRoute, mayBePlatformHost, refuseWithoutPlatformHost } from "./health.ts";
import { LABEL_USERS } from "./label-users.ts";
import { API_PATH, LLMS_PATH } from "./paths.ts";
import { PIXEL_USERS } from "./pixel-users.ts";
import type { Env } from "./platform/config.ts";
import { isPlatformHost } from "./platform/platform-host.ts";
import { addressOf } from "./platform/request-address.ts";
import { addReadinessRoute } from "./readiness.ts";
import { forgetAll } from "./visitor/addresses/address-book.ts";
import { visit, visitAgain, visitOrOwn } from "./visitor/visit.ts";

registerEventTypes(EVENT_TYPES);

const api = createApi();
refuseWithoutPlatformHost(api);
describeSecurity(api);
// Before the limit by address: a monitor asks often, and what the Worker holds itself costs nothing.
addHealthRoute(api);
addReferenceRoutes(api);
// All else counts, then is looked for, then asks who is calling.
limitAddresses(api);
addReadinessRoute(api);
hideUnlessConfigured(api);
refuseOtherMethods(api);
addLinkRoutes(api, redrawSoon);
addDomainRoutes(api, circleProblem);
addPageRoutes(api);
addPageBlockRoutes(api);
addPageVersionRoutes(api);
addPageCatalogueRoutes(api);
addProductRoutes(api, redrawSoon);
addCollectionRoutes(api, redrawSoon);
addProductImportRoutes(api);
addProductFeedRoutes(api);
addPixelRoutes(api, PIXEL_USERS);
addQrCodeRoutes(api);
addFileRoutes(api, FILE_USERS);
addSubmissionRoutes(api);
addAnalyticsRoutes(api, { block: findBlockNames, product: findProductNames });
addContactRoutes(api);
addErasureRoutes(api);
addLabelRoutes(api, LABEL_USERS);
addSegmentRoutes(api);
addMessageRoutes(api);
addEventTypeRoutes(api);
addEndpointRoutes(api);
addDeliveryRoutes(api);
addAutomationRoutes(api);
addWorkspaceRoutes(api, (workspaceId) => forgetAll({ workspaceId }));
addWorkspaceDeletionRoutes(api, (workspaceId) => forgetAll({ workspaceId }));
addUsageRoute(api, countClicksByMonth);
addOverviewRoute(api, openReportCount);
addMemberRoutes(api);
addKeyRoutes(api);
addWorkspaceHookRoutes(api);
addLinkSwitchRoute(api);
addFileSwitchRoute(api);
addPageSwitchRoute(api);
addReportRoutes(api);
addEventRoutes(api, redrawAfterEvents);
addInboundMessageRoute(api);
addDeadLetterRoutes(api);

/** Says by host and path whether a request is the API's or a visitor's. */
export function serveRequest(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Response | Promise<Response> {
  const again = visitAgain(request, env, ctx);
  if (again) return again;
  const url = addressOf(request.url);
  if (API_PATH.test(url.pathname) && mayBePlatformHost(env, url)) {
    return api.fetch(request, env, ctx);
  }
  if (LLMS_PATH.test(url.pathname) && isPlatformHost(env, url)) {
    const own = async () => api.fetch(request, env, ctx);
    return visitOrOwn(addressDirectory, request, env, ctx, url, own);
  }
  if (isQrAssetPath(url.pathname)) return serveQrAsset(request, env, url);
  if (isFileAssetPath(url.pathname)) return serveFileAsset(request, env, url);
  if (isScriptPath(url.pathname)) return serveScript(request, url.pathname);
  if (isSitePath(url.pathname)) return serveSiteFile(addressDirectory, request, env, url);
  if (isFeedPath(url.pathname)) return serveFeed(request, env, ctx, url);
  if (isPreviewPath(url.pathname)) return servePreview(request, env, ctx, url);
  if (isFormPath(url.pathname)) return serveForm(addressDirectory, request, env, ctx, url);
  return visit(addressDirectory, request, env, ctx, url);
}
