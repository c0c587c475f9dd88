import { z } from "@hono/zod-openapi";
import type { Access } from "../../../gate/admission.ts";
import { type ClientCall, clientRoute } from "../../../gate/client-route.ts";
import type { Api } from "../../../http/api.ts";
import type { ApiRequest } from "../../../http/route.ts";
import { newId } from "../../../lib/ids.ts";
import {
  CreateEndpoint,
  Endpoint,
  EndpointAnswer,
  EndpointParams,
  EndpointSecretAnswer,
  RotateSecret,
  UpdateEndpoint,
} from "./endpoints.schemas.ts";
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointScope,
  findRotation,
  getEndpoint,
  listEndpoints,
  presentEndpoint,
  rotateSecret,
  updateEndpoint,
} from "./endpoints.service.ts";

export const WEBHOOKS_PATH = "/api/v1/workspace-webhooks";
export const ENDPOINTS_PATH = `${WEBHOOKS_PATH}/endpoints`;
export const ENDPOINT_PATH = `${ENDPOINTS_PATH}/{endpoint}`;
const tag = "Webhooks";

const read: Access = {
  feature: "webhooks",
  permission: "webhooks:read",
  idempotencyKey: "unused",
};
const change: Access = { ...read, permission: "webhooks:write", webhookChange: true };

export function endpointScope(
  request: Pick<ApiRequest<unknown, unknown, unknown>, "env" | "db">,
  { caller }: ClientCall,
): EndpointScope {
  return { env: request.env, db: request.db, caller };
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
        "Newest first, all of them: at most 25. Those with a product that the key cannot subscribe to are left out.",
      access: read,
      success: {
        status: 200,
        description: "The endpoints.",
        schema: z.object({ data: z.array(Endpoint), next_cursor: z.null() }),
      },
    },
    async (request, call) => {
      const rows = await listEndpoints(endpointScope(request, call));
      return { status: 200, body: { data: rows.map(presentEndpoint), next_cursor: null } };
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
    async (request, call) => {
      const identity = {
        id: call.claim?.resourceId ?? newId(),
        resumed: call.claim?.resumed ?? false,
      };
      const made = await createEndpoint(endpointScope(request, call), identity, request.body());
      const body = { data: presentEndpoint(made.endpoint), secret: made.secret };
      return { status: 201, body, revision: made.endpoint.revision };
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
      access: read,
      params: EndpointParams,
      success: { status: 200, description: "The endpoint.", schema: EndpointAnswer, etag: true },
    },
    async (request, call) => {
      const endpoint = await getEndpoint(endpointScope(request, call), request.params.endpoint);
      const body = { data: presentEndpoint(endpoint) };
      return { status: 200, body, revision: endpoint.revision };
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
    async (request, call) => {
      const scope = endpointScope(request, call);
      const endpoint = await getEndpoint(scope, request.params.endpoint);
      const expected = request.expectRevision(endpoint.revision);
      const updated = await updateEndpoint(scope, endpoint, expected, request.body());
      return { status: 200, body: { data: presentEndpoint(updated) }, revision: updated.revision };
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
      access: change,
      params: EndpointParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request, call) => {
      const scope = endpointScope(request, call);
      const endpoint = await getEndpoint(scope, request.params.endpoint);
      await deleteEndpoint(scope, endpoint, request.expectRevision(endpoint.revision));
      return { status: 204 };
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
    async (request, call) => {
      const scope = endpointScope(request, call);
      const endpoint = await getEndpoint(scope, request.params.endpoint);
      const rotationId = call.claim?.resourceId ?? newId();
      // A rotation that was committed and cut off has changed the revision that the retry names.
      const made = call.claim?.resumed
        ? await findRotation(scope, endpoint, rotationId)
        : undefined;
      const rotated = made ?? (await rotate());
      const body = { data: presentEndpoint(rotated.endpoint), secret: rotated.secret };
      return { status: 200, body, revision: rotated.endpoint.revision };

      async function rotate() {
        const expected = request.expectRevision(endpoint.revision);
        const { immediate } = request.body();
        return rotateSecret(scope, endpoint, expected, rotationId, immediate);
      }
    },
  );
}
