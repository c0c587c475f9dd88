import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../../api/pagination.ts";
import { findTargetMetrics } from "../../../deliveries/target-metrics.ts";
import { presentEndpoint, presentWithMetrics } from "./endpoints.presenter.ts";
import {
  CreateEndpoint,
  EndpointAnswer,
  EndpointParams,
  EndpointSecretAnswer,
  EndpointWithMetrics,
  EndpointWithMetricsAnswer,
  RotateSecret,
  UpdateEndpoint,
} from "./endpoints.schemas.ts";
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointWithSecret,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from "./endpoints.service.ts";
import { assertMaySubscribe, subscriptionsIn } from "./product-permission.ts";
import { ENDPOINT_PATH, ENDPOINTS_PATH } from "./webhook-paths.ts";

const tag = "Webhooks";

const read: Access = {
  feature: "webhooks",
  permission: "webhooks:read",
  idempotencyKey: "unused",
};
const change: Access = { ...read, permission: "webhooks:write", webhookChange: true };

function answerWithSecret({ endpoint, secret }: EndpointWithSecret) {
  return { body: { data: presentEndpoint(endpoint), secret }, revision: endpoint.revision };
}

export function addEndpointRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "get",
      path: ENDPOINTS_PATH,
      operationId: "listEndpoints",
      tag,
      summary: "List webhook endpoints",
      description:
        "Those with a product that the key cannot subscribe to are left out. A workspace has at most 25.",
      access: read,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(EndpointWithMetrics) },
    },
    async (request) => {
      const page = toPageRequest(request.query);
      const rows = await listEndpoints(request.ctx, page);
      const ids = rows.map(({ id }) => id);
      const metricsOf = await findTargetMetrics(request.ctx, ids);
      return { body: toList(rows, page, (row) => presentWithMetrics(row, metricsOf(row.id))) };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: ENDPOINTS_PATH,
      operationId: "createEndpoint",
      tag,
      summary: "Create a webhook endpoint",
      description:
        'It is made paused: switch it on with `PATCH {"enabled": true}`. Its signing secret is shown in this answer only; a lost answer is had again with the same key and body within 24 hours.',
      access: { ...change, idempotencyKey: "required" },
      body: CreateEndpoint,
      success: {
        status: 201,
        description: "The endpoint, paused, and its secret.",
        schema: EndpointSecretAnswer,
        etag: true,
      },
    },
    async (request) => {
      assertMaySubscribe(request.ctx.caller, subscriptionsIn(request.peekBody()));
      return answerWithSecret(await createEndpoint(request.ctx, request.body()));
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: ENDPOINT_PATH,
      operationId: "getEndpoint",
      tag,
      summary: "Read a webhook endpoint",
      description:
        "With how its attempts went in the last day. The signing secret is not answered: see `rotate-secret`.",
      access: read,
      params: EndpointParams,
      success: {
        status: 200,
        description:
          "The endpoint. Its `metrics` go on with no change of the `ETag`, and an old secret expires by itself, so it is never a 304.",
        schema: EndpointWithMetricsAnswer,
        etag: true,
        holdsMore: true,
      },
    },
    async (request) => {
      const endpoint = await getEndpoint(request.ctx, request.params.endpoint);
      const metricsOf = await findTargetMetrics(request.ctx, [endpoint.id]);
      const data = presentWithMetrics(endpoint, metricsOf(endpoint.id));
      return { body: { data }, revision: endpoint.revision };
    },
  );

  clientRoute(
    api,
    {
      method: "patch",
      path: ENDPOINT_PATH,
      operationId: "updateEndpoint",
      tag,
      summary: "Change a webhook endpoint, pause it or switch it on",
      description:
        "`enabled` pauses it, or switches it on. Events that happen while it is paused are not sent to it later.",
      access: change,
      params: EndpointParams,
      body: UpdateEndpoint,
      ifMatch: true,
      success: {
        status: 200,
        description: "The endpoint as it is now.",
        schema: EndpointAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const endpoint = await getEndpoint(ctx, request.params.endpoint);
      assertMaySubscribe(ctx.caller, subscriptionsIn(request.peekBody()));
      const expected = request.expectRevision(endpoint.revision);
      const updated = await updateEndpoint(ctx, endpoint, expected, request.body());
      return { body: { data: presentEndpoint(updated) }, revision: updated.revision };
    },
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: ENDPOINT_PATH,
      operationId: "deleteEndpoint",
      tag,
      summary: "Delete a webhook endpoint",
      description: "Nothing more is sent to it.",
      access: change,
      params: EndpointParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const { ctx } = request;
      const endpoint = await getEndpoint(ctx, request.params.endpoint);
      await deleteEndpoint(ctx, endpoint, request.expectRevision(endpoint.revision));
      return {};
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${ENDPOINT_PATH}/rotate-secret`,
      operationId: "rotateSecret",
      tag,
      summary: "Give a webhook endpoint a new signing secret",
      description:
        "An endpoint that was paused as `secret_unreadable` is switched on again; its old secret, which is lost, then signs nothing beside the new one.",
      access: { ...change, idempotencyKey: "required" },
      params: EndpointParams,
      body: RotateSecret,
      ifMatch: true,
      errors: ["conflict"],
      success: {
        status: 200,
        description: "The endpoint and its new secret.",
        schema: EndpointSecretAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const endpoint = await getEndpoint(ctx, request.params.endpoint);
      const wish = () => {
        const expected = request.expectRevision(endpoint.revision);
        return { expected, immediate: request.body().immediate };
      };
      return answerWithSecret(await rotateSecret(ctx, endpoint, wish));
    },
  );
}
