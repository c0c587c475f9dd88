import type { z } from "@hono/zod-openapi";

/** The products whose events there are; each has a permission of its own to subscribe to them. */
export type EventProduct = "publishing" | "salesbot";
export type EventName = `${EventProduct}.${string}.${string}`;

/** An event that workspaces can subscribe to. `sample` satisfies `data`. */
export interface EventType<Data extends z.ZodObject = z.ZodObject> {
  name: EventName;
  product: EventProduct;
  description: string;
  channels: readonly string[];
  data: Data;
  sample: z.output<Data>;
}

/** Declares an event, beside the feature whose event it is. */
export function defineEvent<Data extends z.ZodObject>(
  type: Omit<EventType<Data>, "product">,
): EventType<Data> {
  return { ...type, product: type.name.split(".")[0] as EventProduct };
}
