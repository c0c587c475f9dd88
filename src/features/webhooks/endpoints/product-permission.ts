import { ApiError } from "../../../api/errors.ts";
import {
  findEventType,
  findOfferedEventType,
  listEventTypes,
} from "../../../events/event-registry.ts";
import { type EventProduct, subscribePermission } from "../../../events/event-type.ts";
import type { Caller } from "../../../platform/context/context.ts";
import type { Subscription } from "./endpoints.table.ts";

type Subscribed = Pick<Subscription, "event">;

/** Whether a caller may subscribe to every product that is subscribed to. */
export function maySubscribe(caller: Caller, subscriptions: Subscribed[]): boolean {
  return missingProducts(caller, subscriptions).length === 0;
}

/** @throws 403 naming the permissions that the caller lacks */
export function assertMaySubscribe(caller: Caller, subscriptions: Subscribed[]): void {
  const missing = missingProducts(caller, subscriptions);
  if (missing.length > 0) {
    const permissions = missing.map(subscribePermission).join(", ");
    throw new ApiError("forbidden", { message: `This needs the permission ${permissions}.` });
  }
}

/** Whether a caller may subscribe to a product's events. */
export function maySubscribeTo(caller: Caller, product: EventProduct): boolean {
  return caller.permissions.includes(subscribePermission(product));
}

/** The events of products that a caller may not subscribe to. */
export function forbiddenEvents(caller: Caller): string[] {
  const forbidden = listEventTypes().filter(({ product }) => !maySubscribeTo(caller, product));
  return forbidden.map(({ name }) => name);
}

function missingProducts(caller: Caller, subscriptions: Subscribed[]): EventProduct[] {
  const products = new Set(
    subscriptions
      .map(({ event }) => findEventType(event)?.product)
      .filter((name) => name !== undefined),
  );
  return [...products].filter((product) => !maySubscribeTo(caller, product));
}

/** What a body, not yet validated, would subscribe to: a missing permission is told before its faults. */
export function subscriptionsIn(body: Record<string, unknown> | undefined): Subscribed[] {
  const given: unknown[] = Array.isArray(body?.subscriptions) ? body.subscriptions : [];
  return given.flatMap((one) => {
    const event = typeof one === "object" && one !== null && "event" in one ? one.event : undefined;
    return typeof event === "string" ? [{ event }] : [];
  });
}

/**
 * Refuses events of a feature that the workspace is without, as those that do not exist. What is
 * subscribed to already may be said again. @throws 422
 */
export function assertOffered(
  caller: Caller,
  subscriptions: Subscription[],
  present: Subscription[] = [],
): void {
  const known = new Set(present.map(({ event }) => event));
  const errors = subscriptions.flatMap(({ event }, at) =>
    known.has(event) || findOfferedEventType(caller, event)
      ? []
      : [[`subscriptions.${at}.event`, ["There is no such event."]]],
  );
  if (errors.length > 0) {
    throw new ApiError("validation_failed", { errors: Object.fromEntries(errors) });
  }
}
