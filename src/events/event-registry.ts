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

/** What a workspace may use; the products whose events there are, mostly, are features of that name. */
type Offer = { features: readonly string[] };

function isOffered({ features }: Offer, { product }: EventType): boolean {
  return product === "workspace" || features.includes(product);
}

/** The events that a workspace can subscribe to, whatever a key of it may do. */
export function listOfferedEventTypes(offer: Offer): EventType[] {
  return listEventTypes().filter((type) => isOffered(offer, type));
}

export function findOfferedEventType(offer: Offer, name: string): EventType | undefined {
  const type = findEventType(name);
  return type && isOffered(offer, type) ? type : undefined;
}
