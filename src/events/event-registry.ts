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
