import type { Database } from "../../../db/client.ts";
import { describeFault } from "../../../db/faults.ts";
import type { Env } from "../../../env.ts";
import { findEvent, findWaitingEvents } from "../../../events/events.repository.ts";
import type { EventWakeUp } from "../../../events/events.service.ts";
import { now } from "../../../lib/clock.ts";
import { newId } from "../../../lib/ids.ts";
import { findSubscribedHooks } from "../../automation-hooks/automation-hooks.service.ts";
import { findSubscribedEndpoints } from "../endpoints/endpoints.repository.ts";
import { wakeLanes } from "./delivery-lane.ts";
import { insertDeliveries } from "./fan-out.repository.ts";

/**
 * Makes one delivery of an event for each endpoint and hook that wants it, and marks the event, in
 * one transaction. Run again it makes none: the event is marked, and event and target are
 * unique together.
 */
async function fanOut(env: Env, db: Database, eventId: string): Promise<void> {
  const event = await findEvent(db, eventId);
  if (!event || event.fannedOutAt !== null) return;
  const { workspaceId, type, channel } = event;
  const [endpoints, hooks] = await Promise.all([
    findSubscribedEndpoints(db, workspaceId, type, channel),
    findSubscribedHooks(db, workspaceId, type),
  ]);
  const named = (targets: string[]) => targets.map((id): [string, string] => [newId(), id]);
  await insertDeliveries(db, eventId, { endpoint: named(endpoints), hook: named(hooks) }, now());
  await wakeLanes(env, [...endpoints, ...hooks]);
}

/** Fans out what a queue batch announces; each message that fails comes again on its own. */
export async function fanOutBatch(
  env: Env,
  db: Database,
  batch: MessageBatch<EventWakeUp>,
): Promise<void> {
  for (const message of batch.messages) {
    try {
      await fanOut(env, db, message.body.event);
      message.ack();
    } catch (error) {
      console.error({ event: "fan_out_delayed", fault: describeFault(error) });
      message.retry();
    }
  }
}

const GRACE_MILLISECONDS = 5000;
const EVENTS_A_SWEEP = 500;

/** Fans out events whose announcement was lost. */
export async function fanOutForgotten(env: Env, db: Database): Promise<void> {
  for (const id of await findWaitingEvents(db, now() - GRACE_MILLISECONDS, EVENTS_A_SWEEP)) {
    await fanOut(env, db, id);
  }
}
