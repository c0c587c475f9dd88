import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { EARLY_END, listOf, toPageRequest, toPart } from "../../../api/pagination.ts";
import { EndpointParams } from "../endpoints/endpoints.schemas.ts";
import { getEndpoint } from "../endpoints/endpoints.service.ts";
import { ENDPOINT_PATH, WEBHOOKS_PATH } from "../endpoints/webhook-paths.ts";
import {
  presentDelivery,
  presentDeliveryDetail,
  presentRecovery,
  presentRecoveryPreview,
} from "./deliveries.presenter.ts";
import {
  Delivery,
  DeliveryAnswer,
  DeliveryDetailAnswer,
  DeliveryParams,
  ListDeliveriesQuery,
  RecoverEndpoint,
  RecoveryAnswer,
  RecoveryParams,
  RecoveryPreviewAnswer,
  TestEndpoint,
} from "./deliveries.schemas.ts";
import {
  findEventOf,
  getDelivery,
  listDeliveries,
  resend,
  sendTest,
} from "./deliveries.service.ts";
import { getRecovery, previewRecovery, startRecovery } from "./recoveries.service.ts";

const tag = "Webhook deliveries";

const read: Access = {
  feature: "webhooks",
  permission: "webhooks:deliveries:read",
  idempotencyKey: "unused",
};
const send: Access = {
  feature: "webhooks",
  permission: "webhooks:deliveries:retry",
  idempotencyKey: "required",
  webhookChange: true,
};

export function addDeliveryRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "get",
      path: `${ENDPOINT_PATH}/deliveries`,
      operationId: "listDeliveries",
      tag,
      summary: "List an endpoint's deliveries",
      description: `\`since\` and \`until\` compare with \`created_at\`: a range holds its beginning and not its end, so one begins where another ends. With \`status\`, \`event\` or \`test\`, or where there are events that you may not see: ${EARLY_END}`,
      access: read,
      params: EndpointParams,
      query: ListDeliveriesQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Delivery) },
    },
    async (request) => {
      const { ctx } = request;
      const endpoint = await getEndpoint(ctx, request.params.endpoint);
      const { limit, cursor, event_id: eventId, ...filter } = request.query;
      const page = toPageRequest({ limit, cursor });
      const { rows, lastId } = await listDeliveries(ctx, endpoint, { ...filter, eventId }, page);
      return { body: toPart(rows, lastId, presentDelivery) };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${WEBHOOKS_PATH}/deliveries/{delivery}`,
      operationId: "getDelivery",
      tag,
      summary: "Read a delivery with its attempts",
      description: "What was sent, and for each attempt what was answered and how long it took.",
      access: read,
      params: DeliveryParams,
      success: { status: 200, description: "The delivery.", schema: DeliveryDetailAnswer },
    },
    async (request) => {
      const { ctx } = request;
      const delivery = await getDelivery(ctx, request.params.delivery);
      const event = await findEventOf(ctx, delivery);
      return { body: { data: presentDeliveryDetail(delivery, event) } };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${WEBHOOKS_PATH}/deliveries/{delivery}/resend`,
      operationId: "resendDelivery",
      tag,
      summary: "Send a delivery again",
      description: "As a new delivery with an id of its own, while the payload is stored.",
      access: send,
      params: DeliveryParams,
      errors: ["conflict", "storage_full"],
      success: { status: 202, description: "The new delivery.", schema: DeliveryAnswer },
    },
    async (request) => {
      const { ctx } = request;
      const original = await getDelivery(ctx, request.params.delivery);
      const delivery = await resend(ctx, original);
      return { body: { data: presentDelivery(delivery) } };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${ENDPOINT_PATH}/test`,
      operationId: "testEndpoint",
      tag,
      summary: "Send a test delivery",
      description: "A sample of an event that the endpoint is subscribed to, with `test` true.",
      access: send,
      params: EndpointParams,
      body: TestEndpoint,
      ifMatch: true,
      errors: ["conflict"],
      success: { status: 202, description: "The new delivery.", schema: DeliveryAnswer },
    },
    async (request) => {
      const { ctx } = request;
      const endpoint = await getEndpoint(ctx, request.params.endpoint);
      const delivery = await sendTest(ctx, endpoint, () => {
        request.expectRevision(endpoint.revision);
        return request.body().event;
      });
      return { body: { data: presentDelivery(delivery) } };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${ENDPOINT_PATH}/recover`,
      operationId: "recoverEndpoint",
      tag,
      summary: "Send again all that failed since a time",
      description:
        "A job: read its progress. Left out are tests, events that reached the endpoint by a later delivery or that it is no longer subscribed to, and those whose payload is purged. It ends when the endpoint is paused: what it has not sent by then is left to another. With `dry_run` nothing is made, and the answer is how many it would send if it began now; what is checked first is the same. It needs an `Idempotency-Key` of its own, as any POST.",
      access: send,
      params: EndpointParams,
      body: RecoverEndpoint,
      ifMatch: true,
      errors: ["conflict"],
      success: {
        status: 202,
        description: "The job.",
        schema: RecoveryAnswer,
        preview: { description: "What a job would do.", schema: RecoveryPreviewAnswer },
      },
    },
    async (request) => {
      const { ctx } = request;
      const endpoint = await getEndpoint(ctx, request.params.endpoint);
      const wish = () => {
        request.expectRevision(endpoint.revision);
        return request.body();
      };
      if (request.peekBody()?.dry_run === true) {
        const { since } = wish();
        const found = await previewRecovery(ctx, endpoint, since);
        return { preview: { data: presentRecoveryPreview(endpoint, since, found) } };
      }
      const recovery = await startRecovery(ctx, endpoint, () => wish().since);
      return { body: { data: presentRecovery(recovery) } };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${ENDPOINT_PATH}/recoveries/{recovery}`,
      operationId: "getRecovery",
      tag,
      summary: "Read the progress of a recovery",
      description: "Ask again until `status` is `finished`.",
      access: read,
      params: RecoveryParams,
      success: { status: 200, description: "The job.", schema: RecoveryAnswer },
    },
    async (request) => {
      const { ctx } = request;
      const endpoint = await getEndpoint(ctx, request.params.endpoint);
      const recovery = await getRecovery(ctx, endpoint, request.params.recovery);
      return { body: { data: presentRecovery(recovery) } };
    },
  );
}
