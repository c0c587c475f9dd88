import { ApiError } from "../../../api/errors.ts";
import { findEventType } from "../../../events/event-registry.ts";
import type { EventProduct } from "../../../events/event-type.ts";
import type { Caller } from "../../../platform/context/context.ts";
import type { Subscription } from "./endpoints.table.ts";

/** Whether a caller may subscribe to every product that is subscribed to. */
export function maySubscribe(caller: Caller, subscriptions: Subscription[]): boolean {
  return missingProducts(caller, subscriptions).length === 0;
}

/** @throws 403 naming the permissions that the caller lacks */
export function assertMaySubscribe(caller: Caller, subscriptions: Subscription[]): void {
  const missing = missingProducts(caller, subscriptions);
  if (missing.length > 0) {
    const permissions = missing.map((product) => `${product}:webhooks:subscribe`).join(", ");
    throw new ApiError("forbidden", { message: `This needs the permission ${permissions}.` });
  }
}

/** Whether a caller may subscribe to a product's events. */
export function maySubscribeTo(caller: Caller, product: EventProduct): boolean {
  return caller.permissions.includes(`${product}:webhooks:subscribe`);
}

function missingProducts(caller: Caller, subscriptions: Subscription[]): EventProduct[] {
  const products = new Set(
    subscriptions
      .map(({ event }) => findEventType(event)?.product)
      .filter((name) => name !== undefined),
  );
  return [...products].filter((product) => !maySubscribeTo(caller, product));
}
