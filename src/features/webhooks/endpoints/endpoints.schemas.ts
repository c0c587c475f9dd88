import { z } from "@hono/zod-openapi";
import { isBlank, optional, withDefault } from "../../../api/blank.ts";
import { idParams } from "../../../api/ids.ts";
import { isStorable, NOT_STORABLE, trimmedText } from "../../../api/text.ts";
import { ChannelName, EventName } from "../../../events/event-names.schemas.ts";
import { findEventType } from "../../../events/event-registry.ts";
import { MAX_URL_LENGTH } from "../../../platform/outbound/public-url.ts";
import {
  CREATE_ENDPOINT,
  ENDPOINT,
  ENDPOINT_METRICS,
  ROTATE_SECRET,
  UPDATE_ENDPOINT,
} from "./endpoints.examples.ts";

const Subscription = z
  .strictObject({ event: EventName, channel: ChannelName })
  .superRefine(({ event, channel }, context) => {
    const type = findEventType(event);
    if (!type)
      context.addIssue({ code: "custom", path: ["event"], message: "There is no such event." });
    else if (!type.channels.includes(channel)) {
      const message = `The channels of this event are: ${type.channels.join(", ")}.`;
      context.addIssue({ code: "custom", path: ["channel"], message });
    }
  })
  .openapi("Subscription", {
    description: "An event and a channel as `GET /events` lists them.",
    example: { event: "salesbot.contact.created", channel: "whatsapp" },
  });

const Subscriptions = z
  .array(Subscription)
  .min(1)
  .max(200)
  .superRefine((subscriptions, context) => {
    const seen = new Set<string>();
    subscriptions.forEach(({ event, channel }, at) => {
      const pair = `${event} ${channel}`;
      if (seen.has(pair)) {
        context.addIssue({
          code: "custom",
          path: [at],
          message: "This subscription is there twice.",
        });
      }
      seen.add(pair);
    });
  });

const Name = trimmedText(120).openapi({ example: "Shop" });
const Url = z
  .string()
  .min(1)
  .refine((url) => !isBlank(url), { error: "May not be blank." })
  .refine(isStorable, NOT_STORABLE)
  .openapi({
    description:
      "A public https address, on port 80, 443 or from 1024 on; neither this platform's own nor a domain that is connected to it.",
    maxLength: MAX_URL_LENGTH,
    example: "https://shop.example.com/hooks/signpost",
  });

export const CreateEndpoint = z
  .strictObject({
    name: Name,
    url: Url,
    enabled: optional(z.boolean()).openapi({
      description: "Ignored: an endpoint is always created paused.",
    }),
    subscriptions: Subscriptions,
  })
  .openapi("CreateEndpoint", { example: CREATE_ENDPOINT });
export type CreateEndpoint = z.output<typeof CreateEndpoint>;

export const UpdateEndpoint = z
  .strictObject({
    name: optional(Name),
    url: optional(Url),
    enabled: optional(z.boolean()),
    subscriptions: optional(Subscriptions).openapi({ description: "Replaces the whole list." }),
  })
  .openapi("UpdateEndpoint", {
    example: UPDATE_ENDPOINT,
    description: "Fields left out keep their values.",
  });
export type UpdateEndpoint = z.output<typeof UpdateEndpoint>;

export const RotateSecret = z
  .strictObject({ immediate: withDefault(z.boolean(), false) })
  .openapi("RotateSecret", {
    example: ROTATE_SECRET,
    description: "`immediate`: the old secret ends at once; else both are valid for 24 hours.",
  });

export const DisabledReason = z.enum([
  "gone",
  "failing",
  "disabled_by_receiver",
  "secret_unreadable",
]);

export const Endpoint = z
  .object({
    id: z.uuid(),
    revision: z.string(),
    name: z.string(),
    url: z.string(),
    enabled: z.boolean(),
    disabled_reason: DisabledReason.nullable().openapi({
      description:
        "Why Signpost paused the endpoint by itself: the receiver answered 410 (`gone`), failed for five days (`failing`) or asked for it; or we have lost the signing secret (`secret_unreadable`): rotate it, which also switches the endpoint on again. The event `workspace.endpoint.disabled` tells the workspace's other endpoints and hooks of it.",
    }),
    subscriptions: z.array(z.object({ event: EventName, channel: ChannelName })),
    previous_secret_expires_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Endpoint", { example: ENDPOINT });
export type Endpoint = z.output<typeof Endpoint>;

const AnswerTime = z.number().int().nullable();

const EndpointMetrics = z
  .object({
    since: z.iso.datetime().openapi({
      description: "What ended from then on is counted: the start of the hour 24 hours ago.",
    }),
    delivered: z.number().int().openapi({ description: "Attempts that were answered by a 2xx." }),
    failed: z.number().int().openapi({
      description: "Attempts that ended otherwise, with an `error` in the delivery's history.",
    }),
    response_time_ms: z.object({ p50: AnswerTime, p95: AnswerTime }).openapi({
      description:
        "How long attempts took that were answered, whatever the status: half of them, and 95 of a hundred, no longer than this. To within 10 %; null when none was.",
    }),
  })
  .openapi("EndpointMetrics", {
    example: ENDPOINT_METRICS,
    description:
      "How the attempts of the last day went, tests and resends included. The revision does not cover it.",
  });

export const EndpointWithMetrics = Endpoint.extend({ metrics: EndpointMetrics }).openapi(
  "EndpointWithMetrics",
);
export type EndpointWithMetrics = z.output<typeof EndpointWithMetrics>;

export const EndpointAnswer = z.object({ data: Endpoint });
export const EndpointWithMetricsAnswer = z.object({ data: EndpointWithMetrics });
export const EndpointSecretAnswer = z.object({
  data: Endpoint,
  secret: z
    .string()
    .openapi({ description: "The signing secret, shown this once.", example: "whsec_…" }),
});
export const EndpointParams = idParams("endpoint");
