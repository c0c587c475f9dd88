import { z } from "@hono/zod-openapi";
import { optional, withDefault } from "../../../api/blank.ts";
import { Id, idParams } from "../../../api/ids.ts";
import { openList } from "../../../api/open-list.ts";
import { PageQuery } from "../../../api/pagination.ts";
import { QueryBoolean } from "../../../api/query-values.ts";
import { optionalText } from "../../../api/text.ts";
import { Time } from "../../../api/times.ts";
import { ChannelName, EventName } from "../../../events/event-names.schemas.ts";
import {
  ATTEMPT,
  DELIVERY,
  PAYLOAD,
  RECOVER_ENDPOINT,
  RECOVERY,
  RECOVERY_PREVIEW,
  TEST_ENDPOINT,
} from "./deliveries.examples.ts";

const Status = z.enum(["pending", "delivered", "failed"]);
const time = z.iso.datetime();

export const Delivery = z
  .object({
    id: z.uuid().openapi({ description: "The `webhook-id` of all its attempts." }),
    endpoint: z.uuid(),
    event: EventName,
    event_id: z.uuid(),
    channel: ChannelName,
    status: Status,
    test: z.boolean(),
    resend_of: z.uuid().nullable(),
    attempts_count: z.number().int(),
    next_attempt_at: time.nullable().openapi({
      description:
        "Null when there will be none, and while the delivery waits: for its feature to be switched on again, to be resumed, or until fewer of its endpoint wait.",
    }),
    created_at: time.openapi({
      description: "Deliveries are listed by it. A resend counts from when it was first asked for.",
    }),
    delivered_at: time.nullable(),
  })
  .openapi("Delivery", { example: DELIVERY });
export type Delivery = z.output<typeof Delivery>;

const ERRORS = [
  ...["timeout", "dns_error", "connection_refused", "connection_failed", "tls_error", "redirect"],
  ...["bad_status", "blocked_target", "endpoint_paused", "payload_purged", "interrupted"],
  ...["secret_unreadable", "internal_error"],
];
const Fault = openList("AttemptError", ERRORS, "There may be others.");

const Attempt = z.object({
  number: z.number().int(),
  started_at: time,
  duration_ms: z.number().int().nullable(),
  status_code: z.number().int().nullable(),
  error: z.union([Fault, z.null()]).openapi({
    description:
      "Null when delivered or under way; else `timeout`, `dns_error`, `connection_refused`, `connection_failed`, `tls_error`, `redirect`, `bad_status`, `blocked_target`, `endpoint_paused`, `payload_purged` (too old, or of a contact that was erased), `interrupted` (a crash of ours: whether it was sent is not known), `secret_unreadable` (the endpoint's secret is lost: rotate it), `internal_error` (a fault of ours).",
  }),
  response_headers: z
    .record(z.string(), z.string())
    .nullable()
    .openapi({
      description:
        "What was answered, by names in lower case; a header that came several times is one, with commas between. Without `Set-Cookie`, which is never kept, and what does not fit into 2 KiB any more. Null without an answer, once its contact was erased, and where it is longer than 500 characters and the workspace has no room.",
      example: { "content-type": "text/plain", "retry-after": "120", "x-request-id": "7f3a" },
    }),
  response_body: z.string().nullable().openapi({
    description:
      "Its first 4 KiB; its first 200 characters where the workspace has no room. Null without an answer, or once its contact was erased.",
  }),
  manual: z.boolean().openapi({ description: "Set off by a test or a resend." }),
});

export const DeliveryDetail = Delivery.extend({
  payload: z.record(z.string(), z.unknown()).nullable().openapi({
    example: PAYLOAD,
    description:
      "The body that is sent; null once purged: after 7 days, or when its contact was erased.",
  }),
  attempts: z.array(Attempt).openapi({ example: [ATTEMPT] }),
}).openapi("DeliveryDetail");
export type DeliveryDetail = z.output<typeof DeliveryDetail>;

export const DeliveryAnswer = z.object({ data: Delivery });
export const DeliveryDetailAnswer = z.object({ data: DeliveryDetail });
export const DeliveryParams = idParams("delivery");

export const ListDeliveriesQuery = PageQuery.extend({
  status: optional(Status).openapi({ description: "Only deliveries with this status." }),
  event: optionalText(120).openapi({ description: "Only deliveries of this kind of event." }),
  test: optional(QueryBoolean).openapi({ description: "Only tests, or all but tests." }),
  event_id: optional(Id).openapi({
    description: "Of one event: its delivery, and its resends. The `id` of the body that was sent.",
  }),
  since: optional(Time).openapi({ description: "Made at this time, or later." }),
  until: optional(Time).openapi({ description: "Made before this time." }),
});

export const TestEndpoint = z
  .strictObject({ event: EventName })
  .openapi("TestEndpoint", { example: TEST_ENDPOINT });

export const RecoverEndpoint = z
  .strictObject({
    since: Time.openapi({ description: "Deliveries whose `created_at` is this time, or later." }),
    dry_run: withDefault(z.boolean(), false).openapi({
      description: "Only tells how many deliveries would be sent again.",
    }),
  })
  .openapi("RecoverEndpoint", { example: RECOVER_ENDPOINT });

export const Recovery = z
  .object({
    id: z.uuid(),
    endpoint: z.uuid(),
    since: time,
    status: z.enum(["running", "finished"]),
    resent: z.number().int().openapi({ description: "Deliveries sent again so far." }),
    created_at: time,
    finished_at: time.nullable(),
  })
  .openapi("Recovery", { example: RECOVERY });
export type Recovery = z.output<typeof Recovery>;

export const RecoveryPreview = z
  .object({
    dry_run: z.literal(true),
    endpoint: z.uuid(),
    since: time,
    deliveries: z.number().int().openapi({ description: "How many would be sent again." }),
    more: z.boolean().openapi({
      description:
        "It looked at as many as it may, the oldest and 10,000 at most, and there are more.",
    }),
  })
  .openapi("RecoveryPreview", { example: RECOVERY_PREVIEW });
export type RecoveryPreview = z.output<typeof RecoveryPreview>;

export const RecoveryPreviewAnswer = z.object({ data: RecoveryPreview });
export const RecoveryAnswer = z.object({ data: Recovery });
export const RecoveryParams = idParams("endpoint", "recovery");
