import type { Tellable } from "../../deliveries/targets.ts";
import { toTimestamp } from "../../platform/time.ts";

/**
 * What a hook gets of an event: its data with `id` (the event's), `event` and `occurred_at`, as
 * one flat object, which automation platforms map fields from. The id that the data has itself
 * goes on as `contact_id`, `message_id` or `post_id`, and an event, likewise, as `delivery_event`.
 */
export function hookPayload(
  event: Pick<Tellable, "eventId" | "event" | "occurredAt" | "data">,
): Record<string, unknown> {
  const [, object] = event.event.split(".");
  return {
    ...event.data,
    [`${object}_id`]: event.data.id,
    ...("event" in event.data && { [`${object}_event`]: event.data.event }),
    id: event.eventId,
    event: event.event,
    occurred_at: toTimestamp(event.occurredAt),
  };
}
