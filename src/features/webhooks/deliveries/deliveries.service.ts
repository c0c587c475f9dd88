import { type EventRow, eventInsert, findEvent } from "../../../events/events.repository.ts";
import { ApiError, invalid } from "../../../http/errors.ts";
import type { Page } from "../../../http/pagination.ts";
import { now } from "../../../lib/clock.ts";
import { newId } from "../../../lib/ids.ts";
import { findEventKind } from "../catalogue.ts";
import type { EndpointRow } from "../endpoints/endpoints.repository.ts";
import { type EndpointScope, getEndpoint } from "../endpoints/endpoints.service.ts";
import type { DeliveryFilter, DeliveryRow } from "./deliveries.repository.ts";
import * as repository from "./deliveries.repository.ts";
import { wakeLanes } from "./delivery-lane.ts";
import { findRecovery, insertRecovery, type RecoveryRow } from "./recoveries.repository.ts";

/** A delivery of an endpoint that the caller may see. @throws 404, 403 */
export async function getDelivery(scope: EndpointScope, id: string): Promise<DeliveryRow> {
  const delivery = await repository.findDelivery(scope.db, scope.caller.workspaceId, id);
  if (!delivery) throw new ApiError("not_found", { message: "There is no such delivery." });
  await getEndpoint(scope, delivery.targetId);
  return delivery;
}

export async function listDeliveries(
  scope: EndpointScope,
  endpoint: EndpointRow,
  filter: DeliveryFilter,
  page: Page,
): Promise<DeliveryRow[]> {
  return repository.listDeliveries(scope.db, scope.caller.workspaceId, endpoint.id, filter, page);
}

export async function readDelivery(scope: EndpointScope, delivery: DeliveryRow) {
  const event = await findEvent(scope.db, delivery.eventId);
  return { event, attempts: await repository.listAttempts(scope.db, delivery.id) };
}

/** The delivery that an earlier run of the same request made; undefined if there was none. */
export async function findMadeDelivery(
  scope: EndpointScope,
  id: string,
): Promise<DeliveryRow | undefined> {
  return repository.findDelivery(scope.db, scope.caller.workspaceId, id);
}

/** Sends a sample of an event the endpoint is subscribed to. @throws 409, 422 */
export async function sendTest(
  scope: EndpointScope,
  endpoint: EndpointRow,
  id: string,
  eventName: string,
): Promise<DeliveryRow> {
  const subscription = endpoint.subscriptions.find(({ event }) => event === eventName);
  const kind = findEventKind(eventName);
  if (!subscription || !kind)
    throw invalid("event", "The endpoint is not subscribed to this event.");
  assertEnabled(endpoint);
  const time = now();
  const event: EventRow = {
    id: newId(),
    workspaceId: endpoint.workspaceId,
    type: eventName,
    channel: subscription.channel,
    test: true,
    data: kind.sample,
    fannedOutAt: time,
    createdAt: time,
  };
  const delivery = newDelivery(endpoint, event, id, time);
  const { db } = scope;
  await db.batch([eventInsert(db, event), repository.deliveryInsert(db, delivery)]);
  await wakeLanes(scope.env, [endpoint.id]);
  return delivery;
}

/** Sends an event again, as a delivery of its own. @throws 409 */
export async function resend(
  scope: EndpointScope,
  original: DeliveryRow,
  id: string,
): Promise<DeliveryRow> {
  const endpoint = await getEndpoint(scope, original.targetId);
  assertEnabled(endpoint);
  const isSubscribed = endpoint.subscriptions.some(
    ({ event, channel }) => event === original.event && channel === original.channel,
  );
  if (!isSubscribed) {
    throw new ApiError("conflict", {
      message: "The endpoint is no longer subscribed to this event.",
    });
  }
  const event = await findEvent(scope.db, original.eventId);
  if (!event?.data) {
    throw new ApiError("conflict", {
      message: "The payload of this delivery is no longer stored.",
    });
  }
  const delivery = { ...newDelivery(endpoint, event, id, now()), resendOf: original.id };
  await repository.deliveryInsert(scope.db, delivery);
  await wakeLanes(scope.env, [endpoint.id]);
  return delivery;
}

/** Starts a job that sends again what failed since a time. @throws 409 */
export async function startRecovery(
  scope: EndpointScope,
  endpoint: EndpointRow,
  id: string,
  since: number,
): Promise<RecoveryRow> {
  assertEnabled(endpoint);
  const recovery: RecoveryRow = {
    id,
    workspaceId: endpoint.workspaceId,
    targetId: endpoint.id,
    since,
    position: "",
    resent: 0,
    finishedAt: null,
    createdAt: now(),
  };
  await insertRecovery(scope.db, recovery);
  await wakeLanes(scope.env, [endpoint.id]);
  return recovery;
}

export async function findStartedRecovery(
  scope: EndpointScope,
  endpoint: EndpointRow,
  id: string,
): Promise<RecoveryRow | undefined> {
  return findRecovery(scope.db, scope.caller.workspaceId, endpoint.id, id);
}

/** @throws 404 */
export async function getRecovery(
  scope: EndpointScope,
  endpoint: EndpointRow,
  id: string,
): Promise<RecoveryRow> {
  const recovery = await findStartedRecovery(scope, endpoint, id);
  if (!recovery) throw new ApiError("not_found", { message: "There is no such recovery." });
  return recovery;
}

function newDelivery(
  endpoint: EndpointRow,
  event: EventRow,
  id: string,
  time: number,
): DeliveryRow {
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

function assertEnabled(endpoint: EndpointRow): void {
  if (!endpoint.enabled) throw new ApiError("conflict", { message: "The endpoint is paused." });
}
