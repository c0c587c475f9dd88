import { z } from "@hono/zod-openapi";
import { DELIVERY_EXHAUSTED } from "../../../deliveries/ended-attempts.ts";
import { defineEvent } from "../../../events/event-type.ts";
import { DisabledReason } from "./endpoints.schemas.ts";

const time = z.iso.datetime();
const endpoint = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a55";
const channels = ["all"];

/** What befalls a workspace's webhooks: each is told to its other endpoints and hooks. */
export const endpointEvents = {
  disabled: defineEvent({
    name: "workspace.endpoint.disabled",
    description:
      "Signpost paused a webhook endpoint by itself. The endpoint itself does not get this.",
    channels,
    data: z.object({
      id: z.uuid(),
      name: z.string(),
      /** No more of its URL: a path may be a secret, and this goes to other receivers. */
      host: z.string(),
      reason: DisabledReason,
      disabled_at: time,
    }),
    sample: {
      id: endpoint,
      name: "Shop",
      host: "shop.example.com",
      reason: "failing",
      disabled_at: "2026-11-20T08:00:00.000Z",
    },
  }),
  exhausted: defineEvent({
    name: DELIVERY_EXHAUSTED,
    description:
      "A delivery to a webhook endpoint failed for good: its last attempt failed, or its receiver wants it no more. The endpoint itself does not get this; tests do not count, nor do deliveries of this event.",
    channels,
    data: z.object({
      id: z.uuid(),
      endpoint: z.uuid(),
      event: z.string(),
      event_id: z.uuid(),
      channel: z.string(),
      attempts_count: z.int(),
      /** Of the last attempt; null: there was no answer. */
      status_code: z.int().nullable(),
      error: z.string(),
      exhausted_at: time,
    }),
    sample: {
      id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a66",
      endpoint,
      event: "salesbot.contact.created",
      event_id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a77",
      channel: "whatsapp",
      attempts_count: 8,
      status_code: 503,
      error: "bad_status",
      exhausted_at: "2026-11-20T08:00:00.000Z",
    },
  }),
};
