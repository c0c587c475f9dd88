import type { z } from "@hono/zod-openapi";
import { closedObject } from "./closed-schema.ts";

/**
 * The products whose events there are; each has a permission of its own to subscribe to them.
 * `workspace`: what befalls the workspace itself, which is no feature that could be off.
 */
export type EventProduct = "biolinks" | "publishing" | "salesbot" | "workspace";
export type EventName = `${EventProduct}.${string}.${string}`;

/** The permission that a key needs to subscribe to a product's events. */
export type SubscribePermission = `${EventProduct}:webhooks:subscribe`;

/** An event that workspaces can subscribe to. `sample` satisfies `data`. */
export interface EventType<Data extends z.ZodObject = z.ZodObject> {
  name: EventName;
  product: EventProduct;
  description: string;
  channels: readonly string[];
  data: Data;
  sample: z.output<Data>;
  /** The field of `data` with the id of the contact or submission that it tells of. */
  subjectField?: string;
}

/**
 * Declares an event, beside the feature whose event it is. Receivers are told the JSON Schema of
 * `data`, so what that cannot say (`refine`, `z.url()`, `z.email()`) has no place in it.
 */
export function defineEvent<Data extends z.ZodObject>(
  type: Omit<EventType<Data>, "product">,
): EventType<Data> {
  const product = type.name.split(".")[0] as EventProduct;
  return { ...type, product, data: closedObject(type.data) };
}

export function subscribePermission(product: EventProduct): SubscribePermission {
  return `${product}:webhooks:subscribe`;
}
