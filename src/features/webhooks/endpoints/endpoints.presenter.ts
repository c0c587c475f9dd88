import type { TargetMetrics } from "../../../deliveries/target-metrics.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import type { EndpointRow } from "./endpoints.repository.ts";
import type { Endpoint, EndpointWithMetrics } from "./endpoints.schemas.ts";

/** An endpoint as the API answers it. */
export function presentEndpoint(row: EndpointRow): Endpoint {
  const { previousSecretExpiresAt: expires } = row;
  return {
    id: row.id,
    revision: row.revision,
    name: row.name,
    url: row.url,
    enabled: row.enabled,
    disabled_reason: row.disabledReason,
    subscriptions: row.subscriptions,
    previous_secret_expires_at: expires !== null && expires > now() ? toTimestamp(expires) : null,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}

/** An endpoint with how its last day went. */
export function presentWithMetrics(
  row: EndpointRow,
  { since, delivered, failed, p50, p95 }: TargetMetrics,
): EndpointWithMetrics {
  const metrics = {
    since: toTimestamp(since),
    delivered,
    failed,
    response_time_ms: { p50, p95 },
  };
  return { ...presentEndpoint(row), metrics };
}
