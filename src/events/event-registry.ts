import type { EventType } from "./event-type.ts";

const byName = new Map<string, EventType>();

/** Makes events known by their names: to the intake, to subscriptions and to the reference. */
export function registerEventTypes(types: readonly EventType[]): void {
  for (const type of types) byName.set(type.name, type);
}

/** Every event there is, in the order they were registered in. */
export function listEventTypes(): EventType[] {
  return [...byName.values()];
}

export function findEventType(name: string): EventType | undefined {
  return byName.get(name);
}

/** What a workspace may use; each product whose events there are is a feature of the same name. */
type Offer = { features: readonly string[] };

/** The events that a workspace can subscribe to, whatever a key of it may do. */
export function listOfferedEventTypes({ features }: Offer): EventType[] {
  return listEventTypes().filter(({ product }) => features.includes(product));
}

export function findOfferedEventType({ features }: Offer, name: string): EventType | undefined {
  const type = findEventType(name);
  return type && features.includes(type.product) ? type : undefined;
}
