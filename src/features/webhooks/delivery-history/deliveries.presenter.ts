import type {
  DeliveryDetailRow,
  UnlistedDelivery,
} from "../../../deliveries/deliveries.repository.ts";
import type { RecoveryRow } from "../../../deliveries/recoveries.repository.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import { timeOfId } from "../../../platform/ids.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { endpointTargets } from "../endpoints/endpoints.ports.ts";
import type { Delivery, DeliveryDetail, Recovery, RecoveryPreview } from "./deliveries.schemas.ts";

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toTimestamp(milliseconds);
}

export function presentDelivery(row: UnlistedDelivery): Delivery {
  return {
    id: row.id,
    endpoint: row.targetId,
    event: row.event,
    event_id: row.eventId,
    channel: row.channel,
    status: row.status === "parked" ? "pending" : row.status,
    test: row.test,
    resend_of: row.resendOf,
    attempts_count: row.attemptsCount,
    next_attempt_at: row.status === "parked" ? null : timeOrNull(row.nextAttemptAt),
    // What the list is ordered by, and what `since` and `until` ask for.
    created_at: toTimestamp(timeOfId(row.id)),
    delivered_at: timeOrNull(row.deliveredAt),
  };
}

export function presentDeliveryDetail(
  row: DeliveryDetailRow,
  event: EventRow | undefined,
): DeliveryDetail {
  return {
    ...presentDelivery(row),
    payload: event?.data
      ? endpointTargets.payload({ ...row, occurredAt: event.createdAt, data: event.data })
      : null,
    // In the order of their numbers, as an object has them.
    attempts: Object.entries(row.attempts).map(([number, attempt]) => ({
      number: Number(number),
      started_at: toTimestamp(attempt.startedAt),
      duration_ms: attempt.durationMs,
      status_code: attempt.statusCode,
      error: attempt.error,
      response_headers: attempt.responseHeaders && JSON.parse(attempt.responseHeaders),
      response_body: attempt.responseBody,
      manual: Boolean(attempt.manual),
    })),
  };
}

export function presentRecovery(row: RecoveryRow): Recovery {
  return {
    id: row.id,
    endpoint: row.targetId,
    since: toTimestamp(row.since),
    status: row.finishedAt === null ? "running" : "finished",
    resent: row.resent,
    created_at: toTimestamp(row.createdAt),
    finished_at: timeOrNull(row.finishedAt),
  };
}

export function presentRecoveryPreview(
  endpoint: { id: string },
  since: number,
  { deliveries, more }: { deliveries: number; more: boolean },
): RecoveryPreview {
  return { dry_run: true, endpoint: endpoint.id, since: toTimestamp(since), deliveries, more };
}
