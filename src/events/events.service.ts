import type { Database } from "../db/client.ts";
import type { Env } from "../env.ts";
import { findEventKind } from "../features/webhooks/catalogue.ts";
import { invalid } from "../http/errors.ts";
import { validate } from "../http/validation.ts";
import { now } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { type EventRow, eventInsert } from "./events.repository.ts";

/** What a product says happened. */
export interface EventInput {
  event: string;
  channel: string;
  data: Record<string, unknown>;
}

/** A queue message: there is an event in the outbox. D1 says what it is. */
export interface EventWakeUp {
  event: string;
}

/** A row for the outbox. @throws 422 for an unknown event, a channel it has not, or wrong data. */
export function newEvent(workspaceId: string, input: EventInput): EventRow {
  const kind = findEventKind(input.event);
  if (!kind) throw invalid("event", "There is no such event.");
  if (!kind.channels.includes(input.channel)) {
    throw invalid("channel", `The channels of this event are: ${kind.channels.join(", ")}.`);
  }
  validate(kind.data, input.data, ["data"]);
  return {
    id: newId(),
    workspaceId,
    type: input.event,
    channel: input.channel,
    test: false,
    data: input.data,
    fannedOutAt: null,
    createdAt: now(),
  };
}

const MESSAGES_AT_ONCE = 100;

/** Says that events stand in the outbox. Losing this costs a minute: the sweep finds them. */
export async function announceEvents(env: Env, ids: string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += MESSAGES_AT_ONCE) {
    const messages = ids.slice(start, start + MESSAGES_AT_ONCE);
    await env.EVENTS.sendBatch(messages.map((event) => ({ body: { event } }))).catch(
      (error: unknown) => {
        console.error({ event: "wake_up_lost", reason: String(error) });
      },
    );
  }
}

/** Puts an event that has no change of ours behind it into a workspace's stream. @throws 422 */
export async function publishEvent(
  env: Env,
  db: Database,
  workspaceId: string,
  input: EventInput,
): Promise<{ id: string }> {
  const event = newEvent(workspaceId, input);
  await eventInsert(db, event);
  await announceEvents(env, [event.id]);
  return { id: event.id };
}
