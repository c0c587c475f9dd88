import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import type {
  DeliveryDetailRow,
  DeliveryFilter,
  DeliveryRow,
  UnlistedDelivery,
} from "../../../deliveries/deliveries.repository.ts";
import * as repository from "../../../deliveries/deliveries.repository.ts";
import { findEventType, findOfferedEventType } from "../../../events/event-registry.ts";
import { type EventRow, eventInsert, findEvent } from "../../../events/events.ports.ts";
import type { ClientContext } from "../../../platform/context/context.ts";
import type { Part } from "../../../platform/db/walk.ts";
import { newId } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { type EndpointRow, findEndpointIds, getEndpoint } from "../endpoints/endpoints.service.ts";
import { assertMaySubscribe, forbiddenEvents } from "../endpoints/product-permission.ts";
import { assertEnabled, conflict, refuseWhenOverfull, wakeEndpoint } from "./sending-again.ts";

/** A delivery of an endpoint, and of an event, that the caller may see. @throws 404, 403 */
export async function getDelivery(ctx: ClientContext, id: string): Promise<DeliveryDetailRow> {
  const { db, workspaceId } = ctx;
  const endpoints = await findEndpointIds(ctx);
  const delivery = await repository.findDelivery(db, workspaceId, endpoints, id);
  if (!delivery) throw new ApiError("not_found", { message: "There is no such delivery." });
  await getEndpoint(ctx, delivery.targetId);
  assertMaySubscribe(ctx.caller, [delivery]);
  return delivery;
}

/** Without those of products that the endpoint had once, and that the caller may not subscribe to. */
export async function listDeliveries(
  { db, workspaceId, caller }: ClientContext,
  endpoint: EndpointRow,
  filter: Omit<DeliveryFilter, "without">,
  page: PageRequest,
): Promise<Part<DeliveryRow>> {
  const visible = { ...filter, without: forbiddenEvents(caller) };
  return repository.listDeliveries(db, workspaceId, endpoint.id, visible, page);
}

/** The event of a delivery; undefined when it is not stored any more. */
export function findEventOf(ctx: ClientContext, delivery: DeliveryRow) {
  return findEvent(ctx.db, ctx.workspaceId, delivery.eventId);
}

/**
 * Sends a sample of an event the endpoint is subscribed to. `wish`, the event's name, is read only
 * if the delivery was not made by an earlier run of the same request. @throws 409, 422
 */
export async function sendTest(
  ctx: ClientContext,
  endpoint: EndpointRow,
  wish: () => string,
): Promise<UnlistedDelivery> {
  return createOnce<UnlistedDelivery>(ctx, {
    find: (id) => repository.findDelivery(ctx.db, ctx.workspaceId, [endpoint.id], id),
    insert: async (id) => {
      const event = sampleEvent(ctx, endpoint, wish());
      assertEnabled(endpoint);
      const delivery = newDelivery(endpoint, event, id);
      const { db } = ctx;
      await refuseWhenOverfull(ctx);
      await db.batch([eventInsert(db, event), repository.deliveryInsert(db, delivery)]);
      await wakeEndpoint(ctx, endpoint);
      return delivery;
    },
  });
}

/** @throws 422 */
function sampleEvent({ caller }: ClientContext, endpoint: EndpointRow, name: string): EventRow {
  const subscription = endpoint.subscriptions.find(({ event }) => event === name);
  if (!subscription) throw invalid("event", "The endpoint is not subscribed to this event.");
  const type = findOfferedEventType(caller, name);
  if (!type) throw invalid("event", "The event's feature is switched off on this workspace.");
  const time = now();
  return {
    id: newId(),
    workspaceId: endpoint.workspaceId,
    type: name,
    channel: subscription.channel,
    test: true,
    subject: null,
    data: type.sample,
    targets: null,
    deliveries: null,
    fannedOutAt: time,
    failures: 0,
    sourceId: null,
    createdAt: time,
  };
}

/** Sends an event again, as a delivery of its own. @throws 409 */
export async function resend(ctx: ClientContext, original: DeliveryRow): Promise<UnlistedDelivery> {
  const { db, workspaceId } = ctx;
  return createOnce<UnlistedDelivery>(ctx, {
    find: (id) => repository.findDelivery(db, workspaceId, [original.targetId], id),
    insert: async (id) => {
      const endpoint = await getEndpoint(ctx, original.targetId);
      assertEnabled(endpoint);
      const isSubscribed = endpoint.subscriptions.some(
        ({ event, channel }) => event === original.event && channel === original.channel,
      );
      if (!isSubscribed) throw conflict("The endpoint is no longer subscribed to this event.");
      // One that is no type any more is still resent.
      const isKnown = findEventType(original.event) !== undefined;
      if (isKnown && !findOfferedEventType(ctx.caller, original.event)) {
        throw conflict("The event's feature is switched off on this workspace.");
      }
      const event = await findEvent(db, workspaceId, original.eventId);
      if (!event?.data) throw conflict("The payload of this delivery is no longer stored.");
      const delivery = { ...newDelivery(endpoint, event, id), resendOf: original.id };
      await refuseWhenOverfull(ctx);
      await repository.deliveryInsert(db, delivery);
      await wakeEndpoint(ctx, endpoint);
      return delivery;
    },
  });
}

function newDelivery(endpoint: EndpointRow, event: EventRow, id: string): UnlistedDelivery {
  const time = now();
  return {
    id,
    workspaceId: endpoint.workspaceId,
    targetKind: "endpoint",
    targetId: endpoint.id,
    eventId: event.id,
    event: event.type,
    channel: event.channel,
    test: event.test,
    resendOf: null,
    status: "pending",
    attemptsCount: 0,
    nextAttemptAt: time,
    deliveredAt: null,
    createdAt: time,
  };
}
