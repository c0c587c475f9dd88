import { setTimeout as pause } from "node:timers/promises";
import { type Receiver, untilReceived } from "./receivers.ts";
import { lastPublished, publish, type Tenant } from "./tenant.ts";

export const EVENTS_A_SECOND = 10;

/** Publishes at a steady rate; the lags of the receivers that are looked at, once they have all. */
export async function steady(
  tenant: Tenant,
  seconds: number,
  looked: Receiver[] = tenant.receivers,
): Promise<number[]> {
  const before = lastPublished();
  const events = Math.ceil(EVENTS_A_SECOND * seconds);
  const publishing: Promise<void>[] = [];
  const began = performance.now();
  for (let event = 0; event < events; event++) {
    publishing.push(publish(tenant));
    // By the clock: what waits a little long is made up for.
    const next = began + ((event + 1) * 1000) / EVENTS_A_SECOND;
    await pause(Math.max(next - performance.now(), 0));
  }
  await Promise.all(publishing);
  return (await untilReceived(looked, before, events)).flatMap(({ lags }) => lags);
}
